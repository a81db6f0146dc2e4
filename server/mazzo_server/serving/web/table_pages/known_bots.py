"""The bots against which people may play, as all visitors with the same rights see them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, TypeAlias

from mazzo.v1 import bot_pb2
from mazzo_server.results.watching import SharedAnswers
from mazzo_server.serving.web.services import Services

__all__ = ["KnownBots"]

_MOST_BOTS: Final = 500

_Bots: TypeAlias = Sequence[tuple[str, Sequence[str], str]]  # name, what it plays, owner


class KnownBots:
    """Asks for the bots, and keeps the answer for some seconds."""

    def __init__(self, *, kept_seconds: float = 10.0) -> None:
        self._kept_seconds = kept_seconds
        self._answers = SharedAnswers[_Bots]()  # by the token that was shown

    async def list_playing(
        self, services: Services, *, author: str | None = ""
    ) -> list[tuple[str, Sequence[str]]]:
        """Return the bots that may enter, of one author or of all, and what each plays.

        They are at most 500 or so. Raises what `services` raise.
        """
        found = await self._answers.find(
            services.token, partial(_fetch, services), max_age=self._kept_seconds
        )
        return [(name, games) for name, games, owner in found if author in ("", owner)]


async def _fetch(services: Services) -> _Bots:
    found, place = list[tuple[str, Sequence[str], str]](), ""
    while True:
        request = bot_pb2.ListBotsRequest(page_token=place)
        answer = await services.ask(services.bots.ListBots, request)
        found += [
            (bot.name, list(version.games), bot.owner)
            for bot in answer.bots
            if bot.connected or not bot.remote
            for version in bot.versions
            if version.version == bot.active_version
        ]
        place = answer.next_page_token
        if not place or len(found) > _MOST_BOTS:
            return found
