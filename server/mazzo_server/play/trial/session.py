"""The instances of a bot on trial, one after another, and the matches that they are given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from mazzo.games import parse_variant
from mazzo.v1 import play_pb2
from mazzo_server.clock import ArrivalClock
from mazzo_server.errors import IsolationError
from mazzo_server.metrics import Metrics
from mazzo_server.play.instances import InstanceLink, Loss, SandboxedInstance, SandboxedSpec
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.outbox import Outbox
from mazzo_server.play.player import Player
from mazzo_server.play.trial.table import TrialTable
from mazzo_server.sandbox import MemoryPeak

__all__ = ["TrialSession"]

_PATIENCE = 60.0  # seconds to wait for a first frame; start-up ends before that
_ANNOUNCED = 1  # a handle; the handles of matches are random


class TrialSession:
    """A player from its first instance to its goodbye.

    To a bot, several sessions look like several phases of a tournament.
    """

    def __init__(self, spec: SandboxedSpec, clock: ArrivalClock, metrics: Metrics) -> None:
        """Start the first instance."""
        self.spec = _TrialSpec(spec)
        self.player = Player(
            self.spec,
            clock=clock,
            owner=self,
            metrics=metrics,
            start_attempts=1,
            make_outbox=self._make_outbox,
        )
        self.dead = ""  # why no instance can be started any more
        self._broken: Exception | None = None
        self._open: set[LiveMatch] = set()
        self._news = asyncio.Event()
        self.player.start()

    def _make_outbox(self, *given: Any, **named: Any) -> Outbox:
        self._outbox = TrialOutbox(*given, **named)
        return self._outbox

    @property
    def start_up_seconds(self) -> float:
        """The seconds from the start until the bot had joined; 0: it never did."""
        return self.player.runner.starts.seconds

    @property
    def last_loss(self) -> Loss | None:
        """How the last instance was lost."""
        return self.player.runner.last_loss

    @property
    def most_at_once(self) -> int:
        """The largest number of decisions that the bot had at the same time."""
        return self._outbox.most_at_once

    def announce(self) -> None:
        """Announce, in one of the next frames, a match that begins and ends without a question."""
        self._outbox.announce()

    def begin_match(
        self,
        table: TrialTable,
        *,
        number: int,
        on_end: Callable[[LiveMatch], None] = lambda live: None,
    ) -> LiveMatch:
        """Begin the match of a table; every match needs its own `number`."""

        def on_match_end(live: LiveMatch) -> None:
            self._open.discard(live)
            on_end(live)
            self._news.set()

        seats = range(table.match.variant.players)
        holders = [self.player if seat == table.seat else None for seat in seats]
        live = LiveMatch(table, key=(0, number), holders=holders, on_end=on_match_end)
        self._open.add(live)
        live.start()
        return live

    def drop(self, live: LiveMatch) -> None:
        """Drop a match and go on without it."""
        self._open.discard(live)
        if not live.is_over:
            live.abandon()
        self._news.set()

    async def wait_for_end(self, deadline: float) -> None:
        """Wait until all matches are over, the bot is dead, or the loop's clock hits `deadline`."""
        try:
            async with asyncio.timeout_at(deadline):
                while self._open and not self.dead:
                    await self._wait_for_news()
        except TimeoutError:
            pass

    async def wait_for_decision(self) -> None:
        """Wait until the bot has a decision, or can have none."""
        try:
            async with asyncio.timeout(_PATIENCE):
                while self._open and not self.dead and not self.player.queue.in_flight:
                    self._outbox.on_frame = self._news.set
                    await self._wait_for_news()
        except TimeoutError:
            pass

    async def _wait_for_news(self) -> None:
        await self._news.wait()
        self._news.clear()
        if self._broken is not None:
            raise self._broken

    async def close(self) -> None:
        """Say goodbye, even in the middle of a match; nothing of the bot is left."""
        for live in list(self._open):
            self.drop(live)
        await self.player.close()

    def on_no_start(self, player: Player, reason: str) -> None:
        """Note that the bot does not start."""
        self.dead = reason
        self._news.set()

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """Note that the platform failed."""
        name = self.player.name
        self.on_error(
            IsolationError(
                f"there is no trial of {name}, for the platform failed: {reason}; it is not the "
                f"bot's fault: play it again"
            )
        )

    def on_error(self, error: Exception) -> None:
        """Note that the player cannot go on."""
        self._broken = error
        self._news.set()


class _TrialSpec:
    """A bot that remembers its newest instance."""

    def __init__(self, spec: SandboxedSpec) -> None:
        self._spec = spec
        self._instance: SandboxedInstance | None = None

    @property
    def name(self) -> str:
        """The name of the bot."""
        return self._spec.name

    @property
    def remote(self) -> bool:
        """False: it runs here."""
        return self._spec.remote

    def make_instance(self, link: InstanceLink) -> SandboxedInstance:
        """Return a new instance."""
        self._instance = self._spec.make_instance(link)
        return self._instance

    def read_memory_peak(self) -> MemoryPeak:
        """Return how much memory the newest instance has held at most, while it runs."""
        return MemoryPeak() if self._instance is None else self._instance.read_memory_peak()


class TrialOutbox(Outbox):
    """An outbox that can add more to a frame, and counts its contents."""

    most_at_once = 0
    on_frame: Callable[[], None] = staticmethod(lambda: None)
    _announces = False

    def announce(self) -> None:
        """See `TrialSession`."""
        self._announces = True

    def take_frame(self) -> bytes | None:
        """See `Outbox`."""
        frame = super().take_frame()
        if frame is None or self.is_idle:
            return frame
        self.most_at_once = max(self.most_at_once, self.in_flight)
        self.on_frame()
        return self._note_announced(frame) if self._announces else frame

    def _note_announced(self, serialised: bytes) -> bytes:
        response = play_pb2.PlayResponse.FromString(serialised)
        frame = response.frame
        if not frame.started:
            return serialised
        # A match that begins in the frame is the model, so that every field is filled.
        model, announced = frame.started[0], frame.started.add()
        announced.CopyFrom(model)
        announced.match = _ANNOUNCED
        announced.commitment = sha256(model.commitment).digest()
        announced.bot_seed = sha256(model.bot_seed).digest()
        players = parse_variant(model.variant).players
        frame.ended.add(match=_ANNOUNCED, scores=[0.0] * players, ranking=[1] * players)
        self._announces = False
        # Serialise it again as a whole: not every reader merges a message in two parts.
        return response.SerializeToString()
