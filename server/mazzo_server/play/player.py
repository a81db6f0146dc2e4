"""A bot in the seats that it fills, through one instance after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from mazzo.v1 import play_pb2
from mazzo_server.clock import ArrivalClock, monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.model import InstanceLog, Owner, Termination
from mazzo_server.play.backlog import Backlog
from mazzo_server.play.decision_deadlines import Deadlines, give_up_stalled
from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.instances import InstanceLink, InstanceRunner, InstanceSpec, Loss
from mazzo_server.play.live_match import LiveMatch, SeatState
from mazzo_server.play.outbox import Outbox
from mazzo_server.play.table import Ended

__all__ = ["Player", "PlayerOwner"]

_IDLE_LOSSES = 5  # losses without an answer in between, after which a bot counts as failing
_FRUITLESS = 5  # times that a bot may lose its connection without an answer in between
_IGNORED = 1000  # answers to no open decision that an instance is forgiven


class PlayerOwner(Protocol):
    """The owner of a player: it settles what the player cannot settle itself."""

    def on_no_start(self, player: Player, reason: str) -> None:
        """Note that the bot cannot be started; the player has given up."""

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """Note that a fault of the platform spoilt these matches."""

    def on_error(self, error: Exception) -> None:
        """Note that the player itself cannot go on."""


class Player:
    """A bot in the seats that it fills in one phase of a tournament."""

    def __init__(
        self,
        spec: InstanceSpec,
        *,
        clock: ArrivalClock,
        owner: PlayerOwner,
        metrics: Metrics | None = None,
        start_attempts: int = 3,
        idle_losses_in_all: int = 50,
        make_outbox: Callable[..., Outbox] = Outbox,
    ) -> None:
        """Create a player without an instance; `start` starts one.

        After `start_attempts` failed starts in a row a bot counts as one that does not start. After
        `idle_losses_in_all` instances that ended without a decision open it counts as failing.
        """
        metrics = metrics or Metrics()
        self.spec = spec
        self.queue = DecisionQueue(lambda: self.runner.log_size)
        self.outbox = make_outbox(
            self.queue,
            now=clock.now,
            metrics=metrics,
            on_sent=lambda seconds: self._deadlines.set(seconds),
        )
        self.runner: InstanceRunner = InstanceRunner(
            spec,
            InstanceLink(frames=self.outbox, listener=self, now=clock.now),
            metrics=metrics,
            start_attempts=start_attempts,
            on_loss=self._settle_loss,
            on_no_start=lambda reason: owner.on_no_start(self, reason),
            on_error=owner.on_error,
        )
        self._owner = owner
        self._metrics = metrics
        self._backlog = Backlog(clock)
        self._deadlines: Deadlines = Deadlines(
            self.queue,
            self._backlog,
            self.runner,
            is_remote=spec.remote,
            on_late=self.outbox.news.set,
            on_error=owner.on_error,
        )
        self._most_idle_losses = idle_losses_in_all
        self._condemned: dict[SeatState, Loss] = {}  # it forfeits there as soon as it is asked
        self._final_loss: Loss | None = None  # after which it forfeits everywhere
        self._fruitless = 0  # times cut off with decisions open, since the last answer

    @property
    def name(self) -> str:
        """The name of the bot."""
        return self.spec.name

    def read_log(self, since: int = 0) -> InstanceLog:
        """Return what the instance that was started last wrote after its first `since` bytes."""
        matches = tuple(live.key for live in self.outbox.matches)
        return replace(self.runner.read_log(since), matches=matches)

    def start(self) -> None:
        """Start an instance, and keep one running until `close`."""
        self.runner.start()

    async def close(self) -> None:
        """End the instance; return when nothing of it is left."""
        self._deadlines.close()
        self.outbox.close()
        await self.runner.close()

    def on_ask(self, seat: SeatState) -> None:
        """Take over a decision."""
        loss = self._condemned.get(seat) or self._final_loss
        if loss is not None:
            _forfeit(seat, loss)
            return
        self.queue.add(seat)
        self.outbox.wake()

    def on_match_end(self, seat: SeatState, ended: Ended) -> None:
        """Note that a match in which it had a seat is over."""
        self._condemned.pop(seat, None)
        self.outbox.end_match(seat, ended)

    def on_match_abandoned(self, seat: SeatState) -> None:
        """Note that a match in which it had a seat is given up: it owes nothing there any more."""
        self.queue.forget(seat)
        self._condemned.pop(seat, None)
        self.outbox.forget_match(seat)

    def on_start(self) -> None:
        """Note that the process of the instance is about to start."""
        self.outbox.start()  # so that no match of the instance before it seems to be open in it
        self.runner.starts.mark_started(monotonic())

    def on_join(self, capacity: int) -> None:
        """Send decisions to an instance that is ready."""
        self.outbox.start()
        self.runner.mark_joined()
        self.queue.open(capacity)

    def on_disconnect(self) -> bool:
        """Note that the instance is cut off; return whether it may resume the same decisions."""
        self.queue.suspend()
        self._fruitless += bool(self.queue.in_flight or self.queue.waiting)
        return self._fruitless <= _FRUITLESS

    def on_latency(self, seconds: float) -> None:
        """Take the measured round trip to the instance."""
        self._metrics.instances.observe_round_trip(seconds)
        self.outbox.latency = seconds

    def on_answer(self, answer: play_pb2.Answer) -> None:
        """Take the actions of an answer; those for no open decision are ignored, up to a number."""
        queue, now = self.queue, self._backlog.estimate_arrival()
        queue.ignored += not answer.actions
        if len(answer.actions) > queue.in_flight + _IGNORED - queue.ignored:
            reason = "answers far more than it is asked"
            self.runner.give_up(Termination.MALFORMED_ANSWER, reason)
            return
        times = []  # seconds that the answered decisions took
        for chosen in answer.actions:
            answered = queue.mark_answered(chosen.match, chosen.number, now)
            if answered is None:
                continue
            self._fruitless = 0
            seat, elapsed = answered
            assert seat.ask is not None
            times.append(elapsed)
            if elapsed <= seat.ask.allowance:
                seat.live.answer(seat, chosen.action, elapsed, chosen.note)
            elif queue.in_flight > 1 and not self.spec.remote:
                give_up_stalled(self.runner)
                return
            else:
                owner = seat.owner_of_delay
                queue.settle(seat, guilty=True)
                seat.live.expire(seat, elapsed, owner)
        if times:
            self._backlog.mark_read(now)
            if not min(times):  # a question is younger than the answer
                self._backlog.end()
        self.outbox.wake()

    def _settle_loss(self, loss: Loss) -> None:
        """Find the match that pays for an instance that ended too early."""
        self._fruitless = 0
        queue = self.queue
        if loss.owner is Owner.PLATFORM:
            queue.abandon()
            self._owner.on_spoilt(self.outbox.matches, loss.reason)
        elif loss.is_final:
            self._final_loss = loss
            for seat in queue.abandon(queue.owed):
                _forfeit(seat, loss)
        elif loss.owner is Owner.NETWORK:
            self._forfeit_all(loss)
        elif queue.in_flight or loss.termination is not Termination.OUT_OF_TIME:
            guilty = queue.assign_loss()
            if guilty is not None:
                _forfeit(guilty, loss)
            elif queue.idle_losses >= _IDLE_LOSSES:
                reason = f"ended {_IDLE_LOSSES} times without a decision open: {loss.reason}"
                self.runner.fail(reason)
            elif (times := queue.idle_losses_in_all) >= self._most_idle_losses:
                reason = f"ended {times} times in all without a decision open: {loss.reason}"
                self.runner.fail(reason)

    def _forfeit_all(self, loss: Loss) -> None:
        """Forfeit every match that the bot had begun: it did not come back in time."""
        begun = self.outbox.begun
        self._condemned.update(dict.fromkeys(begun, loss))
        for seat in self.queue.abandon(begun):
            self._condemned.pop(seat, None)
            _forfeit(seat, loss)


def _forfeit(seat: SeatState, loss: Loss) -> None:
    seat.live.lose(seat, loss.termination, loss.owner, loss.reason)
