"""The examples of the how-to on data frames, run on what real bots have played."""

from __future__ import annotations

import re
import shutil
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.settings import Settings
from mazzo_server.storage import open_store
from support.command import Home
from support.manual_tournaments import Club, entrants_of

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "results-in-a-data-frame.md"
PANDAS, POLARS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
PROGRAMS = pytest.mark.parametrize(
    "program", [pytest.param(PANDAS, id="pandas"), pytest.param(POLARS, id="polars")]
)
GROUPS = 12
MANY = 10_000  # results of the bar


@pytest.fixture(scope="module")
def played(sample_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which three bots have played, each of them each other one."""
    copy = tmp_path_factory.mktemp("played") / "home"
    home = Home(Path(shutil.copytree(sample_home.path, copy)))
    home("tournament", "run", "briscola/2", "--groups", str(GROUPS))
    return home


def run(program: str, results: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run an example beside a file of these results; the names that it has given."""
    monkeypatch.chdir(folder)
    (folder / "results.csv").write_text(results)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(program, "program.py", "exec"), names)
    return names


def list_rows(table: Any) -> list[dict[str, Any]]:
    """The rows of a data frame of either library."""
    found: list[dict[str, Any]] = (
        table.to_dicts() if hasattr(table, "to_dicts") else table.reset_index().to_dict("records")
    )
    return found


@PROGRAMS
def test_the_examples_find_what_the_standings_say(
    program: str,
    played: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Promise: mean and interval by mirror groups are those that the platform computes."""
    names = run(program, played.inside("results", "--csv").out, tmp_path, monkeypatch)
    assert len(names["results"]) == 3 * GROUPS * 2 * 2
    shown = played.inside("tournament", "show", "1", "--json").json
    found = {(row["bot"], row["opponents"]): row for row in list_rows(names["table"])}
    cells = shown["standings"]["crosstable"]
    assert found.keys() == {(cell["name"], cell["opponent"]) for cell in cells}
    for cell in cells:
        row = found[cell["name"], cell["opponent"]]
        assert row["groups"] == GROUPS
        assert isclose(row["mean"], cell["score_per_deal"])
        assert isclose(row["mean"] - row["half_width"], cell["score_low"])
        assert isclose(row["mean"] + row["half_width"], cell["score_high"])
    printed = capsys.readouterr().out
    for bot in ("counting", "greedy", "random"):
        assert printed.count(bot) >= 5


def test_both_libraries_read_every_column_as_what_it_is(
    played: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise: numbers are numbers, times are times with their zone, flags are flags."""
    text = played.inside("results", "--csv").out
    frames = [run(program, text, tmp_path, monkeypatch)["results"] for program in (PANDAS, POLARS)]
    for frame in frames:
        types = dict(zip(frame.columns, map(str, frame.dtypes), strict=True))
        for column in ("tournament", "group", "seating", "seat", "version", "points", "deals"):
            assert types[column].lower() == "int64"
        for column in ("match_score", "margin"):
            assert types[column].lower() == "float64"
        assert types["void"].lower() in ("bool", "boolean")
        assert types["end_time"].lower().startswith("datetime")
        assert "UTC" in types["end_time"]
    (first, second) = ([row["bot"] for row in list_rows(frame)] for frame in frames)
    assert first == second


@PROGRAMS
def test_bots_with_the_names_of_numbers_and_of_nothing(
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Promise: a bot may be called nan or 007, and keeps its name."""
    home, names = Home(tmp_path / "home"), ("nan", "007")
    store = open_store(Settings(home=home.path).store)
    club = Club(store=store, groups=2, entrants=entrants_of(*names))
    for group in range(2):
        for seating in range(2):
            club.play(group, seating)
    store.close()
    found = run(program, home.inside("results", "--csv").out, tmp_path, monkeypatch)
    assert {row["bot"] for row in list_rows(found["table"])} == {*names}


@pytest.mark.prove
@PROGRAMS
def test_ten_thousand_results(
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bar: with what the page says, so many results are in a data frame, and none is missing."""
    home = Home(tmp_path / "home")
    store = open_store(Settings(home=home.path).store)
    club = Club(store=store, groups=MANY // 2, entrants=entrants_of("ann", "bob"))
    club.play_all_alike()
    store.close()
    found = run(program, home("results", "--csv").out, tmp_path, monkeypatch)
    assert len(found["results"]) == MANY * 2
    assert {row["groups"] for row in list_rows(found["table"])} == {MANY // 2}
