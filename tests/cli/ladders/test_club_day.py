"""A day in the life of a club, in ten minutes, while server and workers are killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from mazzo_server.model import TournamentKind
from mazzo_server.pairing import Group, Ladder, begin_rounds, make_pairing
from mazzo_server.results.rounds import read_results
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, open_store
from support.command import Home, Result
from support.other_processes import children, command_of
from support.sample_bots import write_bot

pytestmark = [pytest.mark.prove, pytest.mark.alone]

VARIANT = "briscola/2"
BOTS, VERSIONS = 10, 20
AUTHORS = 2
KILL_SECONDS = 20.0  # between two kills
MOST_SECONDS = 3600.0
_AWAY = ("nobody answers at", "broke off")  # what commands say where the server is away
SHORT = (VARIANT, "--groups", "5", "--isolation", "none")


class KilledServer:
    """A server that comes back at the same address, however often it is killed."""

    def __init__(self, home: Home, log: Path) -> None:
        self.address = f"unix:{home.path}/club"
        self.kills = 0
        self._home = home
        self._log = log
        self._ends = threading.Event()
        self._generator = random.Random(21)

    @contextmanager
    def run(self, *, kills: bool = True) -> Iterator[None]:
        """Serve, and be killed now and then, while the context lasts; then end in peace."""
        self._ends.clear()
        served = threading.Thread(target=self._serve, args=(kills,))
        served.start()
        try:
            yield
        finally:
            self._ends.set()
            served.join()

    def _serve(self, kills: bool) -> None:
        while not self._ends.is_set():
            process = self._start()
            for is_worker in (True, True, False):
                self._ends.wait(KILL_SECONDS if kills else None)
                if self._ends.is_set():
                    break
                self.kills += 1
                if not is_worker:
                    os.killpg(process.pid, signal.SIGKILL)
                elif workers := find_workers(process.pid):
                    with suppress(ProcessLookupError):
                        os.kill(self._generator.choice(workers), signal.SIGKILL)
            if self._ends.is_set():
                process.send_signal(signal.SIGTERM)
            process.wait(60)

    def _start(self) -> subprocess.Popen[bytes]:
        command = ("serve", "--isolation", "none", "--workers", "2", "--listen", self.address)
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "mazzo_server", *command],
                env=self._home.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def find_workers(server: int) -> list[int]:
    return [pid for pid in children(server) if "executor.worker" in command_of(pid)]


class Day:
    """What people do, and what they were told was done."""

    def __init__(self, folder: Path, served: Home) -> None:
        self.submitted = 0
        self.challenges: list[int] = []
        self.opened: list[str] = []
        self._folder = folder
        self._served = served
        self._end = time.monotonic() + MOST_SECONDS
        self._errors: list[BaseException] = []

    def live(self, *lives: Callable[[], None]) -> None:
        """Live several lives at once; raise what one of them raises."""

        def run(one: Callable[[], None]) -> None:
            try:
                one()
            except BaseException as error:
                self._errors.append(error)
                self._end = 0.0  # nobody goes on alone

        threads = [threading.Thread(target=run, args=(one,)) for one in lives]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]

    def ask(self, *words: str | Path) -> Result:
        """Run a command, again and again while the server is away."""
        while True:
            assert time.monotonic() < self._end, "out of time"
            result = self._served(*words, status=None)
            if not any(told in result.err for told in _AWAY):
                return result
            time.sleep(0.5)

    def live_as_author(self, number: int) -> None:
        """Submit bots and better ones, join the ladder, challenge others, retire some."""
        generator = random.Random(number)
        names = [f"bot-{one:02}" for one in range(BOTS) if one % AUTHORS == number]
        for version in range(1, VERSIONS + 1):
            for name in names:
                self._submit(name, version)
                if version == 1:
                    self._join(name)
                elif generator.random() < 0.05:
                    self._challenge(name, f"bot-{generator.randrange(BOTS):02}")
        for name in generator.sample(names, 2):
            assert self.ask("bots", "retire", name).status in (0, 1)

    def _submit(self, name: str, version: int) -> None:
        # So often it keeps its rich cards; a later bot plays better, and each version of it.
        skill = int(name.removeprefix("bot-")) / BOTS + version / VERSIONS / BOTS
        act = f"thrifty = view.random.random() < {skill:.3f}\n        "
        act += "return (min if thrifty else max)(view.hand, key=view.card_points)"
        bot = write_bot(self._folder, name, act=act, capacity=16)  # as of `mazzo new`
        while True:
            result = self._served("bots", "submit", bot, "--json", status=None)
            if result.status == 0:
                break
            shown = self.ask("bots", "show", name, "--json")
            versions = shown.json["versions"] if shown.status == 0 else []
            if len(versions) == version:  # also when the server went away in the trial
                break
            assert len(versions) == version - 1, result
        self.submitted += 1

    def _join(self, name: str) -> None:
        """Wait for the trial, and for the organiser who begins the ladder."""
        while True:
            result = self.ask("ladder", "join", VARIANT, name)
            if result.status == 0 or "is on the ladder already" in result.err:
                return
            assert time.monotonic() < self._end, result
            time.sleep(0.5)

    def _challenge(self, mine: str, theirs: str) -> None:
        result = self.ask("challenge", mine, theirs, "--groups", "4", "--json")
        if result.status == 0:
            self.challenges.append(result.json["id"])

    def live_as_organiser(self) -> None:
        """Begin the ladder, open tournaments for some moment, end two seasons."""
        begin = ("ladder", "create", VARIANT, "--isolation", "none", "--confidence", "0.99")
        while (begun := self.ask(*begin)).status:  # as long as too few have passed their trials
            assert "there is a ladder" not in begun.err, begun
            time.sleep(1)
        for share in range(1, 9):
            self._wait(BOTS * VERSIONS * share // 9)
            name = f"Cup {share}"
            result = self.ask(
                *("tournament", "open", *SHORT, "--name", name, "--bots", "bot-00,bot-01,bot-02"),
                *("--start-at", "1m"),
            )
            assert result.status == 0, result
            self.opened.append(name)
            if share in (3, 6):
                ended = self.ask("ladder", "season", "end", VARIANT, "--finalists", "3")
                assert ended.status == 0, ended

    def _wait(self, submitted: int) -> None:
        while self.submitted < submitted:
            assert time.monotonic() < self._end, "too few were submitted"
            time.sleep(0.2)


def test_nothing_is_lost_stuck_or_played_twice(tmp_path: Path) -> None:
    """And the ladder is the one of a server that was never killed."""
    home = Home(tmp_path / "home")
    server = KilledServer(home, tmp_path / "log")
    day = Day(tmp_path / "bots", Home(home.path, {"MAZZO_SERVER": server.address}))
    begin = time.monotonic()
    with server.run():
        authors = [partial(day.live_as_author, number) for number in range(AUTHORS)]
        day.live(day.live_as_organiser, *authors)
    with server.run(kills=False), closing(open_store(home.path / "mazzo.db")) as store:
        wait_long(lambda: not list_unfinished(store))
    print(f"{time.monotonic() - begin:.0f} s, {server.kills} kills")
    assert server.kills >= 10
    with closing(open_store(home.path / "mazzo.db")) as store:
        assert (
            day.submitted
            == BOTS * VERSIONS
            == sum(len(store.versions(b.name)) for b in store.bots())
        )
        seasons = store.tournaments_of_kind(TournamentKind.LADDER)
        challenges = {row.id: row for row in store.tournaments_of_kind(TournamentKind.CHALLENGE)}
        cups = {row.definition.name: row for row in store.tournaments()}
        assert {*day.challenges} <= challenges.keys()
        assert {*day.opened} <= cups.keys()
        assert len(seasons) == 3
        print([row.matches_played for row in seasons], len(challenges), len(cups))
        for row in store.tournaments(every_kind=True):
            check_matches(store, row)
        shutil.copytree(home.path, tmp_path / "calm")
        check_alike(Home(tmp_path / "calm"), store, seasons[-1])


def wait_long(true: Callable[[], bool]) -> None:
    """Wait for much longer than for one command, such as for a final."""
    end = time.monotonic() + MOST_SECONDS
    while not true():
        assert time.monotonic() < end, "it is not over"
        time.sleep(0.5)


def list_unfinished(store: Store) -> list[object]:
    """What is not over, but for the newest season, which never is.

    And which bots have not left that season yet, or not joined it with their last version.
    """
    rows = store.tournaments(every_kind=True)
    season = store.tournaments_of_kind(TournamentKind.LADDER)[-1]
    left = {change.entrant for change in season.definition.changes if not change.joins}
    here = {
        (entrant.bot, entrant.version)
        for index, entrant in enumerate(season.definition.entrants)
        if index not in left
    }
    late = [bot.name for bot in store.bots() if ((bot.name, VERSIONS) in here) == bot.retired]
    waiting = [
        (version.bot, version.number)
        for bot in store.bots()
        for version in store.versions(bot.name)
        if version.trial is None
    ]
    opened = [one.id for one in store.open_tournaments() if not one.is_over]
    return [
        *(row.id for row in rows if not row.status.is_over and row.id != season.id),
        *late,
        *waiting,
        *opened,
    ]


def check_matches(store: Store, row: TournamentRow) -> None:
    """What is stored is what the definition and the results schedule, each match once."""
    sides = row.definition.sides
    scheduled = {
        (group.number, seating): tuple(group.by_seat(seating, sides))
        for group in list_scheduled(store, row)
        for seating in range(len(group.seatings))
    }
    stored = [
        ((one.group, one.seating), one.entrants) for one in store.outcomes(row.id, with_deals=False)
    ]
    assert len(dict(stored)) == len(stored) == row.matches_played
    assert {key: scheduled[key] for key, _ in stored} == dict(stored)
    if row.status is TournamentStatus.FINISHED and row.definition.kind is not TournamentKind.LADDER:
        assert len(stored) == len(scheduled)


def list_scheduled(store: Store, row: TournamentRow) -> Iterator[Group]:
    """The groups that follow from the definition and the results, as far as these are known."""
    pairing = make_pairing(row.definition)
    if isinstance(
        pairing, Ladder
    ):  # whose rounds are cut where somebody joins, its batches are not
        yield from list_scheduled_of_ladder(store, row, pairing)
        return
    rounds = begin_rounds(pairing)
    while groups := rounds.make_round():
        yield from groups
        results = read_results(store, row.id, row.definition, groups)
        if len(results) < len(groups):
            return
        rounds.add_results(results)


def list_scheduled_of_ladder(store: Store, row: TournamentRow, ladder: Ladder) -> Iterator[Group]:
    state, waiting = ladder.begin(), list[Group]()
    while True:
        while batch := ladder.make_batch(state):
            yield from batch
            waiting += batch
        results = read_results(store, row.id, row.definition, waiting)
        if not results:
            return
        for result in results:
            state.add_result(result.ranks)
        del waiting[: len(results)]


def check_alike(calm: Home, killed: Store, season: TournamentRow) -> None:
    """Play the season again where nobody is killed, and compare."""
    with closing(open_store(calm.path / "mazzo.db")) as store:
        again = store.add_tournament(
            replace(season.definition, name="again"),
            concurrency=season.concurrency,
            create_time=1.0,
        )
        server = KilledServer(calm, calm.path / "log")
        with server.run(kills=False):
            wait_long(lambda: store.tournament(again.id).matches_played >= season.matches_played)
        found, expected = read_outcomes(store, again.id), read_outcomes(killed, season.id)
    assert {key: found[key] for key in expected} == expected


def read_outcomes(store: Store, number: int) -> dict[tuple[int, int], tuple[object, ...]]:
    """Every match without its times: by group and seating, the results and each deal's actions."""
    return {
        (one.group, one.seating): (
            *(one.entrants, one.match_scores, one.decisions, one.faults),
            [deal._replace(micros=()) for deal in one.deals],
        )
        for one in store.outcomes(number, with_deals=True)
    }
