"""The clock: no bot pays for the time in which the server itself was busy (promise 6)."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest

from mazzo_server.clock import Ear, LoopMonitor

LONG = 0.2  # seconds, of a turn that nobody is to pay for
SHARED = 0.005  # seconds of it at most that they pay all the same
STANDSTILL = 3.0  # seconds for which the whole process is not let run


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Loop:
    """Looks for news, and then acts for as long as a test says."""

    def __init__(self) -> None:
        self.clock, self.used = Clock(), Clock()
        self.ear = Ear(self.clock, self.used)
        self.waits: list[float] = []  # seconds until the news come; none: they are there
        self._listen = self.ear.listening(self._select)

    def _select(self, timeout: float | None) -> list[str]:
        if not self.waits:
            return ["news"]
        if timeout == 0:
            return []
        self.clock.now += self.waits.pop()
        return ["news"]

    def turn(
        self,
        *,
        busy: float,
        used: float = 0.0,
        wait: float | None = None,
        timeout: float | None = None,
    ) -> None:
        if wait is not None:
            self.waits.append(wait)
        assert self._listen(timeout)
        self.clock.now += busy
        self.used.now += used


def test_news_that_were_waited_for_came_at_the_end_of_the_wait() -> None:
    """Promise 6: a server that has nothing else to do measures the bot's own time."""
    loop = Loop()
    loop.turn(busy=0.001)
    loop.turn(wait=3.0, busy=0.001)
    came = loop.clock.now - 0.001
    loop.turn(busy=0.0, timeout=0.0)  # what they woke is run in the next turn
    assert loop.ear.heard == pytest.approx(came)


def test_of_a_short_turn_the_doubt_is_shared() -> None:
    """Promise 6: the middle of the time in which the server did not look is right on average."""
    loop = Loop()
    loop.turn(busy=0.004)
    loop.turn(busy=0.0)
    loop.turn(busy=0.0)
    assert loop.ear.heard == pytest.approx(loop.clock.now - 0.002)


def test_a_long_turn_is_not_charged() -> None:
    """Promise 6: what came meanwhile came at its beginning, for all that anybody knows."""
    loop = Loop()
    loop.turn(busy=LONG)
    loop.turn(busy=0.0)
    loop.turn(busy=0.0)
    assert loop.clock.now - LONG <= loop.ear.heard <= loop.clock.now - LONG + SHARED


def test_a_long_turn_that_was_over_is_no_excuse() -> None:
    """Promise 6: a bot cannot buy time with a turn that ended before its answer came."""
    loop = Loop()
    loop.turn(busy=LONG)
    loop.turn(busy=0.0)
    loop.turn(wait=0.3, busy=0.0)
    loop.turn(busy=0.0, timeout=0.0)
    assert loop.ear.heard == pytest.approx(loop.clock.now)


def test_a_wait_that_lasted_longer_than_it_may_is_not_charged() -> None:
    """Promise 6: the whole process was not let run, and its heartbeat was due."""
    loop = Loop()
    loop.turn(busy=0.0)
    began = loop.ear.now()
    loop.turn(wait=LONG, timeout=0.02, busy=0.0)
    loop.turn(busy=0.0, timeout=0.0)
    assert loop.ear.heard == pytest.approx(began + 0.02)


@pytest.mark.parametrize("turn", [{"busy": STANDSTILL}, {"busy": 0.0, "wait": STANDSTILL}])
def test_a_standstill_of_the_process_is_no_time(turn: dict[str, float]) -> None:
    """Bug: bots paid for it, whose question had not left, or whose answer another thread had."""
    loop = Loop()
    loop.turn(busy=0.0)
    asked, began = loop.ear.now(), loop.clock.now
    loop.turn(**turn, timeout=0.02)
    for _ in range(2):  # turns of the loop, until the answer is found
        loop.turn(wait=0.01, busy=0.0)
    assert loop.clock.now - began == pytest.approx(STANDSTILL + 0.02)
    assert loop.ear.now() - asked == pytest.approx(0.02 + SHARED)
    assert loop.ear.heard - asked == pytest.approx(SHARED)
    loop.turn(wait=0.01, busy=0.0)
    loop.turn(busy=0.0)
    assert loop.ear.heard - asked == pytest.approx(0.03 + SHARED)


def test_who_is_asked_after_a_standstill_is_given_nothing() -> None:
    """Promise 6: nor in the same turn of the loop, before it could look again."""
    loop = Loop()
    loop.turn(busy=STANDSTILL)
    asked = loop.ear.now()
    loop.turn(wait=0.1, busy=0.0)
    loop.turn(busy=0.0)
    assert loop.ear.heard - asked == pytest.approx(0.1, abs=SHARED)


def test_who_has_much_to_do_does_not_stand_still() -> None:
    """Attack: what a bot gives the server to do does not stop the clocks."""
    loop = Loop()
    asked = loop.ear.now()
    for _ in range(10):
        loop.turn(busy=STANDSTILL, used=STANDSTILL - 0.2)
    loop.turn(busy=0.0)
    assert loop.ear.now() - asked == pytest.approx(10 * STANDSTILL)


def test_in_a_long_turn_the_clock_goes_on() -> None:
    """Bug: a standstill was reckoned from the last look, so that the clock went back."""
    loop = Loop()
    told = [loop.ear.now()]
    for passed in (0.24, 0.06, STANDSTILL, 0.1, 0.2, STANDSTILL, 0.3):
        loop.clock.now += passed
        told.append(loop.ear.now())
    steps = [later - earlier for earlier, later in pairwise(told)]
    assert steps == pytest.approx([0.24, 0.06, SHARED, 0.1, 0.2, SHARED, SHARED])


def test_a_wait_as_long_as_it_may_be_is_no_standstill() -> None:
    """Promise 6: who thinks while the server has nothing to do pays for it."""
    loop = Loop()
    loop.turn(busy=0.0)
    asked = loop.ear.now()
    loop.turn(wait=STANDSTILL, timeout=STANDSTILL, busy=0.0)
    loop.turn(busy=0.0)
    assert loop.ear.heard - asked == pytest.approx(STANDSTILL)


def test_nothing_is_heard_before_what_was_heard_earlier() -> None:
    """Promise 6: time does not run backwards, whatever the turns are."""
    loop = Loop()
    heard = loop.ear.heard
    for busy in (0.001, LONG, 0.002, STANDSTILL, 0.0, 0.02, LONG):
        for wait in (None, 0.0, 0.004, 1.0):
            loop.turn(busy=busy, wait=wait, timeout=0.5)
            assert heard <= loop.ear.heard <= loop.ear.now() <= loop.clock.now
            heard = loop.ear.heard


def test_a_real_loop_says_when_it_stood_still() -> None:
    """Promise 6: every selector loop of this Python can be listened to, by several at a time."""

    async def main() -> tuple[float, float, float]:
        loop = asyncio.get_running_loop()
        async with LoopMonitor() as monitor, LoopMonitor() as other:
            await asyncio.sleep(0.001)
            before = loop.time()
            time.sleep(0.1)  # noqa: ASYNC251 (that is the point)
            await asyncio.sleep(0)
            heard = monitor.heard(), other.heard()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return heard[0] - before, heard[1] - before, loop.time() - before

    first, second, passed = asyncio.run(main())
    assert first == second <= SHARED < 0.1 <= passed


def test_every_beat_tells_how_late_it_was() -> None:
    """Promise 6: what the distribution of delays is made of; an early beat is in time."""
    clock = Clock()
    delays: list[float] = []
    monitor = LoopMonitor(clock, on_delay=delays.append)
    for passed in (0.02, 0.021, 0.72, 0.019):
        clock.now += passed
        monitor.beat()
    assert delays == pytest.approx([0.0, 0.001, 0.7, 0.0])
