"""The decisions that one player owes: which are offered when, and which pays for a loss. Sans-I/O.

When an instance with several decisions open dies or stalls, nobody knows which one was to blame. A
fresh instance gets them one at a time, and the one at which it fails again is guilty. So a crash
costs the same at every concurrency.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection

from mazzo_server.play.live_match import SeatState

__all__ = ["DecisionQueue"]

_UNEXPLAINED_LOSSES = 3  # after so many losses, decisions are offered one at a time for good


class DecisionQueue:
    """The decisions that a player is asked, from the question to the answer.

    Times are seconds of one monotonic clock, which the caller passes: for an offer, the time when
    it is sent; for an answer, its arrival, once all that arrived before is known.
    """

    def __init__(self, measure_log: Callable[[], int] = lambda: 0) -> None:
        """Begin without an instance.

        `measure_log` returns how many bytes the instance has written so far.
        """
        self._measure_log = measure_log
        self.ignored = 0  # answers of this instance that were to no open decision
        self.idle_losses = 0  # losses in a row with no decision open and none answered in between
        self.idle_losses_in_all = 0
        self.capacity = 0  # 0 until the instance has joined
        self._waiting: deque[SeatState] = deque()
        self._suspects: deque[SeatState] = deque()  # the first of them may be in flight
        self._flying: dict[int, SeatState] = {}  # by handle
        self._unexplained = 0  # losses in a row that were the fault of none of the suspects

    @property
    def waiting(self) -> int:
        """The number of decisions that wait to be offered."""
        return len(self._waiting) + len(self._suspects)

    @property
    def in_flight(self) -> int:
        """The number of decisions that are offered and not answered."""
        return len(self._flying)

    @property
    def owed(self) -> Collection[SeatState]:
        """The seats whose decisions are not answered, offered or not."""
        return dict.fromkeys((*self._flying.values(), *self._suspects, *self._waiting))

    @property
    def unexplained(self) -> int:
        """The number of losses in a row with several decisions open, none of them to blame."""
        return self._unexplained

    @property
    def room(self) -> int:
        """The number of further decisions that may be offered now."""
        alone = self._suspects or self._unexplained >= _UNEXPLAINED_LOSSES
        return (min(1, self.capacity) if alone else self.capacity) - len(self._flying)

    def add(self, seat: SeatState) -> None:
        """Add a decision."""
        self._waiting.append(seat)

    def forget(self, seat: SeatState) -> None:
        """Drop a seat's decision: its match is abandoned.

        A decision in flight stays in flight, since the instance may still die of it.
        """
        self._waiting = deque(other for other in self._waiting if other is not seat)
        self._suspects = deque(other for other in self._suspects if other is not seat)

    def open(self, capacity: int) -> None:
        """Open the queue to an instance that is ready for so many decisions at once.

        Decisions that were in flight when its connection broke are offered again; their clocks run
        on.
        """
        self.capacity = capacity
        self.ignored = 0
        self._waiting.extendleft(
            seat
            for seat in reversed(self._flying.values())
            if not seat.live.is_over
            and seat not in self._suspects  # a suspect is offered from there
        )
        self._flying.clear()

    def suspend(self) -> None:
        """Offer nothing while the connection is lost; it may come back."""
        self.capacity = 0
        for seat in self._flying.values():
            seat.cut = True

    def offer(self) -> list[SeatState]:
        """Return the decisions to send now: as many as wait and as there is room for.

        Their clocks stand still until `mark_sent`.
        """
        room, offered = self.room, []
        if self._suspects:
            if room > 0:
                offered.append(self._suspects[0])
        else:
            waiting = self._waiting
            while room > len(offered) and waiting:
                offered.append(waiting.popleft())
        flying = self._flying
        for seat in offered:
            flying[seat.handle] = seat
        return offered

    def mark_sent(self, offered: list[SeatState], now: float) -> float | None:
        """Start the clocks of decisions just offered; clocks that run already run on.

        Returns the seconds until the first of them may be overdue; None without any.
        """
        log_size = self._measure_log() if offered else 0
        for seat in offered:
            seat.log_start = log_size
            if seat.offered_at is None:
                seat.offered_at = now
        return min([self._left(seat, now) for seat in offered], default=None)

    def mark_answered(self, handle: int, number: int, now: float) -> tuple[SeatState, float] | None:
        """Return the seat whose open decision an answer names, and the seconds that it took.

        Returns None, and counts the answer as ignored, when no such decision is open. An answer in
        time settles the decision; the caller decides about a late one.
        """
        seat = self._flying.get(handle)
        if seat is None or (ask := seat.ask) is None or ask.number != number:
            self.ignored += 1
            return None
        elapsed = self.measure(seat, now)
        if elapsed <= ask.allowance:
            self.settle(seat)
        return seat, elapsed

    def measure(self, seat: SeatState, now: float) -> float:
        """Return the seconds that a decision in flight has taken its bot so far."""
        assert seat.offered_at is not None
        elapsed = now - seat.offered_at
        return elapsed if elapsed > 0.0 else 0.0

    def settle(self, seat: SeatState, *, guilty: bool = False) -> None:
        """Close a decision in flight that was answered, or that is guilty of a failure."""
        del self._flying[seat.handle]
        seat.offered_at = None
        seat.cut = False
        self.idle_losses = 0
        if self._suspects:
            if guilty:
                self._unexplained = 0
            if self._suspects[0] is seat:
                self._suspects.popleft()

    def expire(self, seat: SeatState) -> None:
        """Close a decision in flight that was not answered in time; its answer may still come."""
        self.settle(seat, guilty=True)
        self.ignored -= 1

    def find_overdue(self, now: float) -> list[SeatState]:
        """Return the decisions in flight that are overdue."""
        return [seat for seat in self._flying.values() if self._left(seat, now) < 0.0]

    def time_until_due(self, now: float) -> float | None:
        """Return the seconds until a decision in flight may be overdue; None without any."""
        return min((self._left(seat, now) for seat in self._flying.values()), default=None)

    def _left(self, seat: SeatState, now: float) -> float:
        assert seat.ask is not None
        return seat.ask.allowance - self.measure(seat, now)

    def assign_loss(self) -> SeatState | None:
        """Find the decision to blame when the instance died or stalled and a fresh one will come.

        Returns the guilty decision, settled. Returns None when no decision was open, or several:
        those are offered again one at a time, and nobody pays yet.
        """
        open_now = sorted(self._flying.values(), key=lambda seat: seat.live.key)
        self.capacity = 0
        if len(open_now) == 1:
            self.settle(open_now[0], guilty=True)
            return open_now[0]
        if open_now:
            self._flying.clear()
            for seat in open_now:
                seat.offered_at = None
            self._suspects.extend(seat for seat in open_now if not seat.live.is_over)
            self._unexplained += 1
        else:
            self.idle_losses += 1
            self.idle_losses_in_all += 1
        return None

    def abandon(self, begun: Collection[SeatState] = ()) -> list[SeatState]:
        """Drop what is in flight, and what is owed at the seats of `begun`: the instance is gone.

        Returns the dropped decisions.
        """
        self.capacity = 0
        abandoned = [seat for seat in self.owed if seat.handle in self._flying or seat in begun]
        self._flying.clear()
        for seat in abandoned:
            seat.offered_at = None
            self.forget(seat)
        return sorted(abandoned, key=lambda seat: seat.live.key)
