"""The metrics of a worker: they are noted, and counted by its platform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mazzo_server.metrics import InstanceMetrics, MatchMetrics, Metrics
from mazzo_server.model import MatchOutcome

__all__ = ["RelayedMetrics", "count_calls"]

_Calls = list[tuple[str, tuple[Any, ...]]]


class RelayedMetrics(Metrics):
    """Notes what is counted, until `take_calls`."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: _Calls = []
        self.matches = _Matches(self._calls)
        self.instances = self._instances = _Instances(self._calls)

    def observe_loop_delay(self, seconds: float) -> None:
        self._calls.append(("observe_loop_delay", (seconds,)))

    def take_calls(self) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """Return what was counted since the last time."""
        self._instances.note_frames()
        taken = tuple(self._calls)
        self._calls.clear()
        return taken


class _Matches(MatchMetrics):
    """Of matches the platform hears by their events; but not of those that are given up."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def count_started(self) -> None: ...

    def count_finished(self, outcome: MatchOutcome) -> None: ...

    def count_abandoned(self) -> None:
        self._calls.append(("matches.count_abandoned", ()))


class _Instances(InstanceMetrics):
    def __init__(self, calls: _Calls) -> None:
        self._calls = calls
        self._sent = self._decided = 0

    def count_started(self) -> None:
        self._calls.append(("instances.count_started", ()))

    def count_joined(self, start_up_seconds: float) -> None:
        self._calls.append(("instances.count_joined", (start_up_seconds,)))

    def count_ended(self, loss_termination: str, owner: str) -> None:
        self._calls.append(("instances.count_ended", (loss_termination, owner)))

    def observe_round_trip(self, seconds: float) -> None:
        self._calls.append(("instances.observe_round_trip", (seconds,)))

    def count_frame(self, decisions: int) -> None:
        self._sent += 1
        self._decided += decisions

    def note_frames(self) -> None:
        """Note the frames since the last time, which are too many to be noted each."""
        if self._sent:
            self._calls.append(("instances.count_frames", (self._sent, self._decided)))
            self._sent = self._decided = 0


def count_calls(metrics: Metrics, calls: tuple[tuple[str, tuple[Any, ...]], ...]) -> None:
    """Count what a worker noted."""
    known: dict[str, Callable[..., None]] = {
        "observe_loop_delay": metrics.observe_loop_delay,
        "matches.count_abandoned": metrics.matches.count_abandoned,
        "instances.count_started": metrics.instances.count_started,
        "instances.count_joined": metrics.instances.count_joined,
        "instances.count_ended": metrics.instances.count_ended,
        "instances.observe_round_trip": metrics.instances.observe_round_trip,
        "instances.count_frames": metrics.instances.count_frames,
    }
    for name, arguments in calls:
        known[name](*arguments)
