"""Lets many who ask the same share an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from mazzo_server.clock import monotonic

__all__ = ["SharedAnswers"]

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class _Answer(Generic[_Value]):
    begin: float  # when it was asked for, on the monotonic clock
    reading: asyncio.Task[_Value]


class SharedAnswers(Generic[_Value]):
    """Answers that watchers share, so that many cost no more than one."""

    def __init__(self, *, kept_seconds: float = 10.0, now: Callable[[], float] = monotonic) -> None:
        self._kept_seconds = kept_seconds
        self._now = now
        self._answers: dict[Hashable, _Answer[_Value]] = {}

    async def find(
        self,
        key: Hashable,
        read: Callable[[], Coroutine[Any, Any, _Value]],
        *,
        max_age: float,
    ) -> _Value:
        """Return what `read` returns, or what it has returned for the same key.

        An answer that was asked for at most `max_age` seconds ago will do while it is kept, and so
        will one that is still being read. What `read` raises is not kept.
        """
        if not max_age > 0.0:
            return await read()
        now = self._now()
        self._answers = {
            known: answer
            for known, answer in self._answers.items()
            if now - answer.begin <= self._kept_seconds or not answer.reading.done()
        }
        answer = self._answers.get(key)
        if answer is None or (answer.reading.done() and now - answer.begin > max_age):
            answer = _Answer(now, asyncio.create_task(read()))
            self._answers[key] = answer
            answer.reading.add_done_callback(partial(self._forget_failed, key, answer))
        return await asyncio.shield(answer.reading)  # others may wait for it

    def _forget_failed(
        self, key: Hashable, answer: _Answer[_Value], reading: asyncio.Task[_Value]
    ) -> None:
        has_failed = reading.cancelled() or reading.exception() is not None
        if has_failed and self._answers.get(key) is answer:
            del self._answers[key]
