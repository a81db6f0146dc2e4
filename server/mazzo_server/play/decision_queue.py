"""The decisions that one player owes: what is offered when, and who pays for a loss. Sans-I/O.

When an instance with several decisions open dies or stalls, nobody knows which of them
was to blame: a fresh instance gets them one at a time, and the one at which it fails
again is the guilty one. So a crash costs the same at every concurrency.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from mazzo_server.play.live import Place

__all__ = ["Desk"]

_SMALL = 3  # a frame of less than one in so many of the decisions that it could have
_UNEXPLAINED_LOSSES = 3  # after which decisions are offered one at a time for good


class Desk:
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
        self._waiting: deque[Place] = deque()
        self._suspects: deque[Place] = deque()  # the first of them may be in flight
        self._flying: dict[int, Place] = {}  # by handle
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

    def ask(self, place: Place) -> None:
        """A decision more."""
        self._waiting.append(place)

    def forget(self, place: Place) -> None:
        """A match is abandoned.

        A decision in flight stays there, since it may still be what the instance dies of.
        """
        self._waiting = deque(other for other in self._waiting if other is not place)
        self._suspects = deque(other for other in self._suspects if other is not place)

    # What is offered

    def joined(self, capacity: int) -> None:
        """An instance is ready for so many decisions at once.

        What was in flight when its connection broke is offered again, the clocks running.
        """
        self._capacity = capacity
        self.ignored = 0
        self._waiting.extendleft(
            place
            for place in reversed(self._flying.values())
            if not place.live.over and place not in self._suspects  # where it still is
        )
        self._flying.clear()

    def away(self) -> None:
        """The connection is lost, and may come back."""
        self._capacity = 0
        for place in self._flying.values():
            place.cut = True

    def offer(self) -> list[Place]:
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
        for place in offered:
            flying[place.handle] = place
        return offered

    def sent(self, offered: list[Place], now: float) -> float | None:
        """What was just offered goes out: its clocks run, if they did not when it was lost.

        Returns the seconds until the first of it may be overdue; None without any.
        """
        for place in offered:
            if place.offered_at is None:
                place.offered_at = now
        return min([self._left(place, now) for place in offered], default=None)

    # What becomes of it

    def answered(self, handle: int, number: int, now: float) -> tuple[Place, float] | None:
        """The place whose open decision an answer names, and the seconds that it took.

        None, and counted, when no such decision is open. An answer in time settles the
        decision; what becomes of a late one is for the caller to say.
        """
        place = self._flying.get(handle)
        if place is None or (ask := place.ask) is None or ask.number != number:
            self.ignored += 1
            return None
        elapsed = self.elapsed(place, now)
        if elapsed <= ask.allowance:
            self.settle(place)
        return place, elapsed

    def elapsed(self, place: Place, now: float) -> float:
        """Seconds that a decision in flight has taken its bot so far."""
        assert place.offered_at is not None
        elapsed = now - place.offered_at
        return elapsed if elapsed > 0.0 else 0.0

    def settle(self, place: Place, *, guilty: bool = False) -> None:
        """A decision in flight was answered, or is to blame for what happened."""
        del self._flying[place.handle]
        place.offered_at = None
        place.cut = False
        self.idle_losses = 0
        if self._suspects:
            if guilty:
                self._unexplained = 0
            if self._suspects[0] is place:
                self._suspects.popleft()

    def expire(self, place: Place) -> None:
        """A decision in flight was not answered in time; its answer may still come."""
        self.settle(place, guilty=True)
        self.ignored -= 1

    def overdue(self, now: float) -> list[Place]:
        """The decisions in flight that have taken longer than they may."""
        return [place for place in self._flying.values() if self._left(place, now) < 0.0]

    def due(self, now: float) -> float | None:
        """Seconds until the first decision in flight may be overdue; None without any."""
        return min((self._left(place, now) for place in self._flying.values()), default=None)

    def _left(self, place: Place, now: float) -> float:
        assert place.ask is not None
        return place.ask.allowance - self.elapsed(place, now)

    def lost(self) -> Place | None:
        """The instance died or stalled, and a fresh one will come.

        Returns the decision that is to blame, settled. None when no decision was open, or
        several: then these are offered again one at a time, and nobody pays yet.
        """
        open_now = sorted(self._flying.values(), key=lambda place: place.live.key)
        self._capacity = 0
        if len(open_now) == 1:
            self.settle(open_now[0], guilty=True)
            return open_now[0]
        if open_now:
            self._flying.clear()
            for place in open_now:
                place.offered_at = None
            self._suspects.extend(place for place in open_now if not place.live.over)
            self._unexplained += 1
        else:
            self.idle_losses += 1
            self.idle_losses_in_all += 1
        return None

    def abandon(self, begun: Collection[Place] = ()) -> list[Place]:
        """The instance is gone, and nothing that is in flight will be answered.

        Returns that, and what else is owed at the places of `begun`; all of it is off the desk.
        """
        self._capacity = 0
        owed = dict.fromkeys((*self._flying.values(), *self._suspects, *self._waiting))
        abandoned = [place for place in owed if place.handle in self._flying or place in begun]
        self._flying.clear()
        for place in abandoned:
            place.offered_at = None
            self.forget(place)
        return sorted(abandoned, key=lambda place: place.live.key)
