"""One phase of a tournament: matches that are played at the same time, by the same instances."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from mazzo_server.clock import ArrivalClock
from mazzo_server.metrics import Metrics
from mazzo_server.play.events import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.planned_match import MatchRules, PlannedMatch
from mazzo_server.play.player import Player
from mazzo_server.play.player_pool import PlayerPool

__all__ = ["Phase", "PhaseHost"]

_AHEAD = 2  # matches not yet begun whose bots are started ahead


class PhaseHost(Protocol):
    """The executor of a phase: it answers questions, and receives reports."""

    def reserve(self, match: PlannedMatch, *, beside: int) -> bool:
        """Return whether a match may begin beside so many others; if so, it counts as begun."""

    async def count_attempts(self, matches: Sequence[PlannedMatch]) -> Sequence[int]:
        """Note durably that these matches begin; return each one's attempt number, from 0."""

    def on_event(self, event: PlayEvent) -> None:
        """Take a report."""


class Phase:
    """Matches that are played at the same time, by instances that live only for this phase."""

    def __init__(
        self,
        matches: Sequence[PlannedMatch],
        *,
        rules: MatchRules,
        specs: Sequence[InstanceSpec],
        host: PhaseHost,
        clock: ArrivalClock,
        metrics: Metrics,
    ) -> None:
        """`specs` say by entrant how its bot is started."""
        self.again: list[PlannedMatch] = []  # what a fault of the platform spoilt
        self.pool = PlayerPool(specs, owner=self, clock=clock, metrics=metrics)
        self._rules = rules
        self._host = host
        self._pending = deque(matches)
        self._ahead = deque(matches)  # the tail of `_pending` whose bots are not started
        self._beginning: list[PlannedMatch] = []  # once their attempts are counted
        self._noting: asyncio.Task[None] | None = None
        self._live: dict[tuple[int, int], tuple[LiveMatch, PlannedMatch, int]] = {}
        self._withdrawn: set[int] = set()
        self._done = asyncio.Event()
        self._error: Exception | None = None

    async def run(self) -> None:
        """Play until nothing is pending or in flight, then end every instance.

        Raises the error that stops the platform.
        """
        try:
            self.fill()
            await self._done.wait()
        finally:
            self._clear()
            if self._noting is not None:
                await asyncio.wait((self._noting,))
            await self.pool.close()
        if self._error is not None:
            raise self._error

    def cut_off(self, first_group: int) -> None:
        """Begin no more matches of the groups from that number on."""
        self._pending = deque(match for match in self._pending if match.group < first_group)
        self._ahead = deque(match for match in self._ahead if match.group < first_group)
        self.fill()

    def stop(self) -> None:
        """Begin no more matches."""
        self._clear()
        self.fill()

    def give_up(self) -> None:
        """Give up the matches in flight."""
        self._clear()
        for live, _, _ in list(self._live.values()):
            self._abandon(live)
        self.fill()

    def _clear(self) -> None:
        self._pending.clear()
        self._ahead.clear()
        self._beginning.clear()

    def _abandon(self, live: LiveMatch) -> None:
        del self._live[live.key]
        live.abandon()
        self.pool.metrics.matches.count_abandoned()

    def fill(self) -> None:
        """Begin as many matches as there is room for."""
        while self._pending:
            planned = self._pending[0]
            is_void = not self._withdrawn.isdisjoint(planned.entrants)
            in_flight = len(self._live) + len(self._beginning)
            if not is_void and not self._host.reserve(planned, beside=in_flight):
                break
            self._pending.popleft()
            if is_void:
                continue
            if self.pool.has_remote(planned):
                self._beginning.append(planned)
            else:
                self._begin(planned, 0)
        while len(self._ahead) > max(0, len(self._pending) - _AHEAD):
            planned = self._ahead.popleft()
            if not self._withdrawn.intersection(planned.entrants):
                self.pool.start_ahead(planned)
        if self._beginning and self._noting is None:
            self._noting = asyncio.create_task(self._begin_noted(), name="attempts")
        if not self._live and not self._pending and not self._beginning:
            self._done.set()

    async def _begin_noted(self) -> None:
        """Begin the matches of remote bots that have gathered, together."""
        try:
            while batch := tuple(self._beginning):
                attempts = await self._host.count_attempts(batch)
                for planned, attempt in zip(batch, attempts, strict=True):
                    if planned not in self._beginning:  # stopped meanwhile
                        continue
                    self._beginning.remove(planned)
                    if not self._withdrawn.intersection(planned.entrants):
                        self._begin(planned, attempt)
        except Exception as error:
            self.on_error(error)
        finally:
            self._noting = None
        self.fill()

    def _begin(self, planned: PlannedMatch, attempt: int) -> None:
        live = LiveMatch(
            self._rules.make_match_table(planned.seed, attempt),
            key=planned.key,
            holders=self.pool.find_players(planned),
            on_end=self._end_match,
            groups_before=[seat.groups_before for seat in planned.seats],
            groups_with_notes=self._rules.groups_with_notes,
        )
        self._live[planned.key] = (live, planned, attempt)
        self.pool.metrics.matches.count_started()
        self._host.on_event(
            Began(
                group=planned.group,
                seating=planned.seating,
                entrants=live.names,
                commitment=live.commitment,
            )
        )
        live.start()

    def _end_match(self, live: LiveMatch) -> None:
        _, planned, attempt = self._live.pop(live.key)
        outcome = live.table.outcome(
            group=planned.group, seating=planned.seating, entrants=planned.entrants
        )
        self.pool.metrics.matches.count_finished(outcome)
        self._host.on_event(Finished(outcome=replace(outcome, attempt=attempt)))
        self.fill()

    def on_no_start(self, player: Player, reason: str) -> None:
        """Withdraw the entrant of a bot that does not start."""
        entrant = self.pool.find_entrant(player)
        if entrant not in self._withdrawn:
            self._host.on_event(Withdrawn(entrant=entrant, reason=reason, log=player.read_log()))
        self.withdraw(entrant)

    def withdraw(self, entrant: int) -> None:
        """Give up the matches of an entrant, and begin no more."""
        self._withdrawn.add(entrant)
        for live, planned, _ in list(self._live.values()):
            if entrant in planned.entrants:
                self._abandon(live)
        self.fill()

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """Play matches again, with new instances in all seats."""
        for live in matches:
            entry = self._live.get(live.key)
            if entry is not None:
                planned = entry[1]
                self._abandon(live)
                self.again.append(planned)
                self._host.on_event(
                    Spoilt(group=planned.group, seating=planned.seating, reason=reason)
                )
        self.fill()

    def on_error(self, error: Exception) -> None:
        """Stop everything: a player cannot go on."""
        self._error = self._error or error
        self.give_up()
