"""`mazzo prune`: old records go, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mazzo_server.cli.text import output
from mazzo_server.clock import wall_clock
from mazzo_server.settings import DATABASE_VARIABLE, Settings
from mazzo_server.storage import TournamentStatus, open_store
from support.command import Home, Result
from support.manual_tournaments import Club
from support.postgres import Databases

pytestmark = pytest.mark.slow

_DAY = 86_400.0  # seconds
_DAYS_AGO = (400, 10, 0)  # when the first three tournaments ended; the last goes on


class Mazzo:
    """The command, on a home of its own or on a database too."""

    def __init__(self, home: Path, url: str = "") -> None:
        self._home = Home(home, {DATABASE_VARIABLE: url})

    def __call__(self, *arguments: str, status: int = 0) -> Result:
        """Run it; it must end with `status`."""
        return self._home.inside(*arguments, status=status)

    def results(self) -> list[str]:
        """Whatever may not change."""
        shown = [self("tournament", "show", str(number), "--json").json for number in (1, 3)]
        for tournament in shown:
            del tournament["pruned"]
        return [str(shown), self("rankings", "--json").out]

    def pruned(self) -> list[int]:
        """The numbers of the tournaments that say that they are."""
        return [
            item["id"] for item in self("tournament", "list", "--json").json[::-1] if item["pruned"]
        ]


@pytest.fixture(params=["sqlite", "postgresql"])
def mazzo(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Mazzo]:
    """Four tournaments: two are finished, one is cancelled, and the last one goes on."""
    for screen in (output.console, output.error_console):
        monkeypatch.setattr(screen, "width", 80)
    home = Home(tmp_path / "home")
    if request.param == "sqlite":
        _fill(Settings(home=home.path))
        yield Mazzo(home.path)
    else:
        databases: Databases = request.getfixturevalue("databases")
        with databases.store() as url:
            _fill(Settings(home=home.path, database_url=url))
            yield Mazzo(home.path, url)


def _fill(settings: Settings) -> None:
    store = open_store(settings.store)
    now = wall_clock()
    for days in (*_DAYS_AGO, None):
        club = Club(store=store)
        for seating in (0, 1):
            club.play(0, seating)
        if days is not None:
            cancelled = days == 0
            status = TournamentStatus.CANCELLED if cancelled else TournamentStatus.FINISHED
            store.set_status(club.id, status, end_time=now - days * _DAY)
    store.close()


def test_only_old_ones_and_nothing_but_their_records(mazzo: Mazzo) -> None:
    before = mazzo.results()
    assert mazzo("replay", "export", "1/0/0").out
    would = mazzo("prune", "--older-than", "30", "--dry-run", "--json").json
    assert [(item["id"], item["matches"]) for item in would] == [(1, 2)]
    assert would[0]["bytes"] > 2 * 2 * 40
    assert mazzo.pruned() == []
    assert mazzo("replay", "export", "1/0/0").out
    assert mazzo("prune", "--older-than", "30", "--compact", "--json").json == would
    assert mazzo.pruned() == [1]
    assert mazzo.results() == before
    said = mazzo("replay", "show", "1/0/0", status=1).err
    assert "match 1/0/0 was pruned" in " ".join(said.split())
    states = [
        item["state"]
        for item in mazzo("matches", "--tournament", "1", "--scheduled", "--json").json
    ]
    assert states[:3] == ["pruned", "pruned", "waiting"]
    assert mazzo("replay", "export", "2/0/0").out
    assert "Nothing to throw away" in mazzo("prune", "--older-than", "30").out


def test_given_ones_and_whatever_is_over(mazzo: Mazzo) -> None:
    before = mazzo.results()
    refused = mazzo("prune", "--tournament", "2", "--tournament", "4", status=1)
    assert "tournament 4 is not over" in refused.err
    assert "there is no tournament 9" in mazzo("prune", "--tournament", "9", status=2).err
    assert mazzo.pruned() == []
    narrowed = ("prune", "--tournament", "1", "--tournament", "2", "--older-than", "30", "--json")
    assert [item["id"] for item in mazzo(*narrowed).json] == [1]
    assert "2 tournaments lost deals and logs" in mazzo("prune", "--older-than", "0").out
    assert mazzo.pruned() == [1, 2, 3]
    assert mazzo.results() == before
    assert mazzo("replay", "export", "4/0/0").out


def test_what_to_prune_is_said(tmp_path: Path) -> None:
    assert "--older-than DAYS" in Mazzo(tmp_path / "home")("prune", status=2).err
    for wrong in (("--older-than", "-1"), ("--tournament", "0"), ("--older-than", "old")):
        Mazzo(tmp_path / "home")("prune", *wrong, status=2)
