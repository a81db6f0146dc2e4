"""The bracket of a tournament in a terminal: a tree, or a list where there is less room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text import output
from mazzo_server.cli.tournaments.bracket import print_bracket
from mazzo_server.model import PairingScheme
from mazzo_server.results.standings import Fold
from mazzo_server.serving.grpc.messages.standings import encode_standings
from results.standings.test_brackets import play
from support.brackets import define_bracket

_TITLE = "Bracket: seed, bot, score per deal"


def make_bracket(
    number: int,
    sides: int = 2,
    *,
    double: bool = False,
    groups: int | None = None,
    **options: int,
) -> tournament_pb2.Bracket:
    scheme = PairingScheme.DOUBLE_ELIMINATION if double else PairingScheme.KNOCK_OUT
    definition = define_bracket(number, sides, scheme=scheme, **options)
    fold = Fold(definition, definition.sides)
    for group, matches, _ in play(definition, 3)[:groups]:
        fold.add(group, matches)
    return encode_standings(fold.make_standings(groups=0)).bracket


def show(
    bracket: tournament_pb2.Bracket, width: int, capsys: pytest.CaptureFixture[str]
) -> Sequence[str]:
    output.console.width = width
    print_bracket(bracket)
    return capsys.readouterr().out.splitlines()


@pytest.fixture(autouse=True)
def _width() -> Iterator[None]:
    width = output.console.width
    yield
    output.console.width = width


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("number", [2, 5, 8, 16])
def test_a_tree_has_everybody_as_often_as_it_plays(
    number: int, double: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Promise: each bout is there once, with both scores, and every line fits."""
    bracket = make_bracket(number, double=double)
    lines = show(bracket, 160, capsys)
    assert lines[0] == _TITLE
    assert max(map(len, lines)) <= 160
    text = " ".join(lines)
    for played in bracket.rounds:
        for bout in played.bouts:
            if len(bout.entrants) == 1:
                continue
            for entrant in bout.entrants:
                told = f"{entrant.seed} {entrant.name} {entrant.score_per_deal:.1f}"
                assert told.replace("-0.0", "0.0").replace(" -", " −") in text.replace(" -", " −")
    assert ("Grand final" in lines) == double
    assert (
        text.count("┐")
        == text.count("┘")
        == sum(
            len(bout.entrants) == 2 and bout.stage in ("round", "final", "winners")
            for played in bracket.rounds
            for bout in played.bouts
        )
    )


def test_a_narrow_terminal_gets_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    """Promise: of rounds, by their names, with why each goes on."""
    lines = show(make_bracket(8), 40, capsys)
    assert [line for line in lines if not line.startswith(" ")] == [
        *("Quarter-finals", "Semi-finals", "Final", "Third place"),
    ]
    assert sum("by score, 1 group" in line for line in lines) >= 4


def test_larger_tables_are_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    lines = show(make_bracket(16, 4), 200, capsys)
    assert [line for line in lines if not line.startswith(" ")] == ["Round 1", "Round 2", "Final"]
    assert lines[1].count(" – ") == 3


def test_a_bracket_in_play_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Promise: what is not decided has no winner."""
    bracket = make_bracket(8, groups=2)
    text = " ".join(show(bracket, 10, capsys))
    assert not bracket.over
    assert "in play, 1 group" in text
    assert "not begun" in text


def test_pools_come_before_the_bracket(capsys: pytest.CaptureFixture[str]) -> None:
    """Promise: everybody once, by place, with the two that go on; the tree has their new seeds."""
    bracket = make_bracket(8, pools=2, qualify=2)
    lines = show(bracket, 80, capsys)
    assert lines[:2] == ["Pools", lines[1]]
    end = lines.index(_TITLE)
    rows = [line.split() for line in lines[2:end]]
    assert len(rows) == 8
    assert [row[-2:] == ["goes", "on"] for row in rows] == [True, True, False, False] * 2
    names = {row.name for pool in bracket.pools for row in pool.rows}
    assert len(names) == 8
    semis = bracket.rounds[0].bouts
    on = {row.name for pool in bracket.pools for row in pool.rows if row.goes_on}
    assert {one.name for bout in semis for one in bout.entrants} == on
    assert sorted(one.seed for bout in semis for one in bout.entrants) == [1, 2, 3, 4]
    assert sum("┐" in line for line in lines[end:]) == 3


def test_pools_in_play_send_nobody_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Promise: until all are over; there is no bracket before."""
    bracket = make_bracket(8, pools=2, qualify=2, groups=5)
    lines = show(bracket, 80, capsys)
    assert _TITLE not in lines
    assert not any("goes on" in line for line in lines)
    assert not bracket.rounds


def test_names_of_strangers_are_made_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    bracket = make_bracket(2)
    bracket.rounds[0].bouts[0].entrants[0].name = "\x1b[31mred"
    for width in (160, 10):
        assert "\x1b" not in "".join(show(bracket, width, capsys))
