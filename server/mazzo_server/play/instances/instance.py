"""What every running instance of a bot is, wherever it runs, and how a player talks to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mazzo.v1 import play_pb2
from mazzo_server.model import Owner, Termination

__all__ = ["FrameSource", "Instance", "InstanceLink", "InstanceListener", "InstanceSpec", "Loss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """How an instance ended before its time."""

    termination: Termination
    owner: Owner
    reason: str
    joined: bool  # it had played, or could have
    log: str = ""  # the end of what it wrote


class FrameSource(Protocol):
    """What an instance is to be sent."""

    @property
    def news(self) -> asyncio.Event:
        """Set whenever there may be a frame to send."""

    @property
    def idle(self) -> bool:
        """Whether every decision that was sent is answered."""

    @property
    def has_frame(self) -> bool:
        """Whether there is something to send, or will be in a moment."""

    def next_frame(self) -> bytes | None:
        """Return the next serialised response; None when there is nothing to send now."""

    def last_frame(self) -> bytes | None:
        """Return what is still to be sent before the goodbye; it holds no decision."""


class InstanceListener(Protocol):
    """A player, as its instance sees it."""

    def on_start(self) -> None:
        """Its process is about to start: its start-up allowance runs."""

    def on_join(self, capacity: int) -> None:
        """The instance may be sent so many decisions at once."""

    def on_answer(self, answer: play_pb2.Answer) -> None:
        """It answered."""

    def on_latency(self, seconds: float) -> None:
        """The round trip to the instance was measured."""

    def on_disconnect(self) -> bool:
        """Its connection is lost; return whether it may come back, and join again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceLink:
    """What joins an instance to its player."""

    frames: FrameSource
    listener: InstanceListener
    # The time, of a monotonic clock that may stand still while the server does.
    now: Callable[[], float]


class Instance(Protocol):
    """A bot that is started, plays, and ends."""

    @property
    def over(self) -> bool:
        """Whether it is settled how it ended: nothing that it sends counts any more."""

    @property
    def log(self) -> str:
        """The end of what it wrote so far; "" where the platform does not see it."""

    def end(self) -> None:
        """Say goodbye; `run` then returns None."""

    def fail(self, termination: Termination, reason: str) -> None:
        """Give it up for a fault of the bot."""

    async def run(self) -> Loss | None:
        """Start and serve until it ends; None after `end`. Nothing of it is left afterwards.

        Raises `IsolationError` when the platform cannot start it at all.
        """


class InstanceSpec(Protocol):
    """What is started, and how."""

    @property
    def name(self) -> str:
        """The name of the bot, for the logs."""

    @property
    def remote(self) -> bool:
        """Whether it runs on its author's machine, where the platform can start nothing."""

    def new_instance(self, link: InstanceLink) -> Instance:
        """Return a new instance, which `run` will start."""
