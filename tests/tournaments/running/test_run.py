"""Runs: the claim of a tournament, for as long as it is played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.clock import wall_clock
from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.logs import LogAction
from mazzo_server.model import Mirror, PairingScheme
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group, until_separated
from mazzo_server.results.checkpoints import keep_standings, read_standings
from mazzo_server.storage import (
    Claim,
    MemoryStore,
    Store,
    TournamentRow,
    TournamentStatus,
    open_store,
)
from mazzo_server.tournaments.running.progress import Progress
from mazzo_server.tournaments.running.run import Report, Run, log_tournament
from support.in_process_bots import PromptSpec
from support.manual_tournaments import Club, list_ladder_options
from support.remote_bots import until
from support.scripted_tournaments import PATIENCE, Arena, make_run


@dataclass(slots=True)
class Forgotten:
    """A claim that a database has forgotten, as soon as it is told so."""

    claim: Claim
    lost: bool = False

    def forget(self) -> None:
        self.claim.release()
        self.lost = True

    def is_lost(self) -> bool:
        return self.lost

    def release(self) -> None:
        if not self.lost:
            self.claim.release()


def while_playing(
    work: Callable[[Run, Forgotten, MemoryStore], Coroutine[None, None, None]],
) -> None:
    """Do something while a long tournament is played."""

    async def main() -> None:
        store = MemoryStore()
        definition = Arena(Path()).definition(2, groups=100_000)
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        claim = store.claim(row.id)
        assert claim is not None
        forgotten = Forgotten(claim)
        run = make_run(
            row,
            store,
            [PromptSpec()] * 2,
            claim=forgotten,
            concurrency=2,
            claim_interval=0.001,
        )
        run.begin()
        async with asyncio.timeout(PATIENCE):
            await until(lambda: store.tournament(1).matches_played > 0)
            await work(run, forgotten, store)
            assert run.task is not None
            await run.task

    asyncio.run(main())


def test_a_claim_that_is_lost_is_made_again() -> None:
    """A database that was killed and is back within a moment knows of no claims any more."""

    async def lose(run: Run, claim: Forgotten, store: MemoryStore) -> None:
        claim.forget()
        assert not store.is_claimed(1)
        await until(lambda: store.is_claimed(1))
        played = store.tournament(1).matches_played
        await until(lambda: store.tournament(1).matches_played > played)
        run.pause()
        assert run.task is not None
        await run.task
        assert store.tournament(1).status is TournamentStatus.PAUSED
        assert not store.is_claimed(1)

    while_playing(lose)


def test_whoever_claims_meanwhile_plays_alone() -> None:
    """The run that had the claim ends and says why."""

    async def lose(run: Run, claim: Forgotten, store: MemoryStore) -> None:
        claim.forget()
        other = store.claim(1)
        assert other is not None
        reports = [report async for report in run.watch()]
        assert isinstance(reports[-1].failure, ConflictError)
        assert "another process has begun to play" in str(reports[-1].failure)
        assert store.is_claimed(1)

    while_playing(lose)


def test_a_watcher_hears_first_what_is_being_played() -> None:
    """Between two matches there may be none, so it looks several times."""

    async def look(run: Run, claim: Forgotten, store: MemoryStore) -> None:
        firsts = [await anext(run.watch()) for _ in range(20)]
        assert any(first.begun for first in firsts)
        assert all(len(first.begun) <= 2 for first in firsts)
        run.pause()

    while_playing(look)


def test_a_report_stays_as_it_was() -> None:
    """Whatever is counted after it."""

    async def look(run: Run, claim: Forgotten, store: MemoryStore) -> None:
        reports = [await anext(run.watch())]
        stored = store.tournament(1).matches_played
        async for report in run.watch():
            reports.append(report)
            if store.tournament(1).matches_played > stored + 1:
                run.pause()
        played = [report.matches_played for report in reports]
        assert played == sorted(played)
        assert played[0] < played[-1]

    while_playing(look)


class Unwritable(MemoryStore):
    """Cannot be written to any more."""

    def set_status(self, *_: object, **__: object) -> None:
        raise StoreError("the disk is full")


def fail_while_playing(store: Store, harm: Callable[[], None]) -> Report:
    """Do something to the store while a long tournament is played; the last report of the run."""

    async def main() -> Report:
        definition = Arena(Path()).definition(2, groups=100_000)
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        claim = store.claim(row.id)
        assert claim is not None
        run = make_run(
            row,
            store,
            [PromptSpec()] * 2,
            claim=claim,
            concurrency=2,
            claim_interval=0.001,
        )
        run.begin()
        await until(lambda: store.tournament(1).matches_played > 0)
        harm()
        reports = [report async for report in run.watch()]
        assert run.task is not None
        await run.task
        return reports[-1]

    return asyncio.run(asyncio.wait_for(main(), PATIENCE))


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_store_that_is_deleted_ends_the_run(path: Path, suffix: str) -> None:
    """A server played on, stored into a deleted file, and said "finished"."""
    with closing(open_store(path)) as store:
        report = fail_while_playing(store, lambda: Path(f"{path}{suffix}").unlink())
    assert isinstance(report.failure, StoreError)
    assert f"{path}{suffix} was deleted while it was in use" in str(report.failure)


class Replaceable(MemoryStore):
    """A store in whose place another one can be put, under the same name and number."""

    def __init__(self) -> None:
        super().__init__()
        self.change: dict[str, Any] = {}

    def tournament(self, tournament_id: int) -> TournamentRow:
        return replace(super().tournament(tournament_id), **self.change)


@pytest.mark.parametrize(
    ("change", "told"),
    [({"matches_played": 0}, "got one with 0"), ({"create_time": 7.0}, "got another tournament")],
    ids=["older", "other"],
)
def test_another_store_in_the_place_of_the_first_ends_the_run(
    change: dict[str, Any], told: str
) -> None:
    """A backup that was written over the file, or restored under the same tables."""
    store = Replaceable()
    report = fail_while_playing(store, lambda: store.change.update(change))
    assert isinstance(report.failure, StoreError)
    assert told in str(report.failure)


def test_no_tournament_ends_before_it_was_played() -> None:
    """Its beginning is in the future, as after the machine's clock was set back."""
    ahead = wall_clock() + 1e6

    async def main() -> None:
        store = MemoryStore()
        row = store.add_tournament(Arena(Path()).definition(2), concurrency=1, create_time=ahead)
        store.add_run_time(row.id, 50.0)
        row, claim = store.tournament(row.id), store.claim(row.id)
        assert claim is not None
        specs = [PromptSpec()] * 2
        run = make_run(row, store, specs, claim=claim, concurrency=1)
        run.begin()
        assert run.task is not None
        await run.task
        row = store.tournament(row.id)
        assert row.status is TournamentStatus.FINISHED
        assert row.end_time is not None
        assert row.end_time >= ahead + 50.0

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_nobody_waits_to_change_a_run_that_could_not_begin() -> None:
    async def main() -> None:
        store = Unwritable()
        row = store.add_tournament(Arena(Path()).definition(2), concurrency=1, create_time=0.0)
        claim = store.claim(row.id)
        assert claim is not None
        specs = [PromptSpec()] * 2
        run = make_run(row, store, specs, claim=claim, concurrency=1)
        run.begin()
        with pytest.raises(ConflictError, match="has just ended"):
            await run.change(lambda definition, _: definition)
        assert run.task is not None
        await run.task

    asyncio.run(asyncio.wait_for(main(), PATIENCE / 3))


class Counting(MemoryStore):
    """Notes how many matches are read at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[int] = []

    def outcomes(self, tournament_id: int, **options: Any) -> list[MatchOutcome]:
        found = super().outcomes(tournament_id, **options)
        self.reads.append(len(found))
        return found


@pytest.mark.parametrize("lost", [None, 4], ids=["kept", "forgotten"])
@pytest.mark.parametrize(
    "options",
    [
        {"pairing": PairingScheme.SWISS, "groups": 2, "rounds": 6},
        {"until_separated": 0.9, "groups": 30},
        {
            "pairing": PairingScheme.KNOCK_OUT,
            "groups": 25,
            "confidence": 0.999,
            "seeds": (3, 1, 0, 2),
        },
    ],
    ids=["swiss", "separated", "bracket"],
)
def test_standings_are_kept_round_by_round_where_results_decide(
    options: dict[str, Any], lost: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise: nobody reads a long tournament again for each round, or to show it at its end."""
    store, rounds = Counting(), []

    def keep(store: MemoryStore, tournament: int, groups: Sequence[Group]) -> None:
        rounds.append(groups)
        if len(rounds) == lost:
            store.amend(tournament, store.tournament(tournament).definition)
        keep_standings(store, tournament, groups)

    monkeypatch.setattr("mazzo_server.tournaments.running.run.keep_standings", keep)
    monkeypatch.setattr(until_separated, "MOST_GROUPS", 40)  # at a time

    async def main() -> None:
        definition = Arena(Path()).definition(4, mirror=Mirror.ROTATIONS, **options)
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        claim = store.claim(row.id)
        assert claim is not None
        specs = [PromptSpec(choice=number) for number in range(4)]
        run = make_run(row, store, specs, claim=claim, concurrency=8)
        run.begin()
        assert run.task is not None
        await run.task

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    row = store.tournament(1)
    assert row.status is TournamentStatus.FINISHED
    assert len(rounds) >= 4
    if lost is None:  # each match once for the pairing, and once for the standings
        assert sum(store.reads) == 2 * row.matches_played
    shown = read_standings(store, row)
    assert shown.counted * 2 == row.matches_played
    assert lost is not None or sum(store.reads) == 2 * row.matches_played
    whole = MemoryStore()
    whole.add_tournament(row.definition, concurrency=1, create_time=0.0)
    whole.add_outcomes(1, store.outcomes(1, with_deals=True))
    whole.set_status(1, TournamentStatus.FINISHED, end_time=row.end_time)
    assert read_standings(whole, whole.tournament(1)) == shown


def test_what_has_no_planned_end_is_logged_without_one(caplog: pytest.LogCaptureFixture) -> None:
    """A season never ends by itself, and one that is played until it is sure ends early."""
    caplog.set_level("INFO", logger="mazzo_server")
    progress = Progress(matches_total=7500, matches_played=180)
    season = Club(name="Ladder of briscola/2, season 1", **list_ladder_options())
    for club, action in (
        (season, LogAction.TOURNAMENT_INTERRUPTED),
        (Club(), LogAction.TOURNAMENT_FINISHED),
        (Club(), LogAction.TOURNAMENT_INTERRUPTED),
    ):
        log_tournament(club.store.tournament(club.id), action, "stops", progress)
    assert [record.message for record in caplog.records] == [
        "tournament 1, Ladder of briscola/2, season 1, stops after 180 matches",
        "tournament 1, briscola/2, stops after 180 matches",
        "tournament 1, briscola/2, stops after 180 of 7500 matches",
    ]
