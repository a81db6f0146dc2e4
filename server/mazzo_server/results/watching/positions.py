"""The positions of a match that is watched, and the ways between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

__all__ = ["Position", "Positions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A place in a match: before a decision of a deal, or at the end of the deal."""

    deal: int = 0
    step: int = 0
    seat: int | None = None  # whose view; None: all hands


_PositionT = TypeVar("_PositionT", bound=Position)


class Positions:
    """Leads from one position of a match to others.

    Laws: every method returns a position of the match. Going forward from the first position
    visits every decision and every end of a deal once, in order; going back is the reverse.
    """

    def __init__(self, tricks: Sequence[Sequence[int]], *, players: int) -> None:
        """`tricks` has the number of completed tricks at each decision of each deal."""
        self._tricks = tricks
        self._players = players

    def has(self, at: Position) -> bool:
        """Tell whether the match has this position."""
        is_seat = at.seat is None or 0 <= at.seat < self._players
        return is_seat and 0 <= at.deal < len(self._tricks) and 0 <= at.step <= self._end(at.deal)

    def list_all(self) -> Iterator[Position]:
        """Return every position: from the first place to the last, all hands before each seat's."""
        for deal in range(len(self._tricks)):
            for step in range(self._end(deal) + 1):
                for seat in (None, *range(self._players)):
                    yield Position(deal=deal, step=step, seat=seat)

    def find_next(self, at: _PositionT) -> _PositionT:
        """Return the next position; at the end of the match the same."""
        if at.step < self._end(at.deal):
            return replace(at, step=at.step + 1)
        if at.deal + 1 < len(self._tricks):
            return replace(at, deal=at.deal + 1, step=0)
        return at

    def find_previous(self, at: _PositionT) -> _PositionT:
        """Return the position before; at the beginning of the match the same."""
        if at.step:
            return replace(at, step=at.step - 1)
        if at.deal:
            return replace(at, deal=at.deal - 1, step=self._end(at.deal - 1))
        return at

    def find_next_trick(self, at: _PositionT) -> _PositionT:
        """Return where the next trick begins, or the end of the deal."""
        tricks = self._tricks[at.deal]
        if at.step == len(tricks):
            return self.find_next(at)
        later = (step for step, over in enumerate(tricks) if over > tricks[at.step])
        return replace(at, step=next(later, len(tricks)))

    def find_previous_trick(self, at: _PositionT) -> _PositionT:
        """Return where this trick began, or the one before."""
        if not at.step:
            return self.find_previous(at)
        tricks = self._tricks[at.deal]
        return replace(at, step=tricks.index(tricks[at.step - 1]))

    def find_next_deal(self, at: _PositionT) -> _PositionT:
        """Return where the next deal begins, or the end of the match."""
        if at.deal + 1 < len(self._tricks):
            return replace(at, deal=at.deal + 1, step=0)
        return self.find_last(at)

    def find_previous_deal(self, at: _PositionT) -> _PositionT:
        """Return where this deal began, or the one before."""
        return replace(at, deal=at.deal if at.step else max(at.deal - 1, 0), step=0)

    def find_first(self, at: _PositionT) -> _PositionT:
        """Return the beginning of the match."""
        return replace(at, deal=0, step=0)

    def find_last(self, at: _PositionT) -> _PositionT:
        """Return the end of the match."""
        deal = len(self._tricks) - 1
        return replace(at, deal=deal, step=self._end(deal))

    def turn_seat(self, at: _PositionT, by: int) -> _PositionT:
        """Return the same place as another seat sees it; beside the seats there are all hands."""
        place = (0 if at.seat is None else at.seat + 1) + by
        place %= self._players + 1
        return replace(at, seat=place - 1 if place else None)

    def _end(self, deal: int) -> int:
        return len(self._tricks[deal])
