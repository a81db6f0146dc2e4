"""Plays a stored match again from its seed, to see whether the bots do the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from mazzo.match import Match
from mazzo_server.bots import Launcher
from mazzo_server.clock import LoopMonitor
from mazzo_server.errors import ConflictError
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, MatchOutcome, TimeControl
from mazzo_server.play import LiveMatch, Player, Table
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.results import Replays
from mazzo_server.storage import Store
from mazzo_server.tournaments.reading import Reader

__all__ = ["Difference", "Rerun", "Reruns", "find_difference", "play_again"]

_MOST_AT_ONCE = 2  # matches that are played again; the others wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where two plays of a match part; None where one of them had ended."""

    deal: int  # number in the match, from 0
    step: int  # number of the action in the deal, from 0
    seat: int | None  # to move; None where a deal more was played
    was: int | None  # action number as it is stored
    now: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """Both plays of a match."""

    stored: MatchOutcome
    played: MatchOutcome
    difference: Difference | None  # None: the same actions from the first to the last

    @property
    def identical(self) -> bool:
        """Whether everything but the times is the same: actions, scores, forfeits."""
        return self.difference is None and _results(self.stored) == _results(self.played)


def find_difference(match: Match, stored: MatchOutcome, played: MatchOutcome) -> Difference | None:
    """Where the second play of `match`, which is fresh, does something else than the first."""
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


def _results(outcome: MatchOutcome) -> tuple[object, ...]:
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
    """Play `match`, which is fresh, by new instances, and compare it with what is stored.

    `seats` has for each seat how its bot is started, and which of the bot's own seats it is.
    Raises `ConflictError` when a bot does not start or the platform fails, and what the
    sandbox raises.
    """
    again = Match(match.variant, match.seed, match.format, draws=match.draws)
    async with LoopMonitor() as monitor:
        cast = _Cast(monitor, metrics or Metrics())
        players = [cast.player(spec, part) for spec, part in seats]
        live = LiveMatch(
            Table(match, time),
            key=(stored.group, stored.seating),
            holders=players,
            on_end=cast.ended,
        )
        try:
            for player in cast.players.values():
                player.start()
            live.start()
            await cast.done
        finally:
            if not live.over:
                live.abandon()
            await asyncio.gather(*(player.close() for player in cast.players.values()))
    played = live.table.outcome(
        group=stored.group, seating=stored.seating, entrants=stored.entrants
    )
    return Rerun(stored=stored, played=played, difference=find_difference(again, stored, played))


class _Cast:
    """The players of one match, and what they tell."""

    def __init__(self, monitor: LoopMonitor, metrics: Metrics) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.players: dict[tuple[str, int], Player] = {}
        self._monitor = monitor
        self._metrics = metrics

    def player(self, spec: InstanceSpec, part: int) -> Player:
        player = self.players.get((spec.name, part))
        if player is None:
            player = self.players[spec.name, part] = Player(
                spec, monitor=self._monitor, owner=self, metrics=self._metrics
            )
        return player

    def ended(self, live: LiveMatch) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def _fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def on_no_start(self, player: Player, reason: str) -> None:
        """A bot does not start."""
        self._fail(ConflictError(f"{player.name} does not start any more: {reason}"))

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """The platform failed."""
        self._fail(ConflictError(f"the platform spoilt the match: {reason}; try again"))

    def on_error(self, error: Exception) -> None:
        """A player cannot go on."""
        self._fail(error)


class Reruns:
    """Plays matches of a store again, a few at a time."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        *,
        read: Reader,
        check_open: Callable[[], None],
        metrics: Metrics,
    ) -> None:
        """`check_open` raises where nothing new may begin any more."""
        self._launcher = launcher
        self._read = read
        self._check_open = check_open
        self._metrics = metrics
        self._replays = Replays(store)
        self._limit = asyncio.Semaphore(_MOST_AT_ONCE)

    async def play(self, tournament: int, group: int, seating: int) -> tuple[Definition, Rerun]:
        """Play a stored match again from its seed; nothing of it is stored.

        Raises `NotFoundError` and `ConflictError` as `match` does, and `ConflictError` for a
        match with a remote bot, which has no fresh instance, or one that does not start any more.
        """
        self._check_open()
        row, seats, match, stored = await self._read(
            self._replays.replayable, tournament, group, seating
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
