"""One phase of a tournament: matches that are played at the same time, by the same instances."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from mazzo_server.clock import LoopMonitor
from mazzo_server.metrics import Metrics
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.play.decision_queue import Desk
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.play.live import LiveMatch
from mazzo_server.play.note_budget import Notebook
from mazzo_server.play.player import Player
from mazzo_server.play.table import Table

__all__ = ["MOST_UNSTORED", "Phase", "PhaseOwner", "Planned"]

MOST_UNSTORED = 1000
"""Finished matches; when the store is slower than that, play waits for it."""
_AHEAD = 2  # matches that have not begun, and whose bots are started


@dataclass(frozen=True, slots=True)
class Planned:
    """One match of the schedule: one seating of one group."""

    group: Group
    seating: int


class PhaseOwner(Protocol):
    """What a phase asks, and whom it tells what it cannot settle itself."""

    @property
    def metrics(self) -> Metrics:
        """What is counted."""

    @property
    def on_begin(self) -> Callable[[LiveMatch], None]:
        """Told of each match before its first card."""

    @property
    def unstored(self) -> int:
        """Matches that are over and not stored yet."""

    @property
    def concurrency(self) -> int:
        """Matches in flight at once."""

    def new_match(self, planned: Planned, attempt: int) -> Table:
        """The table of a planned match."""

    def is_remote(self, planned: Planned) -> bool:
        """Whether an entrant of the match cannot be made to forget it."""

    async def attempts(self, matches: Sequence[Planned]) -> list[int]:
        """Note durably that these matches begin; which attempt each one is, from 0."""

    def seats_of(self, planned: Planned) -> Sequence[tuple[int, int]]:
        """By seat: the entrant, and which of its own seats it is."""

    def spec_of(self, entrant: int) -> InstanceSpec:
        """How to start an entrant."""

    def notebook_of(self, entrant: int) -> Notebook:
        """Where it is kept what an entrant says, from the first phase to the last."""

    def begins(self, planned: Planned) -> None:
        """A match is about to begin."""

    def store(self, outcome: MatchOutcome) -> None:
        """Store a finished match in the background."""

    def withdraw(self, entrant: int, reason: str, log: str) -> None:
        """Take an entrant out: its results are void, the others play on.

        `log` is the end of what its bot wrote.
        """

    def spoilt(self, planned: Planned, reason: str) -> bool:
        """Count a fault of the platform; whether the match is to be played again."""

    def fail(self, error: Exception) -> None:
        """Something that ends the run."""


class Phase:
    """Matches that are played at the same time, by instances that live for no longer."""

    def __init__(self, owner: PhaseOwner, matches: Sequence[Planned], monitor: LoopMonitor) -> None:
        self.again: list[Planned] = []
        self._owner = owner
        self._monitor = monitor
        self._pending = deque(matches)
        self._ahead = deque(matches)  # of these, what ends `_pending`: bots are still to start
        self._beginning: list[Planned] = []  # as soon as it is noted that they do
        self._noting: asyncio.Task[None] | None = None
        self._live: dict[tuple[int, int], tuple[LiveMatch, Planned, int]] = {}
        self._players: dict[tuple[int, int], Player] = {}
        self._entrants: dict[Player, int] = {}
        self._withdrawn: set[int] = set()
        self._done = asyncio.Event()

    async def run(self) -> None:
        """Play until nothing is pending or in flight."""
        self.fill()
        await self._done.wait()

    @property
    def in_flight(self) -> list[LiveMatch]:
        """The matches that have begun and are not over."""
        return [live for live, _, _ in self._live.values()]

    async def close(self) -> None:
        """End every instance."""
        self._pending.clear()
        self._ahead.clear()
        self._beginning.clear()
        if self._noting is not None:
            await asyncio.wait((self._noting,))
        await asyncio.gather(*(player.close() for player in self._players.values()))

    def stop(self) -> None:
        """Begin no new match."""
        self._pending.clear()
        self._ahead.clear()
        self._beginning.clear()
        self.fill()

    def cut_off(self, end: int) -> None:
        """Begin no match of the groups from that number on."""
        self._pending = deque(match for match in self._pending if match.group.number < end)
        self._ahead = deque(match for match in self._ahead if match.group.number < end)
        self.fill()

    def cut(self) -> None:
        """Give up the matches in flight."""
        self.stop()
        for live, _, _ in list(self._live.values()):
            self._abandon(live)
        self._done.set()

    def _abandon(self, live: LiveMatch) -> None:
        del self._live[live.key]
        live.abandon()
        self._owner.metrics.match_abandoned()

    @property
    def desks(self) -> list[Desk]:
        """What the players owe."""
        return [player.desk for player in self._players.values()]

    def fill(self) -> None:
        """Begin matches, as many as may be in flight."""
        concurrency = self._owner.concurrency
        while (
            self._pending
            and len(self._live) + len(self._beginning) < concurrency
            and self._owner.unstored < MOST_UNSTORED
        ):
            planned = self._pending.popleft()
            if self._withdrawn & set(planned.group.table):
                continue
            self._owner.begins(planned)
            if self._owner.is_remote(planned):
                self._beginning.append(planned)
            else:
                self._begin(planned, 0)
        self._start_ahead()
        if self._beginning and self._noting is None:
            self._noting = asyncio.create_task(self._note(), name="attempts")
        if not self._live and not self._pending and not self._beginning:
            self._done.set()

    def _start_ahead(self) -> None:
        """Start the bots of the matches that come next, for they take their time to start.

        A bot that dials in is not started, and may be busy elsewhere until it is needed.
        """
        while len(self._ahead) > max(0, len(self._pending) - _AHEAD):
            planned = self._ahead.popleft()
            if self._withdrawn & set(planned.group.table):
                continue
            for entrant, part in self._owner.seats_of(planned):
                if not self._owner.spec_of(entrant).remote:
                    self._player(entrant, part)

    async def _note(self) -> None:
        """Begin matches of remote bots, all that have come together at a time."""
        try:
            while batch := tuple(self._beginning):
                attempts = await self._owner.attempts(batch)
                for planned, attempt in zip(batch, attempts, strict=True):
                    if planned not in self._beginning:  # stopped meanwhile
                        continue
                    self._beginning.remove(planned)
                    if not self._withdrawn & set(planned.group.table):
                        self._begin(planned, attempt)
        except Exception as error:
            self._owner.fail(error)
        finally:
            self._noting = None
        self.fill()

    def _begin(self, planned: Planned, attempt: int) -> None:
        key = (planned.group.number, planned.seating)
        players = [self._player(*seat) for seat in self._owner.seats_of(planned)]
        live = LiveMatch(
            self._owner.new_match(planned, attempt), key=key, holders=players, on_end=self._ended
        )
        self._live[key] = (live, planned, attempt)
        self._owner.metrics.match_started()
        self._owner.on_begin(live)
        live.start()

    def _player(self, entrant: int, part: int) -> Player:
        player = self._players.get((entrant, part))
        if player is None:
            spec = self._owner.spec_of(entrant)
            player = self._players[entrant, part] = Player(
                spec,
                monitor=self._monitor,
                owner=self,
                metrics=self._owner.metrics,
                notebook=self._owner.notebook_of(entrant),
            )
            self._entrants[player] = entrant
            player.begin()
        return player

    def _ended(self, live: LiveMatch) -> None:
        _, planned, attempt = self._live.pop(live.key)
        entrants = tuple(entrant for entrant, _ in self._owner.seats_of(planned))
        outcome = live.table.outcome(group=live.key[0], seating=live.key[1], entrants=entrants)
        self._owner.store(replace(outcome, attempt=attempt))
        self.fill()

    # What a player tells

    def failed(self, player: Player, reason: str) -> None:
        """A bot does not start: its entrant is withdrawn."""
        entrant = self._entrants[player]
        self._withdrawn.add(entrant)
        self._owner.withdraw(entrant, reason, player.log)
        for live, planned, _ in list(self._live.values()):
            if entrant in planned.group.table:
                self._abandon(live)
        self.fill()

    def spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """Matches that are to be played again, by new instances in all seats."""
        for live in matches:
            entry = self._live.get(live.key)
            if entry is not None:
                self._abandon(live)
                if self._owner.spoilt(entry[1], reason):
                    self.again.append(entry[1])
        self.fill()

    def broke(self, error: Exception) -> None:
        """A player cannot go on: nobody can."""
        self._owner.fail(error)
