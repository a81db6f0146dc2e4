"""`mazzo arena` with two trivial bots: whole deals of Briscola for two, all processes together."""

from __future__ import annotations

import time

from mazzo.games import parse_variant
from mazzo_server.home.arena import ArenaTally, Schedule
from mazzo_server.home.arena.crew import Crew
from mazzo_server.home.arena.messages import Work

__all__ = ["deals_per_second"]


def deals_per_second(*, deals: int, workers: int) -> float:
    """Deals a second, from when the bots are loaded to when the last group is counted."""
    variant = parse_variant("briscola/2")
    schedule = Schedule(variant, 2, deals=deals, seed=bytes(32))
    work = Work(
        variant=str(variant),
        bots=("random", "random"),
        match_format=str(schedule.match_format),
        control=None,
    )
    tally = ArenaTally(variant, 2, alone=schedule.alone)
    with Crew(work, workers) as crew:
        start = time.perf_counter()
        for group, outcomes in crew.play(schedule.groups()):
            tally.add(group, outcomes)
        return tally.deals / (time.perf_counter() - start)
