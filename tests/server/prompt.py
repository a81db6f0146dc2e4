"""Bots in this process, which need no time to start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from mazzo.v1 import play_pb2
from mazzo_server.master.instance import InstanceListener, Loss
from mazzo_server.outcome import Termination
from server.hall import lowest

__all__ = ["PromptSpec"]


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """A bot that takes the lowest legal action, after `delay()` seconds or at once."""

    delay: Callable[[], float] | None = None
    name: str = "prompt"

    @property
    def remote(self) -> bool:
        """It is forgotten with its instance."""
        return False

    def instance(self, listener: InstanceListener) -> _PromptInstance:
        """One that lives in the event loop of whoever plays."""
        return _PromptInstance(listener, self.delay)


class _PromptInstance:
    log = ""

    def __init__(self, listener: InstanceListener, delay: Callable[[], float] | None) -> None:
        self.over = False
        self._listener = listener
        self._delay = delay

    def end(self) -> None:
        self.over = True
        self._listener.news.set()

    def fail(self, termination: Termination, reason: str) -> None:
        raise AssertionError(reason)

    async def run(self) -> Loss | None:
        self._listener.joined(64)
        while not self.over:
            frame = self._listener.next_frame()
            if frame is None:
                self._listener.news.clear()
                await self._listener.news.wait()
                continue
            for decision in play_pb2.PlayResponse.FromString(frame).frame.decisions:
                answer = play_pb2.Answer(actions=[lowest(decision)])
                if self._delay is None:
                    self._listener.received(answer)
                else:
                    loop = asyncio.get_running_loop()
                    loop.call_later(self._delay(), self._answer, answer)
        return None

    def _answer(self, answer: play_pb2.Answer) -> None:
        if not self.over:
            self._listener.received(answer)
