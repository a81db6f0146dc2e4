"""The worker processes of `mazzo arena`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection, wait
from time import monotonic
from types import TracebackType
from typing import Any, Self

from mazzo_server.errors import BundleError, InvalidInputError, PlatformError
from mazzo_server.home.arena.match import Outcome
from mazzo_server.home.arena.messages import (
    LOADING,
    PLACE,
    Failed,
    PlayedGroups,
    Ready,
    Work,
    make_repeat_line,
)
from mazzo_server.home.bots import HomeBotError
from mazzo_server.pairing import Group

__all__ = ["Crew", "WorkerError"]

_JOB_SECONDS = 0.2  # seconds for which a job should keep a worker busy
_MOST_GROUPS = 64  # groups of a job
_BEAT_SECONDS = 0.5  # seconds between two checks whether silent workers live
_ERRORS: tuple[type[PlatformError], ...] = (HomeBotError, BundleError, InvalidInputError)


class WorkerError(PlatformError):
    """A worker process ended without being told to."""

    reason = "WORKER_ENDED"


class Crew:
    """Processes that play the mirror groups of one arena. A context manager.

    After it, all of them are dead, with the processes that bots have started in their sessions.

    Raises `HomeBotError` when a bot fails, `WorkerError` when a process ends, and the errors of
    bots that cannot be loaded.
    """

    def __init__(self, work: Work, workers: int) -> None:
        self._work = work
        self._number = workers
        self._workers: dict[Connection, _Worker] = {}
        self._names: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        try:
            for _ in range(self._number):
                worker = _Worker(self._work)
                self._workers[worker.connection] = worker
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        for worker in self._workers.values():
            worker.kill()

    def load(self) -> tuple[str, ...]:
        """Wait until every process has loaded the bots; return their names, all different."""
        if not self._names:
            ready, *_ = [worker.take() for worker in self._workers.values()]
            assert isinstance(ready, Ready)
            self._names = ready.names
        return self._names

    def find_slow_bots(self, seconds: float = 5.0) -> dict[str, float]:
        """Return the bots that have been loading for at least so long, and for how long."""
        loading = filter(None, [worker.find_loading() for worker in self._workers.values()])
        return {bot: since for bot, since in sorted(loading) if since >= seconds}

    def find_long_matches(self, seconds: float = 5.0) -> list[tuple[float, str]]:
        """Return how long each match has taken, if at least so long, and how to play it again."""
        places = [worker.find_place() for worker in self._workers.values() if worker.job]
        return [place for place in places if place is not None and place[0] >= seconds]

    def play(self, groups: Iterable[Group]) -> Iterator[tuple[Group, tuple[Outcome, ...]]]:
        """Return the groups with their matches by seating, in the order in which they end."""
        self.load()
        left = iter(groups)
        for worker in self._workers.values():
            worker.give(left)
        while busy := [each.connection for each in self._workers.values() if each.job]:
            ready = wait(busy, _BEAT_SECONDS)
            for worker in map(self._workers.__getitem__, busy):
                if worker.connection not in ready and worker.is_running():
                    continue
                played = worker.take()
                assert isinstance(played, PlayedGroups)
                over = [(worker.job.pop(number), outcomes) for number, outcomes in played.groups]
                if not worker.job:
                    worker.adapt_size(len(over))
                    worker.give(left)
                yield from over


class _Worker:
    """One process, and its current job."""

    def __init__(self, work: Work) -> None:
        self._work = work
        ours, theirs = socket.socketpair()
        self._place = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the worker
        with theirs:
            inherited = (theirs.fileno(), self._place.fileno())
            given = map(str, (os.getpid(), *inherited))
            # A session of its own: Ctrl-C is for the command alone, and processes that the bots
            # have started can be ended with the worker. It imports nothing from the working
            # directory, and what bots print is not part of the command's output.
            self._process = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-P", "-m", "mazzo_server.home.arena.worker", *given],
                pass_fds=inherited,
                stdin=subprocess.DEVNULL,
                stdout=2,
                start_new_session=True,
            )
        self.connection = Connection(ours.detach())
        self.job: dict[int, Group] = {}
        self._since = monotonic()
        self._size = 1
        self._send(work)

    def give(self, groups: Iterator[Group]) -> None:
        """Let the worker play the next groups; do nothing when there are none."""
        self.job = {group.number: group for group in islice(groups, self._size)}
        self._since = monotonic()
        if self.job:
            self._send(tuple(self.job.values()))

    def adapt_size(self, played: int) -> None:
        """Let the next job take about `_JOB_SECONDS`, where this one of `played` groups is over."""
        seconds = max(monotonic() - self._since, 1e-4) / played
        self._size = min(max(int(_JOB_SECONDS / seconds), 1), 2 * self._size, _MOST_GROUPS)

    def _send(self, message: object) -> None:
        with suppress(OSError):  # a dead worker is found when its answer is awaited
            self.connection.send(message)

    def is_running(self) -> bool:
        """Tell whether the worker runs; messages sent before its end can still be taken."""
        return self._process.poll() is None

    def take(self) -> Ready | PlayedGroups:
        """Wait for a message and return it; raise where the worker cannot go on."""
        try:
            # A process that a bot has forked may hold the other end open after the worker's death.
            while not self.connection.poll(_BEAT_SECONDS):
                if not self.is_running() and not self.connection.poll():
                    raise self._make_end_error()
            message: Any = self.connection.recv()
        except (EOFError, OSError):
            raise self._make_end_error() from None
        if isinstance(message, Failed):
            kind = next((kind for kind in _ERRORS if kind.reason == message.reason), PlatformError)
            raise kind(message.text + self._explain_repeat())
        assert isinstance(message, Ready | PlayedGroups)
        if isinstance(message, PlayedGroups):
            numbers = [number for number, _ in message.groups]
            if not numbers or len(set(numbers)) < len(numbers) or set(numbers) - self.job.keys():
                raise WorkerError(
                    f"a worker process answered what nobody asked{self._explain_repeat()}"
                )
        return message

    def _make_end_error(self) -> WorkerError:
        status = self._process.wait()
        how = f"with exit status {status}"
        if status < 0:
            how = f"by signal {-status}"
            if -status == signal.SIGKILL:
                how += ", perhaps since memory ran out"
        loading = self.find_loading()
        doing = f"loaded {loading[0]}" if loading else "played a match" if self.job else "waited"
        return WorkerError(
            f"a worker process was ended {how}, while it {doing}{self._explain_repeat()}"
        )

    def _explain_repeat(self) -> str:
        """Return how to play the worker's current match again; "" without a match."""
        place = self.find_place()
        return "" if place is None else f".\nPlay that match again with: {place[1]}"

    def find_loading(self) -> tuple[str, float] | None:
        """Return the bot that it loads, as it was named, and since how many seconds."""
        match self._read_place():
            case (number, bot, since) if number == LOADING:
                return self._work.bots[bot], monotonic() - since
        return None

    def find_place(self) -> tuple[float, str] | None:
        """Return the seconds since its match began, and how to play it again; None without one."""
        match self._read_place():
            case (number, seating, since) if number in self.job:  # else a match of an earlier job
                return monotonic() - since, make_repeat_line(self._work, self.job[number], seating)
        return None

    def _read_place(self) -> tuple[Any, ...]:
        """Return the fields of `PLACE`; none when the worker is idle."""
        written = os.pread(self._place.fileno(), PLACE.size, 0)
        return PLACE.unpack(written) if len(written) == PLACE.size else ()

    def kill(self) -> None:
        """End the worker, if it still lives, and all that its bots have started."""
        self.connection.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._place.close()
