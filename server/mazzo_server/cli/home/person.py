"""A person in a seat: shows the table, and reads the actions from standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from mazzo.bot import Bot
from mazzo.cards import Card
from mazzo.game import Action, View
from mazzo_server.cli.text.lines import format_card
from mazzo_server.errors import PlatformError
from mazzo_server.results.commentary import (
    Line,
    Names,
    Part,
    join_runs,
    list_action_remarks,
    list_card_remarks,
    make_help_lines,
    make_table_lines,
    name_card,
    sort_cards,
)

__all__ = [
    "InputEndedError",
    "Person",
    "PersonStoppedError",
    "TakenBackError",
    "find_action",
    "list_actions",
    "read_action",
]

_LONGEST_INPUT = 1000  # bytes; the rest of a longer line counts as another line
_MOST_ROWS = 8  # lines for actions that play no card; more actions share a line
_ASK = "a number or a code of the moves, ? for help, u to take your last move back, q to stop"


class PersonStoppedError(PlatformError):
    """The person wants to stop playing."""

    reason = "STOPPED"


class InputEndedError(PlatformError):
    """Standard input ended before an action."""

    reason = "INPUT_ENDED"


class TakenBackError(PlatformError):
    """The person takes the last action back."""

    reason = "TAKEN_BACK"


class Person(Bot):
    """Asks until a legal action is chosen."""

    def __init__(
        self,
        names: Names,
        tell: Callable[[Sequence[Line]], None],
        *,
        has_chosen: Callable[[], bool] = lambda: False,
    ) -> None:
        """`tell` shows lines before the first question.

        `has_chosen` tells whether there is an action to take back.
        """
        self._names = names
        self._tell = tell
        self._has_chosen = has_chosen

    def act(self, view: View) -> Action:
        """Return what the person chooses; raise `PersonStoppedError` or `TakenBackError`."""
        numbered, lines = list_actions(view)
        self._tell([*make_table_lines(view, self._names), *lines])
        while True:
            text = _read_line()
            if text == "q":
                raise PersonStoppedError("stopped before the end of the match")
            if text == "u" and self._has_chosen():
                raise TakenBackError("the last choice is taken back")
            if text == "?":
                self._tell([*_make_help(view), *make_table_lines(view, self._names), *lines])
                continue
            action = read_action(view, numbered, text)
            if action is not None:
                return action
            if text == "u":
                self._tell([Line(label="No", parts=("there is nothing to take back",)), *lines])
                continue
            self._tell([Line(label="No", parts=(_explain_refusal(view, text),)), *lines])


def list_actions(view: View) -> tuple[dict[str, Action], list[Line]]:
    """Return the legal actions by the number to type, and the lines that list them.

    Cards come first, sorted as in the hand. Numbers count from 1; but where codes have numbers
    and no card can be played, as with bids, these are used.
    """
    codes = [action for action in view.legal if action.card is None]
    actions = view.variant.game.actions
    cards = sort_cards(view, [action.card for action in view.legal if action.card is not None])
    own = {} if cards else {number: a for a in codes if (number := _find_own_number(a))}
    numbered = own or {
        str(number): action
        for number, action in enumerate([*(actions[card] for card in cards), *codes], 1)
    }
    rows: list[tuple[Part, ...]] = []
    others: dict[str, Action] = {}
    for number, action in numbered.items():
        if action.card is None:
            others[number] = action
        else:
            rows.append(_make_card_row(view, number, action.card))
    rows += _make_code_rows(view, codes, others)
    labels = ["Moves", *[""] * len(rows)]
    return numbered, [
        Line(label=label, parts=row) for label, row in zip(labels, rows, strict=False)
    ]


def _make_card_row(view: View, number: str, card: Card) -> tuple[Part, ...]:
    remarks = list_card_remarks(view, card)
    return f"{number} ", card, f"  {name_card(card)}{remarks and f', {remarks}'}"


def _make_code_rows(
    view: View, codes: Sequence[Action], numbered: Mapping[str, Action]
) -> list[tuple[Part, ...]]:
    """Return the rows of actions that play no card, those that are numbered first.

    Each has its own row; but where there are many, those of a kind share one.
    """
    number_of = {action: f"{number} " for number, action in numbered.items()}
    ordered = [*number_of, *(action for action in codes if action not in number_of)]
    told = {action.code: f"{number_of.get(action, '')}{action.code}" for action in ordered}
    remarks = {action.code: list_action_remarks(view, action) for action in ordered}
    if len(codes) <= _MOST_ROWS:
        return [(f"{told[code]}  {remark}",) for code, remark in remarks.items()]
    rows: list[tuple[Part, ...]] = []
    for _, kind in groupby(remarks, key=lambda code: code.partition(":")[0]):
        members = list(kind)
        if len({remarks[code] for code in members}) == 1:
            runs = ", ".join(join_runs(members, told.__getitem__))
            rows.append((f"{runs}  {remarks[members[0]]}",))
        else:
            rows.append((", ".join(f"{told[code]} ({remarks[code]})" for code in members),))
    return rows


def _find_own_number(action: Action) -> str | None:
    digits = action.code.partition(":")[2]
    return digits if digits.isdecimal() else None


def read_action(view: View, numbered: Mapping[str, Action], text: str) -> Action | None:
    """Return the action with this number or code; None for no action, or more than one."""
    if text in numbered:
        return numbered[text]
    return find_action(view.legal, text)


def find_action(actions: Iterable[Action], text: str) -> Action | None:
    """Return the action that is written like this; None for no action, or more than one."""
    actions = tuple(actions)
    exact = [action for action in actions if action.code == text]
    spelled = {text.lower(), text.lower().replace("10", "t")}
    alike = [action for action in actions if spelled & _list_spellings(action)]
    found = exact or alike
    return found[0] if len(found) == 1 else None


def _explain_refusal(view: View, text: str) -> str:
    """Say why the text is no action."""
    action = find_action(view.variant.game.actions, text)
    if action is None:
        got = f"{text[:40]!r} is none of your moves" if text else "that was empty"
    elif action.card is None:
        got = f"{action.code} is not legal now"
    elif action.card in view.hand:
        got = f"{name_card(action.card)} is in your hand, but cannot be played now"
    else:
        got = f"{name_card(action.card)} is not in your hand"
    return f"{got}; expected {_ASK}"


def _list_spellings(action: Action) -> set[str]:
    """Return how people may write an action, in lower case."""
    card, known = action.card, {action.code.lower()}
    if card is not None:
        known |= {name_card(card), format_card(card, symbols=True).lower()}
    return known


def _make_help(view: View) -> list[Line]:
    lines = [Line(label="Help", parts=(f"Type {_ASK}.",))]
    return [
        *lines,
        *(Line(label="", parts=(f"{code}: {text}",)) for code, text in make_help_lines(view)),
    ]


def _read_line() -> str:
    # As bytes: a text that is not UTF-8 is a wrong answer, not an error.
    try:
        data = sys.stdin.buffer.readline(_LONGEST_INPUT)
    except OSError as error:
        raise InputEndedError(f"the input cannot be read: {error.strerror}") from error
    if not data:
        raise InputEndedError("the input ended before the match did; type q to stop")
    return data.decode(errors="replace").strip()
