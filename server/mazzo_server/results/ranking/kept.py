"""Keeps what was found out about tournaments in memory, as long as there is room for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["KeptResults"]

_Key = TypeVar("_Key", bound=Hashable)
_Result = TypeVar("_Result", bound=Sized)


class KeptResults(Generic[_Key, _Result]):
    """The results that were asked for last. Threads may share it."""

    def __init__(self, *, most: int, measure: Callable[[_Result], int] = len) -> None:
        """Keep results of at most so many items in all, or one that is longer."""
        self._most = most
        self._measure = measure
        self._lock = Lock()  # of what follows
        self._results: OrderedDict[_Key, _Result] = OrderedDict()
        self._size = 0

    def get(self, key: _Key, make: Callable[[], _Result]) -> _Result:
        """Return the result with this key; make it if it is not kept."""
        with self._lock:
            if (kept := self._results.get(key)) is not None:
                self._results.move_to_end(key)
                return kept
        made = make()
        with self._lock:
            if key not in self._results:
                self._results[key] = made
                self._size += self._measure(made)
            while self._size > self._most and len(self._results) > 1:
                self._size -= self._measure(self._results.popitem(last=False)[1])
        return made
