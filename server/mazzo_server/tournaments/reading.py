"""Runs long reads in threads of their own, and shares what they found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from mazzo_server.clock import monotonic

__all__ = ["Reader", "SharedAnswers"]

_Value = TypeVar("_Value")

_KEPT: Final = 10.0  # seconds for which an answer is kept


class Reader(Protocol):
    """Runs a function that reads for a long time, in a thread."""

    async def __call__(self, read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
        """Return the function's result."""


@dataclass(frozen=True, slots=True)
class _Answer(Generic[_Value]):
    begin: float  # when it was asked for, on the monotonic clock
    reading: asyncio.Task[_Value]


class SharedAnswers(Generic[_Value]):
    """Answers that watchers share, so that many cost no more than one."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, _Answer[_Value]] = {}

    async def find(
        self,
        key: Hashable,
        read: Callable[[], Coroutine[Any, Any, _Value]],
        *,
        max_age: float,
    ) -> _Value:
        """Return what `read` returns, or what it has returned for the same key.

        An answer that was asked for at most `max_age` seconds ago will do, 10 at most, and so will
        one that is still being read. What `read` raises is not kept.
        """
        if not max_age > 0.0:
            return await read()
        now = monotonic()
        self._answers = {
            known: answer
            for known, answer in self._answers.items()
            if now - answer.begin <= _KEPT or not answer.reading.done()
        }
        answer = self._answers.get(key)
        if answer is None or (answer.reading.done() and now - answer.begin > max_age):
            answer = _Answer(now, asyncio.create_task(read()))
            self._answers[key] = answer
        try:
            return await asyncio.shield(answer.reading)  # others may wait for it
        except Exception:
            if self._answers.get(key) is answer:
                del self._answers[key]
            raise
