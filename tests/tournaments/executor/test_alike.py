"""Nodes that are alike: which differ too much, and what a tournament does that asks for alike ones.

The facts are made up; `test_cluster` measures real nodes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mazzo_server.errors import ConflictError, PlatformError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.tournaments.executor.cluster import AlikePool, blame
from mazzo_server.tournaments.executor.cluster.alike import check_alike, find_slow
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, _measure_slow
from mazzo_server.tournaments.executor.worker import WorkerConnection
from support.made_up_nodes import make_node, make_status


def test_nodes_may_differ_by_a_tenth_and_no_more() -> None:
    """The promise of `--nodes-alike`: the slowest has at least 0.9 of the fastest one's speed."""
    check_alike({"a": 1000.0})
    check_alike({"a": 1000.0, "b": 900.0, "c": 950.0})
    with pytest.raises(ConflictError):
        check_alike({"a": 1000.0, "b": 899.0})


def test_a_refusal_names_the_nodes_with_their_speeds_and_says_what_to_do() -> None:
    """Who reads it must find the machine, see by how much it differs, and know both ways out."""
    with pytest.raises(ConflictError) as refused:
        check_alike({"b/2": 812_345.6, "a/1": 1_000_000.0, "c/3": 700_000.0, "d/4": 950_000.0})
    assert str(refused.value) == (
        "expected nodes of the Ray cluster whose speeds differ by at most 10 %, got a/1 with "
        "1,000,000 decisions/s beside c/3 with 700,000 (30.0 % less), b/2 with 812,346 (18.8 % "
        "less): take the slow nodes out of the cluster, or the fast ones, or leave out "
        "--nodes-alike"
    )
    with pytest.raises(ConflictError, match=r"n9 with .* and 2 more: take"):
        check_alike({"fast": 1000.0} | {f"n{number}": 100.0 + number for number in range(12)})


def test_a_cluster_without_nodes_that_may_play_is_refused() -> None:
    """Nothing is created for a cluster on which nothing could be played."""
    with pytest.raises(ConflictError, match="that may play, for --nodes-alike, got none"):
        check_alike(make_status(make_node("a", 1000.0, unfit="another Mazzo")).speeds)


def test_only_nodes_that_may_play_are_compared() -> None:
    """One that is slow, or did not answer, plays nothing; so it makes nothing unfair."""
    status = make_status(
        make_node("a", 1000.0, slots=2),
        make_node("b", 100.0, unfit="another Mazzo"),
        make_node("c", None, unfit="it cannot run this Mazzo"),
        make_node("d", 950.0),
    )
    assert status.speeds == {"h/a": 1000.0, "h/d": 950.0}
    assert status.speed_difference == pytest.approx(0.05)
    assert status.playing_slots == 3
    check_alike(status.speeds)
    assert make_status().speed_difference is None


def measure_again(
    status: ClusterStatus, told: Callable[[Sequence[str]], dict[str, float]], *, fastest: float = 0
) -> tuple[ClusterStatus, list[list[str]]]:
    """The status when slow nodes were measured again, and who was measured together."""
    turns: list[list[str]] = []

    def measure(ids: Sequence[str]) -> dict[str, float]:
        turns.append([*ids])
        return told(ids)

    return _measure_slow(status, fastest, measure), turns


def test_a_node_that_seems_slow_is_measured_again_and_its_best_counts() -> None:
    """A node that was busy at the wrong moment is no reason to refuse a cluster."""
    status = make_status(make_node("a", 1000.0), make_node("b", 500.0))
    answers = iter([400.0, 980.0, 1.0])
    found, turns = measure_again(status, lambda _: {"b": next(answers)})
    assert found.speeds == {"h/a": 1000.0, "h/b": 980.0}
    assert turns == [["b"], ["b"]], "no more often than it must, and the fast one not at all"


def test_a_node_that_stays_slow_is_slow() -> None:
    """Measuring again ends, whatever comes or does not come back."""
    status = make_status(make_node("a", 1000.0), make_node("b", 500.0))
    found, turns = measure_again(status, lambda _: {"b": 0.0})
    assert find_slow(found.speeds) == ["h/b"]
    assert len(turns) == 3


def test_nodes_of_one_host_are_measured_again_one_by_one() -> None:
    """As they would disturb each other; those of several hosts need not wait."""
    slow = [make_node(name, 500.0, host=host) for name, host in ("ah", "bh", "ci", "dh")]
    _, turns = measure_again(make_status(make_node("e", 1000.0), *slow), lambda _: {})
    assert [sorted(turn) for turn in turns] == [["a", "c"], ["b"], ["d"]] * 3


def test_a_single_node_is_compared_with_the_speed_that_others_have() -> None:
    """A node that joins is looked at alone, and is given the same second chance."""
    status = make_status(make_node("b", 500.0))
    _, turns = measure_again(status, lambda _: {"b": 990.0}, fastest=1000.0)
    assert turns == [["b"]]


class MadeUpPool:
    """A cluster pool whose nodes have one worker each, and speeds that are looked up."""

    def __init__(self, **speeds: float | Exception) -> None:
        self.speeds = speeds
        self.nodes: list[str] = []  # that have joined
        self.looks: list[str] = []
        self.changed = asyncio.Event()

    def join(self, *names: str) -> None:
        self.nodes += names
        self.changed.set()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[None]:
        yield

    def count_on(self, nodes: Any) -> int:
        return sum(node in nodes for node in self.nodes)

    async def find_on(self, index: int, is_wanted: Callable[[str], bool]) -> WorkerConnection:
        while index >= len(wanted := [node for node in self.nodes if is_wanted(node)]):
            self.changed.clear()
            await self.changed.wait()
        return cast(WorkerConnection, SimpleNamespace(node=wanted[index]))

    async def examine(self, *, node: str, fastest: float) -> ClusterStatus:
        self.looks.append(node)
        await asyncio.sleep(0)
        speed = self.speeds[node.rpartition("/")[2]]
        if isinstance(speed, Exception):
            raise speed
        return make_status(make_node(node.rpartition("/")[2], speed))


def restrict(pool: MadeUpPool, **speeds: float) -> AlikePool:
    """The workers of a tournament that began with these nodes."""
    inner: Any = pool
    known = {f"h/{name}": speed for name, speed in speeds.items()}
    return AlikePool(inner, known, Metrics(), tournament=7, patience=0.01)


async def find_node(pool: AlikePool, index: int) -> str:
    """The node of the worker of that number; empty: there is none now."""
    try:
        async with asyncio.timeout(0.05):
            return (await pool.find(index)).node
    except TimeoutError:
        return ""


def test_a_node_that_joins_plays_if_it_is_alike(caplog: pytest.LogCaptureFixture) -> None:
    """And one that differs plays nothing of this tournament; the log says so, once."""

    async def work() -> None:
        inner = MadeUpPool(b=960.0, c=700.0, d=1200.0)
        pool = restrict(inner, a=1000.0)
        inner.join("h/a")
        assert await find_node(pool, 0) == "h/a"
        assert inner.looks == [], "it was measured when the tournament began"
        inner.join("h/c", "h/d", "h/b")
        found = await asyncio.gather(*(find_node(pool, index) for index in range(4)))
        assert sorted(found) == ["", "", "h/a", "h/b"]
        assert sorted(inner.looks) == ["h/b", "h/c", "h/d"], "each once, whoever waits"
        assert pool.size == 2

    with caplog.at_level(logging.WARNING):
        asyncio.run(work())
    facts = [vars(record) for record in caplog.records]
    assert sorted(fact["node"] for fact in facts) == ["h/c", "h/d"]
    assert {(fact["action"], fact["tournament"]) for fact in facts} == {(LogAction.NODE_DIFFERS, 7)}
    text = next(record.message for record in caplog.records if "on h/c" in record.message)
    assert "h/a with 1,000 decisions/s beside h/c with 700 (30.0 % less)" in text


def test_nodes_that_join_cannot_drift_away_from_the_first_ones() -> None:
    """All that ever played are alike, not only each and the last one before it."""

    async def work() -> None:
        inner = MadeUpPool(b=920.0, c=840.0)
        pool = restrict(inner, a=1000.0)
        inner.join("h/b")
        assert await find_node(pool, 0) == "h/b"
        inner.join("h/c")
        assert await find_node(pool, 1) == ""

    asyncio.run(work())


def test_a_node_that_cannot_be_measured_does_not_play(caplog: pytest.LogCaptureFixture) -> None:
    """As nobody could say that it is alike; the run goes on with the others."""

    async def work() -> None:
        inner = MadeUpPool(b=PlatformError("the line is cut"))
        pool = restrict(inner, a=1000.0)
        inner.join("h/b", "h/a")
        assert await find_node(pool, 0) == "h/a"

    asyncio.run(work())
    assert "the line is cut" in caplog.text


def test_a_node_that_could_not_be_measured_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Bug: one failed look barred a node for the rest of the tournament."""
    now = 1000.0
    monkeypatch.setattr(blame, "monotonic", lambda: now)

    async def work() -> None:
        nonlocal now
        inner = MadeUpPool(b=PlatformError("the line is cut"))
        pool = restrict(inner, a=1000.0)
        inner.join("h/b")
        for _ in range(2):
            assert await find_node(pool, 0) == ""
        assert inner.looks == ["h/b"], "no second look before the pause is over"
        inner.speeds["b"] = 990.0
        waiting = asyncio.create_task(find_node(pool, 0))
        await asyncio.sleep(0)
        now += 5.0
        assert await waiting == "h/b", "nobody need join for that"

    asyncio.run(work())
    assert len(caplog.records) == 1


def test_tournaments_that_did_not_ask_play_on_every_node() -> None:
    """What one tournament asks for changes nothing for others on the same pool."""

    async def work() -> None:
        inner = MadeUpPool(b=500.0)
        inner.join("h/a", "h/b")
        pool = restrict(inner, a=1000.0)
        assert await find_node(pool, 1) == ""
        assert inner.count_on(["h/a", "h/b"]) == 2
        assert (await inner.find_on(1, lambda _: True)).node == "h/b"

    asyncio.run(work())
