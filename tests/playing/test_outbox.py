"""Frames: which decisions go out together, and how long one waits for others."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from mazzo.v1 import play_pb2
from mazzo_server.metrics import Metrics
from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.outbox import Outbox
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

    def take(self) -> list[int]:
        """The matches of the next frame, none when there is no frame now."""
        self.outbox.news.clear()
        frame = self.outbox.take_frame()
        if frame is None:
            return []
        return [one.match for one in play_pb2.PlayResponse.FromString(frame).frame.decisions]

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
        pytest.param(False, SLOW, 1, SLOW, id="idle, small"),
        pytest.param(False, SLOWEST, 1, 0.005, id="idle, small, at most"),
        pytest.param(False, SLOWEST, 3, 0.0, id="idle, large enough"),
        pytest.param(True, QUICK, 1, 0.002, id="busy, processors are free"),
        pytest.param(True, SLOW, 1, SLOW, id="busy, small"),
        pytest.param(True, SLOWEST, 1, 0.02, id="busy, small, at most"),
        pytest.param(True, SLOWEST, 3, 0.002, id="busy, large enough"),
    ],
)
def test_how_long_a_frame_waits_for_more(
    busy: bool, latency: float, waiting: int, seconds: float
) -> None:
    """Frames and flow control: a busy bot would not read it yet, and a message to an idle one takes
    as long anyway; three quarters of what eight matches of two players ask it are enough."""

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
        asker = Asker(SLOWEST)
        asker.ask(5, 6, 7)
        assert asker.take() == [5, 6, 7]
        asker.ask(0)
        await asyncio.sleep(0.001)
        asker.answer(5, 6, 7)
        assert await asker.wait() == pytest.approx(0.004)
        assert asker.take() == [0]

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
        assert await asker.wait() == pytest.approx(SLOW)

    run(body)
