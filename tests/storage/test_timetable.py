"""Laws of the times of open tournaments, whatever a clock does."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.storage import Every, Timetable

TIMES = st.floats(0, 4e9).map(round).map(float)
PERIODS = st.sampled_from(Every)


@st.composite
def timetables(draw: st.DrawFn) -> Timetable:
    """Of tournaments that are played again and again."""
    start = draw(TIMES)
    close = draw(st.none() | st.integers(0, 10**7).map(lambda ahead: start - ahead))
    is_one = close is not None and draw(st.booleans())  # it starts when the entries close
    return Timetable(
        entries_from=draw(st.none() | st.just(start - 2e7)),
        entries_until=close,
        start_at=None if is_one else start,
        start_with=draw(st.none() | st.integers(2, 9)),
        every=draw(PERIODS),
    )


@given(timetables(), TIMES)
def test_the_next_round_is_whole_periods_later_and_the_first_that_is_not_due(
    timetable: Timetable, now: float
) -> None:
    following = timetable.find_next(now)
    assert following is not None
    assert timetable.every is not None
    period = timetable.every.seconds
    assert timetable.start_time is not None
    assert following.start_time is not None
    steps = (following.start_time - timetable.start_time) / period
    assert steps >= 1
    assert steps == round(steps)
    assert not following.is_due(now)
    assert steps == 1 or following.start_time - period <= now
    for name in ("entries_from", "entries_until", "start_at"):
        before, after = getattr(timetable, name), getattr(following, name)
        assert after == (None if before is None else before + steps * period)
    assert (following.start_with, following.every) == (timetable.start_with, timetable.every)


@given(timetables(), st.lists(TIMES, min_size=1, max_size=12))
def test_no_time_comes_twice_and_a_clock_that_is_right_again_costs_one_period(
    timetable: Timetable, clock: list[float]
) -> None:
    """At each look of a clock that jumps, the round that is due is ended."""
    last: float | None = None
    started: list[float] = []
    for now in clock:
        timetable = timetable.correct(now, last_start=last)
        assert timetable == timetable.correct(now, last_start=last)
        start = timetable.start_time
        assert start is not None
        if last is not None:
            assert timetable.every is not None
            assert last < start <= max(now, last) + timetable.every.seconds
        if timetable.is_due(now):
            started.append(start)
            last = start
            following = timetable.find_next(now)
            assert following is not None
            timetable = following
    assert started == sorted(set(started))


@given(timetables(), TIMES)
def test_a_first_round_is_never_moved(timetable: Timetable, now: float) -> None:
    """However far it is away, for its organiser has said so."""
    assert timetable.correct(now, last_start=None) == timetable


@given(timetables(), TIMES)
def test_what_is_played_once_has_no_next_round(timetable: Timetable, now: float) -> None:
    once = replace(timetable, every=None)
    assert once.find_next(now) is None
    assert once.correct(now, last_start=0.0) == once


def test_when_entries_are_taken() -> None:
    """From and until are the first moment in which they are, and in which they are not."""
    both = Timetable(entries_from=10.0, entries_until=20.0, start_at=30.0)
    assert [both.has_opened(now) for now in (9.0, 10.0)] == [False, True]
    assert [both.has_closed(now) for now in (19.0, 20.0)] == [False, True]
    assert [both.is_due(now) for now in (29.0, 30.0)] == [False, True]
    close = Timetable(entries_until=20.0)
    assert [close.is_due(now) for now in (19.0, 20.0)] == [False, True]
    start = Timetable(start_at=20.0)
    assert [start.has_closed(now) for now in (19.0, 20.0)] == [False, True]
    number = Timetable(start_with=4)
    assert number.has_opened(0.0)
    assert not number.has_closed(1e12)
    assert not number.is_due(1e12)
