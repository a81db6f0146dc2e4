"""Tables of standings show every number whole, however many there are and however long."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text import output
from mazzo_server.cli.tournaments.standings import print_tournament
from mazzo_server.results.charts import stack
from mazzo_server.serving.presenting import draw_tournament

TITLE = "Score per deal against each other"


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.console, "width", 80)


def tournament(
    variant: str,
    entrants: int,
    *,
    score: float = 12.34,
    groups: int = 10,
    name: str = "bot",
    better: float | None = None,
) -> tournament_pb2.Tournament:
    """A finished tournament in which everything was as good as everything else."""
    standings = tournament_pb2.Standings(groups_counted=1)
    names = [f"{name}-{number}" for number in range(entrants)]
    for number, one in enumerate(names):
        standings.rows.add(
            rank=number + 1,
            name=one,
            version=1,
            wins=groups,
            losses=groups,
            score_per_deal=score,
            score_low=-score,
            score_high=2 * score,
        )
        for other in names:
            if other != one:
                standings.crosstable.add(
                    name=one,
                    opponent=other,
                    wins=groups,
                    losses=groups,
                    score_per_deal=score,
                    probability_better=better,
                )
    return tournament_pb2.Tournament(id=1, variant=variant, standings=standings)


def told(capsys: pytest.CaptureFixture[str], shown: tournament_pb2.Tournament) -> str:
    print_tournament(shown)
    out = capsys.readouterr().out
    assert "…" not in out
    return out


def test_rows_that_the_scores_contradict_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """B.9: one line under the table, and none where there is nothing to say."""
    shown = tournament("briscola/2", 3)
    assert "Higher by rating" not in told(capsys, shown)
    shown.standings.rows[1].scores_less_than_next = True
    shown.standings.rows[2].rating = -1.0
    upper, lower = (row.name for row in shown.standings.rows[1:])
    line = f"Higher by rating, but probably lower by score per deal: {upper} – {lower}."
    assert line in told(capsys, shown).splitlines()
    shown.standings.rows[2].rating = -0.001
    assert "Higher by rating" not in told(capsys, shown)  # nobody can see that it is


def test_a_crosstable_has_wins_where_there_is_room(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, tournament("briscola/2", 3)).count("12.3 (10-0-10)") == 6
    out = told(capsys, tournament("briscola/2", 4, groups=10**6))
    assert "12.3 (" not in out
    assert out.count(" 12.3") == 12 + 4


@pytest.mark.parametrize(
    ("variant", "entrants", "has_one"),
    [
        ("briscola/2", 2, True),
        ("briscola/2", 8, True),
        ("briscola/2", 20, False),
        ("briscola/3", 3, False),
        ("briscola/3", 4, True),
        ("briscola/4", 2, True),
    ],
)
def test_a_crosstable_that_does_not_fit_or_says_nothing_is_left_out(
    capsys: pytest.CaptureFixture[str], variant: str, entrants: int, has_one: bool
) -> None:
    out = told(capsys, tournament(variant, entrants))
    assert (f"{TITLE}: in the JSON (--json)" in out) == (not has_one)
    assert (f"{TITLE}\n" in out) == has_one
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("entrants", "groups", "results", "chances"),
    [(4, 10, True, True), (4, 10**6, False, True), (8, 10, False, True), (11, 10, False, False)],
)
def test_a_crosstable_says_how_surely_where_there_is_room(
    capsys: pytest.CaptureFixture[str], entrants: int, groups: int, results: bool, chances: bool
) -> None:
    out = told(capsys, tournament("briscola/2", entrants, groups=groups, better=0.9876))
    cells = entrants * (entrants - 1)
    assert out.count("98.8%") == cells * chances
    assert (f"{TITLE}, and how surely it is the higher\n" in out) == chances
    assert ("12.3 (" in out) == results
    assert max(map(len, out.splitlines())) <= 80


def test_huge_numbers_are_rounded_and_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    shown = tournament(
        "frap/4?pot-cap=none", 5, score=3.7654e24, groups=10**7, name="the-bot-with-the-longest"
    )
    out = told(capsys, shown)
    assert out.count("3.77e+24 ±5.65e+24") == 5
    assert len(re.findall(r"\b10000000\b", out)) == 5  # in which it was first
    assert "".join(out.split()).count("the-bot-with") == 10


# As a chart


@pytest.mark.parametrize(
    ("variant", "entrants", "has_crosstable"),
    [("briscola/2", 2, False), ("briscola/2", 3, True), ("frap/4", 4, False), ("frap/4", 5, True)],
)
def test_the_chart_has_a_crosstable_where_it_says_more_than_the_standings(
    variant: str, entrants: int, has_crosstable: bool
) -> None:
    shown = tournament(variant, entrants, better=0.5)
    shown.name = "Spring & <b>"
    root = ElementTree.fromstring(stack(draw_tournament(shown)))
    kinds = Counter(element.get("class") for element in root.iter())
    assert kinds["interval"] == entrants
    assert kinds["cell"] == (entrants * (entrants - 1) if has_crosstable else 0)
    titles = [element.text for element in root.iter() if element.get("class") == "title"]
    assert titles[0] == f"Spring & <b> – {variant}"
    if has_crosstable:
        (tip,) = {cell[0].text for cell in root.iter() if cell.get("class") == "cell"} & {
            "bot-0 – bot-1: 12.34 a deal in 0 deals, groups won 10, drawn 0, lost 10; really more "
            "with 50.0%"
        }
        assert tip


def test_a_withdrawn_entrant_has_a_row_and_no_cell() -> None:
    shown = tournament("briscola/2", 4)
    shown.standings.rows.add(name="gone", version=1, withdrawn="it does not start")
    root = ElementTree.fromstring(stack(draw_tournament(shown)))
    texts = [element.text for element in root.iter() if element.get("class") in ("label", "note")]
    assert "gone v1" in texts
    assert "no deal counts" in texts
    assert not any("gone" in (cell[0].text or "") for cell in root.iter() if len(cell))


def test_without_results_nothing_is_drawn() -> None:
    assert draw_tournament(tournament_pb2.Tournament(id=1, variant="briscola/2")) == []
