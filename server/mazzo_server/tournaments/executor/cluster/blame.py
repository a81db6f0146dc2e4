"""Remembers which nodes failed, and lets them wait longer each time."""

from __future__ import annotations

from typing import Final

from mazzo_server.clock import monotonic

__all__ = ["NodeBlame"]

_FIRST_PAUSE: Final = 5.0  # seconds
_LONGEST_PAUSE: Final = 300.0  # seconds


class NodeBlame:
    """The nodes of a cluster that failed: each waits for twice as long as the time before."""

    def __init__(self) -> None:
        """Blame none."""
        self._reasons: dict[str, str] = {}  # by id of the node, the latest last
        self._pauses: dict[str, float] = {}  # seconds, by id of the node
        self._ends: dict[str, float] = {}  # of the pauses

    @property
    def complaint(self) -> str:
        """The latest reason for which a node waits or has waited; empty: none."""
        return next(reversed(self._reasons.values()), "")

    def blame(self, node: str, reason: str) -> bool:
        """Let a node wait; return whether this reason is a new one for it.

        Failures during a pause belong to the one with which it began.
        """
        is_new = self._reasons.pop(node, None) != reason
        self._reasons[node] = reason
        if self.may_play(node):
            pause = self._pauses.get(node, _FIRST_PAUSE / 2) * 2
            self._pauses[node] = min(pause, _LONGEST_PAUSE)
            self._ends[node] = monotonic() + self._pauses[node]
        return is_new

    def forgive(self, node: str) -> None:
        """Forget what a node did: a worker has played there for a while."""
        for known in (self._reasons, self._pauses, self._ends):
            known.pop(node, None)

    def may_play(self, node: str) -> bool:
        """Return whether a node need not wait now."""
        return monotonic() >= self._ends.get(node, 0.0)
