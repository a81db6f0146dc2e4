"""Copies of a bot: what `a*6` asks for, and the names that they get."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Entrant, is_name, name_copies
from mazzo_server.model.copies import count_copies, join_copies

names = st.from_regex(r"[a-z0-9][a-z0-9-]{0,31}", fullmatch=True)


@given(st.dictionaries(names, st.integers(1, 40), max_size=9))
def test_what_is_asked_for_can_be_told_from_the_names(numbers: dict[str, int]) -> None:
    """Copies: their names differ, tell their bot, and give what was asked for."""
    entrants = [name for bot, number in numbers.items() for name in name_copies(bot, number)]
    assert len(set(entrants)) == len(entrants) == sum(numbers.values())
    bots = [Entrant(name=name, version=1, content_hash="").bot for name in entrants]
    assert {bot: bots.count(bot) for bot in bots} == numbers
    assert count_copies(join_copies(entrants)) == numbers
    assert [name for name in entrants if is_name(name)] == list(numbers)  # the first ones


def test_the_first_copy_has_the_bots_own_name() -> None:
    assert name_copies("ann", 3) == ["ann", "ann*2", "ann*3"]
    assert count_copies(["ann*1", "bob"]) == {"ann": 1, "bob": 1}


@pytest.mark.parametrize(
    "text", ["ann*0", "ann*-1", "ann*1000", "ann*02", "ann*x", "ann*", "*2", "ann*2*3", "ann*²"]
)
def test_what_is_no_number_of_copies_is_refused(text: str) -> None:
    """Copies: from 1 to 999 of a bot."""
    with pytest.raises(InvalidInputError, match="expected a number of copies from 1 to 999"):
        count_copies(["bob", text])


@pytest.mark.parametrize("texts", [["ann", "ann"], ["ann*2", "ann"], ["ann*2", "bob", "ann*3"]])
def test_a_bot_that_is_named_twice_is_refused(texts: list[str]) -> None:
    """Copies: a slip is no wish for two of them, and the refusal says how to wish that."""
    expected = r"expected every bot once, got 'ann' twice: ann\*2 means two copies of it"
    with pytest.raises(InvalidInputError, match=expected):
        count_copies(texts)


def test_copies_are_at_most_999_in_all() -> None:
    """Bounds: a short request makes no endless tournament; distinct bots are not counted."""
    others = [f"bot-{number}" for number in range(1000)]
    assert len(count_copies(["ann*500", "bob*499", *others])) == 1002
    with pytest.raises(InvalidInputError, match="at most 999 copies in all, got 1000"):
        count_copies(["ann*500", "bob*500"])
