"""Laws of what is done with an open tournament, at any moment of any clock."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.model import TournamentRequest
from mazzo_server.serving.entries.steps import EntriesState, RoundStep, choose_step, find_state
from mazzo_server.storage import Every, OpenTournamentRow, Timetable

TIMES = st.integers(0, 10**7).map(float)
NUMBERS = st.integers(0, 9)
TIMETABLES = st.builds(
    Timetable,
    entries_from=st.none() | TIMES,
    entries_until=st.none() | TIMES,
    start_at=st.none() | TIMES,
    start_with=st.none() | st.integers(2, 9),
    every=st.none() | st.sampled_from(Every),
)


@given(TIMETABLES, TIMES, NUMBERS, st.integers(2, 6))
def test_a_round_starts_when_it_is_due_or_has_its_number_and_has_enough_bots(
    timetable: Timetable, now: float, ready: int, least: int
) -> None:
    """And is skipped only when it could not start for hours, and another one comes."""
    step = choose_step(timetable, now=now, ready=ready, least=least)
    is_due, enough = timetable.is_due(now), timetable.start_with
    wanted = is_due or (enough is not None and ready >= enough)
    assert (step is RoundStep.START) == (wanted and ready >= least)
    if step is RoundStep.SKIP:
        assert timetable.find_next(now) is not None
        assert timetable.start_time is not None
        assert now >= timetable.start_time + 3 * 3600
        assert ready < least


@given(TIMETABLES, TIMES, NUMBERS, NUMBERS, st.integers(2, 6))
def test_more_bots_never_keep_a_round_from_starting(
    timetable: Timetable, now: float, ready: int, more: int, least: int
) -> None:
    """So that how many have entered tells whether it can start at all."""
    if choose_step(timetable, now=now, ready=ready, least=least) is RoundStep.START:
        assert choose_step(timetable, now=now, ready=ready + more, least=least) is RoundStep.START


@given(TIMETABLES, TIMES, st.booleans())
def test_the_state_says_whether_authors_may_enter(
    timetable: Timetable, now: float, is_over: bool
) -> None:
    row = OpenTournamentRow(
        id=1,
        request=TournamentRequest(variant="briscola/2"),
        timetable=timetable,
        create_time=0.0,
        is_over=is_over,
    )
    state = find_state(row, now=now)
    assert (state is EntriesState.OVER) == is_over
    if state is EntriesState.OPEN:
        assert timetable.has_opened(now)
        assert not timetable.has_closed(now)
    if state is EntriesState.WAITING:
        assert timetable.is_due(now)
