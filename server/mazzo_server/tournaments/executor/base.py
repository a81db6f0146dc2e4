"""What a director asks of whatever plays its matches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from mazzo_server.play import PlayEvent
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.tournaments.executor.chunk import Chunk

__all__ = ["Executor"]


class Executor(Protocol):
    """Plays the chunks of one tournament, one after the other.

    Laws: every match of a chunk that is to be played is reported as begun and then, unless it is
    given up, as finished or spoilt; a spoilt match is played again. What is reported does not
    depend on how many matches are played at once, but for its order and for times. Twins never
    live at the same time, and no process meets a deal twice.
    """

    def add_entrants(self, specs: Sequence[InstanceSpec]) -> None:
        """Add how the bots of more entrants are started; they play in chunks to come."""

    def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        """Play a chunk, and report what happens until it is over.

        Raises what stops the platform, such as `IsolationError`, once all that happened before
        is reported. Closed early, it gives the matches in flight up.
        """

    def cut_off(self, earliest: int) -> int:
        """Begin no group from number `earliest` on that has not begun, if that can still be.

        Returns the number of the first group that the chunk which is played does not play, and
        0 while none is.
        """

    def stop(self, *, at_once: bool = False) -> None:
        """Begin no new match, in no chunk; at once: give up those in flight."""
