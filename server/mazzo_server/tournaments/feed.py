"""The matches that have begun in a run, numbered, for whoever watches and comes back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice

from mazzo_server.errors import FellBehindError
from mazzo_server.play.live import LiveMatch

__all__ = ["Begun", "Feed"]

_MOST_KEPT = 10_000  # of the newest
_MOST_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A match that has begun, and the promise of its cards."""

    group: int
    seating: int
    entrants: tuple[str, ...]  # names by seat
    commitment: bytes

    @classmethod
    def of(cls, live: LiveMatch) -> Begun:
        """What may be told of a match in flight."""
        group, seating = live.key
        return cls(group=group, seating=seating, entrants=live.names, commitment=live.commitment)


class Feed:
    """What has begun, in order, with numbers from 1 on; the oldest are forgotten."""

    def __init__(self) -> None:
        self.last = 0  # number of the newest
        self._kept: deque[Begun] = deque(maxlen=_MOST_KEPT)

    def tell(self, begun: Begun) -> None:
        """One more."""
        self._kept.append(begun)
        self.last += 1

    def after(self, number: int) -> list[Begun]:
        """The next ones after that number, at most 500.

        Raises `FellBehindError` when some of them are forgotten already.
        """
        skipped = number - (self.last - len(self._kept))
        if skipped < 0:
            raise FellBehindError(
                f"more than {_MOST_KEPT} matches have begun that you have not read of: watch "
                "again from now on, and read faster"
            )
        return list(islice(self._kept, skipped, skipped + _MOST_AT_ONCE))
