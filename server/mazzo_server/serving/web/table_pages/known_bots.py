"""The bots against which people may play, as all visitors with the same rights see them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mazzo.v1 import bot_pb2
from mazzo_server.clock import monotonic
from mazzo_server.serving.web.services import Services

__all__ = ["KnownBots"]

_MOST_BOTS: Final = 500

_Bots: TypeAlias = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    begin: float  # when it was asked for, on the monotonic clock
    reading: asyncio.Task[_Bots]


class KnownBots:
    """Asks for the bots, and keeps the answer for some seconds."""

    def __init__(self, *, kept_seconds: float = 10.0) -> None:
        self._kept_seconds = kept_seconds
        self._answers: dict[str, _Answer] = {}  # by the token that was shown

    async def list_playing(self, services: Services) -> _Bots:
        """Return the bots that may enter, at most 500 or so, and what each plays.

        Raises what `services` raise.
        """
        now = monotonic()
        self._answers = {
            token: answer
            for token, answer in self._answers.items()
            if now - answer.begin < self._kept_seconds
        }
        answer = self._answers.get(services.token)
        if answer is None:
            reading = asyncio.create_task(_fetch(services), name="bots")
            answer = self._answers[services.token] = _Answer(begin=now, reading=reading)
        try:
            return await asyncio.shield(answer.reading)  # others may wait for it
        except Exception:
            if self._answers.get(services.token) is answer:
                del self._answers[services.token]
            raise


async def _fetch(services: Services) -> _Bots:
    found, place = list[tuple[str, Sequence[str]]](), ""
    while True:
        request = bot_pb2.ListBotsRequest(page_token=place)
        answer = await services.ask(services.bots.ListBots, request)
        found += [
            (bot.name, list(version.games))
            for bot in answer.bots
            if bot.connected or not bot.remote
            for version in bot.versions
            if version.version == bot.active_version
        ]
        place = answer.next_page_token
        if not place or len(found) > _MOST_BOTS:
            return found
