"""The queue: what a player owes is offered in order, once at a time, and never lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.live_match import SeatState
from support.owed_decisions import LIMIT, owing_seat


def queue_with(count: int, *, capacity: int = 8) -> tuple[DecisionQueue, list[SeatState]]:
    queue, seats = DecisionQueue(), [owing_seat(key) for key in range(count)]
    for one in seats:
        queue.add(one)
    queue.open(capacity)
    return queue, seats


def offer(queue: DecisionQueue, now: float) -> list[SeatState]:
    offered = queue.offer()
    queue.mark_sent(offered, now)
    return offered


def test_decisions_are_offered_in_order_as_far_as_there_is_room() -> None:
    """Frames and flow control: up to the capacity in flight, and more as they are answered."""
    queue, seats = queue_with(5, capacity=3)
    assert offer(queue, 1.0) == seats[:3]
    assert (queue.room, queue.waiting, queue.in_flight) == (0, 2, 3)
    assert offer(queue, 1.0) == []
    assert queue.mark_answered(1, 1, 2.0) == (seats[1], 1.0)
    assert offer(queue, 3.0) == [seats[3]]


def test_nothing_is_offered_before_the_instance_has_joined() -> None:
    """Frames and flow control: there is nobody to ask."""
    queue = DecisionQueue()
    queue.add(owing_seat(0))
    assert queue.room == 0
    assert offer(queue, 1.0) == []


@pytest.mark.parametrize(("handle", "number"), [(7, 1), (0, 0), (0, 2)])
def test_an_answer_to_no_open_decision_is_ignored_and_counted(handle: int, number: int) -> None:
    """The wire: unknown matches, old numbers, future numbers."""
    queue, _ = queue_with(1)
    offer(queue, 1.0)
    assert queue.mark_answered(handle, number, 2.0) is None
    assert (queue.ignored, queue.in_flight) == (1, 1)


def test_an_answer_from_before_its_question_costs_nothing() -> None:
    """Time and faults: what the clock gives in doubt is never less than nothing."""
    queue, seats = queue_with(1)
    offer(queue, 2.0)
    assert queue.mark_answered(0, 1, 1.0) == (seats[0], 0.0)


def test_a_late_answer_leaves_its_decision_open() -> None:
    """Time and faults: what becomes of it is for the caller to say."""
    queue, seats = queue_with(1)
    offer(queue, 1.0)
    assert queue.mark_answered(0, 1, 2.0 + LIMIT) == (seats[0], LIMIT + 1.0)
    assert queue.in_flight == 1


def test_what_is_overdue_and_when_the_next_will_be() -> None:
    """Time and faults: by each decision's own clock."""
    queue, seats = queue_with(2)
    assert queue.time_until_due(0.0) is None
    offer(queue, 1.0)
    assert queue.time_until_due(2.0) == pytest.approx(LIMIT - 1.0)
    assert queue.find_overdue(1.0 + LIMIT) == []
    assert queue.find_overdue(1.1 + LIMIT) == seats


def test_the_only_decision_in_flight_is_to_blame_for_a_loss() -> None:
    """Time and faults: it is settled, and not offered again."""
    queue, seats = queue_with(1)
    offer(queue, 1.0)
    assert queue.assign_loss() is seats[0]
    queue.open(8)
    assert offer(queue, 2.0) == []


def test_after_an_unexplained_loss_decisions_come_one_at_a_time_with_new_clocks() -> None:
    """Time and faults: the one at which it fails again is the guilty one; the others go on."""
    queue, seats = queue_with(3)
    offer(queue, 1.0)
    assert queue.assign_loss() is None
    queue.open(8)
    assert offer(queue, 10.0) == [seats[0]]
    assert queue.mark_answered(0, 1, 11.0) == (seats[0], 1.0)
    assert offer(queue, 12.0) == [seats[1]]
    assert queue.assign_loss() is seats[1]
    queue.open(8)
    assert offer(queue, 13.0) == [seats[2]]
    assert queue.mark_answered(2, 1, 13.5) == (seats[2], 0.5)
    assert queue.room == 8


def test_after_three_unexplained_losses_it_is_one_at_a_time_for_good() -> None:
    """Time and faults: nothing explains them, so nothing may hide behind others any more."""
    queue, seats = queue_with(2)
    for _ in range(3):
        offer(queue, 1.0)
        assert queue.assign_loss() is None
        queue.open(8)
        for one in seats:
            assert offer(queue, 2.0) == [one]
            assert queue.mark_answered(one.handle, 1, 3.0) == (one, 1.0)
        for one in seats:
            queue.add(one)
    assert offer(queue, 4.0) == [seats[0]]


def test_losses_with_nothing_open_are_counted_until_an_answer() -> None:
    """Time and faults: such a bot is withdrawn at some time."""
    queue, _ = queue_with(0)
    for count in (1, 2):
        assert queue.assign_loss() is None
        assert queue.idle_losses == count
        queue.open(8)
    queue.add(owing_seat(0))
    offer(queue, 1.0)
    queue.mark_answered(0, 1, 2.0)
    assert queue.idle_losses == 0
    assert queue.idle_losses_in_all == 2


def test_who_comes_back_gets_the_same_decisions_with_the_clocks_running() -> None:
    """A lost connection: back to the same decision, before what had not been offered."""
    queue, seats = queue_with(3, capacity=2)
    offer(queue, 1.0)
    queue.suspend()
    assert queue.room <= 0
    queue.open(2)
    assert offer(queue, 3.0) == seats[:2]
    assert queue.mark_answered(0, 1, 4.0) == (seats[0], 3.0)


def test_a_suspect_that_comes_back_is_offered_once() -> None:
    """Faults: a lost connection while decisions come one at a time doubles none of them."""
    queue, seats = queue_with(2)
    offer(queue, 1.0)
    assert queue.assign_loss() is None
    queue.open(8)
    assert offer(queue, 2.0) == [seats[0]]
    queue.suspend()
    queue.open(8)
    for one in seats:
        assert offer(queue, 3.0) == [one]
        assert queue.mark_answered(one.handle, 1, 4.0) is not None
    assert offer(queue, 5.0) == []


def test_an_abandoned_match_is_not_offered_but_may_still_be_to_blame() -> None:
    """Faults: what is in flight stays there, since the instance may die of it."""
    queue, seats = queue_with(2, capacity=1)
    offer(queue, 1.0)
    for one in seats:
        one.live.is_over = True
        queue.forget(one)
    assert (queue.waiting, queue.in_flight) == (0, 1)
    assert queue.assign_loss() is seats[0]


def test_an_abandoned_desk_tells_what_nobody_will_answer() -> None:
    """Faults of the platform and of the network: everything in flight, with clocks stopped."""
    queue, seats = queue_with(3, capacity=2)
    offer(queue, 1.0)
    assert queue.abandon() == seats[:2]
    assert [one.offered_at for one in seats] == [None] * 3
    assert (queue.waiting, queue.in_flight) == (1, 0)


class Desks(RuleBasedStateMachine):
    """No decision is ever lost, or offered twice at once, whatever happens."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = DecisionQueue()
        self.now = 0.0
        self.owed: dict[int, SeatState] = {}  # asked, and neither answered nor to blame
        self.in_flight: set[int] = set()
        self.count = 0
        self.capacity = 0

    def drop(self, one: SeatState | None) -> None:
        if one is not None:
            del self.owed[one.handle]
            self.in_flight.discard(one.handle)

    @rule(count=st.integers(1, 4))
    def ask(self, count: int) -> None:
        for _ in range(count):
            self.owed[self.count] = owing_seat(self.count)
            self.queue.add(self.owed[self.count])
            self.count += 1

    @rule(seconds=st.floats(0, 3))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: not self.capacity)
    @rule(capacity=st.integers(1, 4))
    def join(self, capacity: int) -> None:
        self.capacity = capacity
        self.queue.open(capacity)
        self.in_flight.clear()

    @rule()
    def offer(self) -> None:
        room = self.queue.room
        offered = offer(self.queue, self.now)
        assert len(offered) <= max(0, room)
        handles = {one.handle for one in offered}
        assert len(handles) == len(offered)
        assert not handles & self.in_flight
        assert handles <= set(self.owed)
        self.in_flight |= handles
        assert not handles or len(self.in_flight) <= self.capacity

    @precondition(lambda self: self.capacity and self.in_flight)
    @rule(data=st.data())
    def answer(self, data: Any) -> None:
        handle = data.draw(st.sampled_from(sorted(self.in_flight)))
        answered = self.queue.mark_answered(handle, 1, self.now)
        assert answered is not None
        one, elapsed = answered
        assert one is self.owed[handle]
        if elapsed > LIMIT:
            self.queue.settle(one, guilty=True)
        self.drop(one)
        assert self.queue.mark_answered(handle, 1, self.now) is None

    @precondition(lambda self: self.capacity)
    @rule()
    def go_away(self) -> None:
        self.capacity = 0
        self.queue.suspend()

    @precondition(lambda self: self.capacity)
    @rule()
    def lose(self) -> None:
        alone = len(self.in_flight) == 1
        guilty = self.queue.assign_loss()
        assert (guilty is not None) == alone
        self.drop(guilty)
        self.in_flight.clear()
        self.capacity = 0

    @invariant()
    def nothing_is_lost(self) -> None:
        """What is owed waits or is in flight; a suspect in flight is counted as both."""
        both = self.queue.waiting + self.queue.in_flight - len(self.owed)
        assert both in (0, 1)
        assert not both or self.queue.in_flight
        assert self.queue.in_flight == len(self.in_flight) or not self.capacity

    def teardown(self) -> None:
        """Whoever answers everything is asked everything, once."""
        self.queue.open(4)
        self.in_flight.clear()
        for _ in range(len(self.owed) + 1):
            for one in offer(self.queue, self.now):
                assert self.owed.pop(one.handle) is one
                answered = self.queue.mark_answered(one.handle, 1, self.now)
                assert answered is not None
                if answered[1] > LIMIT:
                    self.queue.settle(one)
        assert not self.owed
        assert (self.queue.waiting, self.queue.in_flight) == (0, 0)


TestDesks = Desks.TestCase


def test_a_clock_that_runs_through_a_cut_says_when_it_is_due() -> None:
    """Time and faults: it comes back to the same decision, the clock running."""
    queue, _ = queue_with(2, capacity=1)
    assert queue.mark_sent(queue.offer(), 1.0) == LIMIT
    queue.suspend()
    queue.open(1)
    assert queue.mark_sent(queue.offer(), 4.0) == LIMIT - 3.0


def test_a_decision_remembers_that_the_bot_was_cut_off_in_it() -> None:
    """Promise 6: a delay in which the connection was lost is the network's."""
    queue, (first, second) = queue_with(2, capacity=1)
    offer(queue, 1.0)
    queue.suspend()
    assert (first.cut, second.cut) == (True, False)
    queue.open(1)
    offer(queue, 2.0)
    queue.mark_answered(0, 1, 3.0)
    assert not first.cut


def test_the_answer_to_an_expired_decision_is_not_held_against_the_bot() -> None:
    """Time and faults: it was asked, and the substitute was faster."""
    queue, (late, _) = queue_with(2)
    offer(queue, 1.0)
    queue.expire(late)
    assert queue.mark_answered(0, 1, 9.0) is None
    assert queue.ignored == 0
    assert queue.mark_answered(0, 1, 9.0) is None
    assert queue.ignored == 1


def test_what_is_owed_in_matches_that_were_begun_is_abandoned_too() -> None:
    """Promise 6: whether a match is forfeited does not depend on whose turn it was."""
    queue, seats = queue_with(4, capacity=1)
    offer(queue, 1.0)
    assert queue.abandon({seats[2]}) == [seats[0], seats[2]]
    queue.open(8)
    assert offer(queue, 2.0) == [seats[1], seats[3]]
