"""Leaves a message for its mirror twin: it looks up names of files that are not there."""

from __future__ import annotations

import os
import statistics
import time

from attacks.bots.attempt import PLAN, play, say

_NAMES = 400
_MARK: str = PLAN["mark"]


def look(kind: str) -> float:
    """Look names up for as long as it takes at the median; in seconds."""
    seconds = []
    for number in range(_NAMES):
        begin = time.perf_counter()
        os.path.lexists(f"/usr/share/{_MARK}-{kind}-{number}")
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


if __name__ == "__main__":
    new = look(f"new-{time.time_ns()}")
    say("speed", f"{look('message') / new:.3f}")
    say("speed again", f"{look('message') / new:.3f}")
    play()
