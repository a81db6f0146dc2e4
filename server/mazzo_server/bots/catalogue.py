"""The catalogue of bots: submitted, tried, registered, chosen, retired and shown.

What blocks (the store, files, probes of the sandbox) runs in a thread, for matches are played
on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, BinaryIO

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.bots.detached_trials import DetachedTrials
from mazzo_server.bots.keys import BotKeys
from mazzo_server.bots.launcher import Launcher
from mazzo_server.bots.ownership import check_may_add, find_own_bot
from mazzo_server.bots.qualification import list_qualified_forms
from mazzo_server.bots.trial_queue import TrialQueue
from mazzo_server.bots.uploads import Uploads
from mazzo_server.clock import wall_clock
from mazzo_server.errors import ConflictError, InvalidInputError
from mazzo_server.logs import LogAction
from mazzo_server.model import make_remote_manifest
from mazzo_server.results import BotLog, read_logs
from mazzo_server.storage import BotRow, Store, VersionRow, find_bot

__all__ = ["Catalogue"]

_LOG = logging.getLogger(__name__)


class Catalogue:
    """The bots of a store.

    Methods with an `author` act for that author, on the author's own bots; "" is the organiser,
    who may act on every bot. They raise `PermissionDeniedError` for another author's bot, and
    `NotFoundError` for one that is not there.
    """

    def __init__(
        self,
        store: Store,
        bundles: BundleStore,
        launcher: Launcher,
        trials: TrialQueue,
        keys: BotKeys,
        uploads: Uploads,
        *,
        known_games: Mapping[str, Sequence[int]],
        check_open: Callable[[], None],
    ) -> None:
        """`known_games` has the numbers of players of each game.

        `check_open` raises when nothing new may begin any more.
        """
        self._store = store
        self._bundles = bundles
        self.launcher = launcher
        self.trials = trials
        self._detached = DetachedTrials()
        self._keys = keys
        self.uploads = uploads
        self._known_games = known_games
        self._check_open = check_open
        self._submissions: set[asyncio.Task[Any]] = set()

    @property
    def submissions(self) -> frozenset[asyncio.Task[Any]]:
        """The tasks that submit a bot or play a trial right now."""
        return frozenset(self._submissions)

    async def submit(
        self,
        archive: bytes | BinaryIO,
        *,
        isolation: str,
        author: str = "",
        seed: bytes | None = None,
        detached: bool = False,
        on_stored: Callable[[], None] = lambda: None,
        on_progress: Callable[[str], None] = lambda doing: None,
    ) -> VersionRow:
        """Check, store and try out a bundle; return the new version with its trial.

        A new name belongs to the author from now on. `seed` is that of an earlier trial. With
        `detached` the version is returned as soon as it is stored, and its trial played later. From
        `on_stored` on the archive is needed no more; for `on_progress` see `play_trial`. Raises
        `BundleError` and keeps nothing when it is refused. A bot that fails its trial is kept: the
        trial says what happened.
        """
        with self._count_submission(), ExitStack() as held:
            if detached:
                held.enter_context(self._detached.hold_place(author))
            sandbox = await self.launcher.find_sandbox(isolation)
            version = await self._add(archive, author)
            on_stored()
            play = partial(self.trials.play, version, sandbox, seed=seed, on_progress=on_progress)
            return await self._play(version, play, held, detached=detached)

    async def _play(
        self,
        version: VersionRow,
        play: Callable[[], Awaitable[VersionRow]],
        held: ExitStack,
        *,
        detached: bool,
    ) -> VersionRow:
        """Play a trial and return the version with its report.

        If `detached`, return it as it is; what is `held` is then the trial's.
        """
        if not detached:
            return await play()

        async def play_counted() -> VersionRow:
            with self._count_submission():
                return await play()

        await self._detached.begin(version, play_counted, held.pop_all())
        return version

    @contextmanager
    def _count_submission(self) -> Iterator[None]:
        """Let a server that is drained wait for the current task while the context lasts."""
        self._check_open()
        task = asyncio.current_task()
        assert task is not None
        self._submissions.add(task)
        try:
            yield
        finally:
            self._submissions.discard(task)

    async def _add(self, archive: bytes | BinaryIO, author: str) -> VersionRow:
        def write() -> VersionRow:
            with self._bundles.hold():  # nobody removes the files before a version has them
                bundle = self._bundles.add(
                    archive,
                    check=lambda manifest: check_may_add(
                        self._store, manifest.name, author, remote=False
                    ),
                )
                return self._store.add_version(
                    bundle.manifest.name,
                    content_hash=bundle.content_hash,
                    manifest=bundle.manifest,
                    create_time=wall_clock(),
                    owner=author,
                )

        version = await asyncio.to_thread(write)
        _LOG.info(
            "%s version %d is submitted",
            *(version.bot, version.number),
            extra={
                "action": LogAction.BOT_SUBMITTED,
                "bot": version.bot,
                "version": version.number,
            },
        )
        return version

    async def play_trial(
        self,
        name: str,
        number: int | None,
        *,
        isolation: str,
        author: str = "",
        seed: bytes | None = None,
        detached: bool = False,
    ) -> VersionRow:
        """Play the trial of a version, by default the newest, again; return it with its report.

        `seed` is that of an earlier trial; for `detached` see `submit`. Raises `InvalidInputError`
        for a remote bot, and `ConflictError` while a trial of the version is played here.
        """
        with self._count_submission(), ExitStack() as held:
            row = await asyncio.to_thread(find_own_bot, self._store, name, author)
            if row.remote:
                raise InvalidInputError(
                    f"{name} plays from its author's machine and has no trial: it is qualified by "
                    "being registered"
                )
            version = await asyncio.to_thread(self._store.version, name, number)
            if detached:
                held.enter_context(self._detached.hold_place(author))
            is_played = bool(self.trials.find_progress(name, version.number))
            held.enter_context(
                self._detached.hold_version(name, version.number, is_played=is_played)
            )
            sandbox = await self.launcher.find_sandbox(isolation)
            play = partial(self.trials.play, version, sandbox, seed=seed)
            return await self._play(version, play, held, detached=detached)

    async def activate(self, name: str, number: int | None, *, author: str = "") -> None:
        """Choose the version that enters tournaments; None: again the newest qualified one.

        Raises `ConflictError` for a version that may enter nothing, and for a retired bot.
        """

        def write() -> None:
            row = find_own_bot(self._store, name, author)
            if row.retired:
                again = "register" if row.remote else "submit"
                raise ConflictError(
                    f"{name} is retired and enters nothing, with whatever version: {again} it "
                    f"again with `mazzo bots {again}`, and choose then"
                )
            if number is not None:
                version = self._store.version(name, number)
                if not list_qualified_forms(row, version):
                    raise ConflictError(
                        f"{name} version {number} is not qualified for anything: see `mazzo bots "
                        f"show {name}`, or play its trial with `mazzo bots trial {name} --version "
                        f"{number}`"
                    )
            self._store.choose_version(name, number)

        await asyncio.to_thread(write)
        _LOG.info(
            "%s enters with version %s",
            *(name, number or "newest"),
            extra={"action": LogAction.VERSION_ACTIVATED, "bot": name, "version": number or 0},
        )

    async def register(
        self, name: str, *, games: Sequence[str], capacity: int, writer: str, author: str = ""
    ) -> tuple[VersionRow, str]:
        """Add a version of a remote bot; return it, and the key of a new bot.

        `writer` is the person who wrote it. Without games it plays them all. A bot that is there
        already keeps its key, and "" is returned.
        """
        manifest = make_remote_manifest(
            name,
            games=games or sorted(self._known_games),
            capacity=capacity,
            author=writer or author or "the organiser",
            known_games=self._known_games,
        )
        await asyncio.to_thread(check_may_add, self._store, name, author, remote=True)
        is_new = await asyncio.to_thread(self._store.bot, name) is None
        version = await asyncio.to_thread(
            self._store.add_version,
            name,
            content_hash="",
            manifest=manifest,
            create_time=wall_clock(),
            owner=author,
            remote=True,
        )
        _LOG.info(
            "%s version %d is registered",
            *(name, version.number),
            extra={"action": LogAction.BOT_REGISTERED, "bot": name, "version": version.number},
        )
        return version, await self._keys.create(name) if is_new else ""

    async def renew_key(self, name: str, *, author: str = "") -> str:
        """Revoke the keys of a remote bot, and return a new one."""
        await asyncio.to_thread(find_own_bot, self._store, name, author)
        key = await self._keys.renew(name)
        _LOG.info("%s has a new key", name, extra={"action": LogAction.KEY_RENEWED, "bot": name})
        return key

    async def retire(self, name: str, *, author: str = "") -> None:
        """Take a bot out of future tournaments."""

        def write() -> None:
            find_own_bot(self._store, name, author)
            self._store.retire(name)

        await asyncio.to_thread(write)
        _LOG.info("%s is retired", name, extra={"action": LogAction.BOT_RETIRED, "bot": name})

    async def delete(self, name: str, *, author: str = "") -> int:
        """Delete a bot with its files and its keys; return how many versions it had.

        Raises `ConflictError` for an entrant of a tournament.
        """

        def write() -> int:
            with self._bundles.hold(alone=True):
                find_own_bot(self._store, name, author)
                count = len(self._store.versions(name))
                unused = self._store.delete_bot(name)
                _LOG.info(
                    "%s is deleted", name, extra={"action": LogAction.BOT_DELETED, "bot": name}
                )
                for content_hash in unused:
                    self._bundles.remove(content_hash)
                return count

        try:
            return await asyncio.to_thread(write)
        finally:
            await self._keys.dismiss(name)

    async def list_all(self) -> list[tuple[BotRow, list[VersionRow]]]:
        """Return every bot by name with all its versions, oldest first."""

        def read() -> list[tuple[BotRow, list[VersionRow]]]:
            return [(row, self._store.versions(row.name)) for row in self._store.bots()]

        return await asyncio.to_thread(read)

    async def find(self, name: str) -> tuple[BotRow, list[VersionRow]]:
        """Return one bot with all its versions, oldest first."""

        def read() -> tuple[BotRow, list[VersionRow]]:
            return find_bot(self._store, name), self._store.versions(name)

        return await asyncio.to_thread(read)

    def read_logs(self, name: str, *, tournament: int = 0, author: str = "") -> list[BotLog]:
        """Return what went wrong with a bot; see `read_logs`. Blocks, and may take long."""
        find_own_bot(self._store, name, author)
        return read_logs(self._store, name, tournament)
