"""The interface between a director and the executor that plays its matches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from mazzo_server.play import PlayEvent
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.tournaments.executor.chunk import Chunk

__all__ = ["Executor"]


class Executor(Protocol):
    """Plays the chunks of one tournament, one after another.

    Laws: every match of a chunk that must be played is reported as begun. Then, unless it is given
    up, it is reported as finished or spoilt; a spoilt match is played again. The reports do not
    depend on how many matches are played at once, except for their order and for times. Twins never
    live at the same time, and no process meets a deal twice.
    """

    @property
    def groups_at_a_time(self) -> int:
        """How many groups a chunk should have, if there are so many that may be played."""

    def add_entrants(self, specs: Sequence[InstanceSpec]) -> None:
        """Add specifications to start the bots of more entrants, which play in later chunks."""

    def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        """Play a chunk, and report events until it is over.

        Raises the error that stops the platform, such as `IsolationError`, after all earlier events
        are reported. When it is closed early, it gives up the matches in flight.
        """

    def cut_off(self, earliest: int) -> int:
        """Begin no further group from number `earliest` on, as far as that is still possible.

        Returns the number of the first group that the current chunk does not play; 0 without a
        current chunk.
        """

    def stop(self, *, at_once: bool = False) -> None:
        """Begin no new match in any chunk; at once: give up the matches in flight."""
