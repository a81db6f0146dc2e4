"""Finds the faults of the platform in what the server tells its operator.

Every part of the platform tells its faults there already, with an action that keeps its meaning and
without secrets, cards or words of bots. A tournament that fails announces itself, with its status.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mazzo_server.clock import monotonic
from mazzo_server.logs import LogAction
from mazzo_server.storage import PlatformFault

__all__ = ["FaultFinder"]

_FAULTS: Final = (
    LogAction.CLUSTER_LOST,
    LogAction.GATEWAY_LOST,
    LogAction.NODE_REFUSED,
    LogAction.PAGES_LOST,
    LogAction.TRIAL_BROKEN_OFF,
    LogAction.WORKER_LOST,
)
_INTERVAL: Final = 300.0  # seconds


@dataclass(slots=True)
class _Found:
    times: int = 0  # since it was last told
    text: str = ""  # of the last time
    due: float = 0.0  # when it may be told again


class FaultFinder(logging.Handler):
    """Collects faults from log records: one of each action in an `interval`.

    A worker that dies again and again does not push everything else out of the queues.
    """

    def __init__(
        self, *, interval: float = _INTERVAL, clock: Callable[[], float] = monotonic
    ) -> None:
        super().__init__(logging.WARNING)
        self._interval = interval
        self._clock = clock
        self._found = {action: _Found() for action in _FAULTS}

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record that is about a fault."""
        found = self._found.get(getattr(record, "action", LogAction.LIBRARY))
        if found is None:
            return
        try:
            text = record.getMessage()
        except Exception:  # as every handler does: a bad record must not stop who logs it
            self.handleError(record)
        else:
            found.times, found.text = found.times + 1, text

    def take(self) -> list[PlatformFault]:
        """Return what is to be told now, once."""
        self.acquire()
        try:
            now = self._clock()
            due = [
                (action, found)
                for action, found in self._found.items()
                if found.times and now >= found.due
            ]
            told = [
                PlatformFault(action=action.value, text=found.text, times=found.times)
                for action, found in due
            ]
            for _, found in due:
                found.times, found.due = 0, now + self._interval
            return told
        finally:
            self.release()

    def give_back(self, fault: PlatformFault) -> None:
        """Take back what was taken and could not be stored."""
        self.acquire()
        try:
            found = self._found[LogAction(fault.action)]
            found.times, found.due = found.times + fault.times, 0.0
            found.text = found.text if found.times > fault.times else fault.text
        finally:
            self.release()
