"""`mazzo rankings` and `mazzo rankings explain`, on a store that was made without playing."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mazzo_server.settings import Settings
from mazzo_server.storage import open_store
from support.command import Home
from support.finished_tournaments import define, finish
from support.stored_rows import add_version

LONG = f"{'the-bot-with-the-longest-name-at':.32}"


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Two tournaments of two, in the second a new version of ann; one of five, one of three."""
    home = Home(tmp_path_factory.mktemp("ranked") / "home")
    store = open_store(Settings(home=home.path).store)
    names = ("ann", "bob", "cid", "dan", LONG)
    for name in names:
        add_version(store, name)
    finish(store, define([("ann", 1), ("bob", 1)], groups=12), best=["ann"])
    finish(store, define([("ann", 2), ("bob", 1)], groups=2), best=["bob"])
    everybody = [(name, 1) for name in names]
    finish(store, define(everybody, variant="briscola-chiamata/5", groups=2), 1, best=[LONG])
    store.close()
    return home


def test_old_versions_are_called_old(ranked: Home) -> None:
    """Promise: the table and the JSON say which version is the newest."""
    out = ranked.inside("rankings", "briscola/2").out
    assert [line.split()[1:4] for line in out.splitlines()[2:]] == [
        ["ann", "v1", "(old)"],
        ["bob", "v1", out.splitlines()[3].split()[3]],
        ["ann", "v2", out.splitlines()[4].split()[3]],
    ]
    (ranking,) = ranked("rankings", "--json", "briscola/2").json
    assert {(row["name"], row["version"]): row["newest"] for row in ranking["rows"]} == {
        ("ann", 1): False,
        ("ann", 2): True,
        ("bob", 1): True,
    }


def test_a_game_stands_for_all_of_its_variants(ranked: Home) -> None:
    """What one types first; a variant has the same ranking as without it."""
    every = {ranking["variant"]: ranking for ranking in ranked.inside("rankings", "--json").json}
    assert set(every) == {"briscola/2", "briscola-chiamata/5"}
    for game in ("briscola", "briscola-chiamata"):
        found = ranked.inside("rankings", game, "--json").json
        assert found == [one for text, one in every.items() if text.partition("/")[0] == game]
    assert "No ranking of frap yet" in ranked.inside("rankings", "frap").out
    assert "expected a game (briscola," in ranked.inside("rankings", "bridge", status=2).err
    explained = ranked.inside("rankings", "explain", "ann", "--variant", "briscola").out
    assert explained == ranked.inside("rankings", "explain", "ann", "--variant", "briscola/2").out


def test_an_explanation_for_people(ranked: Home) -> None:
    """Promise: tournament by tournament, where a new version comes from, and what moved it."""
    lines = ranked.inside("rankings", "explain", "ann", "--variant", "briscola/2").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "ann in briscola/2"
    first = lines.index("Tournament 1 (evening): ann v1 won 12, drew 0 and lost 0.")
    second = lines.index("Tournament 2 (evening): ann v2 won 0, drew 0 and lost 2.")
    assert lines[first + 2].split()[:7] == ["0", "won", "bob", "v1", "(0.0)", "25.00", "→"]
    assert "New: it goes on from v1" in lines[second + 1]
    assert not any("New:" in line for line in lines[first:second])
    every = [line.split() for line in lines[first:second] if line.split()[:1] == ["all"]]
    rating = every[0][-1]
    assert f"(rating {rating})" in lines[second + 1]


def test_every_variant_and_the_longest_names_fit_80_columns(ranked: Home) -> None:
    """Promise: also a table of five whose names are long."""
    out = ranked.inside("rankings", "explain", "bob").out
    assert max(map(len, out.splitlines())) <= 80
    assert [line for line in out.splitlines() if line.startswith("bob in ")] == [
        "bob in briscola-chiamata/5",
        "bob in briscola/2",
    ]
    assert " of 5 " in out
    assert "won" in out


def test_an_explanation_for_scripts(ranked: Home) -> None:
    """Promise: the same as JSON, all groups of one tournament in schedule order."""
    whole = ranked.inside("rankings", "explain", "ann", "--json", "--groups", "1").json
    assert [(one["tournament"], len(one["groups"])) for one in whole] == [(3, 1), (1, 1), (2, 1)]
    assert [one["inherited"] and one["inherited"]["version"] for one in whole] == [None, None, 1]
    assert whole[2]["inherited"]["rating"] == whole[1]["after"]
    assert whole[2]["before"]["mu"] == whole[1]["after"]["mu"]
    (one,) = ranked.inside("rankings", "explain", "ann", "--tournament", "1", "--json").json
    assert [move["group"] for move in one["groups"]] == list(range(12))
    assert one["groups"][0]["before"] == one["before"]
    assert one["groups"][-1]["after"] == one["after"] == whole[1]["after"]
    assert one["groups"][0]["opponents"][0]["rank"] == 2
    assert one["groups"][0]["rank"] == 1


def test_who_has_no_rating_there(ranked: Home) -> None:
    """Promise: is told so, and it is no failure."""
    told = ranked.inside("rankings", "explain", "cid", "--variant", "briscola/2").out
    where = "in no finished tournament of briscola/2 without copies of a bot"
    assert told == f"cid has no rating yet: it is {where}.\n"


def test_an_explanation_for_spreadsheets(ranked: Home) -> None:
    """Promise: a row for each group, with the numbers of the JSON."""
    explain = ("rankings", "explain", "ann", "--tournament", "1")
    rows = list(csv.DictReader(ranked.inside(*explain, "--csv").out.splitlines()))
    (one,) = ranked.inside(*explain, "--json").json
    assert [int(row["group"]) for row in rows] == list(range(12))
    for row, move in zip(rows, one["groups"], strict=True):
        assert (row["variant"], row["opponents"]) == ("briscola/2", "bob v1")
        for when in ("before", "after"):
            for key in ("rating", "mu", "sigma"):
                assert float(row[f"{key}_{when}"]) == move[when][key]


def test_a_ranking_is_drawn(ranked: Home, tmp_path: Path) -> None:
    """The rating of each bot over its tournaments, whichever version played."""
    chart = tmp_path / "ranking.svg"
    told = ranked.inside("rankings", "briscola", "--plot", chart).out
    assert told == ranked.inside("rankings", "briscola").out
    root = ElementTree.fromstring(chart.read_text())
    lines = [item.get("points", "") for item in root.iter() if item.get("class") == "rating"]
    assert [len(points.split()) for points in lines] == [2, 2]
    (ranking,) = ranked.inside("rankings", "briscola", "--json").json
    texts = {item.text for item in root.iter() if item.get("class") == "line-name"}
    assert texts == {
        f"{row['rating']:.2f}  {row['name']}" for row in ranking["rows"] if row["newest"]
    }


def test_what_cannot_be_drawn_is_refused(ranked: Home, tmp_path: Path) -> None:
    """And no file is written."""
    several = ranked.inside("rankings", "--plot", tmp_path / "a.svg", status=2).err
    assert "expected one variant, got 2: name one of briscola-chiamata/5, briscola/2" in several
    wrong = ranked.inside("rankings", "briscola", "--plot", tmp_path / "a.png", status=2).err
    assert "expected a file such as chart.svg" in wrong
    nothing = ranked.inside("rankings", "frap", "--plot", tmp_path / "a.svg", status=1).err
    assert "expected a ranking to draw, got none" in nothing
    away = ranked.inside("rankings", "briscola", "--plot", tmp_path / "no" / "a.svg", status=2).err
    assert "cannot write" in away
    assert list(tmp_path.iterdir()) == []
