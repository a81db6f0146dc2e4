"""The decisions that one player owes: what is offered when, and who pays for a loss. Sans-I/O.

When an instance with several decisions open dies or stalls, nobody knows which of them
was to blame: a fresh instance gets them one at a time, and the one at which it fails
again is the guilty one. So a crash costs the same at every concurrency.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from mazzo_server.play.live import SeatState

__all__ = ["DecisionQueue"]

_SMALL = 3  # a frame of less than one in so many of the decisions that it could have
_UNEXPLAINED_LOSSES = 3  # after which decisions are offered one at a time for good


class DecisionQueue:
    """What a player is asked, from the question to its answer.

    Times are seconds of one monotonic clock, told by the caller: of what is offered, when it
    goes out; of what comes, until when all that had come before is known.
    """

    def __init__(self) -> None:
        """A desk for an instance that has not joined yet."""
        self.ignored = 0  # answers of this instance to no open decision
        self.idle_losses = 0  # in a row, with no decision open and none answered in between
        self.idle_losses_in_all = 0
        self._capacity = 0  # 0 until the instance has joined
        self._waiting: deque[SeatState] = deque()
        self._suspects: deque[SeatState] = deque()  # the first of them may be in flight
        self._flying: dict[int, SeatState] = {}  # by handle
        self._unexplained = 0  # losses in a row for which none of the suspects was to blame

    @property
    def waiting(self) -> int:
        """How many decisions are to be offered."""
        return len(self._waiting) + len(self._suspects)

    @property
    def in_flight(self) -> int:
        """How many decisions are offered and not answered."""
        return len(self._flying)

    @property
    def unexplained(self) -> int:
        """How often in a row it was lost with several decisions open, and none was to blame."""
        return self._unexplained

    @property
    def room(self) -> int:
        """How many more decisions may be offered now."""
        alone = self._suspects or self._unexplained >= _UNEXPLAINED_LOSSES
        return (min(1, self._capacity) if alone else self._capacity) - len(self._flying)

    @property
    def is_small(self) -> bool:
        """Whether a frame now would be a small one to an instance that is busy anyway."""
        source = self._suspects or self._waiting
        return bool(self._flying) and len(source) < self._capacity // _SMALL

    # What is owed

    def add(self, seat: SeatState) -> None:
        """A decision more."""
        self._waiting.append(seat)

    def forget(self, seat: SeatState) -> None:
        """A match is abandoned.

        A decision in flight stays there, since it may still be what the instance dies of.
        """
        self._waiting = deque(other for other in self._waiting if other is not seat)
        self._suspects = deque(other for other in self._suspects if other is not seat)

    # What is offered

    def open(self, capacity: int) -> None:
        """An instance is ready for so many decisions at once.

        What was in flight when its connection broke is offered again, the clocks running.
        """
        self._capacity = capacity
        self.ignored = 0
        self._waiting.extendleft(
            seat
            for seat in reversed(self._flying.values())
            if not seat.live.over and seat not in self._suspects  # where it still is
        )
        self._flying.clear()

    def suspend(self) -> None:
        """The connection is lost, and may come back."""
        self._capacity = 0
        for seat in self._flying.values():
            seat.cut = True

    def offer(self) -> list[SeatState]:
        """The decisions to go out now: as many as there are, and as there is room for.

        Their clocks stand until they are `sent`.
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
        """What was just offered goes out: its clocks run, if they did not when it was lost.

        Returns the seconds until the first of it may be overdue; None without any.
        """
        for seat in offered:
            if seat.offered_at is None:
                seat.offered_at = now
        return min([self._left(seat, now) for seat in offered], default=None)

    # What becomes of it

    def mark_answered(self, handle: int, number: int, now: float) -> tuple[SeatState, float] | None:
        """The seat whose open decision an answer names, and the seconds that it took.

        None, and counted, when no such decision is open. An answer in time settles the
        decision; what becomes of a late one is for the caller to say.
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
        """Seconds that a decision in flight has taken its bot so far."""
        assert seat.offered_at is not None
        elapsed = now - seat.offered_at
        return elapsed if elapsed > 0.0 else 0.0

    def settle(self, seat: SeatState, *, guilty: bool = False) -> None:
        """A decision in flight was answered, or is to blame for what happened."""
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
        """A decision in flight was not answered in time; its answer may still come."""
        self.settle(seat, guilty=True)
        self.ignored -= 1

    def find_overdue(self, now: float) -> list[SeatState]:
        """The decisions in flight that have taken longer than they may."""
        return [seat for seat in self._flying.values() if self._left(seat, now) < 0.0]

    def time_until_due(self, now: float) -> float | None:
        """Seconds until the first decision in flight may be overdue; None without any."""
        return min((self._left(seat, now) for seat in self._flying.values()), default=None)

    def _left(self, seat: SeatState, now: float) -> float:
        assert seat.ask is not None
        return seat.ask.allowance - self.measure(seat, now)

    def assign_loss(self) -> SeatState | None:
        """The instance died or stalled, and a fresh one will come.

        Returns the decision that is to blame, settled. None when no decision was open, or
        several: then these are offered again one at a time, and nobody pays yet.
        """
        open_now = sorted(self._flying.values(), key=lambda seat: seat.live.key)
        self._capacity = 0
        if len(open_now) == 1:
            self.settle(open_now[0], guilty=True)
            return open_now[0]
        if open_now:
            self._flying.clear()
            for seat in open_now:
                seat.offered_at = None
            self._suspects.extend(seat for seat in open_now if not seat.live.over)
            self._unexplained += 1
        else:
            self.idle_losses += 1
            self.idle_losses_in_all += 1
        return None

    def abandon(self, begun: Collection[SeatState] = ()) -> list[SeatState]:
        """The instance is gone, and nothing that is in flight will be answered.

        Returns that, and what else is owed at the seats of `begun`; all of it is off the desk.
        """
        self._capacity = 0
        owed = dict.fromkeys((*self._flying.values(), *self._suspects, *self._waiting))
        abandoned = [seat for seat in owed if seat.handle in self._flying or seat in begun]
        self._flying.clear()
        for seat in abandoned:
            seat.offered_at = None
            self.forget(seat)
        return sorted(abandoned, key=lambda seat: seat.live.key)
