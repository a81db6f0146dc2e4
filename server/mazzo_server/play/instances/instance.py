"""What every running instance of a bot is, wherever it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.instances.stream import Listener

__all__ = ["Instance", "InstanceListener", "InstanceSpec", "Loss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """How an instance ended that was not to end."""

    termination: Termination
    owner: Owner
    reason: str
    joined: bool  # it had played, or could have
    log: str = ""  # the end of what it wrote


class InstanceListener(Listener, Protocol):
    """Who plays through an instance."""

    def started(self) -> None:
        """Its process is about to start: its start-up allowance runs."""

    @property
    def has_frame(self) -> bool:
        """Whether there is something to send."""

    def away(self) -> bool:
        """Its connection is lost; whether it may come back, and then joins again."""


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
        """Of the bot, for the logs."""

    @property
    def remote(self) -> bool:
        """Whether it runs on its author's machine, where the platform can start nothing."""

    def instance(self, listener: InstanceListener) -> Instance:
        """A new instance, which `run` will start."""
