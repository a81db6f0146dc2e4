"""A person in a seat: shows the table and takes the moves from standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from mazzo.bot import Bot
from mazzo.game import Action, View
from mazzo_server.errors import PlatformError
from mazzo_server.telling import Line, Names, help_lines, listed, table_lines

__all__ = ["InputEndedError", "Person", "PersonStoppedError", "moves_of"]

_LONGEST_INPUT = 1000  # bytes; of a longer line the rest counts as another one
_SHORTEST_RUN = 6  # moves that are told as a run, from the first to the last
_ASK = "a number or a code of the moves, ? for help, q to stop"


class PersonStoppedError(PlatformError):
    """The person wants to play no more."""

    reason = "STOPPED"


class InputEndedError(PlatformError):
    """Standard input ended while a move was awaited."""

    reason = "INPUT_ENDED"


class Person(Bot):
    """Asks until one of the legal actions is chosen."""

    def __init__(self, names: Names, tell: Callable[[Sequence[Line]], None]) -> None:
        """`tell` shows lines; it is called before anything is asked."""
        self._names = names
        self._tell = tell

    def act(self, view: View) -> Action:
        """What the person chooses."""
        numbered, moves = moves_of(view)
        self._tell([*table_lines(view, self._names), moves])
        while True:
            text = _read_line()
            if text == "q":
                raise PersonStoppedError("stopped before the end of the match")
            if text == "?":
                self._tell([*_help(view), *table_lines(view, self._names), moves])
                continue
            action = _chosen(view, numbered, text)
            if action is not None:
                return action
            got = f"{text[:40]!r} is none of your moves" if text else "that was empty"
            self._tell([Line(label="No", parts=(f"{got}; expected {_ASK}",)), moves])


def moves_of(view: View) -> tuple[dict[str, Action], Line]:
    """The legal moves by the number to type for each, and all of them in one line.

    Numbers count from 1; but where codes have numbers and no card can be played, as with
    bids, these are the ones.
    """
    legal = view.legal
    cards = any(action.card is not None for action in legal)
    own = {} if cards else {number: a for a in legal if (number := _own_number(a))}
    numbered = own or {str(number): action for number, action in enumerate(legal, 1)}
    groups: list[list[str]] = []
    runs = groupby(enumerate(numbered.items()), key=lambda item: _run_key(*item))
    for _, members in runs:
        run = [f"{number} {action.code}" for _, (number, action) in members]
        shown = [f"{run[0]} to {run[-1]}"] if own and len(run) >= _SHORTEST_RUN else run
        groups += [[text] for text in shown]
    groups += [[action.code] for action in legal if action not in numbered.values()]
    return numbered, Line(label="Moves", parts=tuple(listed(groups)))


def _run_key(index: int, move: tuple[str, Action]) -> tuple[str, int]:
    """Equal for neighbours whose numbers count on, such as bid:61 and bid:62."""
    number, action = move
    return action.code.partition(":")[0], int(number) - index


def _own_number(action: Action) -> str | None:
    digits = action.code.partition(":")[2]
    return digits if digits.isdecimal() else None


def _chosen(view: View, numbered: Mapping[str, Action], text: str) -> Action | None:
    """The move of this number or code; None if there is none, or more than one."""
    if text in numbered:
        return numbered[text]
    exact = [action for action in view.legal if action.code == text]
    alike = [action for action in view.legal if action.code.lower() == text.lower()]
    found = exact or alike
    return found[0] if len(found) == 1 else None


def _help(view: View) -> list[Line]:
    lines = [Line(label="Help", parts=(f"Type {_ASK}.",))]
    return [*lines, *(Line(label="", parts=(text,)) for text in help_lines(view))]


def _read_line() -> str:
    # As bytes: text that is no UTF-8 is a wrong answer, not an error.
    try:
        data = sys.stdin.buffer.readline(_LONGEST_INPUT)
    except OSError as error:
        raise InputEndedError(f"the input cannot be read: {error.strerror}") from error
    if not data:
        raise InputEndedError("the input ended before the match did; type q to stop")
    return data.decode(errors="replace").strip()
