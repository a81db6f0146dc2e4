"""The clock: no bot pays for the time in which the server itself stood still (promise 6)."""

from __future__ import annotations

import asyncio

import pytest

from mazzo_server.clock import LoopMonitor


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def beat_on(monitor: LoopMonitor, clock: Clock, *, until: float) -> None:
    """A loop that beats in time."""
    while clock.now < until - 1e-9:
        clock.now += 0.02
        monitor.beat()


def test_a_loop_that_runs_has_no_stall() -> None:
    """Promise 6: what is measured is the bot's own time."""
    clock = Clock()
    monitor = LoopMonitor(clock)
    beat_on(monitor, clock, until=101.0)
    clock.now += 0.024  # a beat that is a little late is no stall
    monitor.beat()
    assert monitor.longest_stall(100.0) == 0.0


def test_a_stall_that_is_over_is_not_charged() -> None:
    """Promise 6: the longest stall while a decision was open is taken off its time."""
    clock = Clock()
    monitor = LoopMonitor(clock)
    beat_on(monitor, clock, until=101.0)
    offered = clock.now
    beat_on(monitor, clock, until=101.1)
    clock.now += 0.02 + 0.7
    monitor.beat()
    beat_on(monitor, clock, until=clock.now + 0.3)
    clock.now += 0.02 + 0.2
    monitor.beat()
    assert monitor.longest_stall(offered) == pytest.approx(0.7)  # the longest, not the sum


def test_a_stall_that_is_due_is_not_charged() -> None:
    """Promise 6: whoever asks before the next beat gets what has been due until then."""
    clock = Clock()
    monitor = LoopMonitor(clock)
    offered = clock.now
    clock.now += 0.02 + 0.5
    assert monitor.longest_stall(offered) == pytest.approx(0.5)


def test_a_stall_before_the_decision_is_no_excuse() -> None:
    """Promise 6: a bot cannot buy time with a stall that was over before it was asked."""
    clock = Clock()
    monitor = LoopMonitor(clock)
    clock.now += 0.02 + 3.0
    monitor.beat()
    clock.now += 0.001
    offered = clock.now
    beat_on(monitor, clock, until=clock.now + 0.2)
    assert monitor.longest_stall(offered) == 0.0


def test_of_a_stall_that_began_earlier_only_the_part_since_counts() -> None:
    """Promise 6: at most the time that has passed since the decision was offered."""
    clock = Clock()
    monitor = LoopMonitor(clock)
    clock.now += 0.02 + 1.0
    offered = clock.now
    clock.now += 0.25
    assert monitor.longest_stall(offered) == pytest.approx(0.25)
    monitor.beat()
    assert monitor.longest_stall(offered) == pytest.approx(0.25)


def test_the_monitor_beats_while_it_is_entered_and_leaves_nothing_behind() -> None:
    """Promise 6: a planted stall of a real loop is seen; the heartbeat ends with its block."""

    async def main() -> float:
        clock = Clock()
        beaten = asyncio.Event()

        class Beating(LoopMonitor):
            def beat(self) -> None:
                super().beat()
                beaten.set()

        async with Beating(clock) as monitor:
            offered = clock.now
            clock.now += 2.0
            async with asyncio.timeout(30):
                await beaten.wait()
            clock.now += 0.01
            stall = monitor.longest_stall(offered)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return stall

    assert asyncio.run(main()) == pytest.approx(2.0 - 0.02)


def test_every_beat_tells_how_late_it_was() -> None:
    """Promise 6: what the distribution of delays is made of; an early beat is in time."""
    clock = Clock()
    delays: list[float] = []
    monitor = LoopMonitor(clock, on_delay=delays.append)
    for passed in (0.02, 0.021, 0.72, 0.019):
        clock.now += passed
        monitor.beat()
    assert delays == pytest.approx([0.0, 0.001, 0.7, 0.0])
