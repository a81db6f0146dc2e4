"""Bots in this process, which need no time to start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from mazzo.v1 import play_pb2
from mazzo_server.model.outcome import InstanceLog, Termination
from mazzo_server.play.instances.instance import InstanceLink, Loss
from support.remote_bots import nth

__all__ = ["PromptSpec", "Wordless"]


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """A bot that takes the legal action of that number, after `delay()` seconds or at once.

    It says the `note` of each decision, and hands on every frame that it is sent.
    """

    choice: int = 0  # counted around, from the lowest one
    delay: Callable[[], float] = lambda: 0.0
    name: str = "prompt"
    note: str = ""
    hears: Callable[[bytes], None] = lambda frame: None

    @property
    def remote(self) -> bool:
        """It is forgotten with its instance."""
        return False

    def make_instance(self, link: InstanceLink) -> _PromptInstance:
        """One that lives in the event loop of whoever plays."""
        return _PromptInstance(link, self)


class Wordless:
    """The part of an instance that writes nothing."""

    @property
    def output(self) -> _NoOutput:
        return _NoOutput()


class _NoOutput:
    size = 0

    def read(self, since: int = 0) -> InstanceLog:
        return InstanceLog(text="", begin_time=0.0, end_time=0.0)


class _PromptInstance(Wordless):
    def __init__(self, link: InstanceLink, spec: PromptSpec) -> None:
        self.is_over = False
        self._link = link
        self._spec = spec

    def end(self) -> None:
        self.is_over = True
        self._link.frames.news.set()

    def fail(self, termination: Termination, reason: str) -> None:
        raise AssertionError(reason)

    async def run(self) -> Loss | None:
        self._link.listener.on_join(64)
        while not self.is_over:
            frame = self._link.frames.take_frame()
            if frame is None:
                self._link.frames.news.clear()
                await self._link.frames.news.wait()
                continue
            self._spec.hears(frame)
            for decision in play_pb2.PlayResponse.FromString(frame).frame.decisions:
                action = nth(decision, self._spec.choice)
                action.note = self._spec.note
                if delay := self._spec.delay():
                    asyncio.get_running_loop().call_later(delay, self._answer, action)
                else:
                    self._answer(action)
        return None

    def _answer(self, action: play_pb2.ChosenAction) -> None:
        if not self.is_over:
            self._link.listener.on_answer(play_pb2.Answer(actions=[action]))
