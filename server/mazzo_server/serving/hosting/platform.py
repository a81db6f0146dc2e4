"""The platform of one store: its parts, put together.

The gRPC services offer what the parts can do; nothing here knows the wire.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from mazzo_server.auth import Tokens
from mazzo_server.bots import (
    BotKeys,
    Catalogue,
    Launcher,
    PlayTrial,
    TrialQueue,
    Uploads,
    play_broken_trials,
)
from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import ServerUnavailableError
from mazzo_server.metrics import Metrics
from mazzo_server.model import KNOWN_GAMES, CallLimits, read_bot_limits
from mazzo_server.play.instances import Lobby
from mazzo_server.play.trial import play_trial
from mazzo_server.results import Replays
from mazzo_server.results.ranking import Rankings
from mazzo_server.sandbox import clear_dead_folders
from mazzo_server.serving.entries import Entries, Readiness, Starter, start_on_time
from mazzo_server.serving.hooks import Hooks, Poster, deliver_events
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, open_store
from mazzo_server.tournaments import Tournaments
from mazzo_server.tournaments.challenges import Challenges, play_challenges
from mazzo_server.tournaments.ladders import LadderKeeper, Ladders
from mazzo_server.tournaments.tables import OpenTables

__all__ = ["Platform"]

_Value = TypeVar("_Value")

_HEAVY_READERS = 2  # threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What the matches of a store tell."""

    replays: Replays
    rankings: Rankings


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrated:
    """What is played and counts for no ranking."""

    tables: OpenTables
    challenges: Challenges
    ladders: Ladders


class Platform:
    """One store, and the parts that work on it; whoever needs a part calls it directly.

    `results` block for long, so they are called through `read`.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        embedded: bool = False,
        limits: CallLimits | None = None,
        play_trial: PlayTrial = play_trial,
    ) -> None:
        """See `open`."""
        bundles = BundleStore(
            settings.bundles, known_games=KNOWN_GAMES, limits=read_bot_limits(settings.limits)
        )
        self.settings = settings
        self._store = store
        # Reads that take long, so that nobody who only shows a token waits behind them.
        self._readers = ThreadPoolExecutor(_HEAVY_READERS, thread_name_prefix="read")
        self.draining = asyncio.Event()  # set: nothing new is begun any more
        self.metrics = Metrics()
        self.tokens = Tokens(store)
        self.lobby = Lobby(self._is_valid_key)
        self.keys = BotKeys(self.tokens, self.lobby)
        launcher = Launcher(store, bundles, self.lobby, embedded=embedded, require=settings.require)
        self.bots = Catalogue(
            store,
            bundles,
            launcher,
            TrialQueue(store, launcher, metrics=self.metrics, play=play_trial),
            self.keys,
            Uploads(bundles, limits or CallLimits()),
            known_games=KNOWN_GAMES,
            check_open=self._check_open,
        )
        self.tournaments = Tournaments(
            store,
            launcher,
            read=self.read,
            check_open=self._check_open,
            metrics=self.metrics,
            settings=settings,
        )
        limits = limits or CallLimits()
        self.unrated = Unrated(
            tables=OpenTables(store, launcher, self.tournaments, self.lobby, most=limits.tables),
            challenges=Challenges(
                store,
                launcher,
                self.tournaments,
                read=self.read,
                per_day=limits.challenges_per_day,
            ),
            ladders=Ladders(
                store, launcher, self.tournaments, read=self.read, check_open=self._check_open
            ),
        )
        self.results = Results(replays=Replays(store), rankings=Rankings(store))

    @classmethod
    async def open(
        cls, settings: Settings, *, embedded: bool = False, limits: CallLimits | None = None
    ) -> Platform:
        """Return the platform of a home folder, made if there is none.

        Raises `StoreError`, and `InvalidInputError` for limits of bots that cannot be read.

        What killed platforms of this user left in the folder for temporary files is removed.

        No remote bot can dial in to one that is `embedded` in a command.
        """
        await asyncio.to_thread(clear_dead_folders)
        store = await asyncio.to_thread(open_store, settings.store)
        return cls(settings, store, embedded=embedded, limits=limits)

    @property
    def hooks(self) -> Hooks:
        """The hooks of the store."""
        return Hooks(self._store, Poster(private=self.settings.private_hooks))

    def keep_ladders(self) -> AbstractAsyncContextManager[None]:
        """Play the ladders of the store while the context lasts."""
        launcher = self.bots.launcher
        keeper = LadderKeeper(
            self.unrated.ladders, self.tournaments, self._store, launcher, read=self.read
        )
        return keeper.keep(self.draining)

    def play_broken_trials(self, isolation: str) -> AbstractAsyncContextManager[None]:
        """Play the trials that were broken off while the context lasts."""
        return play_broken_trials(self.bots, self._store, isolation=isolation)

    def deliver_events(self) -> AbstractAsyncContextManager[None]:
        """Deliver what waits for hooks while the context lasts, unless another process does."""
        poster = Poster(private=self.settings.private_hooks)
        return deliver_events(self._store, poster, metrics=self.metrics.hooks)

    def play_challenges(self) -> AbstractAsyncContextManager[None]:
        """Play the challenges of the store while the context lasts."""
        return play_challenges(self._store, self.tournaments, self.unrated.challenges)

    @property
    def entries(self) -> Entries:
        """The open tournaments of the store."""
        return Entries(self._store, self._readiness)

    @property
    def _readiness(self) -> Readiness:
        return Readiness(self._store, self.bots.launcher, self.lobby.is_connected)

    def start_on_time(self) -> AbstractAsyncContextManager[None]:
        """Start open tournaments that are due while the context lasts."""
        starter = Starter(self._store, self.bots.launcher, self.tournaments, self._readiness)
        return start_on_time(starter, self.draining)

    async def read(self, read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
        """Call a function that reads for long, in a thread, and return what it returns."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, partial(read, *arguments, **named))

    async def drain(self, *, grace: float) -> None:
        """Begin nothing new; let current matches and trials end, for `grace` seconds at most.

        What is not over by then is cut off: its instances are ended, nothing of it is stored.
        """
        self.draining.set()
        tasks = self.bots.submissions | self.tournaments.stop()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def close(self, *, grace: float) -> None:
        """Let go of everything; tournaments are drained first."""
        await self.drain(grace=grace)
        await self.unrated.tables.close()
        await self.tournaments.close()
        await asyncio.to_thread(self._readers.shutdown)
        await asyncio.to_thread(self._store.close)

    async def _is_valid_key(self, key_id: str) -> bool:
        """Tell whether a remote bot, or a person at a table, may play with the key of that id."""
        return self.unrated.tables.has_key(key_id) or await self.tokens.is_valid(key_id)

    def _check_open(self) -> None:
        if self.draining.is_set():
            raise ServerUnavailableError(
                "the server is stopping and begins nothing new: try again when it is back"
            )
