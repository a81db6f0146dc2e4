"""Frames: which decisions go out together, and how long one waits for others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from mazzo.v1 import play_pb2
from mazzo_server.metrics import Metrics
from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.outbox import Outbox
from support.owed_decisions import owing_seat

QUICK, SLOW = 0.0005, 0.02  # seconds, a round trip where processors are free, and where not
PATIENCE = 10.0  # seconds


class Asker:
    """An outbox whose instance has joined and has answered one decision of each match."""

    def __init__(self, latency: float, *, matches: int = 8, capacity: int = 64) -> None:
        self.queue = DecisionQueue()
        self.outbox = Outbox(
            self.queue, now=lambda: 0.0, metrics=Metrics(), on_sent=lambda seconds: None
        )
        self.queue.open(capacity)
        self.ask(*range(matches))
        self.answer(*self.take())
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


def run(body: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(PATIENCE):
            await body()

    asyncio.run(main())


def test_an_idle_bot_is_asked_at_once_where_messages_are_quick() -> None:
    """Frames and flow control: where processors are free, waiting would only cost time."""

    async def body() -> None:
        asker = Asker(QUICK)
        asker.ask(0)
        assert asker.outbox.news.is_set()
        assert asker.take() == [0]

    run(body)


@pytest.mark.parametrize(("matches", "capacity", "enough"), [(8, 64, 3), (64, 64, 8), (8, 2, 2)])
def test_where_messages_are_slow_its_share_goes_out_together(
    matches: int, capacity: int, enough: int
) -> None:
    """Frames and flow control: three quarters of what two players' matches owe each of them, eight
    at most."""

    async def body() -> None:
        asker = Asker(SLOW, matches=matches)
        asker.queue.open(capacity)
        for match in range(enough):
            assert not asker.outbox.news.is_set()
            assert asker.take() == []
            asker.ask(match)
        assert asker.outbox.news.is_set()
        assert asker.take() == list(range(enough))

    run(body)


@pytest.mark.parametrize("latency", [QUICK, SLOW])
@pytest.mark.parametrize("busy", [False, True])
def test_a_decision_waits_for_others_only_a_moment(latency: float, busy: bool) -> None:
    """Frames and flow control: some milliseconds, whether others come or not."""

    async def body() -> None:
        asker = Asker(latency)
        if busy:
            asker.ask(4, 5, 6)
            assert asker.take() == [4, 5, 6]
        asker.ask(0)
        if busy or latency is SLOW:
            assert asker.take() == []
        await asker.outbox.news.wait()
        assert asker.take() == [0]

    run(body)


def test_each_frame_waits_on_its_own() -> None:
    """Frames and flow control: the rest of the last one's wait would send a frame of one."""

    async def body() -> None:
        asker = Asker(SLOW)
        asker.ask(0, 1, 2)
        assert asker.take() == [0, 1, 2]
        asker.answer(0, 1, 2)
        await asyncio.sleep(SLOW)
        asker.ask(0)
        assert asker.take() == []

    run(body)
