"""The legend of a table: shown on request, and once on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo_server.cli.text import legend
from mazzo_server.cli.text.output import console
from support.command import Home


def test_it_is_told_when_it_is_asked_for(samples: Home) -> None:
    """In this tournament's own words: seatings, teams, larger tables."""
    for variant, columns, words in (
        (
            "briscola/2",
            ("W-D-L",),
            "won, drawn and lost; a mirror group is the same deals in 2 seatings",
        ),
        (
            "briscola/3",
            ("place", "first"),
            "its place in a mirror group on average, of 3; a mirror group is the same deals in 3",
        ),
    ):
        played = samples.inside(
            "tournament", "run", variant, "--groups", "1", "--isolation", "none", "--json"
        ).json
        number = str(played["id"])
        plain = samples.inside("tournament", "show", number).out
        told = samples.inside("tournament", "show", number, "--legend").out
        assert words in " ".join(told.split())
        assert max(map(len, told.splitlines())) <= 80
        header = next(line for line in plain.splitlines() if "rating" in line)
        for column in ("rating", *columns, "score/deal", "P>next", "+deals", "faults", "ms"):
            assert column in header
            assert any(line.startswith(f"{column} ") for line in told.splitlines())
        assert "what it means" not in plain
    for variant, third in (("briscola/2", "won"), ("briscola/3", "place")):
        arena = ("arena", "random", "greedy", "--variant", variant, "--deals", "12")
        told = samples.inside(*arena, "--workers", "1", "--limit", "9", "--legend").out
        for column in ("score/deal", third, "P>next", "late", "ms"):
            assert any(line.startswith(f"{column} ") for line in told.splitlines())
    told = samples.inside("rankings", "--legend").out
    assert told.count("what it means") == 1
    assert "what it means" not in samples.inside("rankings").out


def test_a_person_at_a_terminal_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing home is made for the note. If it cannot be written, nobody is told."""
    home = tmp_path / "home"
    monkeypatch.setenv("MAZZO_HOME", str(home))
    monkeypatch.setattr(console, "_force_terminal", True)
    tmp_path.joinpath("file").touch()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("MAZZO_HOME", str(tmp_path / "file" / "home"))
        assert not legend.is_legend_wanted(False, "standings")
    assert legend.is_legend_wanted(False, "standings")
    assert not legend.is_legend_wanted(False, "standings")
    assert legend.is_legend_wanted(True, "standings")
    assert legend.is_legend_wanted(False, "rankings")
    monkeypatch.setattr(console, "_force_terminal", False)
    (home / "legend-standings").unlink()
    assert not legend.is_legend_wanted(False, "standings")
