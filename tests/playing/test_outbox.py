"""Frames: which decisions go out together, and how long one waits for others."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from fractions import Fraction
from typing import Any

import pytest

from mazzo.v1 import play_pb2
from mazzo_server.metrics import Metrics
from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.outbox import Outbox
from mazzo_server.play.table import Ended
from support.owed_decisions import owing_seat

QUICK, SLOW, SLOWEST = 0.0005, 0.004, 0.1  # seconds, a round trip; processors are free, or are not


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time stands still, but for waits, which take no time."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(Skipping(self))

    def time(self) -> float:
        return self.now


class Skipping(selectors.SelectSelector):
    def __init__(self, loop: SkippingLoop) -> None:
        super().__init__()
        self.loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "nothing will ever happen"
        self.loop.now += timeout
        return super().select(0)


class Asker:
    """An outbox whose instance has joined and has answered one decision of each match."""

    def __init__(self, latency: float, *, matches: int = 8, capacity: int = 64) -> None:
        self.queue = DecisionQueue()
        self.outbox = Outbox(
            self.queue, now=lambda: 0.0, metrics=Metrics(), on_sent=lambda seconds: None
        )
        self.queue.open(matches)
        self.ask(*range(matches))
        self.answer(*self.take())
        self.queue.open(capacity)
        self.outbox.latency = latency

    def ask(self, *matches: int) -> None:
        for match in matches:
            self.queue.add(owing_seat(match))
            self.outbox.wake()

    def answer(self, *matches: int) -> None:
        for match in matches:
            assert self.queue.mark_answered(match, 1, 0.0)
        self.outbox.wake()
        assert self.take() == []

    def end(self, match: int) -> None:
        ended = Ended(scores=(Fraction(1), Fraction(0)), ranking=(1, 2), reason="")
        self.outbox.end_match(owing_seat(match), ended)

    def take(self) -> list[int]:
        """The matches that the next frame asks, none when there is no frame now."""
        return [one.match for one in self.take_frame().decisions]

    def take_frame(self) -> play_pb2.Frame:
        """The next frame, an empty one when there is none now."""
        self.outbox.news.clear()
        return play_pb2.PlayResponse.FromString(self.outbox.take_frame() or b"").frame

    async def wait(self) -> float:
        """The seconds until the writer is woken."""
        begin = asyncio.get_running_loop().time()
        await self.outbox.news.wait()
        return asyncio.get_running_loop().time() - begin


def run(body: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        runner.run(body())


@pytest.mark.parametrize(
    ("busy", "latency", "waiting", "seconds"),
    [
        pytest.param(False, QUICK, 1, 0.0, id="idle, processors are free"),
        pytest.param(False, SLOW, 1, 4 * SLOW, id="idle, small"),
        pytest.param(False, SLOWEST, 1, 0.02, id="idle, small, at most"),
        pytest.param(False, SLOWEST, 3, 0.0, id="idle, large enough"),
        pytest.param(True, QUICK, 1, 0.002, id="busy, processors are free"),
        pytest.param(True, SLOW, 1, 4 * SLOW, id="busy, small"),
        pytest.param(True, SLOWEST, 1, 0.02, id="busy, small, at most"),
        pytest.param(True, SLOWEST, 3, 0.002, id="busy, large enough"),
    ],
)
def test_how_long_a_frame_waits_for_more(
    busy: bool, latency: float, waiting: int, seconds: float
) -> None:
    """Frames and flow control: a busy bot would not read it yet, and a message to an idle one takes
    long anyway; three quarters of what eight matches of two players ask it are enough."""

    async def body() -> None:
        asker = Asker(latency)
        if busy:
            asker.ask(5, 6, 7)
            assert asker.take() == [5, 6, 7]
        asker.ask(*range(waiting))
        if seconds:
            assert asker.take() == []
        assert await asker.wait() == pytest.approx(seconds)
        assert asker.take() == list(range(waiting))

    run(body)


@pytest.mark.parametrize(
    ("matches", "capacity", "enough"), [(64, 64, 24), (128, 64, 32), (8, 2, 2)]
)
def test_more_than_enough_is_not_waited_for(matches: int, capacity: int, enough: int) -> None:
    """Frames and flow control: 32 decisions are, and what the bot may be asked at once."""

    async def body() -> None:
        asker = Asker(SLOW, matches=matches, capacity=capacity)
        for match in range(enough):
            assert not asker.outbox.news.is_set()
            assert asker.take() == []
            asker.ask(match)
        assert asker.outbox.news.is_set()
        assert asker.take() == list(range(enough))

    run(body)


def test_a_full_frame_to_a_busy_bot_waits_for_nothing() -> None:
    """Frames and flow control: it has all that the bot may be asked at once, and room comes."""

    async def body() -> None:
        asker = Asker(SLOWEST, capacity=4)
        asker.ask(7)
        assert await asker.wait()
        assert asker.take() == [7]
        asker.ask(0, 1, 2)
        assert not asker.outbox.news.is_set()
        asker.ask(3)
        assert asker.outbox.news.is_set()
        assert asker.take() == [0, 1, 2]

    run(body)


def test_a_bot_that_becomes_idle_is_not_kept_as_long_as_a_busy_one() -> None:
    """Frames and flow control: from then on the wait costs its time."""

    async def body() -> None:
        asker = Asker(QUICK)
        asker.ask(5, 6, 7)
        assert asker.take() == [5, 6, 7]
        asker.ask(0)
        await asyncio.sleep(0.001)
        for match in (5, 6, 7):
            assert not asker.outbox.news.is_set()
            assert asker.queue.mark_answered(match, 1, 0.0)
        asker.outbox.wake()
        assert asker.outbox.news.is_set()
        assert asker.take() == [0]

    run(body)


@pytest.mark.parametrize(
    ("busy", "latency", "seconds"),
    [(False, QUICK, 0.0), (False, SLOW, 4 * SLOW), (True, QUICK, 0.002), (True, SLOW, 4 * SLOW)],
)
def test_the_end_of_a_match_waits_for_decisions(busy: bool, latency: float, seconds: float) -> None:
    """Frames and flow control: nobody is in a hurry to hear of it, and a frame of its own costs."""

    async def body() -> None:
        asker = Asker(latency)
        if busy:
            asker.ask(5, 6, 7)
            assert asker.take() == [5, 6, 7]
        asker.end(0)
        if seconds:
            assert not asker.take_frame().ended
        assert await asker.wait() == pytest.approx(seconds)
        assert asker.take_frame().ended[0].match == 0

    run(body)


def test_the_end_of_a_match_goes_out_with_the_next_decisions() -> None:
    """Frames and flow control: one frame tells of both."""

    async def body() -> None:
        asker = Asker(SLOW)
        asker.end(0)
        asker.ask(1, 2, 3)
        assert asker.outbox.news.is_set()
        frame = asker.take_frame()
        assert [one.match for one in frame.ended] == [0]
        assert [one.match for one in frame.decisions] == [1, 2, 3]

    run(body)


def test_each_frame_waits_on_its_own() -> None:
    """Frames and flow control: the rest of the last one's wait would send a frame of one."""

    async def body() -> None:
        asker = Asker(SLOW)
        asker.ask(0)
        await asyncio.sleep(SLOW / 2)
        asker.ask(1, 2)
        assert asker.take() == [0, 1, 2]
        asker.answer(0, 1, 2)
        asker.ask(0)
        assert await asker.wait() == pytest.approx(4 * SLOW)

    run(body)
