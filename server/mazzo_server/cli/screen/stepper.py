"""Maps keys to positions in a match that is watched decision by decision. Sans-I/O."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["HELP", "Position", "Stepper"]

HELP: Final = (
    ("right  n  space", "the next decision"),
    ("left  p", "the decision before"),
    ("down  t", "the next trick"),
    ("up  T", "the beginning of this trick, or of the one before"),
    ("page down  d", "the next deal"),
    ("page up  D", "the beginning of this deal, or of the one before"),
    ("home  g", "the beginning of the match"),
    ("end  G", "its end"),
    ("tab", "what the next seat sees; after the last seat all hands"),
    ("back tab", "what the seat before sees"),
    ("0 to 9", "what that seat sees"),
    ("a", "all hands"),
    ("l  enter", "as right"),
    ("h  backspace", "as left"),
    ("j  k", "as down and up"),
    ("?", "this page; any key leaves it"),
    ("q  Q", "leave"),
)
"""Keys, and what they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A place in a match: before a decision of a deal, or at the end of the deal."""

    deal: int = 0
    step: int = 0
    seat: int | None = None  # whose view; None: all hands
    help: bool = False


class Stepper:
    """Maps keys to positions.

    Laws: every key leads to a position of the match, or (`q`) out of it. Going forward from the
    first position visits every decision and every end of a deal once, in order; going back is
    the reverse.
    """

    def __init__(self, tricks: Sequence[Sequence[int]], *, players: int) -> None:
        """`tricks` has the number of completed tricks at each decision of each deal."""
        self._tricks = tricks
        self._players = players
        self._moves: dict[str, Callable[[Position], Position]] = {
            **dict.fromkeys(("right", "n", " ", "enter", "l"), self._go_next),
            **dict.fromkeys(("left", "p", "backspace", "h"), self._go_back),
            **dict.fromkeys(("down", "t", "j"), self._go_to_next_trick),
            **dict.fromkeys(("up", "T", "k"), self._go_to_previous_trick),
            **dict.fromkeys(("page down", "d"), self._go_to_next_deal),
            **dict.fromkeys(("page up", "D"), self._go_to_previous_deal),
            **dict.fromkeys(("home", "g"), lambda at: replace(at, deal=0, step=0)),
            **dict.fromkeys(("end", "G"), self._find_last),
            "tab": lambda at: self._turn(at, 1),
            "back tab": lambda at: self._turn(at, -1),
            "a": lambda at: replace(at, seat=None),
            "?": lambda at: replace(at, help=True),
            **{
                str(seat): lambda at, seat=seat: replace(at, seat=seat)  # type: ignore[misc]
                for seat in range(min(players, 10))
            },
        }

    def press(self, at: Position, key: str) -> Position | None:
        """Return the position to which a key leads; None: out of the match.

        An unknown key leads nowhere.
        """
        if at.help:
            return replace(at, help=False)
        if key in ("q", "Q"):
            return None
        move = self._moves.get(key)
        return at if move is None else move(at)

    def _end(self, deal: int) -> int:
        return len(self._tricks[deal])

    def _go_next(self, at: Position) -> Position:
        if at.step < self._end(at.deal):
            return replace(at, step=at.step + 1)
        if at.deal + 1 < len(self._tricks):
            return replace(at, deal=at.deal + 1, step=0)
        return at

    def _go_back(self, at: Position) -> Position:
        if at.step:
            return replace(at, step=at.step - 1)
        if at.deal:
            return replace(at, deal=at.deal - 1, step=self._end(at.deal - 1))
        return at

    def _go_to_next_trick(self, at: Position) -> Position:
        tricks = self._tricks[at.deal]
        if at.step == len(tricks):
            return self._go_next(at)
        later = (step for step, over in enumerate(tricks) if over > tricks[at.step])
        return replace(at, step=next(later, len(tricks)))

    def _go_to_previous_trick(self, at: Position) -> Position:
        if not at.step:
            return self._go_back(at)
        tricks = self._tricks[at.deal]
        return replace(at, step=tricks.index(tricks[at.step - 1]))

    def _go_to_next_deal(self, at: Position) -> Position:
        if at.deal + 1 < len(self._tricks):
            return replace(at, deal=at.deal + 1, step=0)
        return self._find_last(at)

    def _go_to_previous_deal(self, at: Position) -> Position:
        return replace(at, deal=at.deal if at.step else max(at.deal - 1, 0), step=0)

    def _find_last(self, at: Position) -> Position:
        deal = len(self._tricks) - 1
        return replace(at, deal=deal, step=self._end(deal))

    def _turn(self, at: Position, by: int) -> Position:
        place = (0 if at.seat is None else at.seat + 1) + by
        place %= self._players + 1
        return replace(at, seat=place - 1 if place else None)
