"""Who fills a seat: a bot's instances, one after the other, and the decisions they owe.

When an instance with several decisions open dies or stalls, nobody knows which of them
was to blame: a fresh instance gets them one at a time, and the one at which it fails
again is the guilty one. So a crash costs the same at every concurrency.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mazzo.codec import write_view
from mazzo.match import Match
from mazzo.shuffle import bot_seed, commitment, seating_salt
from mazzo.v1 import play_pb2
from mazzo_server.clock import LoopMonitor, monotonic
from mazzo_server.errors import IsolationError
from mazzo_server.master.instance import Instance, InstanceSpec, Loss
from mazzo_server.outcome import Owner, Termination
from mazzo_server.table import Ask, Effect, Ended, Table

__all__ = ["LiveMatch", "Player", "PlayerOwner"]

_IDLE_DEATHS = 5  # without one answer in between, after which a bot counts as one that fails
_IGNORED = 1000  # answers to no open decision that an instance is forgiven
_UNEXPLAINED_DEATHS = 3  # after which decisions are offered one at a time for good
_COARSE = 1e-4  # seconds; latencies are told in steps of it
_HOLD = 0.002  # seconds that a small frame to a busy bot may wait for company


class LiveMatch:
    """A table with the players at its seats; hands every effect to whom it concerns."""

    def __init__(
        self,
        table: Table,
        *,
        key: tuple[int, int],
        players: Sequence[Player | None],
        on_end: Callable[[LiveMatch], None],
    ) -> None:
        """`key` is (group, seating); `players` by seat, None where the house plays."""
        self.table = table
        self.key = key
        self.players = players
        self.over = False
        self._on_end = on_end
        match, seating = table.match, key[1]
        salt = seating_salt(match.seed, seating)
        self.commitment = commitment(match.seed, salt)
        self.bot_seeds = [bot_seed(match.seed, salt, seat) for seat in range(match.variant.players)]

    def start(self) -> None:
        """Begin to play."""
        self.dispatch(self.table.start())

    def dispatch(self, effect: Effect) -> None:
        """Hand on an effect of the table."""
        if isinstance(effect, Ask):
            player = self.players[effect.seat]
            assert player is not None
            player.ask(self, effect)
            return
        self.over = True
        for player in self.players:
            if player is not None:
                player.match_ended(self, effect)
        self._on_end(self)

    def abandon(self) -> None:
        """Stop without an outcome; no player answers for it any more."""
        self.over = True
        for player in self.players:
            if player is not None:
                player.forget(self)


@dataclass(slots=True)
class _Open:
    """A decision that this player owes."""

    live: LiveMatch
    ask: Ask
    handle: int
    offered_at: float = 0.0


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
        start_attempts: int = 3,
    ) -> None:
        """A player without an instance; `begin` starts one.

        After `start_attempts` failed starts in a row a bot counts as one that does not start.
        """
        self.spec = spec
        self.start_up_seconds = 0.0  # of the first instance
        self.ignored = 0  # answers of this instance to no open decision
        self.log = ""  # the end of what the last lost instance wrote
        self._monitor = monitor
        self._owner = owner
        self._start_attempts = start_attempts
        self._waiting: deque[_Open] = deque()
        self._suspects: deque[_Open] = deque()  # the first of them may be in flight
        self._flying: dict[int, _Open] = {}
        self._handles: dict[tuple[int, int], int] = {}
        self._introduced: dict[int, LiveMatch] = {}
        self._ended: list[tuple[int, Ended]] = []
        self._instance: Instance | None = None
        self._capacity = 0  # 0 until the instance has joined
        self._unexplained = 0  # deaths in a row for which none of the suspects was to blame
        self._failed_starts: Counter[Owner] = Counter()  # in a row, by whose fault
        self._idle_deaths = 0
        self._latency = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._hold: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False

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
                self._instance = Instance(self.spec, self)
                loss = await self._instance.run()
                self._instance = None
                self._capacity = 0
                if self._closing or loss is None:
                    return
                self._lost(loss)
        except Exception as error:
            self._owner.broke(error)

    # What tables tell

    def ask(self, live: LiveMatch, ask: Ask) -> None:
        """A decision for this player."""
        handle = self._handles.get(live.key)
        if handle is None:
            handle = self._handles[live.key] = secrets.randbits(64)
        self._waiting.append(_Open(live, ask, handle))
        self._wake()

    def match_ended(self, live: LiveMatch, effect: Ended) -> None:
        """A match in which this player had a seat is over."""
        handle = self._handles.pop(live.key, None)
        if handle is not None and self._introduced.pop(handle, None) is not None:
            self._ended.append((handle, effect))
            self._wake()

    def forget(self, live: LiveMatch) -> None:
        """A match is abandoned: nothing is owed any more.

        A decision in flight stays there, since it may still be what the instance dies of.
        """
        self._waiting = deque(item for item in self._waiting if item.live is not live)
        self._suspects = deque(item for item in self._suspects if item.live is not live)
        handle = self._handles.pop(live.key, None)
        if handle is not None:
            self._introduced.pop(handle, None)
            self._wake()

    def _wake(self) -> None:
        if self._instance is not None:
            self._instance.wake()

    # What the instance tells

    def joined(self, capacity: int, start_up: float) -> None:
        """The instance is ready."""
        self._capacity = capacity
        self._failed_starts.clear()
        self.ignored = 0
        self._introduced.clear()
        self._ended.clear()
        self.start_up_seconds = self.start_up_seconds or start_up

    def measured(self, latency: float) -> None:
        """The round trip to the instance."""
        self._latency = round(latency / _COARSE) * _COARSE

    def next_frame(self) -> bytes | None:
        """The next frame, with every decision that may be offered now."""
        trying = bool(self._suspects)
        source = self._suspects if trying else self._waiting
        alone = trying or self._unexplained >= _UNEXPLAINED_DEATHS
        room = (1 if alone else self._capacity) - len(self._flying)
        if not self._ended and (room <= 0 or not source):
            return None
        if self._flying and len(source) < self._capacity // 2 and self._held():
            return None
        response = play_pb2.PlayResponse()
        frame = response.frame
        for handle, ended in self._ended:
            frame.ended.append(
                play_pb2.MatchEnded(
                    match=handle,
                    scores=map(float, ended.scores),
                    ranking=ended.ranking,
                    reason=ended.reason,
                )
            )
        self._ended.clear()
        now = monotonic()
        self._hold = None
        while room > 0 and source:
            item = source[0] if trying else source.popleft()
            if item.handle not in self._introduced:
                self._introduced[item.handle] = item.live
                self._introduce(item, frame.started.add())
            decision = frame.decisions.add()
            decision.match = item.handle
            decision.number = item.ask.number
            write_view(item.ask.view, decision.view)
            decision.bank_seconds = item.ask.bank
            decision.latency_seconds = self._latency
            item.offered_at = now
            self._flying[item.handle] = item
            room -= 1
        self._arm()
        return response.SerializeToString()

    def _held(self) -> bool:
        """Whether a small frame waits a little longer: the bot is busy, and frames cost."""
        loop = asyncio.get_running_loop()
        if self._hold is None:
            self._hold = loop.call_later(_HOLD, self._wake)
        return self._hold.when() > loop.time()

    def _introduce(self, item: _Open, started: play_pb2.MatchStarted) -> None:
        match: Match = item.live.table.match
        control = item.live.table.control
        started.match = item.handle
        started.variant = match.variant.text
        started.seat = item.ask.seat
        started.match_format = str(match.format)
        started.commitment = item.live.commitment
        started.bot_seed = item.live.bot_seeds[item.ask.seat]
        started.time_control.bank_seconds = control.bank
        started.time_control.increment_seconds = control.increment
        started.time_control.limit_seconds = control.limit

    def received(self, answer: play_pb2.Answer) -> None:
        """Actions from the instance; those for no open decision are ignored, up to a number."""
        if len(answer.actions) > len(self._flying) + _IGNORED - self.ignored:
            self._give_up(Termination.MALFORMED_ANSWER, "answers far more than it is asked")
            return
        now = monotonic()
        for chosen in answer.actions:
            item = self._flying.get(chosen.match)
            if item is None or item.ask.number != chosen.number:
                self.ignored += 1
                continue
            elapsed = self._elapsed(item, now)
            late = elapsed > item.live.table.allowance()
            if late and len(self._flying) > 1:
                self._stalled()
                return
            self._settle(item, guilty=late)
            if not item.live.over:
                item.live.dispatch(item.live.table.answer(chosen.action, elapsed))
        self._wake()

    def _settle(self, item: _Open, *, guilty: bool = False) -> None:
        """A decision in flight was answered, or is to blame for what happened."""
        del self._flying[item.handle]
        self._idle_deaths = 0
        if self._suspects:
            self._unexplained = 0 if guilty else self._unexplained
            if self._suspects[0] is item:
                self._suspects.popleft()

    def _elapsed(self, item: _Open, now: float) -> float:
        passed = now - item.offered_at
        return max(0.0, passed - self._monitor.longest_stall(item.offered_at))

    # Time

    def _arm(self) -> None:
        """Wake up when the first of the decisions in flight may be overdue."""
        if self._timer is None and self._flying:
            now = monotonic()
            due = min(
                item.live.table.allowance() - self._elapsed(item, now)
                for item in self._flying.values()
            )
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(due, 0.0) + 0.01, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._instance is None or self._instance.over:
            return  # how it ended decides, and the next instance has a timer of its own
        now = monotonic()
        overdue = [
            item
            for item in self._flying.values()
            if self._elapsed(item, now) > item.live.table.allowance()
        ]
        if not overdue:
            self._arm()
        elif len(self._flying) > 1:
            self._stalled()
        else:
            try:
                self._expire(overdue[0], now)
            except Exception as error:  # a bug of ours, which must not hang the tournament
                self._owner.broke(error)

    def _expire(self, item: _Open, now: float) -> None:
        """The one decision in flight is late: its substitute plays, a fresh instance follows."""
        self._stalled()
        self._settle(item, guilty=True)
        if not item.live.over:
            elapsed = self._elapsed(item, now)
            item.live.dispatch(item.live.table.expire(elapsed))

    def _stalled(self) -> None:
        self._give_up(Termination.OUT_OF_TIME, "did not answer in time")

    def _give_up(self, termination: Termination, reason: str) -> None:
        if self._instance is not None:
            self._instance.fail(termination, reason)

    # Losses

    def _lost(self, loss: Loss) -> None:
        """An instance ended that was not to end: find out whose match pays for it."""
        self.log = loss.log or self.log
        open_now = sorted(self._flying.values(), key=lambda item: item.live.key)
        if not loss.joined:
            self._count_failed_start(loss)
        elif loss.owner is Owner.PLATFORM:
            self._flying.clear()
            spoilt = sorted(self._introduced.values(), key=lambda live: live.key)
            self._owner.spoilt(spoilt, loss.reason)
        elif len(open_now) == 1:
            (item,) = open_now
            self._settle(item, guilty=True)
            if not item.live.over:
                effect = item.live.table.lose(loss.termination, loss.owner, loss.reason)
                item.live.dispatch(effect)
        elif open_now:
            self._flying.clear()
            self._suspects.extend(item for item in open_now if not item.live.over)
            self._unexplained += 1
        elif loss.termination is not Termination.OUT_OF_TIME:
            self._idle_deaths += 1
            if self._idle_deaths >= _IDLE_DEATHS:
                self._fail(f"ended {_IDLE_DEATHS} times without a decision open: {loss.reason}")

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
