"""Who has won how often against whom, and what is kept of it in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mazzo_server.errors import NotFoundError
from mazzo_server.results.checkpoints import read_standings
from mazzo_server.results.ranking.history import Rankings
from mazzo_server.results.ranking.kept import KeptResults
from mazzo_server.storage import MemoryStore
from support.finished_tournaments import define, finish
from support.stored_rows import add_version

NAMES = ("ann", "bob", "cid", "dan")


def fill() -> MemoryStore:
    store = MemoryStore()
    for name in NAMES:
        add_version(store, name)
    table = [(name, 1) for name in NAMES]
    for seed in range(3):
        finish(store, define(table, groups=3), seed)
    finish(store, define(table[:3], variant="briscola/3", groups=2), 9)
    return store


def sums(store: MemoryStore, bot: str, variant: str) -> dict[str, tuple[int, int, int]]:
    """What the crosstables of all tournaments of a variant add up to."""
    total: dict[str, tuple[int, int, int]] = {}
    for row in store.tournaments():
        if row.definition.variant == variant:
            for pair in read_standings(store, row).pairs:
                if pair.name == bot:
                    wins, draws, losses = total.get(pair.opponent, (0, 0, 0))
                    new = wins + pair.wins, draws + pair.draws, losses + pair.losses
                    total[pair.opponent] = new
    return total


@pytest.mark.parametrize("bot", NAMES)
def test_meetings_are_the_sums_of_the_crosstables(bot: str) -> None:
    store = fill()
    rankings = Rankings(store)
    for _ in range(2):  # what is kept is the same
        for found in rankings.meetings.list_meetings(bot):
            told = {one.opponent: (one.wins, one.draws, one.losses) for one in found.opponents}
            assert told == sums(store, bot, found.variant)
            assert found.tournaments == found.tournaments_total


def test_a_new_tournament_counts_at_once_and_a_bot_that_is_not_there_is_told() -> None:
    store = fill()
    meetings = Rankings(store).meetings
    before = meetings.list_meetings("ann")
    finish(store, define([("ann", 1), ("bob", 1)], groups=5), 3, best=["ann"])
    after = meetings.list_meetings("ann")
    assert after[0].tournaments == before[0].tournaments + 1
    assert after[0].opponents[0].wins == before[0].opponents[0].wins + 5
    with pytest.raises(NotFoundError):
        meetings.list_meetings("nobody")


def test_a_number_that_comes_again_is_another_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of meetings and of ratings, though all else is as it was."""
    results = []
    for best in (["ann"], ["bob"]):
        store = MemoryStore()
        for name in NAMES:
            add_version(store, name)
        finish(store, define([("ann", 1), ("bob", 1)], groups=5), 3, best=best)
        results.append(store)
    first, second = results
    rankings = Rankings(first)

    def look() -> tuple[object, object]:
        told = rankings.list_ratings("briscola/2", bots=(), start=0, size=9)
        return told, rankings.meetings.list_meetings("ann")

    old = look()
    (row,) = second.tournaments()
    later = replace(row, create_time=row.create_time + 1)
    rankings._store = rankings.meetings._store = second
    monkeypatch.setattr(second, "tournaments", lambda: [later])
    new = look()
    assert new != old


def test_no_more_is_kept_than_there_is_room_for() -> None:
    """The oldest go first, and one that is used again is no old one."""
    made: list[int] = []
    kept = KeptResults[int, range](most=30)

    def get(number: int) -> range:
        def make() -> range:
            made.append(number)
            return range(10)

        return kept.get(number, make)

    for number in (1, 2, 3, 1, 4, 1, 2):
        assert get(number) == range(10)
    assert made == [1, 2, 3, 4, 2]
    large = KeptResults[int, range](most=5)
    assert large.get(1, lambda: range(9)) is large.get(1, lambda: range(1))


def test_the_newest_tournaments_count() -> None:
    """So that a page costs the same, however many there have been."""
    store = MemoryStore()
    for name in NAMES:
        add_version(store, name)
    for seed in range(23):
        best = ["ann"] if seed < 3 else ["bob"]
        finish(store, define([("ann", 1), ("bob", 1)], groups=1), seed, best=best)
    (found,) = Rankings(store).meetings.list_meetings("ann")
    assert (found.tournaments, found.tournaments_total) == (20, 23)
    assert (found.opponents[0].wins, found.opponents[0].losses) == (0, 20)
