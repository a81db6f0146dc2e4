"""Says whether nodes are alike: whether no two of them differ by more than a tenth in speed.

Every tournament has clocks, and on a slower machine the same clock leaves a bot less thought.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mazzo_server.errors import ConflictError

__all__ = ["check_alike", "explain_difference", "find_slow"]

_LEAST_SHARE: Final = 0.9  # of the speed of the fastest
_MOST_NAMED: Final = 10


def find_slow(speeds: Mapping[str, float], *, fastest: float = 0.0) -> list[str]:
    """Return the nodes that are too slow beside the fastest one, or beside that speed.

    The slowest comes first.
    """
    least = _LEAST_SHARE * max([fastest, *speeds.values()])
    return sorted((name for name in speeds if speeds[name] < least), key=speeds.__getitem__)


def explain_difference(speeds: Mapping[str, float]) -> str:
    """Return how nodes differ that are not alike; empty if they are."""
    slow = find_slow(speeds)
    if not slow:
        return ""
    fastest = max(speeds, key=speeds.__getitem__)
    named = ", ".join(
        f"{name} with {speeds[name]:,.0f} ({100 * (1 - speeds[name] / speeds[fastest]):.1f} % less)"
        for name in slow[:_MOST_NAMED]
    )
    more = f" and {len(slow) - _MOST_NAMED} more" if len(slow) > _MOST_NAMED else ""
    return f"{fastest} with {speeds[fastest]:,.0f} decisions/s beside {named}{more}"


def check_alike(speeds: Mapping[str, float]) -> None:
    """Raise `ConflictError` unless there are nodes and all are alike."""
    if not speeds:
        raise ConflictError(
            "expected nodes of the Ray cluster that may play, for --nodes-alike, got none: "
            "`mazzo cluster status` says why"
        )
    if difference := explain_difference(speeds):
        raise ConflictError(
            "expected nodes of the Ray cluster whose speeds differ by at most "
            f"{100 * (1 - _LEAST_SHARE):.0f} %, got {difference}: take the slow nodes out of the "
            "cluster, or the fast ones, or leave out --nodes-alike"
        )
