"""Finds who overtakes whom on a ladder, once it is sure, and tells the hooks.

Two neighbours in an `Order` change places when the lower one has more skill with the confidence of
the ladder, by Φ(Δμ / √(σ₁² + σ₂²)). So two that are alike do not overtake each other all the time.
Who is not in the order yet takes its place without a word.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from mazzo_server.clock import monotonic, wall_clock
from mazzo_server.pairing import ENOUGH_GROUPS, compute_lead
from mazzo_server.results import read_standings
from mazzo_server.stats import Rating
from mazzo_server.storage import Announcement, LadderOvertaking, Store, TournamentRow
from mazzo_server.tournaments.ladders.members import list_members
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.running import is_event_wanted

__all__ = ["Order", "OvertakingWatch", "read_known_ratings"]

_LOOK_SECONDS: Final = 10.0  # between two looks at a season


class Order:
    """The bots of a ladder that are known well enough, the best first."""

    def __init__(self, confidence: float) -> None:
        self._confidence = confidence
        self._bots: list[str] = []

    def update(self, ratings: Mapping[str, Rating]) -> Mapping[str, Sequence[str]]:
        """Change the order to what the ratings say; return whom each bot has overtaken.

        Those without a rating leave the order. The overtaken stand in the order in which that
        happened.
        """
        known = [bot for bot in self._bots if bot in ratings]
        overtaken: dict[str, list[str]] = {}
        for end in range(1, len(known)):  # an insertion sort, of what is sure
            for place in range(end, 0, -1):
                upper, lower = known[place - 1 : place + 1]
                if compute_lead(ratings[lower], ratings[upper]) < self._confidence:
                    break
                known[place - 1 : place + 1] = lower, upper
                overtaken.setdefault(lower, []).append(upper)
        for bot in sorted(ratings.keys() - {*known}, key=lambda bot: (-ratings[bot].mu, bot)):
            worse = (i for i, other in enumerate(known) if ratings[other].mu < ratings[bot].mu)
            known.insert(next(worse, len(known)), bot)
        self._bots = known
        return overtaken

    def find_place(self, bot: str) -> int:
        """Return a bot's place, from 1."""
        return self._bots.index(bot) + 1


class OvertakingWatch:
    """Looks at seasons that are played, and tells the hooks who has overtaken whom.

    What was overtaken in the seconds before a server ends is not told.
    """

    def __init__(self, store: Store, *, read: Reader) -> None:
        self._store = store
        self._read = read
        self._orders: dict[int, Order] = {}  # by season
        self._due: dict[int, float] = {}  # when a season is looked at again

    async def look(self, row: TournamentRow) -> None:
        """Look at a season, unless that was done a moment ago or no hook wants to know."""
        now = monotonic()
        if now < self._due.get(row.id, now):
            return
        self._due[row.id] = now + _LOOK_SECONDS
        if not await asyncio.to_thread(is_event_wanted, self._store, LadderOvertaking.kind):
            self._orders.pop(row.id, None)  # which would be out of date when one does
            return
        ratings = await self._read(read_known_ratings, self._store, row)
        assert row.definition.confidence is not None
        order = self._orders.setdefault(row.id, Order(row.definition.confidence))
        for bot, overtaken in order.update(ratings).items():
            event = LadderOvertaking(
                season=row.id,
                variant=row.definition.variant,
                bot=bot,
                overtaken=tuple(overtaken),
                place=order.find_place(bot),
            )
            announcement = Announcement.of(event, time=wall_clock())
            await asyncio.to_thread(self._store.announce, announcement)


def read_known_ratings(store: Store, row: TournamentRow) -> dict[str, Rating]:
    """Return the ratings of the bots that are on a ladder and known well, of their newest versions.

    Blocks.
    """
    rows = {one.name: one for one in read_standings(store, row).rows}
    known = {}
    for bot, indices in list_members(row.definition).items():
        for index in indices:  # by version
            own = rows.get(row.definition.entrants[index].name)
            if own is not None and own.groups >= ENOUGH_GROUPS:
                known[bot] = Rating(mu=own.mu, sigma=own.sigma)
    return known
