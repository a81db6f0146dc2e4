"""The results of tournaments as an Atom feed (RFC 4287), for programs that tell people of news."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import tournament_pb2
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Site
from mazzo_server.serving.web.visitors import get_services

__all__ = ["KnownLeaders", "send_feed"]

_ENTRIES: Final = 30
_LEADERS: Final = 3
_AT_ONCE: Final = 4  # standings that are asked for
_MOST_KNOWN: Final = 500  # tournaments
# Of the ids, which never change: neither with the address of the pages nor with the store's place.
_NAMESPACE: Final = UUID("0f4f6c51-95a7-5c0e-9d4e-3f1c7c1c0a55")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A finished tournament."""

    urn: str
    tournament: tournament_pb2.Tournament
    leaders: Sequence[str]


class KnownLeaders:
    """The names of the first rows of finished tournaments, which never change."""

    def __init__(self) -> None:
        self._known: dict[str, Sequence[str]] = {}  # by URN, those that were asked for first
        self._asking = asyncio.Semaphore(_AT_ONCE)

    async def find(
        self, services: Services, tournament: tournament_pb2.Tournament
    ) -> Sequence[str]:
        """Return the names, the best first."""
        urn = _make_urn(tournament)
        if urn not in self._known:
            async with self._asking:
                await self._ask(services, tournament.id, urn)
        return self._known[urn]

    async def _ask(self, services: Services, number: int, urn: str) -> None:
        if urn in self._known:  # others have waited for the same
            return
        whole = await services.get_tournament(number)
        while len(self._known) >= _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[urn] = [row.name for row in whole.standings.rows[:_LEADERS]]


async def send_feed(request: Request) -> Response:
    """Send the tournaments that were finished last, to whom may see their pages."""
    services = get_services(request)
    leaders: KnownLeaders = request.app.state.known_leaders
    finished, _ = await services.list_tournaments(most=_ENTRIES, finished=True)
    found = await asyncio.gather(*(leaders.find(services, one) for one in finished))
    base = _find_base(request)
    return render(
        request,
        "feed.atom",
        media_type="application/atom+xml; charset=utf-8",
        base=base,
        urn=uuid5(NAMESPACE_URL, base).urn,
        entries=[
            _Entry(urn=_make_urn(one), tournament=one, leaders=names)
            for one, names in zip(finished, found, strict=True)
        ],
    )


def _find_base(request: Request) -> str:
    """Return the beginning of all addresses as the visitor knows it."""
    site: Site = request.app.state.site
    scheme = "https" if site.is_secure else request.url.scheme
    return f"{scheme}://{request.url.netloc}"


def _make_urn(tournament: tournament_pb2.Tournament) -> str:
    """Return a name that no other tournament of any store has."""
    begin = tournament.create_time.ToNanoseconds()
    return uuid5(_NAMESPACE, f"{tournament.seed_commitment}/{tournament.id}/{begin}").urn
