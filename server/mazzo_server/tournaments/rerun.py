"""Plays a stored match again from its seed, to check whether the bots do the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from mazzo.match import Match
from mazzo_server.bots import Launcher
from mazzo_server.clock import ArrivalClock, run_arrival_clock
from mazzo_server.errors import ConflictError
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, MatchOutcome, TimeControl
from mazzo_server.play import LiveMatch, Player, Table
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.results import Replays
from mazzo_server.storage import Store
from mazzo_server.tournaments.reading import Reader

__all__ = ["Difference", "Rerun", "Reruns", "find_difference", "play_again"]

_MOST_AT_ONCE = 2  # matches that are played again at the same time; others wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The point where two plays of a match differ; None where one of them had ended."""

    deal: int  # number in the match, from 0
    step: int  # number of the action in the deal, from 0
    seat: int | None  # the seat to move; None where one play had a further deal
    was: int | None  # number of the stored action
    now: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """Both plays of a match."""

    stored: MatchOutcome
    played: MatchOutcome
    difference: Difference | None  # None: all actions are equal

    @property
    def is_identical(self) -> bool:
        """Whether all but the times is equal: actions, scores, forfeits."""
        return self.difference is None and _list_results(self.stored) == _list_results(self.played)


def find_difference(match: Match, stored: MatchOutcome, played: MatchOutcome) -> Difference | None:
    """Return the first point where the second play differs; `match` must be fresh."""
    for number, (was, now) in enumerate(zip_longest(stored.deals, played.deals)):
        pairs = zip_longest(was.actions if was else b"", now.actions if now else b"")
        for step, (before, after) in enumerate(pairs):
            seat = None if match.over else match.deal.seat
            if before is None or before != after:
                return Difference(deal=number, step=step, seat=seat, was=before, now=after)
            match.deal.apply(before)
        if not match.over and match.deal.seat is None:
            match.advance()
    return None


def _list_results(outcome: MatchOutcome) -> tuple[object, ...]:
    faults = [(fault.seat, fault.termination, fault.owner) for fault in outcome.faults]
    return outcome.match_scores, [deal.scores for deal in outcome.deals], faults


async def play_again(
    match: Match,
    stored: MatchOutcome,
    seats: Sequence[tuple[InstanceSpec, int]],
    *,
    time: TimeControl,
    metrics: Metrics | None = None,
) -> Rerun:
    """Play `match`, which must be fresh, with new instances, and compare it with the stored play.

    `seats` tells for each seat how its bot is started, and which of the bot's own seats it is.
    Raises `ConflictError` when a bot does not start or the platform fails, and the sandbox's
    errors.
    """
    again = Match(match.variant, match.seed, match.format, draws=match.draws)
    with run_arrival_clock() as clock:
        own = RerunPlayers(clock, metrics or Metrics())
        players = [own.find_player(spec, part) for spec, part in seats]
        live = LiveMatch(
            Table(match, time),
            key=(stored.group, stored.seating),
            holders=players,
            on_end=own.on_match_end,
        )
        try:
            for player in own.players.values():
                player.start()
            live.start()
            await own.done
        finally:
            if not live.is_over:
                live.abandon()
            await asyncio.gather(*(player.close() for player in own.players.values()))
    played = live.table.outcome(
        group=stored.group, seating=stored.seating, entrants=stored.entrants
    )
    return Rerun(stored=stored, played=played, difference=find_difference(again, stored, played))


class RerunPlayers:
    """The players of one match, and their reports."""

    def __init__(self, clock: ArrivalClock, metrics: Metrics) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.players: dict[tuple[str, int], Player] = {}
        self._clock = clock
        self._metrics = metrics

    def find_player(self, spec: InstanceSpec, part: int) -> Player:
        player = self.players.get((spec.name, part))
        if player is None:
            player = self.players[spec.name, part] = Player(
                spec, clock=self._clock, owner=self, metrics=self._metrics
            )
        return player

    def on_match_end(self, live: LiveMatch) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def _fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def on_no_start(self, player: Player, reason: str) -> None:
        """Note that a bot does not start."""
        self._fail(ConflictError(f"{player.name} does not start any more: {reason}"))

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """Note that the platform failed."""
        self._fail(ConflictError(f"the platform spoilt the match: {reason}; try again"))

    def on_error(self, error: Exception) -> None:
        """Note that a player cannot go on."""
        self._fail(error)


class Reruns:
    """Plays stored matches again, a few at a time."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        *,
        read: Reader,
        check_open: Callable[[], None],
        metrics: Metrics,
    ) -> None:
        """Call `check_open` before a rerun: it raises when nothing new may begin any more."""
        self._launcher = launcher
        self._read = read
        self._check_open = check_open
        self._metrics = metrics
        self._replays = Replays(store)
        self._limit = asyncio.Semaphore(_MOST_AT_ONCE)

    async def play(self, tournament: int, group: int, seating: int) -> tuple[Definition, Rerun]:
        """Play a stored match again from its seed, without storing the result.

        Raises what `Replays.prepare_rerun` raises, and `ConflictError`, too, for a bot that no
        longer starts.
        """
        self._check_open()
        row, seats, match, stored = await self._read(
            self._replays.prepare_rerun, tournament, group, seating
        )
        definition = row.definition
        sandbox = await self._launcher.find_sandbox(definition.isolation)
        specs = await asyncio.to_thread(
            lambda: {
                index: self._launcher.make_entrant_spec(
                    definition.entrants[index], definition, sandbox
                )
                for index in set(stored.entrants)
            }
        )
        async with self._limit:
            rerun = await play_again(
                match,
                stored,
                [(specs[entrant], part) for entrant, part in seats],
                time=definition.time,
                metrics=self._metrics,
            )
        return definition, rerun
