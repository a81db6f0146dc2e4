"""The trial of a submitted bot: a deal of every form of its games, the house in the other seats."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Any

from mazzo.game import Variant
from mazzo.games import find_game
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import SEED_BYTES, Stream
from mazzo_server.clock import LoopMonitor
from mazzo_server.definition import TimeControl
from mazzo_server.live import LiveMatch
from mazzo_server.manifest import Manifest
from mazzo_server.master.instance import InstanceSpec
from mazzo_server.master.player import Player
from mazzo_server.metrics import Metrics
from mazzo_server.outcome import MatchOutcome
from mazzo_server.table import Table

__all__ = ["play_trial", "variants_of"]

_FORMAT = MatchFormat.parse("deals:1")


def variants_of(manifest: Manifest) -> list[Variant]:
    """Every form, with default options, of the games that a manifest claims."""
    forms: dict[str, Variant] = {}
    for claim in manifest.games:
        game_id, _, players = claim.partition("/")
        game = find_game(game_id)
        for number in [int(players)] if players else game.players:
            variant = Variant.of(game, number)
            forms[variant.text] = variant
    return list(forms.values())


async def play_trial(
    spec: InstanceSpec, variants: Sequence[Variant], *, metrics: Metrics | None = None
) -> dict[str, Any]:
    """The report as JSON values, in the shape of the message `Trial`.

    It ends with the first match that fails. Raises `IsolationError` when the sandbox
    itself cannot be started.
    """
    matches: list[dict[str, Any]] = []
    async with LoopMonitor() as monitor:
        trial = _Trial(spec, monitor, metrics)
        try:
            for variant in variants:
                matches.append(await trial.play(variant))
                if not matches[-1]["passed"]:
                    break
        finally:
            await trial.player.close()
    passed = all(match["passed"] for match in matches)
    return {
        "passed": passed,
        "start_up_seconds": trial.player.start_up_seconds,
        "matches": matches,
        "log": "" if passed else trial.player.log,
    }


class _Trial:
    """The matches of a trial, one after the other, all with one player."""

    def __init__(self, spec: InstanceSpec, monitor: LoopMonitor, metrics: Metrics | None) -> None:
        self.player = Player(spec, monitor=monitor, owner=self, metrics=metrics, start_attempts=1)
        self._done: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._begun = False

    async def play(self, variant: Variant) -> dict[str, Any]:
        """Play one match; the report of it."""
        if self._done.done():
            self._done = asyncio.get_running_loop().create_future()
        match = Match(variant, secrets.token_bytes(SEED_BYTES), _FORMAT)
        seat = Stream(match.seed, "trial").below(variant.players)
        seats = range(variant.players)
        table = Table(match, TimeControl(), house=[other for other in seats if other != seat])
        players = [self.player if place == seat else None for place in seats]
        live = LiveMatch(table, key=(0, 0), holders=players, on_end=self._ended)
        if not self._begun:
            self._begun = True
            self.player.begin()
        live.start()
        reason = await self._done
        decisions, seconds = 0, 0.0
        if live.over and table.asked is None:
            outcome: MatchOutcome = table.outcome(group=0, seating=0, entrants=())
            decisions, seconds = outcome.decisions[seat], outcome.thinking_seconds[seat]
            if not reason and outcome.late[seat]:
                reason = f"late at {outcome.late[seat]} of its decisions"
        return {
            "variant": variant.text,
            "passed": not reason,
            "reason": reason,
            "decisions": decisions,
            "decision_seconds": seconds / decisions if decisions else 0.0,
        }

    def _settle(self, reason: str) -> None:
        if not self._done.done():
            self._done.set_result(reason)

    def _ended(self, live: LiveMatch) -> None:
        self._settle(
            "; ".join(f"{fault.termination}: {fault.reason}" for fault in live.table.faults)
        )

    def failed(self, player: Player, reason: str) -> None:
        """The bot does not start."""
        self._settle(reason)

    def spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """The platform failed."""
        self._settle(f"the platform failed: {reason}")

    def broke(self, error: Exception) -> None:
        """The player cannot go on."""
        if not self._done.done():
            self._done.set_exception(error)
