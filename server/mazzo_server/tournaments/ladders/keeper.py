"""Plays the ladders of a platform: the part of a server that never stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from mazzo.games import parse_variant
from mazzo_server.bots import Launcher, find_entering_version
from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.logs import LogAction
from mazzo_server.model import Entrant
from mazzo_server.settings import list_usable_processors
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, read_withdrawn
from mazzo_server.tournaments.ladders.ladders import Ladders
from mazzo_server.tournaments.ladders.members import drop_member, list_members, make_versions
from mazzo_server.tournaments.ladders.overtaking import OvertakingWatch
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.service import Tournaments

__all__ = ["LadderKeeper"]

_LOG = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 1.0  # between two looks at the bots
_RETRY_SECONDS: Final = 60.0  # after what failed


class LadderKeeper:
    """Plays every season that is not over, and lets new versions of its bots join."""

    def __init__(
        self,
        ladders: Ladders,
        tournaments: Tournaments,
        store: Store,
        launcher: Launcher,
        *,
        read: Reader,
    ) -> None:
        self._ladders = ladders
        self._tournaments = tournaments
        self._store = store
        self._launcher = launcher
        self._overtaking = OvertakingWatch(store, read=read)
        self._done: set[int] = set()  # seasons that are over, and so are their finals
        # When what failed is tried again: the number of a season, or a version that joins one.
        self._retry_at: dict[int | tuple[int, str], float] = {}

    @asynccontextmanager
    async def keep(self, draining: asyncio.Event) -> AsyncIterator[None]:
        """Do so while the context lasts, until the server is draining."""
        keeping = asyncio.create_task(self._keep(draining), name="ladders")
        self._ladders.ends.plays_finals = True
        try:
            yield
        finally:
            self._ladders.ends.plays_finals = False
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping

    async def _keep(self, draining: asyncio.Event) -> None:
        while not draining.is_set():
            try:
                for row in await self._ladders.list_seasons():
                    if not row.status.is_over:
                        await self._keep_season(row)
                    elif row.id not in self._done and self._is_due(row.id):
                        await self._resume_final(row)
            except Exception as error:  # such as of a store that is away
                _LOG.warning(
                    "ladders: %s",
                    error,
                    exc_info=None if isinstance(error, PlatformError) else error,
                    extra={"action": LogAction.LADDERS_WAIT},
                )
                await asyncio.sleep(_RETRY_SECONDS / 10)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _resume_final(self, row: TournamentRow) -> None:
        try:
            if not await self._ladders.ends.resume_final(row):
                self._done.add(row.id)
        except PlatformError as error:
            self._tell(row, f"its final is not played: {error}")

    async def _keep_season(self, row: TournamentRow) -> None:
        async with self._ladders.changing:
            row = await asyncio.to_thread(self._store.tournament, row.id)
            if row.status.is_over:
                return
            if await self._ladders.ends.finish_if_followed(row):
                return
            if row.status is TournamentStatus.PAUSED:
                return
            if row.id in self._tournaments.list_running():
                self._retry_at.pop(row.id, None)
                await self._follow_bots(row)
                await self._overtaking.look(row)
            elif self._is_due(row.id):
                await self._play(row)

    def _is_due(self, what: int | tuple[int, str]) -> bool:
        """Tell whether something may be tried; it is not for a while from then on."""
        now = monotonic()
        if now < self._retry_at.get(what, now):
            return False
        self._retry_at[what] = now + _RETRY_SECONDS
        return True

    async def _play(self, row: TournamentRow) -> None:
        if await asyncio.to_thread(self._store.is_claimed, row.id):  # by another server
            return
        assert row.definition.share is not None
        workers = len(list_usable_processors(row.definition.share))
        try:
            await self._tournaments.start(row.id, workers=workers)
        except PlatformError as error:
            self._tell(row, str(error))

    async def _follow_bots(self, row: TournamentRow) -> None:
        """Let new versions of the bots that are there join, and retired bots leave."""
        changes = await asyncio.to_thread(self._list_wanted, row)
        for bot, version in changes.items():
            if not self._is_due((row.id, version.name if version else bot)):
                continue
            row = await asyncio.to_thread(self._store.tournament, row.id)
            try:
                if version is None:
                    amend = partial(drop_member, bot=bot)
                    what = f"{bot}, which is retired, leaves"
                    await self._tournaments.change(row.id, amend, what)
                else:
                    await self._ladders.enter(row, version)
            except PlatformError as error:
                self._tell(row, f"{bot} does not join or leave: {error}")

    def _list_wanted(self, row: TournamentRow) -> dict[str, Entrant | None]:
        """Return what changes: by bot the version that should join; None: it should leave."""
        definition = row.definition
        variant = parse_variant(definition.variant)
        withdrawn = {definition.entrants[one].name for one in read_withdrawn(self._store, row.id)}
        wanted: dict[str, Entrant | None] = {}
        for bot, indices in list_members(definition).items():
            known = self._store.bot(bot)
            if known is None or known.retired:
                wanted[bot] = None
                continue
            version = find_entering_version(known, self._store.versions(bot), variant)
            if version is None or not self._launcher.can_play(version, definition.limits):
                continue
            plain = Entrant(
                name=bot,
                version=version.number,
                content_hash=version.content_hash,
                remote=known.remote,
            )
            (entrant,) = make_versions([plain])
            if entrant.name not in {definition.entrants[indices[-1]].name, *withdrawn}:
                wanted[bot] = entrant
        return wanted

    def _tell(self, row: TournamentRow, what: str) -> None:
        _LOG.warning(
            "%s: %s",
            *(row.definition.name, what),
            extra={"action": LogAction.LADDERS_WAIT, "tournament": row.id},
        )
