"""Maps keys to positions in a match that is watched decision by decision. Sans-I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from mazzo_server.results.watching import Position, Positions

__all__ = ["HELP", "ShownPosition", "Stepper"]

HELP: Final = (
    ("right  n  space", "the next decision"),
    ("left  p", "the decision before"),
    ("down  t", "the next trick"),
    ("up  T", "the beginning of this trick, or of the one before"),
    ("page down  d", "the next deal"),
    ("page up  D", "the beginning of this deal, or of the one before"),
    ("home  g", "the beginning of the match"),
    ("end  G", "its end"),
    ("e", "with --expert, the next decision at which expert plays otherwise"),
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
class ShownPosition(Position):
    """A position of a match, or instead of it a page that explains the keys."""

    help: bool = False


class Stepper:
    """Maps keys to positions: every key leads to one of the match, or (`q`) out of it."""

    def __init__(
        self,
        positions: Positions,
        *,
        players: int,
        find_other_choice: Callable[[ShownPosition], ShownPosition] = lambda at: at,
    ) -> None:
        """`find_other_choice` leads to the next decision that somebody else would not have made."""
        self._moves: dict[str, Callable[[ShownPosition], ShownPosition]] = {
            **dict.fromkeys(("right", "n", " ", "enter", "l"), positions.find_next),
            **dict.fromkeys(("left", "p", "backspace", "h"), positions.find_previous),
            **dict.fromkeys(("down", "t", "j"), positions.find_next_trick),
            **dict.fromkeys(("up", "T", "k"), positions.find_previous_trick),
            **dict.fromkeys(("page down", "d"), positions.find_next_deal),
            **dict.fromkeys(("page up", "D"), positions.find_previous_deal),
            **dict.fromkeys(("home", "g"), positions.find_first),
            **dict.fromkeys(("end", "G"), positions.find_last),
            "tab": lambda at: positions.turn_seat(at, 1),
            "back tab": lambda at: positions.turn_seat(at, -1),
            "a": lambda at: replace(at, seat=None),
            "e": find_other_choice,
            "?": lambda at: replace(at, help=True),
            **{
                str(seat): lambda at, seat=seat: replace(at, seat=seat)  # type: ignore[misc]
                for seat in range(min(players, 10))
            },
        }

    def press(self, at: ShownPosition, key: str) -> ShownPosition | None:
        """Return the position to which a key leads; None: out of the match.

        An unknown key leads nowhere.
        """
        if at.help:
            return replace(at, help=False)
        if key in ("q", "Q"):
            return None
        move = self._moves.get(key)
        return at if move is None else move(at)
