"""Keeps the matches that are being watched: a step of each asks for another page."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import replace
from typing import Final

import grpc

from mazzo.match_record import MatchRecord
from mazzo_server.clock import monotonic
from mazzo_server.model import MatchId
from mazzo_server.results.watching import WatchedMatch
from mazzo_server.serving.web.services import Services

__all__ = ["WatchedMatches"]

_MOST: Final = 20_000  # positions of all that are kept
_MOST_SEATINGS: Final = 24  # of every order of four
_AT_ONCE: Final = 4  # matches of a group that are fetched at the same time
_MOST_GROUPS: Final = 1000  # of which it is remembered how many matches they have
_SECONDS: Final = 60.0  # for which one is kept; it may be deleted meanwhile


class WatchedMatches:
    """Fetches each match once, and again after a while."""

    def __init__(self) -> None:
        # For each visitor anew, since notes of bots are shown to their owners alone.
        self._kept: OrderedDict[tuple[str, MatchId], tuple[float, WatchedMatch]] = OrderedDict()
        # By visitor, tournament and group: until when it is kept, and how many matches there are.
        self._sizes: OrderedDict[tuple[str, int, int], tuple[float, int]] = OrderedDict()

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

    async def open_group(
        self, services: Services, first: MatchId
    ) -> list[tuple[MatchId, WatchedMatch]]:
        """Return all matches of a mirror group; raise what `Services.read_record` raises.

        They can be shown all or not at all. A few are fetched at the same time. How many there are
        is told only by the first one that there is not, so it is remembered.
        """
        key, now = (services.token, first.tournament, first.group), monotonic()
        until, size = self._sizes.get(key, (now, 0))
        is_known = until > now
        most = size if is_known else _MOST_SEATINGS
        found: list[WatchedMatch] = []
        while len(found) < most:
            # At first one alone, as mostly all can be shown or none.
            count = min(_AT_ONCE if found else 1, most - len(found))
            seatings = range(len(found), len(found) + count)
            opened = await asyncio.gather(
                *(self.open(services, replace(first, seating=seating)) for seating in seatings),
                return_exceptions=True,
            )
            for match in opened:
                if isinstance(match, WatchedMatch):
                    found.append(match)
                elif found and not is_known and _is_unknown(match):
                    most = len(found)
                    break
                else:
                    raise match
        self._sizes[key] = now + _SECONDS, len(found)
        self._sizes.move_to_end(key)
        if len(self._sizes) > _MOST_GROUPS:
            self._sizes.popitem(last=False)
        return [(replace(first, seating=seating), match) for seating, match in enumerate(found)]

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


def _is_unknown(error: BaseException) -> bool:
    return isinstance(error, grpc.aio.AioRpcError) and error.code() is grpc.StatusCode.NOT_FOUND
