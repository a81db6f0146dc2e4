"""What is said of a ladder: who is shown, who is level, why nobody plays."""

from __future__ import annotations

from typing import Any

import pytest

from mazzo.v1 import ladder_pb2, tournament_pb2
from mazzo_server.cli.ladders.screen import print_ladder
from mazzo_server.results.commentary import (
    describe_rest,
    describe_unranked,
    format_lead,
    list_newest_rows,
)


def make_row(bot: str, version: int, **others: Any) -> ladder_pb2.LadderRow:
    return ladder_pb2.LadderRow(bot=bot, version=version, **others)


def make_ladder(*rows: ladder_pb2.LadderRow, **others: Any) -> ladder_pb2.GetLadderResponse:
    season = ladder_pb2.LadderSeason(
        variant="briscola/2",
        season=1,
        state=ladder_pb2.LADDER_STATE_PLAYED,
        bots=sorted({row.bot for row in rows}),
        **{"confidence": 0.9, **others},
    )
    return ladder_pb2.GetLadderResponse(season=season, rows=rows)


@pytest.mark.parametrize(
    ("surer", "is_level", "shown"),
    [
        (0.6, True, "level"),
        (0.6, False, "60.0%"),
        (0.95, True, "95.0%"),
        (0.04, True, "4.0%"),
        (None, False, "–"),
    ],
)
def test_neighbours_that_cannot_be_told_apart_are_called_level(
    surer: float | None, is_level: bool, shown: str
) -> None:
    """But not those of whom it is known who is better, however little."""
    row = ladder_pb2.LadderRow(surer_than_next=surer, level_with_next=is_level)
    assert format_lead(row, confidence=0.9) == shown


PLAYED = [
    make_row("ann", 3, rank=2, active=True),
    make_row("ann", 2, rank=3, active=True),
    make_row("dora", 1, rank=3, active=True),
    make_row("bob", 2, rank=7, groups=12),
    make_row("bob", 4, withdrawn="did not start"),
    make_row("cleo", 1),
]
REPLACED = [make_row("ann", 1, rank=1), make_row("bob", 1, rank=6), make_row("bob", 3)]


def test_versions_that_newer_ones_have_replaced_are_not_shown_first() -> None:
    """A season has any number of them, and an organiser wants to see who plays."""
    found = list_newest_rows([*PLAYED, *REPLACED])
    assert [row for _, row in found] == PLAYED
    assert [rank for rank, _ in found] == [1, 2, 2, 4, 0, 0]
    everybody = list_newest_rows([*PLAYED, *REPLACED], with_replaced=True)
    assert everybody == [(row.rank, row) for row in [*PLAYED, *REPLACED]]


def test_when_a_season_is_over_the_version_stays_of_which_enough_is_known() -> None:
    """It has played beside the newest one until the end."""
    newest, known, old = (
        make_row("ann", version, rank=version, groups=groups)
        for version, groups in ((3, 4), (2, 400), (1, 400))
    )
    assert list_newest_rows([old, known, newest]) == [(1, known), (2, newest)]


def test_the_screen_says_how_many_it_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_ladder(make_ladder(*PLAYED, *REPLACED), with_replaced=False, legend=False)
    assert "and 3 versions that newer ones have replaced (--all)" in capsys.readouterr().out
    print_ladder(make_ladder(*PLAYED, *REPLACED), with_replaced=True, legend=False)
    assert "replaced" not in capsys.readouterr().out


def test_who_has_left_is_marked_as_long_as_the_season_lasts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its results stay in the table, and nobody should wait for it to play."""
    for state, told in (
        (ladder_pb2.LADDER_STATE_PLAYED, True),
        (ladder_pb2.LADDER_STATE_OVER, False),
    ):
        shown = make_ladder(make_row("ann", 1, rank=1), make_row("bob", 1, rank=2))
        shown.season.state = state
        shown.season.bots.remove("bob")
        print_ladder(shown, with_replaced=False, legend=False)
        out = capsys.readouterr().out
        assert ("bob (left)" in out) == told
        assert "ann (left)" not in out


@pytest.mark.parametrize(
    ("pairing", "kind", "names", "told"),
    [
        ("ladder", None, ("ann@1", "ann@2"), "a season of a ladder"),
        ("gauntlet", "challenge", ("ann", "bob"), "a challenge, which counts for no ranking"),
        ("round-robin", "table", ("ann", "@bob"), "People play here: it counts for no ranking"),
        ("round-robin", None, ("ann", "ann*2"), "Copies of one bot"),
        ("round-robin", None, ("ann", "bob"), ""),
    ],
)
def test_what_counts_for_no_ranking_says_why(
    pairing: str, kind: str | None, names: tuple[str, ...], told: str
) -> None:
    entrants = [tournament_pb2.TournamentEntrant(name=name) for name in names]
    tournament = tournament_pb2.Tournament(pairing=pairing, kind=kind, entrants=entrants)
    said = describe_unranked(tournament)
    assert told in said
    assert bool(said) == bool(told)


def test_why_nobody_plays_next_is_said() -> None:
    ann, bob = make_row("ann", 1, active=True), make_row("bob", 1, active=True)
    assert "as sure as 99.5 %" in describe_rest(make_ladder(ann, bob, confidence=0.995))
    assert "Too few bots" in describe_rest(make_ladder(ann))
    assert "Too few bots" in describe_rest(make_ladder())
    assert "`mazzo ladder season end briscola/2`" in describe_rest(make_ladder(make_row("ann", 1)))
