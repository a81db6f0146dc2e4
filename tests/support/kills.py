"""Tournaments between quick bots, and everything that can be killed while they are played."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.results.replays import Replays
from mazzo_server.settings import DATABASE_VARIABLE, RAY_ADDRESS_VARIABLE, SERVER_VARIABLE
from mazzo_server.storage import Store, open_store
from support.command import SECONDS, Home, Result, kill, until
from support.other_processes import children, command_of
from support.postgres import Databases
from support.ray_cluster import RayCluster, list_processes
from support.sample_bots import keep, write_bot
from support.timeless import timeless

__all__ = ["Kept", "Size", "Stage", "moments", "staged"]

_WORKER = "mazzo_server.tournaments.executor.worker"
_SEED = "5eed" * 16
_NAMES = ("ada", "bea", "cleo", "dora", "eva")
# The delays come from the system, so that no two runs finish their matches in the same order.
_DELAY = "time.sleep(os.urandom(1)[0] / 255 * 0.002)\n        "
_QUICK = f"{_DELAY}return view.random.choice(view.legal)"
# Its own faults are part of the results: where it kills itself, it does so in every run.
_RASH = f"{_DELAY}view.random.random() < 0.002 and os.kill(os.getpid(), 9)\n        " + (
    "return view.random.choice(view.legal)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is played."""

    bots: int
    length: tuple[str, ...]  # options that say how long it is, and what else it is
    seconds: float = SECONDS  # that its command may take to end


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What there is of a tournament when it is over, without times and names of machines."""

    shown: Any  # by the command that played the last match, as by `mazzo tournament show`
    records: tuple[str, ...]  # of every match, in schedule order
    standings: Any  # as the store keeps them
    matches: tuple[tuple[int, int], ...]  # group and seating of each stored one


class Stage:
    """A home, its store, and the one tournament that is played in it.

    It is played by the commands themselves, or, when `served`, by a server that they ask.
    """

    def __init__(
        self,
        home: Home,
        store: Store,
        databases: Databases | None,
        size: Size,
        *,
        served: bool,
        workers: int,
        cluster: RayCluster | None,
    ) -> None:
        self._cluster = cluster
        self._seconds = size.seconds
        how = ("--executor", "ray") if cluster else ()
        self._workers = ("--workers", str(workers), *how)
        self._home = home
        self._client = home
        self._store = store
        self._orphans = _orphans()
        self._databases = databases
        self._request = (
            *("briscola/2", "--bots", ",".join(_NAMES[: size.bots])),
            *(*size.length, "--match", "deals:1", "--seed", _SEED, "--isolation", "bubblewrap"),
            *("--time", "600+0", "--limit", "60", "--concurrency", "4", "--json"),
            *self._workers,
        )
        self._server: subprocess.Popen[bytes] | None = None
        self._command: subprocess.Popen[bytes] | None = None
        if served:
            self._client = Home(home.path, {SERVER_VARIABLE: f"unix:{home.path / 'mazzo.sock'}"})
            self._serve()

    def run(self) -> None:
        """Begin the tournament."""
        self._command = self._client.start("tournament", "run", *self._request)

    def resume(self) -> None:
        """Go on with it."""
        self._command = self._client.start("tournament", "resume", "1", "--json", *self._workers)

    def finish(self, *, status: int = 0) -> Result:
        """Wait until the command has ended, with that status."""
        out, err = self._running.communicate(timeout=self._seconds)
        result = Result(self._running.returncode, out.decode(), err.decode())
        assert "Traceback" not in result.err, result.err
        assert result.status == status, result
        return result

    def close(self) -> None:
        """Leave no process behind."""
        for process in (self._command, self._server):
            if process is not None and process.poll() is None:
                kill(process)

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._command is not None
        return self._command

    @property
    def _player(self) -> subprocess.Popen[bytes]:
        """The process that plays."""
        return self._server or self._running

    def _serve(self) -> None:
        self._server = self._home.start("serve", "--log-level", "warning")
        assert self._server.stdout is not None
        while not self._server.stdout.readline().startswith(b"Isolating"):
            assert self._server.poll() is None, self._server.communicate()

    def reach(self, matches: int) -> None:
        """Wait until so many matches are stored; the tournament must not be over before."""
        until(
            lambda: bool(rows := self._store.tournaments()) and rows[0].matches_played >= matches,
            self._running,
        )

    def kill_player(self) -> None:
        """SIGKILL the process that plays with its process group, and go on."""
        killed = kill(self._player)
        assert killed.status == -signal.SIGKILL, killed
        if self._server is not None:
            assert "the server at" in self.finish(status=1).err
            self._serve()
        self.resume()

    def kill_supervisor(self, by: random.Random) -> None:
        """SIGKILL the outer process of one of the sandboxes; whoever plays goes on by itself."""
        found: list[int] = []

        def look() -> bool:
            players = (self._player.pid, *self._workers_now())
            commands = {pid: command_of(pid) for player in players for pid in children(player)}
            found[:] = [pid for pid, command in commands.items() if _is_supervisor(command)]
            return bool(found)

        until(look, self._player)
        with suppress(ProcessLookupError):  # it was just ending
            os.kill(by.choice(sorted(found)), signal.SIGKILL)

    def kill_worker(self, by: random.Random) -> None:
        """SIGKILL one of the processes that play; the platform starts another one."""
        until(lambda: bool(self._workers_now()), self._player)
        with suppress(ProcessLookupError):
            os.kill(by.choice(sorted(self._workers_now())), signal.SIGKILL)

    def kill_relay(self, by: random.Random) -> None:
        """SIGKILL one of the actors that hold a worker."""
        assert self._cluster is not None
        found = list_processes("ray::Relay", self._cluster.token)
        if found:
            with suppress(ProcessLookupError):
                os.kill(by.choice(found), signal.SIGKILL)

    def kill_node(self, by: random.Random) -> None:
        """SIGKILL all processes of Ray on one of the nodes; another node takes its place."""
        assert self._cluster is not None
        self._cluster.kill(by.choice(self._cluster.nodes[-2:]))
        self._cluster.add_node(1)

    def _workers_now(self) -> list[int]:
        if self._cluster is not None:
            return list_processes(_WORKER, self._cluster.token)
        commands = {pid: command_of(pid) for pid in children(self._player.pid)}
        return [pid for pid, command in commands.items() if _WORKER in command]

    def kill_database(self) -> None:
        """SIGKILL PostgreSQL: what plays fails and says so; start it again, and go on."""
        assert self._databases is not None
        if rows := self._store.tournaments():
            # A command that is still starting, after the kill before, says less.
            self.reach(rows[0].matches_played + 1)
        self._databases.crash()
        said = self.finish(status=1).err
        assert "cannot use the store postgresql://" in said, said
        assert "every finished match is kept, go on with: mazzo tournament resume 1" in said, said
        refused = self._client("tournament", "list", status=1)
        assert "cannot use the store postgresql://" in refused.err
        self._databases.start()
        assert self._server is None or self._server.poll() is None
        self.resume()

    def kept(self) -> Kept:
        """What there is of it when the command has ended, and all that was killed with it."""
        shown = self.finish().json
        until(lambda: _orphans() <= self._orphans)
        nodes = shown.pop("nodes")  # the outcomes are the same wherever they were played
        played = shown["matches_played"] if self._cluster else 0
        assert sum(node["matches"] for node in nodes) == played
        outcomes = self._store.outcomes(1, with_deals=False)
        kept = self._store.checkpoint(1)
        assert kept is not None
        standings = json.loads(kept[1])
        for tally in standings["tallies"]:
            tally.pop()  # its thinking time
        return Kept(
            shown=timeless(shown),
            records=tuple(map(self._record, outcomes)),
            standings=(kept[0], standings),
            matches=tuple((outcome.group, outcome.seating) for outcome in outcomes),
        )

    def _record(self, outcome: MatchOutcome) -> str:
        record = Replays(self._store).read_record(1, outcome.group, outcome.seating)
        return "\n".join(json.dumps(timeless(json.loads(line))) for line in record.lines())


def _is_supervisor(command: list[str]) -> bool:
    """Of a bot; what only tries whether the isolation works is none."""
    return bool(command) and Path(command[0]).name == "bwrap" and "bot.py" in command


def _orphans() -> set[int]:
    """The sandboxes of bots whose platform is gone.

    One that has no process inside is none. Killed after it has cloned the first process and before
    it lets that begin, bwrap leaves it behind: it waits for ever, and no code of a bot runs in it.
    An outer bwrap that lives is not let through by this: it has that process.
    """
    return {pid for pid in children(1) if _is_supervisor(command_of(pid)) and any(children(pid))}


@contextmanager
def staged(
    folder: Path,
    size: Size,
    *,
    databases: Databases | None = None,
    served: bool = False,
    workers: int = 1,
    cluster: RayCluster | None = None,
) -> Iterator[Stage]:
    """A stage for a tournament of that size; its store is in PostgreSQL when given one.

    With two `workers` or more, or a cluster, these play.

    The bots are put there as after a submission, without waiting for the trial of each.
    """
    with databases.store() if databases else nullcontext() as url:
        environment = {DATABASE_VARIABLE: url} if url else {}
        if cluster:
            environment |= {RAY_ADDRESS_VARIABLE: cluster.address, **cluster.secret}
        home = Home(folder / "home", environment)
        home.path.mkdir()
        with closing(open_store(url or home.path / "mazzo.db")) as store:
            keep(home, store, *_bots(home, _NAMES[: size.bots]))
            stage = Stage(
                home, store, databases, size, served=served, workers=workers, cluster=cluster
            )
            try:
                yield stage
            finally:
                stage.close()


def _bots(home: Home, names: tuple[str, ...]) -> Iterator[Path]:
    """Their folders."""
    for name in names:
        # Whoever has one decision open at a time is to blame for it when it ends.
        act, capacity = (_RASH, 4) if name == names[0] else (_QUICK, 1)
        yield write_bot(home.path / "bots", name, act=act, capacity=capacity)


def moments(by: random.Random, count: int, total: int) -> list[int]:
    """So many numbers of stored matches, in order, after which there is still one to play."""
    # A few more may be stored until the kill comes.
    return sorted(by.sample(range(1, total - max(total // 20, 20)), count))
