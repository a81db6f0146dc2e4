"""The players of one phase: one for each seat that an entrant fills."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mazzo_server.clock import LoopMonitor
from mazzo_server.metrics import Metrics
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.play.planned import PlannedMatch
from mazzo_server.play.player import Player, PlayerOwner

__all__ = ["PlayerPool"]


class PlayerPool:
    """Starts players as they are needed, and ends them all together."""

    def __init__(
        self,
        specs: Sequence[InstanceSpec],
        *,
        owner: PlayerOwner,
        monitor: LoopMonitor,
        metrics: Metrics,
    ) -> None:
        """`specs` say by entrant how its bot is started."""
        self._specs = specs
        self._owner = owner
        self._monitor = monitor
        self.metrics = metrics
        self._players: dict[tuple[int, int], Player] = {}  # by entrant and its own seat

    @property
    def waiting(self) -> int:
        """Decisions that wait to be sent."""
        return sum(player.queue.waiting for player in self._players.values())

    @property
    def in_flight(self) -> int:
        """Decisions that bots have now."""
        return sum(player.queue.in_flight for player in self._players.values())

    def players_of(self, planned: PlannedMatch) -> list[Player]:
        """Return the players of a match by seat, started if they were not."""
        return [self._player(seat.entrant, seat.part) for seat in planned.seats]

    def start_ahead(self, planned: PlannedMatch) -> None:
        """Start the bots of a match that comes soon, for they take their time to start.

        A bot that dials in is not started, and may be busy elsewhere until it is needed.
        """
        for seat in planned.seats:
            if not self._specs[seat.entrant].remote:
                self._player(seat.entrant, seat.part)

    def has_remote(self, planned: PlannedMatch) -> bool:
        """Whether a bot of the match cannot be made to forget it."""
        return any(self._specs[seat.entrant].remote for seat in planned.seats)

    def entrant_of(self, player: Player) -> int:
        """Return the entrant that a player plays for."""
        return next(entrant for (entrant, _), own in self._players.items() if own is player)

    async def close(self) -> None:
        """End every instance."""
        await asyncio.gather(*(player.close() for player in self._players.values()))

    def _player(self, entrant: int, part: int) -> Player:
        player = self._players.get((entrant, part))
        if player is None:
            player = self._players[entrant, part] = Player(
                self._specs[entrant],
                monitor=self._monitor,
                owner=self._owner,
                metrics=self.metrics,
            )
            player.start()
        return player
