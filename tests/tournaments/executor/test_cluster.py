"""Matches played on a Ray cluster: the same outcomes, whatever machines come and go."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tarfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from mazzo.games import parse_variant
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    PlatformError,
    ServerUnavailableError,
)
from mazzo_server.metrics import Metrics
from mazzo_server.model import Mirror
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.tournaments.executor.cluster import ClusterPool, trial
from mazzo_server.tournaments.executor.cluster.alike import check_alike
from mazzo_server.tournaments.executor.cluster.folders import (
    hash_folder,
    pack_folder,
    unpack_folder,
)
from mazzo_server.tournaments.executor.cluster.node import examine_node, find_unfitness
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, examine_apart
from mazzo_server.tournaments.executor.cluster.trial import make_token_file
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from support import scripted_tournaments
from support.in_process_bots import PromptSpec
from support.ray_cluster import RayCluster, list_processes, run_cluster
from support.scripted_tournaments import GOOD, Arena, Result, sdk, without_thinking_times
from tournaments.executor.test_processes import VARIANTS

slow = pytest.mark.slow
USUAL_CLIENT_PORT = 10001
SLOW = sdk("time.sleep(0.004)")
ROTATIONS: dict[str, Any] = {"mirror": Mirror.ROTATIONS, "concurrency": 8}

Disturb = Callable[[], Awaitable[None]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """A head, and two nodes with two slots and one."""
    with run_cluster(2, 1) as running:
        yield running


class OnCluster:
    """An arena whose matches are played on a cluster."""

    def __init__(self, folder: Path, cluster: RayCluster) -> None:
        self.arena = Arena(folder)
        self.cluster = cluster

    def play(
        self,
        specs: Sequence[InstanceSpec],
        *,
        disturb: Disturb | None = None,
        required: frozenset[str] = frozenset(),
        **options: Any,
    ) -> Result:
        """Play; `disturb` runs from the first match on. No process of a worker may be left."""

        async def run() -> Result:
            has_begun = asyncio.Event()

            async def disturb_soon() -> None:
                await has_begun.wait()
                if disturb is not None:
                    await disturb()

            address = self.cluster.address
            pool = ClusterPool(Metrics(), address=address, required=required)
            disturbing = asyncio.create_task(disturb_soon())
            try:
                return await self.arena.run(
                    specs,
                    executor=partial(ProcessesExecutor, pool=pool, workers=8),
                    begins=lambda _: has_begun.set(),
                    **options,
                )
            finally:
                disturbing.cancel()
                await asyncio.gather(disturbing, return_exceptions=True)
                await pool.close()

        (result,) = self.arena.together([run])
        until = monotonic() + 30.0  # a node that has stood still finds out that it was given up
        while left := workers_of(self.cluster):
            assert monotonic() < until, left
            sleep(0.1)
        return result


def workers_of(cluster: RayCluster) -> list[int]:
    """The worker processes on the nodes of a cluster: they have its token in their environment."""
    return list_processes("executor.worker", cluster.token)


@pytest.fixture
def on_cluster(tmp_path: Path, cluster: RayCluster) -> OnCluster:
    return OnCluster(tmp_path, cluster)


def outcomes_of(result: Result) -> list[MatchOutcome]:
    assert result.error is None
    assert result.finished
    outcomes = without_thinking_times(result.outcomes)
    return sorted(outcomes, key=lambda outcome: (outcome.group, outcome.seating))


@slow
@pytest.mark.parametrize(
    ("variant", "bots"),
    [
        ("briscola/2", 3),
        pytest.param("briscola-chiamata/5", 5, marks=pytest.mark.prove),
        pytest.param("frap/3", 4, marks=pytest.mark.prove),
    ],
)
def test_the_outcomes_are_those_of_one_process(
    on_cluster: OnCluster, variant: str, bots: int
) -> None:
    """And all seatings of a group are played on one machine, which each outcome names."""
    specs = [on_cluster.arena.spec(GOOD) for _ in range(bots)]
    draws = parse_variant(variant).game.draw_modes[0]
    options: dict[str, Any] = {"variant": variant, "draws": draws, "groups": 2, **ROTATIONS}
    here = outcomes_of(on_cluster.arena.play(specs, **options))
    there = on_cluster.play(specs, **options)
    assert outcomes_of(there) == here
    nodes: dict[int, set[str]] = {outcome.group: set() for outcome in here}
    for outcome in there.outcomes:
        nodes[outcome.group].add(outcome.node)
    assert all(len(names) == 1 and "" not in names for names in nodes.values()), nodes


@pytest.mark.prove
@pytest.mark.parametrize("slots", [(1,), (4,), (1, 1), (2, 2)], ids=str)
def test_all_games_on_clusters_of_other_sizes(tmp_path: Path, slots: tuple[int, ...]) -> None:
    """One actor and four, on one node and on two: the outcomes are those of one process."""
    with run_cluster(*slots) as cluster:
        for variant, bots in VARIANTS:
            on_cluster = OnCluster(tmp_path, cluster)
            specs = [on_cluster.arena.spec(GOOD) for _ in range(bots)]
            draws = parse_variant(variant).game.draw_modes[0]
            options: dict[str, Any] = {"variant": variant, "draws": draws, "groups": 4, **ROTATIONS}
            here = outcomes_of(on_cluster.arena.play(specs, **options))
            assert outcomes_of(on_cluster.play(specs, **options)) == here


@slow
@pytest.mark.prove
def test_matches_of_remote_bots_stay_here(on_cluster: OnCluster) -> None:
    specs: list[InstanceSpec] = [PromptSpec(choice=1)]
    specs += [on_cluster.arena.spec(GOOD) for _ in range(2)]
    here = outcomes_of(on_cluster.arena.play(specs, groups=4, **ROTATIONS))
    assert outcomes_of(on_cluster.play(specs, groups=4, **ROTATIONS)) == here


@slow
@pytest.mark.prove
def test_a_bot_that_starts_nowhere_is_withdrawn_by_this_machine(on_cluster: OnCluster) -> None:
    """The others play on; its instance was tried on a node first, then here."""
    good = [on_cluster.arena.spec(GOOD) for _ in range(2)]
    bad = on_cluster.arena.spec("raise SystemExit(3)")
    result = on_cluster.play([*good, bad], groups=4, **ROTATIONS)
    assert set(result.withdrawals) == {2}
    assert len([each for each in outcomes_of(result) if 2 not in each.entrants]) == 4 * 2


@pytest.mark.prove
@pytest.mark.parametrize("name", ["executor.worker", "ray::Relay", "executor.cluster"])
def test_what_was_lost_is_played_again(on_cluster: OnCluster, name: str) -> None:
    """Workers, relays, and the driver, through which all are lost at once."""

    async def kill_some() -> None:
        for _ in range(1 if name == "executor.cluster" else 2):
            await asyncio.sleep(1.0)
            for process in list_processes(name, on_cluster.cluster.token)[:1]:
                os.kill(process, signal.SIGKILL)

    specs = [on_cluster.arena.spec(SLOW) for _ in range(3)]
    here = outcomes_of(on_cluster.arena.play(specs, groups=8, **ROTATIONS))
    disturbed = on_cluster.play(specs, groups=8, disturb=kill_some, **ROTATIONS)
    assert outcomes_of(disturbed) == here


@pytest.mark.prove
def test_nodes_come_and_go(tmp_path: Path) -> None:
    """One is killed, and another one joins."""
    with run_cluster(1, 1) as cluster:
        on_cluster = OnCluster(tmp_path, cluster)

        async def lose_one() -> None:
            await asyncio.sleep(1.0)
            cluster.kill(cluster.nodes[0])
            await asyncio.to_thread(cluster.add_node, 1)

        specs = [on_cluster.arena.spec(SLOW) for _ in range(3)]
        here = outcomes_of(on_cluster.arena.play(specs, groups=6, **ROTATIONS))
        disturbed = on_cluster.play(specs, groups=6, disturb=lose_one, **ROTATIONS)
        assert outcomes_of(disturbed) == here


UNFIT = """
import sys
if "mazzo_server.tournaments.executor.worker" in sys.orig_argv:
    from mazzo_server.errors import IsolationError
    from mazzo_server.tournaments.executor.local import LocalExecutor
    async def fail(self):
        raise IsolationError("bwrap is not there")
    LocalExecutor._forget = fail
"""


@pytest.mark.prove  # minutes
def test_a_node_that_cannot_play_does_not_end_the_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Unless no other joins for a while."""
    (tmp_path / "sitecustomize.py").write_text(UNFIT)
    with run_cluster() as cluster:
        on_cluster = OnCluster(tmp_path, cluster)
        with monkeypatch.context() as patched:
            patched.setenv("PYTHONPATH", str(tmp_path))
            cluster.add_node(1)
        specs = [on_cluster.arena.spec(GOOD) for _ in range(3)]
        assert "cannot play: bwrap is not there" in str(refuse(on_cluster))
        cluster.add_node(1)
        caplog.clear()
        here = outcomes_of(on_cluster.arena.play(specs, groups=40, **ROTATIONS))
        assert outcomes_of(on_cluster.play(specs, groups=40, **ROTATIONS)) == here
    assert any("bwrap is not there" in record.getMessage() for record in caplog.records)


@pytest.mark.prove
def test_a_node_that_stood_still_is_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a minute; its matches are played elsewhere meanwhile, and it goes on before the end."""
    monkeypatch.setattr(scripted_tournaments, "PATIENCE", 300.0)
    with run_cluster(1, 1) as cluster:
        on_cluster = OnCluster(tmp_path, cluster)
        went_on = []

        async def stop_one() -> None:
            await asyncio.sleep(1.0)
            cluster.kill(cluster.nodes[0], signal.SIGSTOP)
            try:
                await asyncio.sleep(60.0)
                went_on.append(True)
            finally:
                cluster.kill(cluster.nodes[0], signal.SIGCONT)

        quick, slow = (
            [on_cluster.arena.spec(bot) for _ in range(3)]  # which decide the same
            for bot in (GOOD, sdk("time.sleep(0.05)"))
        )
        here = outcomes_of(on_cluster.arena.play(quick, groups=40, **ROTATIONS))
        disturbed = on_cluster.play(slow, groups=40, disturb=stop_one, **ROTATIONS)
        assert went_on, "the tournament was over too soon"
        assert outcomes_of(disturbed) == here


def look(cluster: RayCluster) -> ClusterStatus:
    """What a process of its own finds out of a cluster."""
    return asyncio.run(examine_apart(cluster.address, frozenset()))


SLOW_PYTHON = """
import sys, threading
sys.setprofile(lambda *_: None)
threading.setprofile(lambda *_: None)
"""


def add_slow_node(cluster: RayCluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node on which Python is really slower: it calls a function at every call and return."""
    (folder / "sitecustomize.py").write_text(SLOW_PYTHON)
    with monkeypatch.context() as patched:
        patched.setenv("PYTHONPATH", str(folder))
        cluster.add_node(1)


@pytest.mark.prove
def test_idle_nodes_of_one_machine_are_always_alike(cluster: RayCluster) -> None:
    """`--nodes-alike` refuses no cluster by chance, though both are measured at the same time."""
    for _ in range(10):
        status = look(cluster)
        assert [node.unfit for node in status.nodes] == ["", ""]
        check_alike(status.speeds)


@pytest.mark.prove  # minutes
def test_a_slow_node_is_refused_and_plays_nothing_if_it_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A tournament that asked for alike nodes gets workers on those alone, old and new ones."""

    async def find_nodes(speeds: Mapping[str, float], address: str) -> set[str]:
        """The nodes of all workers that a tournament gets that began with these nodes."""
        pool = ClusterPool(Metrics(), address=address, required=frozenset())
        alike = pool.restrict(speeds, tournament=1)
        try:
            async with asyncio.timeout(120.0), alike.use():
                finding = [asyncio.create_task(alike.find(index)) for index in range(3)]
                done, waiting = await asyncio.wait(finding, timeout=0.5)
                while len(done) < 2 or not caplog.records:
                    done, waiting = await asyncio.wait(finding, timeout=0.5)
                assert pool.size == 3, "all have a worker, for other tournaments"
                assert alike.size == 2
                for task in waiting:
                    task.cancel()
                return {task.result().node for task in done}
        finally:
            await pool.close()

    with run_cluster(1) as cluster:
        speeds = look(cluster).speeds
        add_slow_node(cluster, tmp_path, monkeypatch)
        cluster.add_node(1)
        with caplog.at_level("WARNING"):
            found = asyncio.run(find_nodes(speeds, cluster.address))
        status = look(cluster)
        slowest = min(status.speeds, key=status.speeds.__getitem__)
        assert found == set(status.speeds) - {slowest}
        assert found > set(speeds)
        assert vars(caplog.records[0])["node"] == slowest
        with pytest.raises(ConflictError, match=rf"beside {slowest} with .* less\): take"):
            check_alike(status.speeds)


@slow
def test_a_look_at_a_cluster_that_is_not_there_says_so(cluster: RayCluster) -> None:
    """The error of the process apart is the one that the same look here would raise."""
    with pytest.raises(ServerUnavailableError, match="is it running"):
        asyncio.run(examine_apart("127.0.0.1:1", frozenset()))
    with pytest.raises(InvalidInputError, match="HOST:PORT"):
        asyncio.run(examine_apart("here", frozenset()))


def refuse(on_cluster: OnCluster, **options: Any) -> PlatformError:
    """The error with which a run ends at once."""
    specs = [on_cluster.arena.spec(GOOD) for _ in range(2)]
    result = on_cluster.play(specs, groups=1, **options)
    assert result.outcomes == []
    assert result.error is not None
    return result.error


@slow
def test_a_cluster_without_a_token_is_refused(tmp_path: Path) -> None:
    """As who can reach its ports could run programs on every machine."""
    with run_cluster(1, mode="disabled") as cluster:
        error = refuse(OnCluster(tmp_path, cluster))
    assert "needs no token" in str(error)


@slow
def test_a_wrong_token_and_a_wrong_address_say_so(
    on_cluster: OnCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    assert "wants another token" in str(refuse(on_cluster))
    monkeypatch.setattr(on_cluster.cluster, "address", "127.0.0.1:1")
    assert "is it running" in str(refuse(on_cluster))
    monkeypatch.setattr(on_cluster.cluster, "address", "here")
    assert "expected the address HOST:PORT" in str(refuse(on_cluster))


@slow
@pytest.mark.prove  # half a minute
def test_a_cluster_whose_nodes_lack_a_protection_is_refused(on_cluster: OnCluster) -> None:
    """`docker` is no protection, but something that the machine of this test has not."""
    error = refuse(on_cluster, required=frozenset({"docker"}))
    assert "MAZZO_REQUIRE asks for what that machine does not give: docker" in str(error)


def test_a_node_with_another_mazzo_or_python_may_not_play() -> None:
    """Nor one that lacks a protection; each refusal says what to do."""
    facts = asyncio.run(examine_node("n"))
    assert find_unfitness(facts, frozenset()) == ""
    assert "install the same there" in find_unfitness(replace(facts, version="0"), frozenset())
    assert "with other files" in find_unfitness(replace(facts, source_hash="0"), frozenset())
    assert "with that Python" in find_unfitness(replace(facts, python="3.0.1"), frozenset())
    lacking = replace(facts, lacking=(("uid", "no root"),))
    assert find_unfitness(lacking, frozenset({"memory"})) == ""
    assert "uid (no root)" in find_unfitness(lacking, frozenset({"uid"}))


def test_a_folder_arrives_as_it_was(tmp_path: Path) -> None:
    """Its digest depends on nothing but names, contents and which files are executable."""
    folder = tmp_path / "bot"
    (folder / "inner").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "inner" / "run").write_text("#!/bin/sh")
    (folder / "inner" / "run").chmod(0o755)
    digest = hash_folder(folder)
    archive = pack_folder(digest, folder)
    os.utime(folder / "bot.py", (0, 0))
    (folder / "bot.py").chmod(0o600)
    assert pack_folder(digest, folder) == archive
    for _ in range(2):  # the second time it is there
        unpack_folder(digest, archive, tmp_path)
    assert pack_folder(digest, tmp_path / digest) == archive
    assert (tmp_path / digest / "inner" / "run").stat().st_mode & 0o777 == 0o755
    with pytest.raises(PlatformError, match="got another one"):
        unpack_folder("0" * 64, archive, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["bot", digest])


def test_a_folder_arrives_with_an_early_python_3_11(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug: before 3.11.4 archives know no filters, and no bot was played on a cluster."""
    extract = tarfile.TarFile.extractall
    monkeypatch.delattr(tarfile, "data_filter")
    monkeypatch.setattr(tarfile.TarFile, "extractall", lambda tar, path: extract(tar, path))
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("print()")
    digest = hash_folder(tmp_path / "bot")
    unpack_folder(digest, pack_folder(digest, tmp_path / "bot"), tmp_path)
    assert (tmp_path / digest / "bot.py").read_text() == "print()"


def test_the_token_of_a_home_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = make_token_file(tmp_path / "home" / "ray-token")
    token = path.read_text()
    assert len(token) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert make_token_file(path).read_text() == token


@slow
@pytest.mark.prove  # half a minute
def test_a_cluster_to_try_with_runs_beside_others_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray's usual port for clients is taken, as by a cluster of another user."""
    token = make_token_file(tmp_path / "token")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    with ExitStack() as taken:
        with suppress(OSError):  # it is taken already
            taken.enter_context(socket.create_server(("", USUAL_CLIENT_PORT)))
        with trial.run_cluster(token, port=port, slots=3):
            monkeypatch.setenv("RAY_AUTH_MODE", "token")
            monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(token))
            status = asyncio.run(examine_apart(f"127.0.0.1:{port}", frozenset()))
            assert [(node.slots, node.unfit) for node in status.nodes] == [(3, "")]
    assert list_processes("", token) == []


def test_a_port_that_is_taken_says_so(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(InvalidInputError, match="name another one with --port"),
        trial.run_cluster(tmp_path / "token", port=taken.getsockname()[1], slots=1),
    ):
        raise AssertionError("it runs")


def test_a_platform_without_ray_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "mazzo_server.tournaments.executor.cluster.installed.find_spec", lambda _: None
    )
    nowhere = RayCluster("127.0.0.1:1", tmp_path, tmp_path / "token", {})
    assert "install mazzo[ray]" in str(refuse(OnCluster(tmp_path, nowhere)))
