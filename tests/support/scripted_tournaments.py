"""Tournaments between bots that a test writes as scripts; real processes, real streams."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import textwrap
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mazzo_server.clock import monotonic
from mazzo_server.errors import IsolationError, PlatformError
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, Entrant, Mirror, TimeControl
from mazzo_server.model.outcome import InstanceLog, MatchOutcome
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.sandbox import (
    Exit,
    Launch,
    Limits,
    MemoryPeak,
    Sandbox,
    SandboxedProcess,
    open_sandbox,
)
from mazzo_server.settings import Isolation
from mazzo_server.storage import Claim, MemoryStore, Store, TournamentRow, read_withdrawn
from mazzo_server.tournaments.executor import Executor, count_attempts_in
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.running.director import Director, DirectorHooks
from mazzo_server.tournaments.running.recorder import MOST_UNSTORED
from mazzo_server.tournaments.running.run import Run

__all__ = [
    "GOOD",
    "PATIENT",
    "Arena",
    "Lives",
    "Result",
    "make_run",
    "sdk",
    "without_thinking_times",
]

PATIENCE = 180.0  # seconds, the longest that any tournament here may take
PATIENT = TimeControl(bank=600.0, increment=0.0, limit=60.0)  # nobody is late by accident

_RAW = """
import os, queue, signal, socket, subprocess, sys, threading, time

import grpc

from mazzo.v1 import play_pb2 as pb

ADDRESS, TOKEN = os.environ["MAZZO_ADDRESS"], os.environ["MAZZO_TOKEN"]


def bearer(token):
    return (("authorization", "Bearer " + token),)


class Stream:
    # Sends messages, or bytes as they are; None half-closes.
    def __init__(
        self, metadata=bearer(TOKEN), *, compression=None, method="/mazzo.v1.PlayService/Play"
    ):
        self.outbox = queue.SimpleQueue()
        channel = grpc.insecure_channel(ADDRESS, [("grpc.use_local_subchannel_pool", 1)])
        self.call = channel.stream_stream(
            method,
            lambda sent: sent if isinstance(sent, bytes) else sent.SerializeToString(),
            pb.PlayResponse.FromString,
        )(iter(self.outbox.get, None), metadata=metadata, compression=compression)

    def send(self, message):
        self.outbox.put(message)

    def join(self, capacity=64):
        self.send(pb.PlayRequest(join=pb.Join(sdk="raw", capacity=capacity)))

    def decisions(self):
        for response in self.call:
            if response.HasField("goodbye"):
                os._exit(0)
            yield from response.frame.decisions


def lowest(decision):
    mask = int.from_bytes(decision.view.legal, "little")
    return (mask & -mask).bit_length() - 1


def answer(decision, **other):
    chosen = dict(match=decision.match, number=decision.number, action=lowest(decision))
    chosen.update(other)
    return pb.PlayRequest(answer=pb.Answer(actions=[pb.ChosenAction(**chosen)]))


def forever():
    while True:
        time.sleep(60)
"""


def sdk(act: str, *, start: str = "") -> str:
    """A bot that plays through the SDK; `act` is the body of its method, with `view`."""
    return (
        "import os, signal, subprocess, sys, time\nfrom mazzo import Bot, run\n"
        + textwrap.dedent(start)
        + "\nclass TheBot(Bot):\n    def act(self, view):\n"
        + textwrap.indent(textwrap.dedent(act).strip(), " " * 8)
        + "\n        return view.random.choice(view.legal)\n\nrun(TheBot)\n"
    )


GOOD = sdk("pass")


async def _at_once(_: Launch) -> None:
    """Nothing stands before a start."""


class Lives(Sandbox):
    """Another sandbox, with a note of when each instance lived, by its token.

    `before` is awaited before each start.
    The first `spoilt` instances that end by SIGKILL while nobody here killed them are
    reported as ended from outside, as the supervisor of a real sandbox would be. The first
    `refused` ones do not even start, as if that had happened a moment earlier.
    """

    def __init__(
        self,
        name: str = "none",
        *,
        spoilt: int = 0,
        refused: int = 0,
        inner: Sandbox | None = None,
    ) -> None:
        self.name = name
        self.began: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        self.launches: dict[str, Launch] = {}
        self.logs: dict[str, str] = {}
        self.spoilt = spoilt
        self.refused = refused
        self.before: Callable[[Launch], Awaitable[None]] = _at_once
        self.inner = inner or open_sandbox(Isolation(name))
        self.bounds_cores = self.inner.bounds_cores
        self.has_limits = self.inner.has_limits

    async def forget(self) -> None:
        await self.inner.forget()

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        if self.refused:
            self.refused -= 1
            raise IsolationError("it ended before it began")
        await self.before(launch)
        self.launches[launch.token] = launch
        self.note_begin(launch.token)
        return _Life(await self.inner.start(launch, limits), launch.token, self)

    def note_begin(self, token: str) -> None:
        """Note that an instance begins."""
        self.began[token] = monotonic()

    def note_end(self, token: str, process: SandboxedProcess) -> None:
        """Note that an instance has ended, and what it wrote."""
        self.ended[token] = monotonic()
        self.logs[token] = process.read_log()


class _Life(SandboxedProcess):
    def __init__(self, inner: SandboxedProcess, token: str, lives: Lives) -> None:
        self._inner, self._token, self._lives = inner, token, lives
        self._killed = False

    @property
    def log_size(self) -> int:
        return self._inner.log_size

    def read_log(self, since: int = 0) -> str:
        return self._inner.read_log(since)

    def read_memory_peak(self) -> MemoryPeak:
        return self._inner.read_memory_peak()

    def freeze(self) -> None:
        self._inner.freeze()

    def thaw(self) -> None:
        self._inner.thaw()

    def run_on(self, processor: int) -> None:
        self._inner.run_on(processor)

    async def wait(self) -> Exit:
        status = await self._inner.wait()
        self._note_end()
        if status.signal == 9 and not self._killed and self._lives.spoilt:
            self._lives.spoilt -= 1
            return replace(status, platform=True)
        return status

    async def kill(self) -> None:
        self._killed = True
        await self._inner.kill()
        self._note_end()

    def _note_end(self) -> None:
        if self._token not in self._lives.ended:
            self._lives.note_end(self._token, self._inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a run ended."""

    finished: bool
    error: PlatformError | None
    outcomes: list[MatchOutcome]
    withdrawals: dict[int, str]

    def outcome(self, *entrants: int) -> MatchOutcome:
        """The only match between these entrants."""
        (found,) = [match for match in self.outcomes if set(match.entrants) == set(entrants)]
        return found


@dataclass(slots=True)
class Arena:
    """A folder with bots, and a look at what a run leaves behind."""

    folder: Path
    lives: Lives = field(default_factory=Lives)

    def spec(self, script: str, *, capacity: int = 64, start_up: float = 60.0) -> SandboxedSpec:
        """A bot of this script."""
        bundle = Path(tempfile.mkdtemp(dir=self.folder, prefix="bot-"))
        (bundle / "bot.py").write_text(textwrap.dedent(script))
        (bundle / "raw.py").write_text(_RAW)
        return SandboxedSpec(
            name=bundle.name,
            bundle=bundle,
            command=("python", "bot.py"),
            capacity=capacity,
            start_up=start_up,
            sandbox=self.lives,
            limits=Limits(),
        )

    def definition(self, entrants: int, **options: Any) -> Definition:
        """A tournament of that many bots, by default one match for each pair."""
        names = [f"bot-{index:02}" for index in range(entrants)]
        given: dict[str, Any] = {
            "name": "faulty",
            "variant": "briscola/2",
            "match_format": "deals:1",
            "mirror": Mirror.OFF,
            "groups": 1,
            "draws": "seats",
            "time": PATIENT,
            "isolation": "none",
            "seed": bytes(range(32)),
            "seed_chosen": True,
        }
        return Definition(
            entrants=tuple(Entrant(name=name, version=1, content_hash="0" * 64) for name in names),
            **(given | options),
        )

    async def run(
        self,
        specs: Sequence[InstanceSpec],
        *,
        store: MemoryStore | None = None,
        concurrency: int = 64,
        progressed: Callable[[Director], None] = lambda _: None,
        begins: Callable[[Director], None] = lambda _: None,
        most_unstored: int = MOST_UNSTORED,
        executor: Callable[..., Executor] = LocalExecutor,
        **options: Any,
    ) -> Result:
        """Play; with a `store` that has the tournament already, go on with it.

        `progressed` hears of what is stored, which comes in batches and may be all of it at
        once; `begins` of each match before its first card: for whoever is to come in mid-play.
        """
        store = store or MemoryStore()
        definition = self.definition(len(specs), **options)
        pairs = zip(definition.entrants, specs, strict=True)
        entrants = tuple(replace(entrant, remote=spec.remote) for entrant, spec in pairs)
        definition = replace(definition, entrants=entrants)
        rows = store.tournaments(every_kind=True)
        row = rows[0] if rows else store.add_tournament(definition, concurrency=1, create_time=0.0)
        error: PlatformError | None = None
        finished = False

        director = Director(
            row,
            store,
            executor(
                specs, concurrency=concurrency, count_attempts=count_attempts_in(store, row.id)
            ),
            hooks=DirectorHooks(
                on_progress=lambda: progressed(director), on_begin=lambda _: begins(director)
            ),
            most_unstored=most_unstored,
        )
        try:
            finished = await director.run()
        except PlatformError as caught:
            error = caught
        return Result(
            finished=finished,
            error=error,
            outcomes=store.outcomes(row.id, with_deals=True),
            withdrawals=read_withdrawn(store, row.id),
        )

    def play(self, specs: Sequence[InstanceSpec], **options: Any) -> Result:
        """One run in a loop of its own, which must leave nothing behind."""
        (result,) = self.together([lambda: self.run(specs, **options)])
        return result

    def together(self, runs: Sequence[Callable[[], Coroutine[Any, Any, Result]]]) -> list[Result]:
        """Several runs at the same time; not a task, process, file or warning may be left."""
        complaints: list[object] = []

        class Complaints(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                if not hasattr(record, "action"):  # which is for the operator, and no complaint
                    complaints.append(self.format(record))

        async def main() -> list[Result]:
            asyncio.get_running_loop().set_exception_handler(
                lambda _, context: complaints.append(context)
            )
            async with asyncio.timeout(PATIENCE):
                results = await asyncio.gather(*(run() for run in runs))
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return results

        handler = Complaints(logging.WARNING)
        logging.getLogger().addHandler(handler)
        scratch = self.folder / "t"
        scratch.mkdir(exist_ok=True)
        before, tempfile.tempdir = tempfile.tempdir, str(scratch)
        try:
            results = asyncio.run(main())
        finally:
            tempfile.tempdir = before
            logging.getLogger().removeHandler(handler)
        assert not complaints, complaints
        assert not list(scratch.iterdir()), "sockets or scratch folders are left"
        assert set(self.lives.began) == set(self.lives.ended), "processes are left"
        return results


def make_run(
    row: TournamentRow,
    store: Store,
    specs: Sequence[InstanceSpec],
    *,
    claim: Claim,
    concurrency: int,
    **options: Any,
) -> Run:
    """A run in this process, the only one."""
    executor = LocalExecutor(
        specs, concurrency=concurrency, count_attempts=count_attempts_in(store, row.id)
    )
    return Run(row, store, executor, claim=claim, metrics=Metrics(), **options)


def without_thinking_times(outcomes: Sequence[MatchOutcome]) -> list[MatchOutcome]:
    """The outcomes but for what the clock says."""
    return [
        replace(
            outcome,
            deals=tuple(deal._replace(micros=()) for deal in outcome.deals),
            thinking_seconds=(),
            faults=tuple(replace(fault, log=_without_life(fault.log)) for fault in outcome.faults),
        )
        for outcome in outcomes
    ]


def _without_life(log: InstanceLog | None) -> InstanceLog | None:
    return log and replace(log, begin_time=0.0, end_time=0.0, matches=())
