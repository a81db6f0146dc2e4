"""Fair cpu: who thinks has a core, who has none is frozen, and the results are the same."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from mazzo_server.clock import monotonic
from mazzo_server.errors import IsolationError
from mazzo_server.model import Cpu, Mirror, TimeControl, TournamentRequest
from mazzo_server.model.outcome import Termination
from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.freezing_sandbox import Freezer
from support.scripted_tournaments import GOOD, Arena, Result, sdk, without_thinking_times
from support.timings import measure_median

pytestmark = pytest.mark.alone

HASTY = TimeControl(bank=600.0, increment=0.0, limit=0.5)

NOTING = """
LOG = open({path!r}, "a", buffering=1)
def note(*words):
    LOG.write(" ".join(map(str, words)) + "\\n")
"""


@pytest.fixture
def frozen(arena: Arena) -> Freezer:
    """The arena's sandbox, which freezes."""
    arena.lives = freezer = Freezer()
    return freezer


def fair(arena: Arena, script: str, cores: Cores, **options: Any) -> SandboxedSpec:
    """A bot that thinks only while it has one of these cores."""
    return replace(arena.spec(script, **options), cores=cores)


def notes(arena: Arena) -> list[list[str]]:
    """What the bots have noted since the last call, a list of words each time."""
    path = arena.folder / "notes"
    found = [line.split() for line in path.read_text().splitlines()]
    path.unlink()
    return found


def noting(arena: Arena, act: str, *, start: str = "") -> str:
    """A bot that can `note` something."""
    path = str(arena.folder / "notes")
    return sdk(act, start=NOTING.format(path=path) + start)


def run_of(
    arena: Arena, specs: Sequence[SandboxedSpec], **options: Any
) -> Callable[[], Coroutine[Any, Any, Result]]:
    """A run for `Arena.together`."""
    return lambda: arena.run(specs, **options)


THINKING = """
began = time.monotonic()
time.sleep(0.01)
note(began, time.monotonic())
"""


@pytest.mark.timing
@pytest.mark.parametrize(("capacity", "cores"), [(1, 1), (4, 2)])
def test_no_more_think_at_once_than_there_are_cores(
    arena: Arena, frozen: Freezer, capacity: int, cores: int
) -> None:
    """Fair cpu: over all tournaments of the process, and waiting is charged to nobody."""
    line = Cores(range(cores))
    script = noting(arena, THINKING)

    def most_charged() -> float:
        """Seconds for a decision."""
        first, second = arena.together(
            [
                run_of(arena, [fair(arena, script, line, capacity=capacity) for _ in range(2)])
                for _ in range(2)
            ]
        )
        spans = sorted((float(began), float(ended)) for began, ended in notes(arena))
        assert len(spans) == 2 * 40
        ends: list[float] = []
        for began, ended in spans:
            ends = [end for end in ends if end > began]
            ends.append(ended)
            assert len(ends) <= cores
        outcomes = (*first.outcomes, *second.outcomes)
        assert not any(any(outcome.late) for outcome in outcomes)
        return max(
            seconds / decisions
            for outcome in outcomes
            for seconds, decisions in zip(outcome.thinking_seconds, outcome.decisions, strict=True)
        )

    # An instance waits for a core while another one thinks.
    assert measure_median(most_charged) < 0.02


def test_who_owes_no_decision_is_frozen(arena: Arena, frozen: Freezer) -> None:
    """Fair cpu: what its threads do meanwhile is at nobody's cost."""
    busy = noting(
        arena,
        "pass",
        start="""
import threading
def work():
    while True:
        time.sleep(0.001)
        note("busy", time.monotonic())
threading.Thread(target=work, daemon=True).start()
""",
    )
    thinks = noting(arena, 'began = time.monotonic(); time.sleep(0.03); note("thought", began)')
    cores = Cores([0, 1])  # one would be free
    result = arena.play([fair(arena, busy, cores, capacity=1), fair(arena, thinks, cores)])
    assert result.finished
    told = notes(arena)
    work = [float(when) for what, when in told if what == "busy"]
    spans = [float(when) for what, when in told if what == "thought"]
    assert len(spans) == 20
    assert len(work) > 20
    # It goes on for a moment after its own answer, since it may be asked again at once.
    disturbed = [when for when in spans if any(when + 0.015 < at < when + 0.03 for at in work)]
    assert len(disturbed) < 5
    assert frozen.frozen


def test_an_instance_starts_when_the_one_before_has_joined(arena: Arena, frozen: Freezer) -> None:
    """Fair cpu: to start takes a core too, and its start-up allowance runs only with it."""
    loaded = 'time.sleep(0.05); note(os.environ["MAZZO_TOKEN"], time.monotonic())'
    script = noting(arena, "pass", start=loaded)
    cores = Cores([0])
    assert arena.play([fair(arena, script, cores) for _ in range(3)]).finished
    done = {token: float(when) for token, when in notes(arena)}
    order = sorted(done, key=frozen.began.__getitem__)
    assert len(order) == 3
    assert all(frozen.began[after] > done[before] for before, after in pairwise(order))


CRASHES = "if view.number == 7: os._exit(7)"
HANGS = "if view.number > 7: time.sleep(60)"


def test_whatever_ends_when_the_others_play_on(arena: Arena, frozen: Freezer) -> None:
    """Fair cpu: a core is never lost with an instance, and the faults are those without it."""
    never_joins = "import time; time.sleep(60)"
    scripts = [GOOD, sdk(CRASHES), sdk(HANGS)]
    cores = Cores([0])
    specs = [fair(arena, script, cores, capacity=1) for script in scripts]
    specs += [
        fair(arena, never_joins, cores, start_up=0.5),
        fair(arena, "raise SystemExit(3)", cores),
    ]
    result = arena.play(specs, time=HASTY)
    assert result.finished
    assert set(result.withdrawals) == {3, 4}
    guilty = [(1, Termination.CRASHED), (2, Termination.OUT_OF_TIME)]
    for bot, termination in guilty:
        (fault,) = result.outcome(0, bot).faults
        assert fault.termination is termination
    assert not cores.has_waiting


def test_an_instance_that_is_killed_while_it_is_frozen_is_replaced(arena: Arena) -> None:
    """Fair cpu and faults: nothing was open, so nobody pays."""
    killed: list[int] = []

    def kill_one(pid: int) -> None:
        if arena.lives.frozen == 12:  # type: ignore[attr-defined]
            killed.append(pid)
            os.killpg(pid, signal.SIGKILL)

    arena.lives = Freezer(on_freeze=kill_one)
    cores = Cores([0])
    # Its end is known before its next turn comes.
    thinks = sdk("time.sleep(0.3 if 4 < view.number < 9 else 0.01)")
    specs = [fair(arena, thinks, cores, capacity=1) for _ in range(2)]
    result = arena.play(specs)
    assert len(killed) == 1
    assert result.finished
    assert len(arena.lives.began) == 3
    assert not result.outcomes[0].faults


@pytest.mark.parametrize("call", ["on_thaw", "on_freeze", "on_processor"])
def test_an_instance_that_cannot_be_moved_is_replaced(
    arena: Arena, frozen: Freezer, call: str
) -> None:
    """Fair cpu and faults: an error of a control group is the platform's, and of one instance."""
    calls = 0

    def fail_once(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls == (2 if call == "on_processor" else 12):
            raise OSError(errno.EMFILE, "too many open files")

    setattr(frozen, call, fail_once)
    cores = Cores([0])
    specs = [fair(arena, sdk("time.sleep(0.005)"), cores, capacity=1) for _ in range(2)]
    result = arena.play(specs)
    assert calls > (2 if call == "on_processor" else 12)
    assert result.finished
    assert not result.outcomes[0].faults
    assert not cores.has_waiting


LINGERS = """
from raw import *

stream = Stream()
stream.join(1)
for decision in stream.decisions():
    stream.send(answer(decision))
    if decision.number == 3:
        stream.send(None)
        while True:
            LOG.write(f"{time.monotonic()}\\n")
            time.sleep(0.001)
"""


@pytest.mark.timing
@pytest.mark.prove
def test_who_closes_its_stream_and_lives_on_has_no_core_of_others(
    arena: Arena, frozen: Freezer
) -> None:
    """Fair cpu: without a stream it could stay busy beside those who think."""
    path = str(arena.folder / "notes")
    lingers = f"LOG = open({path!r}, 'a', buffering=1)\n" + LINGERS
    thinks = noting(arena, 'began = time.monotonic(); time.sleep(0.02); note(began, "thought")')
    cores = Cores([0])
    specs = [
        fair(arena, lingers, cores),
        *(fair(arena, thinks, cores, capacity=1) for _ in range(2)),
    ]

    def disturbed_share() -> float:
        began = monotonic()
        result = arena.play(specs, concurrency=3)
        assert result.finished
        told = notes(arena)
        spans = [float(words[0]) for words in told if len(words) == 2]
        busy = [float(words[0]) for words in told if len(words) == 1]
        assert busy
        seconds.append(monotonic() - began)
        disturbed = [when for when in spans if any(when + 0.005 < at < when + 0.02 for at in busy)]
        return len(disturbed) / len(spans)

    seconds: list[float] = []
    assert measure_median(disturbed_share) < 0.1
    assert median(seconds) < 20


RAW_WITH_NOTES = """
from raw import *

LOG = open({path!r}, "a", buffering=1)
stream = Stream()
stream.join(4)
for response in stream.call:
    for ended in response.frame.ended:
        LOG.write("ended\\n")
    if response.HasField("goodbye"):
        LOG.write("goodbye\\n")
        break
    if response.HasField("ping"):
        stream.send(pb.PlayRequest(pong=pb.Pong()))
    for decision in response.frame.decisions:
        stream.send(answer(decision))
stream.send(None)
"""


def test_a_frozen_instance_hears_how_matches_ended_and_goodbye(
    arena: Arena, frozen: Freezer
) -> None:
    """The wire: it is thawed for both."""
    script = RAW_WITH_NOTES.format(path=str(arena.folder / "notes"))
    cores = Cores([0])
    specs = [
        replace(fair(arena, act, cores), goodbye_grace=10.0, turn_grace=30.0)  # a busy machine
        for act in (script, GOOD)
    ]
    result = arena.play(specs, groups=5)
    assert result.finished
    assert notes(arena) == [["ended"]] * 5 + [["goodbye"]]


def test_results_are_the_same_fair_and_shared(arena: Arena, frozen: Freezer) -> None:
    """Promise 5: results depend on the seed and the bots alone."""
    options: dict[str, Any] = {"groups": 3, "mirror": Mirror.ROTATIONS, "match_format": "deals:2"}
    shared = [arena.spec(GOOD, capacity=capacity) for capacity in (3, 1)]
    cores = Cores([0])
    results = arena.together(
        [
            run_of(arena, shared, **options),
            run_of(arena, [replace(spec, cores=cores) for spec in shared], **options),
        ]
    )
    first, second = (without_thinking_times(result.outcomes) for result in results)
    assert len(first) == 3 * 2
    assert first == second
    assert not any(outcome.faults or any(outcome.late) for outcome in first)
    assert frozen.frozen


def test_what_is_fair_is_not_played_where_the_machine_cannot() -> None:
    """Weaker than asked for: neither created nor resumed, and free for a machine that can."""

    async def main() -> None:
        store = MemoryStore()
        platform = Platform(Settings(home=Path("/nowhere")), store)
        for name in ("ann", "bob"):
            await platform.bots.register(name, games=[], capacity=0, writer="Ann")
        tournaments = platform.tournaments
        request = TournamentRequest(
            variant="briscola/2", bots=("ann", "bob"), isolation="none", mirror="off"
        )
        with pytest.raises(IsolationError, match="none cannot share the processors fairly"):
            await tournaments.create(replace(request, cpu="fair"))
        row = await tournaments.create(request)
        assert row.definition.cpu is Cpu.SHARED
        definition = replace(row.definition, cpu=Cpu.FAIR)
        fair = store.add_tournament(definition, concurrency=1, create_time=0.0)
        with pytest.raises(IsolationError, match="none cannot share the processors fairly"):
            await tournaments.start(fair.id)
        assert not store.is_claimed(fair.id)
        await platform.close(grace=0)

    asyncio.run(main())


@pytest.mark.prove
def test_grpc_does_not_end_a_connection_to_who_is_frozen_for_long(
    arena: Arena, frozen: Freezer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wire: pings of gRPC's own go unanswered for more than its minute, on both sides."""
    monkeypatch.setattr("support.scripted_tournaments.PATIENCE", 300.0)
    thinks_for_long = sdk("time.sleep(100 if view.number == 2 else 0)")
    time = TimeControl(bank=600.0, increment=0.0, limit=200.0)
    cores = Cores([0])
    result = arena.play([fair(arena, thinks_for_long, cores), fair(arena, GOOD, cores)], time=time)
    assert result.finished
    assert len(frozen.began) == 2
    assert not result.outcomes[0].faults
