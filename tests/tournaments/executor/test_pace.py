"""When a batch of groups is large enough: whole groups come soon, and starts cost little.

The runs are simulated: matches share the processors, and the instances of a phase are started
before its first match.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import pytest

from mazzo_server.tournaments.executor.pace import Pace

PROCESSORS = 2
START_SECONDS = 0.25
START_UP = 0.5  # seconds that starts take however many processors there are
IN_FLIGHT = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A tournament: what a match needs of one processor, and how many bots take part."""

    groups: int
    seatings: int
    bots: int
    match_seconds: float
    in_flight: int = IN_FLIGHT
    processors: int = PROCESSORS
    waits: bool = False  # for something else than a processor

    @property
    def seconds(self) -> float:
        """How long it takes without starts, if all processors are always busy."""
        at_once = min(self.processors, self.in_flight)
        return self.groups * self.seatings * self.match_seconds / at_once

    @property
    def start_seconds(self) -> float:
        """How long the starts of one seating take."""
        return max(self.bots * START_SECONDS / self.processors, START_UP)


class Simulation:
    """Plays a case, with a pace or all groups at once."""

    def __init__(self, case: Case, pace: Pace | None) -> None:
        self.now = 0.0
        self.first_whole: float | None = None  # when the first group was over in all seatings
        self.batches: list[int] = []
        self._case = case
        self._pace = pace
        left = case.groups
        while left:
            if pace is not None:
                pace.begin_batch(left=left)
            begun = self._play(left, pace)
            for seating in range(1, case.seatings):
                self._play(begun, None, is_last=seating == case.seatings - 1)
            if pace is not None:
                pace.end_batch()
            self.batches.append(begun)
            left -= begun

    def _play(self, groups: int, pace: Pace | None, *, is_last: bool = False) -> int:
        """Play a seating of so many groups, or of as many as the pace wants; return how many."""
        case = self._case
        work, begun = 0.0, 0
        live: list[float] = []
        starts = case.start_seconds
        while True:
            limit = case.in_flight if pace is None else pace.limit_flight(case.in_flight, self.now)
            while begun < groups and len(live) < limit:
                begun += 1
                # Some matches take longer than others.
                heapq.heappush(live, work + case.match_seconds * (0.75 + begun * 7919 % 101 / 200))
                if pace is not None:
                    pace.note_begun(self.now)
            if not live:
                return begun
            self.now += starts
            starts = 0.0
            end = heapq.heappop(live)
            speed = 1.0 if case.waits else min(1.0, case.processors / (len(live) + 1))
            self.now += (end - work) / speed
            work = end
            if is_last and self.first_whole is None:
                self.first_whole = self.now
            if pace is not None:
                pace.note_finished()
                if pace.is_enough(self.now):
                    pace, groups = None, begun


def simulate(case: Case, *, is_first: bool = True) -> tuple[Simulation, Simulation]:
    """Play it with a pace, and all groups at once."""
    pace = Pace(
        seatings=case.seatings,
        instances=case.bots,
        groups=case.groups,
        processors=case.processors,
        is_first=is_first,
    )
    return Simulation(case, pace), Simulation(case, None)


CASES = {
    "2 seats, fast": Case(groups=2000, seatings=2, bots=2, match_seconds=0.005),
    "2 seats, a minute": Case(groups=2000, seatings=2, bots=2, match_seconds=0.03),
    "2 seats, slow": Case(groups=1000, seatings=2, bots=16, match_seconds=0.8),
    "2 seats, few in flight": Case(groups=150, seatings=2, bots=4, match_seconds=8.0, in_flight=8),
    "4 seats, fast": Case(groups=2000, seatings=2, bots=8, match_seconds=0.01),
    "4 seats, slow": Case(groups=400, seatings=2, bots=16, match_seconds=2.0),
    "12 seats, fast": Case(groups=250, seatings=12, bots=12, match_seconds=0.4),
    "12 seats, fast, many in flight": Case(
        groups=5000, seatings=12, bots=12, match_seconds=0.04, in_flight=768
    ),
    "12 seats, slow": Case(groups=100, seatings=12, bots=12, match_seconds=8.0),
    "16 processors, fast": Case(groups=2000, seatings=2, bots=2, match_seconds=0.01, processors=16),
    "16 processors, slow": Case(groups=1000, seatings=2, bots=16, match_seconds=8.0, processors=16),
    "16 processors, 4 seats, slow": Case(
        groups=1000, seatings=2, bots=64, match_seconds=20.0, processors=16
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_whole_groups_come_soon(case: Case) -> None:
    """Bar: within the first tenth of the run, or 20 seconds, if the starts leave so much time."""
    paced, _ = simulate(case)
    assert paced.first_whole is not None
    assert paced.first_whole <= max(20.0, 0.1 * paced.now)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_that_costs_at_most_a_twentieth_of_the_speed(case: Case) -> None:
    paced, whole = simulate(case)
    assert whole.now >= 0.95 * paced.now, (paced.batches, paced.now, whole.now)
    assert sum(paced.batches) == case.groups


@pytest.mark.parametrize("groups", [100, 400, 2000])
@pytest.mark.parametrize("seatings", [2, 6])
def test_bots_that_wait_for_something_else_lose_little(groups: int, seatings: int) -> None:
    """All that may be in flight are, in all but the first batch: each ends with a few."""
    case = Case(groups=groups, seatings=seatings, bots=2, match_seconds=60.0, waits=True)
    paced, whole = simulate(case, is_first=False)
    assert whole.now >= 0.95 * paced.now, (paced.batches, paced.now, whole.now)


def test_a_short_run_is_played_in_one_batch() -> None:
    """A demo of two seconds, and one of which the starts take half."""
    for case in (
        Case(groups=150, seatings=2, bots=2, match_seconds=0.01),
        Case(groups=40, seatings=12, bots=12, match_seconds=0.1),
    ):
        assert simulate(case)[0].batches == [case.groups]


def test_in_a_short_run_all_are_in_flight_soon() -> None:
    """As soon as the first matches are over, so that few decisions travel alone."""
    pace = Pace(seatings=2, instances=6, groups=150, processors=2, is_first=True)
    pace.begin_batch(left=150)
    assert pace.limit_flight(128, 0.0) == 4
    for _ in range(4):
        pace.note_begun(0.0)
    for _ in range(4):
        pace.note_finished()
    assert pace.limit_flight(128, 1.0) == 128


@pytest.mark.parametrize(("match_seconds", "most"), [(0.01, 768), (0.1, 300), (0.5, 128)])
def test_more_than_128_are_in_flight_only_where_they_are_over_soon(
    match_seconds: float, most: int
) -> None:
    """What is open when a run ends or is lost was played in vain: at most half a minute of play."""
    pace = Pace(seatings=2, instances=12, groups=9000, processors=2, is_first=False)
    pace.begin_batch(left=9000)
    assert pace.limit_flight(768, 0.0) == 128
    for _ in range(1000):
        pace.note_begun(0.0)
    for _ in range(1000):
        pace.note_finished()
    now = 1000 * match_seconds + 1.5  # of which the starts take 1.5
    assert pace.limit_flight(32, now) == 32  # as somebody wanted
    assert pace.limit_flight(768, now) == most
    pace.close_batch()
    assert pace.limit_flight(768, now) == most  # in the other seatings


def test_without_mirrored_deals_all_is_one_batch() -> None:
    """As every match makes a group whole: more starts would buy nothing."""
    case = Case(groups=2000, seatings=1, bots=2, match_seconds=0.1)
    assert simulate(case)[0].batches == [2000]
    pace = Pace(seatings=1, instances=2, groups=2000, processors=2, is_first=True)
    assert pace.limit_flight(128, 0.0) == 128


def test_later_batches_are_long_enough_for_their_starts() -> None:
    case = Case(groups=20_000, seatings=2, bots=16, match_seconds=0.1, in_flight=32)
    batches = simulate(case, is_first=False)[0].batches
    assert len(batches) > 1
    seconds = [one * case.seconds / case.groups for one in batches]
    assert min(seconds) >= 25 * case.seatings * case.start_seconds * 0.9


def test_a_part_of_a_round_is_played_whole() -> None:
    """As a worker does: its chunks are cut so that their starts cost little."""
    pace = Pace(seatings=2, instances=2, groups=2000, processors=2, is_first=True, is_whole=True)
    pace.begin_batch(left=2000)
    for second in range(1000):
        pace.note_begun(second)
        pace.note_finished()
        assert not pace.is_enough(second)
    assert pace.limit_flight(128, 0.0) == 128


def test_few_matches_are_in_flight_until_a_speed_is_known_or_processors_are_idle() -> None:
    """Bots that wait for something else than a processor are asked all at once soon."""
    pace = Pace(seatings=2, instances=2, groups=1000, processors=2, is_first=True)
    pace.begin_batch(left=1000)
    assert pace.limit_flight(128, 0.0) == 4
    flights = []
    for _ in range(6):
        pace.raise_flight()
        flights.append(pace.limit_flight(128, 0.0))
    assert flights == [8, 16, 32, 64, 128, 128]
    pace.end_batch()
    assert pace.limit_flight(128, 0.0) == 128
    later = Pace(seatings=2, instances=2, groups=1000, processors=2, is_first=False)
    assert later.limit_flight(128, 0.0) == 128
