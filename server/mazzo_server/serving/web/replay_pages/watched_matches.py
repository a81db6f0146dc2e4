"""Keeps the matches that are being watched: a step of each asks for another page."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

from mazzo.match_record import MatchRecord
from mazzo_server.clock import monotonic
from mazzo_server.model import MatchId
from mazzo_server.results.watching import WatchedMatch
from mazzo_server.serving.web.services import Services

__all__ = ["WatchedMatches"]

_MOST: Final = 20_000  # positions of all that are kept
_SECONDS: Final = 60.0  # for which one is kept; it may be deleted meanwhile


class WatchedMatches:
    """Fetches each match once, and again after a while."""

    def __init__(self) -> None:
        # For each visitor anew, since notes of bots are shown to their owners alone.
        self._kept: OrderedDict[tuple[str, MatchId], tuple[float, WatchedMatch]] = OrderedDict()

    async def open(self, services: Services, number: MatchId) -> WatchedMatch:
        """Return a match; raise what `Services.read_record` raises."""
        key, now = (services.token, number), monotonic()
        until, match = self._kept.get(key, (now, None))
        if match is None or until <= now:
            lines = (await services.read_record(number)).splitlines()
            match = await asyncio.to_thread(lambda: WatchedMatch(MatchRecord.parse(lines)))
            self._kept[key] = now + _SECONDS, match
            self._drop_some(now)
        self._kept.move_to_end(key)
        return match

    def _drop_some(self, now: float) -> None:
        """Drop the matches that are out of date, and those that were asked for least recently."""
        for key in [key for key, (until, _) in self._kept.items() if until <= now]:
            del self._kept[key]
        sizes = {key: sum(map(len, match.steps)) for key, (_, match) in self._kept.items()}
        total = sum(sizes.values())
        for key in list(self._kept)[:-1]:
            if total <= _MOST:
                return
            total -= sizes[key]
            del self._kept[key]
