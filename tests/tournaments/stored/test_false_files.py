"""A file that is false is refused, with its line, and nothing of it stays."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.errors import MazzoError
from mazzo.shuffle import substitute_action
from mazzo_server.play.table import Ask, Table
from mazzo_server.storage import MemoryStore
from support.manual_tournaments import definition_of, legal
from tournaments.stored.test_files import (
    changed,
    check_refused,
    export,
    lines,
    play_through,
    set_value,
    take,
)

__all__ = ["lines"]  # a fixture


def copy_the_first(header: Any) -> None:
    """Make a copy of the first entrant of the second one, whose version was submitted later."""
    header["definition"]["entrants"][1] = header["definition"]["entrants"][0] | {"name": "ann*2"}
    header["versions"][1] = header["versions"][0] | {"create_time": 7.0}


FALSE: dict[str, tuple[int, Callable[[Any], object], str]] = {
    "another winner": (
        1,
        set_value("record", -1, "match_scores", to=lambda scores: scores[::-1]),
        r"^line 2, match 1/0/0: match scores: expected .*; nothing was imported",
    ),
    "another card": (2, set_value("record", 1, "actions", 0, to="Xx"), "line 3.*expected one of"),
    "cards exchanged": (
        2,
        set_value("record", 1, "actions", to=lambda cards: [cards[1], cards[0], *cards[2:]]),
        "line 3, match 1/0/1: deal 1, action 1: expected one of",
    ),
    "seats exchanged": (
        1,
        set_value("record", 0, "seats", to=lambda seats: seats[::-1]),
        "seats: expected",
    ),
    "another bot": (1, set_value("record", 0, "seats", 0, "bot", to="dora"), "seats: expected"),
    "another version": (1, set_value("record", 0, "seats", 0, "version", to=1), "seats: expected"),
    "another clock": (
        1,
        set_value("record", 0, "time_control", "bank_seconds", to=99.0),
        "time_control: expected",
    ),
    "other deals": (1, set_value("record", 0, "group_seed", to="ab" * 32), "group_seed: expected"),
    "another seed": (
        0,
        set_value("definition", "seed", to="ab" * 32),
        "line 2, match 1/0/0: .*expected",
    ),
    "another forfeit": (1, set_value("record", -1, "faults", to=[]), "line 2"),
    "no such cause": (
        1,
        set_value("record", -1, "faults", 0, "termination", to="bored"),
        "termination: expected",
    ),
    "less time": (
        1,
        set_value("thinking_seconds", 0, to=0.0),
        "thinking_seconds of seat 0: expected .* got 0",
    ),
    "more time": (1, set_value("thinking_seconds", to=[1e9, 1e9]), "thinking_seconds of seat"),
    "no log": (1, set_value("logs", to=[]), "logs: expected a list of 1"),
    "other standings": (
        -1,
        set_value("standings", "rows", 0, "wins", to=99),
        "standings: expected",
    ),
    "another format": (0, set_value("format", to="mazzo-match/1"), "line 1: format: expected"),
    "a newer format": (
        0,
        set_value("format", to="mazzo-tournament/2"),
        "use a newer version of Mazzo",
    ),
    "it goes on": (0, set_value("status", to="running"), "status: expected finished or cancelled"),
    "no such variant": (0, set_value("definition", "variant", to="poker/9"), "line 1: "),
    "no such entrant": (0, set_value("definition", "hero", to="eve"), "hero: expected an entrant"),
    "pools of a round robin": (0, set_value("definition", "pools", to=2), "pools: expected with"),
    "pools that nobody leaves": (
        0,
        set_value("definition", "qualify", to=2),
        "pools: expected with qualify",
    ),
    "no name": (
        0,
        set_value("definition", "entrants", 0, "name", to="../x"),
        "name: expected 1 to 32",
    ),
    "twice": (
        0,
        set_value("definition", "entrants", to=lambda all_: [all_[0], all_[0]]),
        "entrants: expected at least 2 bots, each once",
    ),
    "a copy of nobody": (
        0,
        set_value("definition", "entrants", 1, "name", to="zoe*2"),
        "entrants: .* or copies of one as a, a.2, a.3",
    ),
    "a copy is left out": (
        0,
        set_value("definition", "entrants", 1, "name", to="ann*3"),
        "entrants: expected at least 2 bots",
    ),
    "no number of a copy": (
        0,
        set_value("definition", "entrants", 1, "name", to="ann*02"),
        "entrants: expected at least 2 bots",
    ),
    "a copy of another content": (
        0,
        copy_the_first,
        "versions: expected the same version for all copies of ann, got others",
    ),
    "other bots": (
        0,
        set_value("versions", 0, "bot", to="dora"),
        "versions: expected ann version 2",
    ),
    "another manifest": (
        0,
        set_value("versions", 0, "manifest", "name", to="dora"),
        "manifest: expected the one of ann",
    ),
    "a wrong manifest": (0, set_value("versions", 0, "manifest", "capacity", to=0), "capacity"),
    "too long": (0, set_value("definition", "groups", to=10**9), "groups"),
    "not finished": (
        0,
        set_value("definition", "groups", to=2),
        "expected 2 matches of mirror group",
    ),
    "no such group": (1, set_value("record", 0, "group", to=77), "line 2"),
    "no such seating": (1, set_value("record", 0, "seating", to=2), "line 2, match 1/0/2: seating"),
    "too many matches": (0, set_value("matches", to=99), "line"),
    "too few matches": (0, set_value("matches", to=1), "line"),
    "a time to come": (1, set_value("end_time", to=2e11), "end_time: expected no time to come"),
    "an endless decision": (
        1,
        set_value("record", -1, "decision_seconds", 0, 0, to=1e9),
        "decision_seconds: expected a week at most",
    ),
    "an endless clock": (
        0,
        set_value("definition", "time", "bank", to=1e9),
        "time: expected a bank",
    ),
    "too little memory": (
        0,
        set_value("definition", "limits", "memory_mib", to=1),
        "expected a whole number from 128",
    ),
    "limits as a text": (
        0,
        set_value("definition", "limits", "memory_mib", to="512,processes=77"),
        "memory_mib",
    ),
    "a limit that nobody knows": (
        0,
        set_value("definition", "limits", "colour", to=1),
        "limits: expected memory_mib, processes, disk_mib alone",
    ),
    "a closed name": (
        0,
        set_value("definition", "entrants", 0, "version", to=2**31 - 1),
        "version: expected 1,000,000 at most",
    ),
    "nobody is gone": (
        0,
        set_value("withdrawals", to=[{"entrant": 3, "reason": "", "log": None}]),
        "withdrawals: expected entrants",
    ),
}


@pytest.mark.parametrize("case", FALSE)
def test_what_is_false_is_refused(lines: list[str], case: str) -> None:
    """Whatever follows from seeds, actions and rules, and whatever must fit together."""
    number, change, match = FALSE[case]
    number = len(lines) - 1 if number < 0 else number
    check_refused(changed(lines, number, change), match)


def test_a_third_late_decision_without_a_forfeit_is_refused() -> None:
    """No play of a table gives it, although each action is legal and the substitute's own."""

    def almost_late(table: Table, ask: Ask, generator: random.Random) -> object:
        """What seat 0 answers at its fourth decision is what the substitute would play."""
        if ask.seat == 0 and ask.number in (2, 3):
            return table.expire(0.5)
        if ask.seat == 0 and ask.number == 4:
            third = substitute_action(table.match.seed, 0, 2, ask.deal.legal)
            return table.answer(third, 0.125)
        return legal(table, ask, generator)

    lines = export(play_through(definition_of(groups=1), almost_late))

    def say_late(value: Any) -> None:
        deal, end = value["record"][1], value["record"][-1]
        first = [n for n in range(len(deal["actions"])) if n in end["substituted"][0]]
        later = end["decision_seconds"][0].index(0.125)
        assert later > max(first)
        end["substituted"][0].append(later)
        end["late"][0] = 3

    check_refused(changed(lines, 1, say_late), "late decisions of seat 0: a forfeit follows")


def test_lines_that_lack_or_come_twice_or_late_are_refused(lines: list[str]) -> None:
    check_refused([], "line 1: expected more lines, got the end of the file")
    for end in range(1, len(lines)):
        check_refused(lines[:end], f"line {end}: expected more lines, got the end of the file")
    for gone in range(1, len(lines) - 1):
        check_refused([*lines[:gone], *lines[gone + 1 :]], "line")
    check_refused([*lines[:2], lines[1], *lines[3:]], "seating: expected those below 2")
    check_refused([lines[0], lines[2], lines[1], *lines[3:]], "seating: expected those below 2")
    check_refused([*lines, lines[-1]], "expected no line after the standings")
    check_refused(["not JSON", *lines[1:]], "line 1: expected a JSON object")
    check_refused([*lines[:1], "[" * 10**5, *lines[2:]], "line 2: expected a JSON object")


_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**30),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
)


def _list_leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _list_leaves(inner, (*path, key))


@given(data=st.data())
def test_any_other_value_is_refused_or_proves_nothing(
    lines: list[str], data: st.DataObject
) -> None:
    """No file ends in anything but an error of ours, and what is refused leaves nothing.

    What is taken differs in what nothing proves: who wrote what and when, and where it was.
    """
    number = data.draw(st.integers(0, len(lines) - 1))
    value = json.loads(lines[number])
    path = data.draw(st.sampled_from(list(_list_leaves(value))[1:]))
    new = data.draw(_LEAVES)
    store = MemoryStore()
    try:
        take(changed(lines, number, set_value(*path, to=new)), store)
    except MazzoError:
        assert store.tournaments() == []
        assert store.bots() == []
        return
    again = export(store)
    for before, after in zip(lines[1:-1], again[1:-1], strict=True):
        old, now = json.loads(before), json.loads(after)
        for match in (old, now):
            for name in ("thinking_seconds", "logs", "end_time", "spoilt"):
                del match[name]
            for fault in match["record"][-1]["faults"]:
                del fault["reason"], fault["owner"], fault["termination"]
            match["record"][-1].pop("notes", None)
            del match["record"][-1]["decision_seconds"]
        assert old == now
