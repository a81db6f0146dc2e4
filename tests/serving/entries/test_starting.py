"""What is due starts, once, whatever the clock and the machine do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.logs import LogAction
from mazzo_server.model import TournamentRequest
from mazzo_server.serving.entries import Readiness, Starter, start_on_time
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import (
    EntryRow,
    Every,
    MemoryStore,
    Store,
    Timetable,
    TournamentStatus,
    open_store,
)
from mazzo_server.tournaments import Tournaments
from support.stored_rows import manifest_of

REQUEST = TournamentRequest(
    variant="briscola/2", groups=1, mirror="off", isolation="none", name="Cup"
)
WEEK = Every.WEEK.seconds
BOTS = ("ann", "bob", "cleo")


class Killed(BaseException):
    """The process is gone."""


class MortalStore:
    """A store whose process dies before, or after, the call of some number."""

    def __init__(self, store: Store, *, call: int, after: bool) -> None:
        self._store, self._left, self._after = store, call, after

    def __getattr__(self, name: str) -> Any:
        wanted = getattr(self._store, name)

        def ask(*arguments: Any, **named: Any) -> Any:
            self._left -= 1
            if self._left < 0 and not self._after:
                raise Killed
            answer = wanted(*arguments, **named)
            if self._left < 0:
                raise Killed
            return answer

        return ask


@dataclass
class Players:
    """What plays tournaments: it notes each, and finishes none."""

    store: Store
    planner: Any
    started: list[int] = field(default_factory=list)
    error: Exception | None = None

    async def start(self, number: int) -> None:
        if self.error is not None:
            raise self.error
        self.started.append(number)
        self.store.set_status(number, TournamentStatus.RUNNING)


@dataclass
class Club:
    """An open tournament of a store, and a server that looks when it is told to."""

    store: Store
    platform: Platform
    players: Players
    now: float = 0.0
    away: set[str] = field(default_factory=set)
    starter: Starter = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self, store: Store | None = None) -> None:
        """Begin anew, as a server that has just been started."""
        self.starter = Starter(
            store or self.store,
            self.platform.bots.launcher,
            cast(Tournaments, self.players),
            Readiness(
                store or self.store, self.platform.bots.launcher, lambda bot: bot not in self.away
            ),
            clock=lambda: self.now,
            patience=0.0,
        )

    def open(self, *bots: str, request: TournamentRequest = REQUEST, **times: Any) -> int:
        row = self.store.add_open_tournament(request, Timetable(**times), create_time=0.0)
        self.enter(*bots)
        return row.id

    def enter(self, *bots: str) -> None:
        for bot in bots:
            self.store.enter_bot(1, EntryRow(bot=bot, author="", time=self.now))

    def look(self, now: float) -> None:
        self.now = now
        asyncio.run(self.starter.look())

    @property
    def played(self) -> list[int | None]:
        """What became of the rounds, the oldest first."""
        return [one.tournament for one in self.store.rounds(1, limit=99)][::-1]


def make_club(store: Store, folder: Path) -> Club:
    for bot in BOTS:
        store.add_version(
            bot, content_hash="", manifest=manifest_of(bot), create_time=1.0, remote=True
        )
    platform = Platform(Settings(home=folder / "home"), store)
    return Club(store, platform, Players(store, platform.tournaments.planner))


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_club(MemoryStore(), tmp_path)


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Club]:
    """One whose store is a file."""
    with closing(open_store(tmp_path / "mazzo.db")) as store:
        yield make_club(store, tmp_path)


def test_it_starts_at_its_time_with_who_can_play(
    club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    """Who is away then is left out, which the record and the list of rounds say."""
    caplog.set_level(logging.INFO, logger="mazzo_server")
    club.open(*BOTS, start_at=100.0)
    club.away.add("bob")
    club.look(99.0)
    assert club.store.tournaments() == []
    club.look(100.0)
    [row] = club.store.tournaments()
    assert [entrant.name for entrant in row.definition.entrants] == ["ann", "cleo"]
    assert (row.definition.name, row.create_time) == ("Cup", 100.0)
    assert club.players.started == [1]
    [played] = club.store.rounds(1, limit=9)
    assert (played.tournament, played.left_out) == (1, ("bob",))
    assert club.store.open_tournaments() == []
    [record] = [one for one in caplog.records if vars(one)["action"] == LogAction.ENTRIES_STARTED]
    assert record.getMessage() == "open tournament 1 becomes tournament 1, without bob"
    for now in (101.0, 50.0, 1e9):
        club.look(now)
    assert club.players.started == [1]


def test_it_starts_when_so_many_can_play_and_not_when_so_many_have_entered(club: Club) -> None:
    club.open("ann", "bob", start_with=3)
    club.away.add("cleo")
    club.look(10.0)
    club.enter("cleo")
    club.look(11.0)
    assert club.store.tournaments() == []
    assert club.store.open_tournament(1).problem == ""
    club.away.clear()
    club.look(12.0)
    assert club.players.started == [1]


def test_one_with_too_few_bots_waits_and_says_why(
    club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    """Until there are enough, or somebody sets the clock back; each reason is told once."""
    club.open("ann", start_at=100.0)
    for now in (100.0, 101.0, 102.0):
        club.look(now)
    assert club.store.open_tournament(1).problem == "1 bot can play, and 2 are needed"
    assert [vars(one)["action"] for one in caplog.records] == [LogAction.ENTRIES_WAITING]
    club.look(50.0)
    assert club.store.open_tournament(1).problem == ""
    club.look(103.0)
    club.enter("bob")
    club.look(104.0)
    assert club.players.started == [1]


def test_what_the_request_lacks_is_the_reason(club: Club) -> None:
    """As of a gauntlet whose hero has not entered; with a number of bots, too."""
    request = replace(REQUEST, hero="cleo")
    club.open("ann", "bob", request=request, start_with=2)
    club.look(1.0)
    assert "cleo" in club.store.open_tournament(1).problem
    club.enter("cleo")
    club.look(2.0)
    assert club.players.started == [1]


def test_a_weekly_one_is_played_each_week_by_who_entered_for_it(club: Club) -> None:
    """A week without bots is given up after a day, with the reason; entries open for the next."""
    club.open("ann", "bob", entries_until=90.0, start_at=100.0, every=Every.WEEK)
    club.look(100.0)
    row = club.store.open_tournament(1)
    assert (row.round, row.entries) == (2, 0)
    assert row.timetable.entries_until == 90.0 + WEEK
    club.look(101.0)
    club.enter("ann")
    club.look(100.0 + WEEK)
    club.look(100.0 + WEEK + 20 * 3600)
    assert club.store.open_tournament(1).problem.startswith("1 bot")
    assert club.played == [1]
    club.look(100.0 + WEEK + 21 * 3600)
    assert club.played == [1, None]
    club.enter("bob", "cleo")
    club.look(100.0 + 2 * WEEK)
    assert club.played == [1, None, 2]
    assert [row.definition.name for row in club.store.tournaments()] == ["Cup 1", "Cup 3"]
    assert club.players.started == [1, 2]
    assert club.store.rounds(1, limit=9)[1].reason == "1 bot can play, and 2 are needed"


def test_weeks_without_a_server_are_no_rounds(club: Club) -> None:
    """What was due is played late, once; the next round is the first that is still to come."""
    club.open("ann", "bob", start_at=100.0, every=Every.WEEK)
    club.look(100.0 + 5.5 * WEEK)
    assert club.played == [1]
    assert club.store.open_tournament(1).timetable.start_at == 100.0 + 6 * WEEK


def test_a_clock_that_was_a_year_fast_costs_no_year(club: Club) -> None:
    club.open("ann", "bob", start_at=100.0, every=Every.WEEK)
    club.look(100.0 + 52 * WEEK)
    assert club.store.open_tournament(1).timetable.start_at == 100.0 + 53 * WEEK
    club.look(200.0)
    assert club.store.open_tournament(1).timetable.start_at == 100.0 + WEEK
    club.enter("ann", "bob")
    club.look(100.0 + WEEK)
    assert club.players.started == [1, 2]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(0, 40).map(lambda days: days * 86_400.0), st.booleans()), max_size=12
    )
)
def test_no_start_comes_twice_however_the_clock_jumps(
    tmp_path: Path, looks: list[tuple[float, bool]]
) -> None:
    """Each round that is due is played or skipped; a restart between any two looks is nothing."""
    club = make_club(MemoryStore(), tmp_path)
    club.open(start_at=864_000.0, every=Every.WEEK)
    starts: list[float] = []
    for now, is_new in looks:
        if is_new:
            club.restart()
        if not club.store.entries(1):
            club.enter("ann", "bob")
        before = club.store.open_tournament(1)
        club.look(now)
        after = club.store.open_tournament(1)
        if after.round != before.round:
            assert after.round == before.round + 1
            assert after.last_start is not None
            assert after.last_start <= now
            starts.append(after.last_start)
    assert starts == sorted(set(starts))
    numbers = list(range(1, len(starts) + 1))
    assert [row.id for row in club.store.tournaments()] == numbers
    assert sorted(set(club.players.started)) == numbers


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("call", range(12))
def test_a_kill_between_any_two_steps_neither_loses_nor_doubles_a_round(
    stored: Club, call: int, after: bool
) -> None:
    stored.open("ann", "bob", start_at=100.0, every=Every.WEEK)
    mortal = cast(Store, MortalStore(stored.store, call=call, after=after))
    stored.restart(mortal)
    try:
        stored.look(100.0)
    except Killed:
        stored.restart()
        stored.look(101.0)
    assert stored.played == [1]
    assert [row.id for row in stored.store.tournaments()] == [1]
    assert set(stored.players.started) == {1}
    assert stored.store.open_tournament(1).round == 2


def test_the_kills_of_the_test_above_come_at_every_step(stored: Club) -> None:
    """Or it would show nothing: a look makes fewer calls of the store than it tries."""
    stored.open("ann", "bob", start_at=100.0, every=Every.WEEK)
    mortal = MortalStore(stored.store, call=10**6, after=False)
    stored.restart(cast(Store, mortal))
    stored.look(100.0)
    assert 5 <= 10**6 - mortal._left <= 12


def test_what_a_kill_interrupted_is_played_on_by_the_next_server_and_not_again_and_again(
    club: Club,
) -> None:
    """Unless somebody paused it, or plays it."""
    club.open("ann", "bob", start_at=100.0)
    club.look(100.0)
    club.look(101.0)
    assert club.players.started == [1]
    club.restart()
    club.look(102.0)
    club.look(103.0)
    assert club.players.started == [1, 1]
    club.restart()
    claim = club.store.claim(1)
    assert claim is not None
    club.look(104.0)
    claim.release()
    club.store.set_status(1, TournamentStatus.PAUSED)
    club.look(105.0)
    assert club.players.started == [1, 1]


@pytest.mark.parametrize("error", [StoreError("gone"), ConflictError("is being played")])
def test_what_cannot_be_played_yet_is_tried_again_later(
    club: Club, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """It was created all the same. Only a fault is told; another server's speed is none."""
    club.open("ann", "bob", start_at=100.0)
    club.players.error = error
    club.look(100.0)
    club.look(101.0)
    assert club.played == [1]
    told = [vars(one)["action"] for one in caplog.records]
    assert told == ([LogAction.ENTRIES_STUCK] if isinstance(error, StoreError) else [])
    club.players.error = None
    club.restart()
    club.look(102.0)
    assert club.players.started == [1]


def test_a_damaged_one_holds_up_no_other(club: Club, caplog: pytest.LogCaptureFixture) -> None:
    club.open("ann", "bob", start_at=100.0, request=replace(REQUEST, isolation="unheard-of"))
    club.store.add_open_tournament(
        REQUEST,
        Timetable(start_at=100.0),
        create_time=0.0,
        entries=[EntryRow(bot=bot, author="", time=0.0) for bot in BOTS],
    )
    club.look(100.0)
    club.look(101.0)
    assert club.players.started == [1]
    assert "unheard-of" in club.store.open_tournament(1).problem


def test_two_servers_on_one_store_start_it_once(stored: Club) -> None:
    stored.open("ann", "bob", start_at=100.0)
    first = stored.starter
    stored.restart()
    stored.now = 100.0

    async def both() -> None:
        await asyncio.gather(first.look(), stored.starter.look())

    asyncio.run(both())
    assert stored.played == [1]
    assert len(stored.store.tournaments()) == 1


def test_it_looks_until_the_server_stops(club: Club) -> None:
    """A store that is away for a while is no end."""
    club.open("ann", "bob", start_at=100.0)
    club.now = 100.0
    failures = iter([StoreError("away"), StoreError("away")])
    usual = club.store.open_tournaments

    def fail_twice(**named: Any) -> Any:
        for error in failures:
            raise error
        return usual(**named)

    club.store.open_tournaments = fail_twice  # type: ignore[method-assign]
    club.starter._interval = 0.01

    async def wait(condition: Callable[[], bool]) -> None:
        while not condition():  # noqa: ASYNC110 (of another task, which tells nobody)
            await asyncio.sleep(0.005)

    async def main() -> None:
        stop = asyncio.Event()
        waiting: Awaitable[None] = wait(lambda: bool(club.players.started))
        async with asyncio.timeout(30), start_on_time(club.starter, stop):
            await waiting
            stop.set()
        async with asyncio.timeout(30), start_on_time(club.starter, asyncio.Event()):
            pass

    asyncio.run(main())
    assert club.players.started == [1]
