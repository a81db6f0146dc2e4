"""Writes the messages to an instance of a bot: frames of decisions, and the ends of matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mazzo.codec import write_view
from mazzo.v1 import play_pb2
from mazzo_server.metrics import Metrics
from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.live_match import LiveMatch, SeatState
from mazzo_server.play.table import Ended

__all__ = ["Outbox"]

_COARSE = 1e-4  # seconds; latencies are reported in steps of this size
_HOLD = 0.002  # seconds that a frame to a busy bot waits for more decisions, unless it is full
# A small frame waits for so many round trips, and at most for so many seconds.
_SMALL_TRIPS, _SMALL_HOLD = 4, 0.02
_SHORT_TRIP = 0.001  # seconds; with a shorter round trip no frame is small
# With fewer decisions than so many a frame is small, and than this part of what the matches of the
# bot ask it at a time on average.
_SMALL, _SMALL_PART = 32, 0.75


class Outbox:
    """Writes the frames of one player, from the decisions that its queue offers.

    Decisions that are asked at the same time go out together. A frame to a busy bot waits a little
    for more, since frames cost more than their contents. Where messages take long, since processors
    are busy or the bot is far away, a small frame waits longer, and one to an idle bot too. So does
    one that tells only of matches that are over.
    """

    def __init__(
        self,
        queue: DecisionQueue,
        *,
        now: Callable[[], float],
        metrics: Metrics,
        on_sent: Callable[[float | None], None],
    ) -> None:
        """Call `on_sent` with the seconds until a decision of the frame may be overdue, if any."""
        self.news = asyncio.Event()  # there may be a frame to send
        self.latency = 0.0  # seconds, of the last measured round trip
        self.begun: set[SeatState] = set()  # seats where any instance of the bot was asked
        self._queue = queue
        self._now = now
        self._metrics = metrics
        self._on_sent = on_sent
        self._introduced: dict[int, SeatState] = {}  # by handle: the seats that the instance knows
        self._ended: list[tuple[int, Ended]] = []
        self._hold = _Hold(self.wake)

    @property
    def matches(self) -> list[LiveMatch]:
        """The matches that the instance knows of, in order of their keys."""
        matches = {seat.live.key: seat.live for seat in self._introduced.values()}
        return [matches[key] for key in sorted(matches)]

    def start(self) -> None:
        """Begin with an instance that knows of no match."""
        self._introduced.clear()
        self._ended.clear()

    def wake(self) -> None:
        """Wake the writer, unless what it could send waits for more."""
        if not self._is_held_back():
            self.news.set()

    def end_match(self, seat: SeatState, ended: Ended) -> None:
        """Tell the instance that a match is over, if it knows of it."""
        self.begun.discard(seat)
        if self._introduced.pop(seat.handle, None) is not None:
            self._ended.append((seat.handle, ended))
            self.wake()

    def forget_match(self, seat: SeatState) -> None:
        """Send nothing more of a match."""
        self.begun.discard(seat)
        self._introduced.pop(seat.handle, None)
        self.news.set()

    def close(self) -> None:
        """Hold nothing back any more."""
        self._hold.end()

    def _is_held_back(self) -> bool:
        if self._queue.waiting or self._ended:
            return not self._hold.has_lasted(self._find_hold())
        self._hold.end()
        return not self.is_idle

    def _find_hold(self) -> float:
        """Return how many seconds the next frame may wait."""
        queue = self._queue
        is_small = queue.waiting < min(queue.room, self._find_enough())
        hold = min(_SMALL_TRIPS * self.latency, _SMALL_HOLD) if is_small else 0.0
        if self.is_idle or queue.waiting >= queue.capacity:
            return hold
        return max(hold, _HOLD)

    def _find_enough(self) -> float:
        """Return with how many decisions a frame is not small."""
        known = self._introduced
        if not known or self.latency < _SHORT_TRIP:
            return 0.0
        players = next(iter(known.values())).live.table.match.variant.players
        return min(_SMALL, _SMALL_PART * len(known) / players)

    @property
    def in_flight(self) -> int:
        """How many decisions were sent and are not answered."""
        return self._queue.in_flight

    @property
    def is_idle(self) -> bool:
        """Whether every decision that was sent is answered."""
        return not self._queue.in_flight

    @property
    def has_frame(self) -> bool:
        """Whether there is something to send, now or in a moment."""
        queue = self._queue
        return bool(self._ended) or (queue.room > 0 and queue.waiting > 0)

    def take_frame(self) -> bytes | None:
        """Return the next frame, with every decision that may be offered now."""
        queue = self._queue
        if not self.has_frame or self._is_held_back():
            return None
        self._hold.end()
        response = play_pb2.PlayResponse()
        frame = response.frame
        self._write_ends(frame)
        decisions = frame.decisions
        latency = round(self.latency / _COARSE) * _COARSE
        offered = queue.offer()
        self._metrics.instances.count_frame(len(offered))
        for seat in offered:
            handle, ask = seat.handle, seat.ask
            assert ask is not None
            if handle not in self._introduced:
                self._introduced[handle] = seat
                self.begun.add(seat)
                _write_start(seat, frame.started.add())
            decision = decisions.add()
            decision.match = handle
            decision.number = ask.number
            decision.bank_seconds = ask.bank
            decision.latency_seconds = latency
            write_view(ask.view, decision.view)
        serialised = response.SerializeToString()
        self._on_sent(queue.mark_sent(offered, self._now()))
        return serialised

    def take_last_frame(self) -> bytes | None:
        """Return the ends of matches that the instance does not know yet."""
        if not self._ended:
            return None
        response = play_pb2.PlayResponse()
        self._write_ends(response.frame)
        return response.SerializeToString()

    def _write_ends(self, frame: play_pb2.Frame) -> None:
        for handle, ended in self._ended:
            frame.ended.add(
                match=handle,
                scores=map(float, ended.scores),
                ranking=ended.ranking,
                reason=ended.reason,
            )
        self._ended.clear()


class _Hold:
    """The time for which a frame waits."""

    def __init__(self, on_lasted: Callable[[], None]) -> None:
        self._on_lasted = on_lasted
        self._since: float | None = None  # None: no frame waits
        self._timer: asyncio.TimerHandle | None = None

    def has_lasted(self, seconds: float) -> bool:
        """Tell whether the frame has waited so long; if not, `on_lasted` is called when it has.

        The first call for a frame begins its wait.
        """
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._since is None:
            self._since = now
        end = self._since + seconds
        if now >= end:
            return True
        if self._timer is None or end < self._timer.when():
            self._cancel()
            self._timer = loop.call_at(end, self._expire)
        return False

    def end(self) -> None:
        """Note that the frame waits no more."""
        self._since = None
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        self._on_lasted()


def _write_start(seat: SeatState, started: play_pb2.MatchStarted) -> None:
    live, ask = seat.live, seat.ask
    assert ask is not None
    match, control = live.table.match, live.table.control
    started.match = seat.handle
    started.variant = match.variant.text
    started.seat = ask.seat
    started.match_format = str(match.format)
    started.commitment = live.commitment
    started.bot_seed = seat.bot_seed
    started.time_control.bank_seconds = control.bank
    started.time_control.increment_seconds = control.increment
    started.time_control.limit_seconds = control.limit
