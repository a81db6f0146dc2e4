"""The stepping through a match: where keys lead, and which keys bytes are."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.cli.screen.keys import KeyDecoder
from mazzo_server.cli.screen.stepper import HELP, ShownPosition, Stepper
from mazzo_server.results.watching import Positions

KEYS = [
    *("right", "left", "down", "up", "page down", "page up", "home", "end", "tab", "back tab"),
    *("n", "p", "t", "T", "d", "D", "a", "?", "0", "1", "5", "9", " ", "enter", "escape", "x", "è"),
]
SEQUENCES = {
    "\x1b[A": "up",
    "\x1bOB": "down",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[1~": "home",
    "\x1bOF": "end",
    "\x1b[Z": "back tab",
    "\t": "tab",
    "\r": "enter",
    "\x04": "end of input",
    "q": "q",
    "è": "è",
}

deals = st.lists(
    st.lists(st.integers(0, 1), max_size=12).map(
        lambda ends: [sum(ends[:step]) for step in range(len(ends))]
    ),
    min_size=1,
    max_size=4,
)


def make_stepper(tricks: list[list[int]], players: int) -> Stepper:
    positions = Positions(tricks, players=players)
    return Stepper(positions, players=players, find_other_choice=positions.find_last)


def pressed(stepper: Stepper, at: ShownPosition, *keys: str) -> ShownPosition:
    for key in keys:
        following = stepper.press(at, key)
        assert following is not None
        at = following
    return at


def places(tricks: list[list[int]]) -> list[tuple[int, int]]:
    return [(deal, step) for deal, steps in enumerate(tricks) for step in range(len(steps) + 1)]


@given(deals, st.integers(2, 12), st.lists(st.sampled_from(KEYS), max_size=40))
def test_every_key_leads_to_a_position_of_the_match(
    tricks: list[list[int]], players: int, keys: list[str]
) -> None:
    stepper, at, known = make_stepper(tricks, players), ShownPosition(), places(tricks)
    for key in keys:
        at = pressed(stepper, at, key)
        assert (at.deal, at.step) in known
        assert at.seat is None or 0 <= at.seat < players


@given(deals)
def test_going_on_comes_to_every_decision_once_and_going_back_is_the_reverse(
    tricks: list[list[int]],
) -> None:
    stepper, known = make_stepper(tricks, 2), places(tricks)
    at, seen = ShownPosition(), [ShownPosition()]
    for _ in range(len(known) - 1):
        at = pressed(stepper, at, "right")
        seen.append(at)
    assert [(one.deal, one.step) for one in seen] == known
    assert pressed(stepper, at, "right") == at == pressed(stepper, ShownPosition(), "end")
    for expected in reversed(seen[:-1]):
        at = pressed(stepper, at, "left")
        assert at == expected
    assert pressed(stepper, at, "left") == at == pressed(stepper, seen[-1], "home")


@given(deals, st.data())
def test_tricks_and_deals_are_stepped_over_whole(
    tricks: list[list[int]], data: st.DataObject
) -> None:
    """Always onward, or back; to where a trick begins, or a deal begins or ends."""
    stepper, known = make_stepper(tricks, 2), places(tricks)
    deal, step = data.draw(st.sampled_from(known))
    at, place = ShownPosition(deal=deal, step=step), known.index((deal, step))
    for key, forward in (("down", True), ("up", False), ("page down", True), ("page up", False)):
        there = pressed(stepper, at, key)
        moved = known.index((there.deal, there.step))
        end = place == (len(known) - 1 if forward else 0)
        assert moved == place if end else (moved > place) is forward
        of_deal = tricks[there.deal]
        if "page" in key:
            assert there.step == 0 or (there.deal == len(tricks) - 1 and forward)
        elif 0 < there.step < len(of_deal):
            assert of_deal[there.step] != of_deal[there.step - 1]
        if there.deal == deal and key == "down" and step < len(of_deal):
            assert set(of_deal[step : there.step]) == {of_deal[step]}


@given(st.integers(2, 12), st.integers(0, 40))
def test_tab_goes_round_the_seats_and_all_hands(players: int, times: int) -> None:
    stepper, first = make_stepper([[0]], players), ShownPosition()
    there = pressed(stepper, first, *["tab"] * times)
    assert pressed(stepper, there, *["back tab"] * times) == first
    assert there.seat == ([None, *range(players)][times % (players + 1)])
    assert pressed(stepper, there, "a").seat is None
    for seat in range(10):
        wanted = seat if seat < players else there.seat
        assert pressed(stepper, there, str(seat)).seat == wanted


def test_q_leaves_and_help_is_left_by_any_key() -> None:
    stepper, at = make_stepper([[0, 0]], 2), ShownPosition(step=1)
    assert stepper.press(at, "q") is None
    for key in (*KEYS, "q"):
        assert pressed(stepper, replace(at, help=True), key) == at


def test_the_help_names_every_key() -> None:
    """What it names does something, and what does something is named."""
    stepper = make_stepper([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]], 12)
    at = ShownPosition(deal=1, step=2, seat=4)
    named = set(chain.from_iterable(re.split(r" {2,}", keys) for keys, _ in HELP))
    named -= {"0 to 9", "q", "Q", "space"}
    named |= {*map(str, range(10)), " "}
    every = {*SEQUENCES.values(), *map(chr, range(32, 127)), "enter", "backspace", "tab"}
    assert {key for key in every - {"q", "Q"} if stepper.press(at, key) != at} | {"4"} == named


@given(st.lists(st.sampled_from(list(SEQUENCES)), max_size=10), st.data())
def test_keys_are_the_same_however_their_bytes_come(names: list[str], data: st.DataObject) -> None:
    sent = "".join(names).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=6)))
    decoder, found = KeyDecoder(), list[str]()
    for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
        found += decoder.feed(sent[start:end])
    assert found == [SEQUENCES[name] for name in names]
    assert not decoder.waits


@given(st.binary(max_size=40))
def test_whatever_comes_is_taken(data: bytes) -> None:
    decoder = KeyDecoder()
    decoder.feed(data)
    decoder.flush()
    assert not decoder.waits


def test_an_escape_alone_is_a_key_once_nothing_follows() -> None:
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.waits
    assert decoder.flush() == ["escape"]
    assert decoder.feed(b"\x1b[99~a\x1b[200~") == ["a"]
