"""Who fills a seat: a bot's instances, one after the other. Thin around the desk and the tables."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from mazzo.codec import write_view
from mazzo.v1 import play_pb2
from mazzo_server.clock import LoopMonitor, monotonic
from mazzo_server.errors import IsolationError
from mazzo_server.logs import Action
from mazzo_server.metrics import Metrics
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.backlog import Backlog
from mazzo_server.play.decision_queue import Desk
from mazzo_server.play.instances.instance import Instance, InstanceSpec, Loss
from mazzo_server.play.live import LiveMatch, Place
from mazzo_server.play.note_budget import Notebook
from mazzo_server.play.table import Ended

__all__ = ["Player", "PlayerOwner"]

_LOG = logging.getLogger(__name__)

_IDLE_LOSSES = 5  # without one answer in between, after which a bot counts as one that fails
_IDLE_LOSSES_IN_ALL = 50  # likewise, whatever it answered in between
_FRUITLESS = 5  # times that a bot may lose its connection without an answer in between
_IGNORED = 1000  # answers to no open decision that an instance is forgiven
_COARSE = 1e-4  # seconds; latencies are told in steps of it
_HOLD = 0.002  # seconds that a small frame to a busy bot may wait for company


class PlayerOwner(Protocol):
    """Who is told what a player cannot settle itself."""

    def failed(self, player: Player, reason: str) -> None:
        """The bot cannot be started; the player has given up."""

    def spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """A fault of the platform spoilt these matches."""

    def broke(self, error: Exception) -> None:
        """The player itself cannot go on."""


class Player:
    """A bot in the seats that it fills in one phase of a tournament."""

    def __init__(
        self,
        spec: InstanceSpec,
        *,
        monitor: LoopMonitor,
        owner: PlayerOwner,
        metrics: Metrics | None = None,
        notebook: Notebook | None = None,
        start_attempts: int = 3,
    ) -> None:
        """A player without an instance; `begin` starts one.

        `notebook` is the bot's own for as long as what it says is stored, None: a new one.
        After `start_attempts` failed starts in a row a bot counts as one that does not start.
        """
        self.spec = spec
        self.start_up_seconds = 0.0  # of the first instance
        self.last_loss: Loss | None = None
        self.desk = Desk()
        self._monitor = monitor
        self._backlog = Backlog(monitor)
        self.news = asyncio.Event()  # there may be a frame to send
        self._owner = owner
        self._metrics = metrics or Metrics()
        self._last_log = ""  # the end of what the last lost instance wrote
        self._notebook = notebook or Notebook()
        self._start_attempts = start_attempts
        self._introduced: dict[int, Place] = {}  # by handle: what the instance knows of
        self._begun: set[Place] = set()  # where the bot, in whatever instance, has been asked
        self._condemned: set[Place] = set()  # where it forfeits as soon as it is asked
        self._condemned_by: Loss | None = None
        self._ended: list[tuple[int, Ended]] = []
        self._instance: Instance | None = None
        self._begun_at = 0.0  # when the instance was begun
        self._has_joined = False  # the instance, since then
        self._fruitless = 0  # times that it was cut off with something owed, and no answer since
        self._away = False  # its connection is lost, and may come back
        self._failed_starts: Counter[Owner] = Counter()  # in a row, by whose fault
        self._latency = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._hold: asyncio.TimerHandle | None = None  # while a small frame waits for company
        self._held_enough = False
        self._stirred = False  # something new is owed, and the writer does not know yet
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def name(self) -> str:
        """Of the bot."""
        return self.spec.name

    @property
    def log(self) -> str:
        """The end of what the running instance wrote, or else the last one that was lost."""
        return (self._instance.log if self._instance is not None else "") or self._last_log

    def forfeit_log(self) -> str:
        """See `log`: as much of it as is kept with a forfeit."""
        return self._notebook.take_log(self.log)

    def begin(self) -> None:
        """Start an instance, and keep one alive until `close`."""
        if self._task is None:
            self._task = asyncio.create_task(self._live(), name=f"player-{self.spec.name}")

    async def close(self) -> None:
        """End the instance; returns when nothing of it is left."""
        self._closing = True
        for timer in (self._timer, self._hold):
            if timer is not None:
                timer.cancel()
        if self._instance is not None:
            self._instance.end()
        if self._task is not None:
            await self._task

    async def _live(self) -> None:
        try:
            while not self._closing:
                loss = await self._run_instance()
                if self._closing or loss is None:
                    return
                self._lost(loss)
        except Exception as error:
            self._owner.broke(error)

    async def _run_instance(self) -> Loss | None:
        loss: Loss | None = None
        _LOG.debug(
            "%s: an instance begins",
            self.name,
            extra={"action": Action.INSTANCE_STARTED, "bot": self.name},
        )
        self._begun_at = monotonic()
        self._has_joined = False
        self._fruitless = 0
        self._metrics.instance_started()
        try:
            self._instance = self.spec.instance(self)
            loss = await self._instance.run()
        finally:
            self._instance = None
            if loss is None or self._closing:
                self._metrics.instance_ended("", "")
            else:
                self._metrics.instance_ended(loss.termination, loss.owner)
        return loss

    # What matches tell

    def ask(self, place: Place) -> None:
        """A decision for this player."""
        if self._condemned_by is not None and place in self._condemned:
            self._forfeit(place, self._condemned_by)
            return
        self.desk.ask(place)
        if self.idle:
            self.news.set()
        elif not self._stirred:
            self._stirred = True
            asyncio.get_running_loop().call_soon(self._stir)

    def _stir(self) -> None:
        """Wake whoever writes, once all is asked that is asked at the same time."""
        self._stirred = False
        if not self._held():
            self.news.set()

    def _held(self) -> bool:
        """Whether a frame waits a little for more: the bot is busy anyway, and frames cost."""
        if not self.desk.is_small or self._held_enough:
            return False
        if self._hold is None:
            self._hold = asyncio.get_running_loop().call_later(_HOLD, self._release)
        return True

    def _release(self) -> None:
        self._hold = None
        self._held_enough = True
        self.news.set()

    def match_ended(self, place: Place, ended: Ended) -> None:
        """A match in which this player had a seat is over."""
        self._begun.discard(place)
        self._condemned.discard(place)
        if self._introduced.pop(place.handle, None) is not None:
            self._ended.append((place.handle, ended))
            self.news.set()

    def forget(self, place: Place) -> None:
        """A match is abandoned: nothing is owed any more."""
        self.desk.forget(place)
        self._begun.discard(place)
        self._condemned.discard(place)
        self._introduced.pop(place.handle, None)
        self.news.set()

    # What the instance tells

    def started(self) -> None:
        """Its process is about to start."""
        self._begun_at = monotonic()

    def joined(self, capacity: int) -> None:
        """The instance is ready."""
        self._away = False
        self._failed_starts.clear()
        self._introduced.clear()
        self._ended.clear()
        if not self._has_joined:
            self._has_joined = True
            start_up = monotonic() - self._begun_at
            self.start_up_seconds = self.start_up_seconds or start_up
            self._metrics.instance_joined(start_up)
        self.desk.joined(capacity)

    def away(self) -> bool:
        """The instance is cut off; whether it may come back to the same decisions."""
        self._away = True
        self.desk.away()
        self._fruitless += bool(self.desk.in_flight or self.desk.waiting)
        return self._fruitless <= _FRUITLESS

    def now(self) -> float:
        """The time, of the clock by which the instance pays."""
        return self._monitor.now()

    def measured(self, latency: float) -> None:
        """The round trip to the instance."""
        self._metrics.round_trip(latency)
        self._latency = round(latency / _COARSE) * _COARSE

    @property
    def idle(self) -> bool:
        """Whether nothing that was asked is unanswered."""
        return not self.desk.in_flight

    def wake(self) -> bool:
        """It can always read."""
        return True

    @property
    def has_frame(self) -> bool:
        """Whether there is something to send, or will be in a moment."""
        desk = self.desk
        return bool(self._ended) or (desk.room > 0 and desk.waiting > 0)

    def next_frame(self) -> bytes | None:
        """The next frame, with every decision that may be offered now."""
        desk = self.desk
        if not self.has_frame:
            return None
        if not self._ended and self._held():
            return None
        self._held_enough = False
        response = play_pb2.PlayResponse()
        frame = response.frame
        self._tell_ends(frame)
        decisions, latency = frame.decisions, self._latency
        offered = desk.offer()
        self._metrics.frame_sent(len(offered))
        for place in offered:
            handle, ask = place.handle, place.ask
            assert ask is not None
            if handle not in self._introduced:
                self._introduced[handle] = place
                self._begun.add(place)
                _introduce(place, frame.started.add())
            decision = decisions.add()
            decision.match = handle
            decision.number = ask.number
            decision.bank_seconds = ask.bank
            decision.latency_seconds = latency
            write_view(ask.view, decision.view)
        serialised = response.SerializeToString()
        self._check_in(desk.sent(offered, self.now()))
        return serialised

    def last_frame(self) -> bytes | None:
        """The ends of matches that the instance does not know yet."""
        if not self._ended:
            return None
        response = play_pb2.PlayResponse()
        self._tell_ends(response.frame)
        return response.SerializeToString()

    def _tell_ends(self, frame: play_pb2.Frame) -> None:
        for handle, ended in self._ended:
            frame.ended.add(
                match=handle,
                scores=map(float, ended.scores),
                ranking=ended.ranking,
                reason=ended.reason,
            )
        self._ended.clear()

    def received(self, answer: play_pb2.Answer) -> None:
        """Actions from the instance; those for no open decision are ignored, up to a number."""
        desk, now = self.desk, self._backlog.came()
        desk.ignored += not answer.actions
        if len(answer.actions) > desk.in_flight + _IGNORED - desk.ignored:
            self._give_up(Termination.MALFORMED_ANSWER, "answers far more than it is asked")
            return
        for chosen in answer.actions:
            answered = desk.answered(chosen.match, chosen.number, now)
            if answered is None:
                continue
            self._fruitless = 0
            place, elapsed = answered
            assert place.ask is not None
            self._backlog.took(now)
            if not elapsed:  # its question is younger than that
                self._backlog.end()
            if elapsed <= place.ask.allowance:
                note = self._notebook.take(chosen.note) if chosen.note else ""
                place.live.answer(place, chosen.action, elapsed, note)
            elif desk.in_flight > 1 and not self.spec.remote:
                self._stalled()
                return
            else:
                owner = self._owner_of_delay(place)
                desk.settle(place, guilty=True)
                place.live.expire(place, elapsed, owner)
        self._stir()

    # Time

    def _check_in(self, seconds: float | None) -> None:
        """Look for decisions that are overdue after so long, or earlier; None: there are none."""
        if seconds is None:
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + max(seconds, 0.0) + 0.01
        if self._timer is not None:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = loop.call_at(when, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._instance is None or self._instance.over:
            return  # how it ended decides, and the next instance has a timer of its own
        now = self._backlog.came()
        overdue = self.desk.overdue(now)
        try:
            if overdue and self.spec.remote:
                for place in overdue:
                    self._expire(place, now)
                self.news.set()
            elif overdue and self.desk.in_flight > 1:
                self._stalled()
                return
            elif overdue:
                self._stalled()
                self._expire(overdue[0], now)
                return
            self._check_in(self.desk.due(now))
        except Exception as error:  # a bug of ours, which must not hang the tournament
            self._owner.broke(error)

    def _expire(self, place: Place, now: float) -> None:
        """A decision is late: its substitute plays."""
        elapsed, owner = self.desk.elapsed(place, now), self._owner_of_delay(place)
        self.desk.expire(place)
        place.live.expire(place, elapsed, owner)

    def _owner_of_delay(self, place: Place) -> Owner:
        return Owner.NETWORK if self._away or place.cut else Owner.BOT

    def _stalled(self) -> None:
        self._give_up(Termination.OUT_OF_TIME, "did not answer in time")

    def _give_up(self, termination: Termination, reason: str) -> None:
        if self._instance is not None:
            self._instance.fail(termination, reason)

    # Losses

    def _lost(self, loss: Loss) -> None:
        """An instance ended that was not to end: find out whose match pays for it."""
        _LOG.info(
            "%s: instance lost: %s",
            self.spec.name,
            loss.reason,
            extra={"action": Action.INSTANCE_LOST, "bot": self.name},
        )
        self.last_loss = loss
        self._last_log = loss.log or self._last_log
        self._away = False
        if not loss.joined:
            self._count_failed_start(loss)
        elif loss.owner is Owner.PLATFORM:
            self.desk.abandon()
            matches = {place.live.key: place.live for place in self._introduced.values()}
            self._owner.spoilt([matches[key] for key in sorted(matches)], loss.reason)
        elif loss.owner is Owner.NETWORK:
            self._cut_off(loss)
        elif self.desk.in_flight or loss.termination is not Termination.OUT_OF_TIME:
            guilty = self.desk.lost()
            if guilty is not None:
                self._forfeit(guilty, loss)
            elif self.desk.idle_losses >= _IDLE_LOSSES:
                self._fail(f"ended {_IDLE_LOSSES} times without a decision open: {loss.reason}")
            elif (times := self.desk.idle_losses_in_all) >= _IDLE_LOSSES_IN_ALL:
                self._fail(f"ended {times} times in all without a decision open: {loss.reason}")

    def _cut_off(self, loss: Loss) -> None:
        """It did not come back in time: every match that it had begun is forfeited."""
        self._condemned_by = loss
        self._condemned.update(self._begun)
        for place in self.desk.abandon(self._begun):
            self._condemned.discard(place)
            self._forfeit(place, loss)

    def _forfeit(self, place: Place, loss: Loss) -> None:
        place.live.lose(place, loss.termination, loss.owner, loss.reason)

    def _count_failed_start(self, loss: Loss) -> None:
        self._failed_starts[loss.owner] += 1
        if self._failed_starts[loss.owner] < self._start_attempts:
            return
        attempts = f" in {self._start_attempts} attempts" if self._start_attempts > 1 else ""
        reason = f"did not start{attempts}: {loss.reason}"
        if loss.owner is Owner.PLATFORM:
            raise IsolationError(f"{self.spec.name} {reason}")
        self._fail(reason)

    def _fail(self, reason: str) -> None:
        self._closing = True
        self._owner.failed(self, reason)


def _introduce(place: Place, started: play_pb2.MatchStarted) -> None:
    live, ask = place.live, place.ask
    assert ask is not None
    match, control = live.table.match, live.table.control
    started.match = place.handle
    started.variant = match.variant.text
    started.seat = ask.seat
    started.match_format = str(match.format)
    started.commitment = live.commitment
    started.bot_seed = place.bot_seed
    started.time_control.bank_seconds = control.bank
    started.time_control.increment_seconds = control.increment
    started.time_control.limit_seconds = control.limit
