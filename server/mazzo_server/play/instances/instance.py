"""What instances of bots have in common, wherever they run, and how a player talks to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mazzo.v1 import play_pb2
from mazzo_server.model import InstanceLog, Owner, Termination

__all__ = [
    "FrameSource",
    "Instance",
    "InstanceLink",
    "InstanceListener",
    "InstanceOutput",
    "InstanceSpec",
    "Loss",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """The reason why an instance ended too early."""

    termination: Termination
    owner: Owner
    reason: str
    joined: bool  # it had played, or could have played
    log: str = ""  # the end of what it wrote
    # No other instance takes over: whatever the bot has still to decide is forfeited.
    is_final: bool = False


class FrameSource(Protocol):
    """The source of the frames that an instance is sent."""

    @property
    def news(self) -> asyncio.Event:
        """Set whenever there may be a frame to send."""

    @property
    def is_idle(self) -> bool:
        """Whether every decision that was sent is answered."""

    @property
    def has_frame(self) -> bool:
        """Whether there is something to send, now or in a moment."""

    def take_frame(self) -> bytes | None:
        """Return the next serialised response; None when there is nothing to send now."""

    def take_last_frame(self) -> bytes | None:
        """Return what must still be sent before the goodbye; it holds no decision."""


class InstanceListener(Protocol):
    """A player, as its instance sees it."""

    def on_start(self) -> None:
        """Start the start-up allowance: the process is about to start."""

    def on_join(self, capacity: int) -> None:
        """Note that the instance has joined and may be sent so many decisions at once."""

    def on_answer(self, answer: play_pb2.Answer) -> None:
        """Take an answer."""

    def on_latency(self, seconds: float) -> None:
        """Take the measured round trip to the instance."""

    def on_disconnect(self) -> bool:
        """Note that the connection is lost; return whether the instance may join again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceLink:
    """The connection between an instance and its player."""

    frames: FrameSource
    listener: InstanceListener
    # The time of a monotonic clock; it may stand still while the server stalls.
    now: Callable[[], float]


class InstanceOutput(Protocol):
    """What an instance writes, while it lives and after its end."""

    @property
    def size(self) -> int:
        """The bytes so far; 0 where the platform cannot see them."""

    def read(self, since: int = 0) -> InstanceLog:
        """Return the end of what it wrote after its first `since` bytes."""


class Instance(Protocol):
    """A bot that is started, plays, and ends."""

    @property
    def is_over(self) -> bool:
        """Whether its end is settled: from then on nothing that it sends counts."""

    @property
    def output(self) -> InstanceOutput:
        """What it writes."""

    def end(self) -> None:
        """Say goodbye; `run` then returns None."""

    def fail(self, termination: Termination, reason: str) -> None:
        """Give the instance up for a fault of the bot."""

    async def run(self) -> Loss | None:
        """Start the bot and serve it until it ends; return None after `end`.

        Nothing of the instance is left when it returns. Raises `IsolationError` when the platform
        cannot start it at all.
        """


class InstanceSpec(Protocol):
    """A bot, and how its instances are started."""

    @property
    def name(self) -> str:
        """The name of the bot, for the logs."""

    @property
    def remote(self) -> bool:
        """Whether it runs on its author's machine, where the platform can start nothing."""

    def make_instance(self, link: InstanceLink) -> Instance:
        """Return a new instance, which `run` will start."""
