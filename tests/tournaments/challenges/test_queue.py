"""Whose challenge is next: every author in turn, however many one of them asks for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mazzo_server.errors import LimitReachedError
from mazzo_server.model import ChallengeTerms, TournamentKind
from mazzo_server.storage import TournamentRow, TournamentStatus
from mazzo_server.tournaments.challenges.playing import compute_rest
from mazzo_server.tournaments.challenges.queue import choose_turn, read_terms, sort_queue
from mazzo_server.tournaments.challenges.quota import check_quota, count_of_day, find_day
from support.stored_rows import DEFINITION

AUTHORS = "abcd"
DAY = 86_400.0


def make_row(
    number: int,
    author: str,
    turn: int,
    *,
    status: TournamentStatus = TournamentStatus.CREATED,
    create_time: float = 0.0,
) -> TournamentRow:
    definition = replace(
        DEFINITION,
        kind=TournamentKind.CHALLENGE,
        challenge=ChallengeTerms(author=author, turn=turn),
    )
    return TournamentRow(
        id=number,
        definition=definition,
        concurrency=1,
        status=status,
        create_time=create_time,
        end_time=None,
    )


class Club:
    """Authors that ask, and a server that plays one challenge after the other."""

    def __init__(self) -> None:
        self.rows: list[TournamentRow] = []  # of the queue
        self.finished: list[TournamentRow] = []
        self.served: list[str] = []  # whose challenges have begun
        self.turns: dict[str, int] = {}  # the last that each of them had
        self.number = 0

    def ask(self, author: str) -> TournamentRow:
        self.number += 1
        row = make_row(self.number, author, choose_turn(self.rows + self.finished, author))
        self.rows.append(row)
        return row

    def serve(self) -> TournamentRow | None:
        """End what is played, and begin the next one."""
        for row in self.rows:
            if row.status is TournamentStatus.RUNNING:
                self.finished.append(replace(row, status=TournamentStatus.FINISHED))
        self.rows = [row for row in self.rows if row.status is TournamentStatus.CREATED]
        if not self.rows:
            return None
        row = sort_queue(self.rows)[0]
        self.rows[self.rows.index(row)] = replace(row, status=TournamentStatus.RUNNING)
        terms = read_terms(row)
        self.served.append(terms.author)
        self.turns[terms.author] = terms.turn
        return row

    def had_turn(self, author: str) -> bool:
        """Tell whether the author had the turn already that the queue has come to."""
        now = min((read_terms(row).turn for row in self.rows), default=None)
        return now is not None and self.turns.get(author) == now


STEPS = st.lists(st.sampled_from([*AUTHORS, "serve", "serve"]), max_size=60)


@given(STEPS)
@example(["c", "c", "a", "b", "b", "b", "serve", "serve", "c"])
def test_nobody_waits_for_more_than_a_fair_share(steps: list[str]) -> None:
    """The k-th waiting challenge of an author waits for at most k of each other author.

    One that the author had in the turn that others still wait for counts as if it waited, too.
    """
    club = Club()
    ahead: dict[int, int] = {}  # of the same author, at its creation
    since: dict[int, int] = {}  # how many had begun by then
    for step in [*steps, *["serve"] * 61]:
        if step != "serve":
            waiting = [
                row
                for row in club.rows
                if read_terms(row).author == step and row.status is TournamentStatus.CREATED
            ]
            had_turn = club.had_turn(step)
            row = club.ask(step)
            ahead[row.id] = len(waiting) + had_turn
            since[row.id] = len(club.served)
        elif (begun := club.serve()) is not None:
            between = Counter(club.served[since[begun.id] : -1])
            between.pop(read_terms(begun).author, None)
            assert all(count <= ahead[begun.id] + 1 for count in between.values()), between
    assert len(club.served) == club.number  # nobody waits for ever


def test_authors_who_ask_again_and_again_let_the_second_of_another_by() -> None:
    """Each asks as soon as its own is over, while the other's is played, so that one always is."""
    club = Club()
    for author in "bba":
        club.ask(author)
    club.serve()
    for number in range(20):
        club.serve()
        club.ask("ca"[number % 2])
    assert club.served[:5] == ["b", "a", "c", "b", "a"]


@given(STEPS)
def test_those_of_one_author_keep_their_order(steps: list[str]) -> None:
    club = Club()
    order: dict[str, list[int]] = {author: [] for author in AUTHORS}
    for step in [*steps, *["serve"] * 61]:
        if step != "serve":
            club.ask(step)
        elif (row := club.serve()) is not None:
            order[read_terms(row).author].append(row.id)
    assert all(numbers == sorted(numbers) for numbers in order.values())


def test_a_crowd_of_one_author_lets_the_first_of_another_by() -> None:
    club = Club()
    for _ in range(100):
        club.ask("a")
    club.ask("b")
    for _ in range(3):
        club.serve()
    assert club.served == ["a", "b", "a"]


def test_what_was_broken_off_goes_on_first_and_what_is_paused_waits() -> None:
    rows = [
        make_row(1, "a", 0, status=TournamentStatus.PAUSED),
        make_row(2, "a", 1),
        make_row(3, "b", 7, status=TournamentStatus.RUNNING),
        make_row(4, "b", 1, status=TournamentStatus.FINISHED),
    ]
    assert [row.id for row in sort_queue(rows)] == [3, 2]


@given(
    times=st.lists(st.floats(0.0, 4 * DAY, allow_nan=False), max_size=40),
    per_day=st.integers(0, 4),
)
def test_whatever_the_clock_does_no_day_has_more_than_its_number(
    times: list[float], per_day: int
) -> None:
    """It may jump to and fro; the quota holds for every day by the clock."""
    rows: list[TournamentRow] = []
    for number, now in enumerate(times, 1):
        if count_of_day(rows, "a", now=now) < per_day:
            check_quota(rows, "a", per_day=per_day, now=now)
            rows.append(make_row(number, "a", 0, create_time=now))
            continue
        with pytest.raises(LimitReachedError) as refused:
            check_quota(rows, "a", per_day=per_day, now=now)
        assert 0.0 < refused.value.retry_seconds <= DAY
    days = Counter(find_day(row.create_time) for row in rows)
    assert all(count <= per_day for count in days.values())
    if per_day:
        assert set(days) == {find_day(now) for now in times}  # and none is refused too early


def test_the_quota_begins_anew_at_midnight() -> None:
    before = [make_row(number, "a", 0, create_time=DAY - 1.0) for number in (1, 2)]
    with pytest.raises(LimitReachedError, match=r"at most 2 challenges .* tomorrow"):
        check_quota(before, "a", per_day=2, now=DAY - 0.001)
    check_quota(before, "a", per_day=2, now=DAY)
    check_quota(before, "b", per_day=2, now=DAY - 0.001)  # each author has an own one
    check_quota(before, "", per_day=2, now=DAY - 0.001)
    with pytest.raises(LimitReachedError, match="allows none"):
        check_quota([], "a", per_day=0, now=0.0)
    check_quota([], "", per_day=0, now=0.0)  # organisers have no quota


@given(st.floats(0.0, 1e6), st.floats(0.01, 1.0))
def test_play_and_rest_have_the_share_that_was_asked_for(seconds: float, share: float) -> None:
    rest = compute_rest(seconds, share)
    assert rest >= 0.0
    assert seconds == pytest.approx((seconds + rest) * share)
