"""The players of one phase: one for each seat that an entrant fills."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mazzo_server.clock import ArrivalClock
from mazzo_server.metrics import Metrics
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.play.planned_match import PlannedMatch
from mazzo_server.play.player import Player, PlayerOwner

__all__ = ["PlayerPool"]


class PlayerPool:
    """Starts players when they are needed, and ends them all together."""

    def __init__(
        self,
        specs: Sequence[InstanceSpec],
        *,
        owner: PlayerOwner,
        clock: ArrivalClock,
        metrics: Metrics,
    ) -> None:
        """Start players with `specs`, which tell by entrant how its bot is started."""
        self._specs = specs
        self._owner = owner
        self._clock = clock
        self.metrics = metrics
        self._players: dict[tuple[int, int], Player] = {}  # by entrant and number of its seat

    @property
    def waiting(self) -> int:
        """The number of decisions that wait to be sent."""
        return sum(player.queue.waiting for player in self._players.values())

    @property
    def in_flight(self) -> int:
        """The number of decisions that bots have now."""
        return sum(player.queue.in_flight for player in self._players.values())

    def find_players(self, planned: PlannedMatch) -> list[Player]:
        """Return the players of a match by seat, and start those that do not run."""
        return [self._find_player(seat.entrant, seat.part) for seat in planned.seats]

    def start_ahead(self, planned: PlannedMatch) -> None:
        """Start the bots of a match that comes soon, since starting takes time.

        A bot that dials in is not started, and may be busy elsewhere until it is needed.
        """
        for seat in planned.seats:
            if not self._specs[seat.entrant].remote:
                self._find_player(seat.entrant, seat.part)

    def has_remote(self, planned: PlannedMatch) -> bool:
        """Tell whether the match has a bot that cannot be made to forget it."""
        return any(self._specs[seat.entrant].remote for seat in planned.seats)

    def find_entrant(self, player: Player) -> int:
        """Return the entrant that a player plays for."""
        return next(entrant for (entrant, _), own in self._players.items() if own is player)

    async def close(self) -> None:
        """End every instance."""
        await asyncio.gather(*(player.close() for player in self._players.values()))

    def _find_player(self, entrant: int, part: int) -> Player:
        player = self._players.get((entrant, part))
        if player is None:
            player = self._players[entrant, part] = Player(
                self._specs[entrant],
                clock=self._clock,
                owner=self._owner,
                metrics=self.metrics,
            )
            player.start()
        return player
