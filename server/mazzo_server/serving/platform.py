"""The platform: what can be done with the bots, matches and rankings of one store.

The gRPC services offer exactly this; nothing here knows the wire. Everything that blocks
(store, files, probes of the sandbox) runs in a thread, for matches are played on the
event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from mazzo.games import GAMES
from mazzo.match_check import Verification, verify
from mazzo.match_record import MatchRecord
from mazzo_server.auth import Tokens
from mazzo_server.bots.bundles import BundleStore
from mazzo_server.bots.launcher import Casting
from mazzo_server.bots.qualification import forms_of, qualified_forms
from mazzo_server.clock import wall_clock
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    ServerUnavailableError,
)
from mazzo_server.logs import Action
from mazzo_server.metrics import Metrics
from mazzo_server.model.manifest import Manifest, remote_manifest
from mazzo_server.model.roles import Role, Token
from mazzo_server.play.instances.lobby import Lobby
from mazzo_server.play.trial import play_trial
from mazzo_server.results.bot_logs import BotLog, logs_of
from mazzo_server.results.ranking.fold import VariantRanking
from mazzo_server.results.ranking.history import Explanation, Rankings
from mazzo_server.results.replays import Replays, ScheduledMatch
from mazzo_server.sandbox import Sandbox
from mazzo_server.settings import Settings
from mazzo_server.storage import (
    BotRow,
    Store,
    TokenRow,
    VersionRow,
    check_bot,
    open_store,
)
from mazzo_server.tournaments.service import Organiser

__all__ = ["Platform"]

_LOG = logging.getLogger(__name__)

_Value = TypeVar("_Value")

_HEAVY_READERS = 2  # threads
_MOST_TRIALS = 4  # at a time; the others wait
_DEFAULT_START_UP = 20.0  # seconds, in a trial


class Platform:
    """One store, its bundles, and the tournaments that this process plays."""

    def __init__(self, settings: Settings, store: Store, *, embedded: bool = False) -> None:
        """See `open`."""
        known_games = {game.id: game.players for game in GAMES.values()}
        self.metrics = Metrics()
        self.draining = asyncio.Event()  # set: nothing new is begun any more
        self.tokens = Tokens(store)
        self.lobby = Lobby(self.tokens.is_valid)
        self._known_games = known_games
        self._settings = settings
        self._store = store
        self._bundles = BundleStore(settings.bundles, known_games=known_games)
        self.casting = Casting(
            store, self._bundles, self.lobby, embedded=embedded, require=settings.require
        )
        # Reads that take long, so that nobody who only shows a token waits behind them.
        self._readers = ThreadPoolExecutor(_HEAVY_READERS, thread_name_prefix="read")
        self._trials = asyncio.Semaphore(_MOST_TRIALS)
        self._submissions: set[asyncio.Task[Any]] = set()
        self._replays = Replays(store)
        self._rankings = Rankings(store)
        self.organiser = Organiser(
            store,
            self.casting,
            read=self._read,
            check_open=self._check_open,
            metrics=self.metrics,
        )

    @classmethod
    async def open(cls, settings: Settings, *, embedded: bool = False) -> Platform:
        """The platform of a home folder, made if there is none; raises `StoreError`.

        No remote bot can dial in to one that is `embedded` in a command.
        """
        store = await asyncio.to_thread(open_store, settings.store)
        return cls(settings, store, embedded=embedded)

    async def drain(self, *, grace: float) -> None:
        """Begin nothing new; let current matches and trials end, for `grace` seconds at most.

        What is not over by then is cut off: its instances are ended, nothing of it is stored.
        """
        self.draining.set()
        tasks = self._submissions | self.organiser.stop()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def close(self, *, grace: float) -> None:
        """Let go of everything; tournaments are drained first."""
        await self.drain(grace=grace)
        await asyncio.to_thread(self._readers.shutdown)
        await asyncio.to_thread(self._store.close)

    async def _read(self, read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
        """What a function reads that may take long."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, partial(read, *arguments, **named))

    def _check_open(self) -> None:
        if self.draining.is_set():
            raise ServerUnavailableError(
                "the server is stopping and begins nothing new: try again when it is back"
            )

    # Bots

    async def submit(
        self,
        archive: bytes,
        *,
        isolation: str,
        author: str = "",
        seed: bytes | None = None,
        tell: Callable[[str], None] = lambda doing: None,
    ) -> VersionRow:
        """Check, store and try out a bundle; the new version, with its trial.

        A new name belongs to the author; "" is the organiser, who may submit under any name.
        `seed` is that of an earlier trial; for `tell` see `mazzo_server.play.trial.play_trial`.
        Raises `BundleError` and keeps nothing when it is refused, `PermissionDeniedError` for
        the name of another's bot. A bot that fails its trial is kept: the trial says what
        happened.
        """
        with self._submission():
            sandbox = await self.casting.sandbox(isolation)
            return await self._try_out(await self._add(archive, author), sandbox, seed, tell)

    @contextmanager
    def _submission(self) -> Iterator[None]:
        """While it lasts, a server that is drained waits for the current task."""
        self._check_open()
        task = asyncio.current_task()
        assert task is not None
        self._submissions.add(task)
        try:
            yield
        finally:
            self._submissions.discard(task)

    async def _add(self, archive: bytes, author: str) -> VersionRow:
        bundle = await asyncio.to_thread(
            self._bundles.add,
            archive,
            check=lambda manifest: self._check_may_add(manifest.name, author, remote=False),
        )
        version = await asyncio.to_thread(
            self._store.add_version,
            bundle.manifest.name,
            content_hash=bundle.content_hash,
            manifest=dict(bundle.manifest.to_json()),
            create_time=wall_clock(),
            owner=author,
        )
        _LOG.info(
            "%s version %d is submitted",
            *(version.bot, version.number),
            extra={
                "action": Action.BOT_SUBMITTED,
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
    ) -> VersionRow:
        """Play the trial of a version, by default the newest, again; the version with it.

        `seed` is that of an earlier one. See `submit` for whose it may be. Raises
        `InvalidInputError` for a remote bot.
        """
        with self._submission():
            row, _ = await self.bot(name)
            await self._check_owner(name, author)
            if row.remote:
                raise InvalidInputError(
                    f"{name} plays from its author's machine and has no trial: it is qualified by "
                    "being registered"
                )
            version = await asyncio.to_thread(self._store.version, name, number)
            return await self._try_out(version, await self.casting.sandbox(isolation), seed)

    async def _try_out(
        self,
        version: VersionRow,
        sandbox: Sandbox,
        seed: bytes | None = None,
        tell: Callable[[str], None] = lambda doing: None,
    ) -> VersionRow:
        spec = self.casting.version(version, sandbox, start_up=_DEFAULT_START_UP)
        forms = forms_of(Manifest.from_json(version.manifest))
        async with self._trials:
            trial = await play_trial(spec, forms, seed=seed, metrics=self.metrics, tell=tell)
        if not trial["passed"]:
            _LOG.info(
                "%s version %d fails its trial",
                *(version.bot, version.number),
                extra={
                    "action": Action.TRIAL_FAILED,
                    "bot": version.bot,
                    "version": version.number,
                },
            )
        await asyncio.to_thread(self._store.set_trial, version.bot, version.number, trial=trial)
        return await asyncio.to_thread(self._store.version, version.bot, version.number)

    async def activate(self, name: str, number: int | None, *, author: str = "") -> None:
        """Choose the version that enters tournaments; None: again the newest qualified one.

        See `submit` for whose it may be. Raises `ConflictError` for a version that may enter
        nothing, and for a bot that is retired.
        """
        row, _ = await self.bot(name)
        await self._check_owner(name, author)
        if row.retired:
            again = "register" if row.remote else "submit"
            raise ConflictError(
                f"{name} is retired and enters nothing, with whatever version: {again} it again "
                f"with `mazzo bots {again}`, and choose then"
            )

        def write() -> None:
            if number is not None:
                version = self._store.version(name, number)
                if not qualified_forms(row, version):
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
            extra={"action": Action.VERSION_ACTIVATED, "bot": name, "version": number or 0},
        )

    async def register(
        self, name: str, *, games: Sequence[str], capacity: int, writer: str, author: str = ""
    ) -> tuple[VersionRow, str]:
        """A new version of a remote bot, and the key of a new bot, which is told only now.

        `writer` is who wrote it, for people; see `submit` for `author`. Without games it plays
        them all. For a bot that is there already the key is "": it keeps its own.
        """
        manifest = remote_manifest(
            name,
            games=games or sorted(self._known_games),
            capacity=capacity,
            author=writer or author or "the organiser",
            known_games=self._known_games,
        )
        await asyncio.to_thread(self._check_may_add, name, author, remote=True)
        is_new = await asyncio.to_thread(self._store.bot, name) is None
        version = await asyncio.to_thread(
            self._store.add_version,
            name,
            content_hash="",
            manifest=dict(manifest.to_json()),
            create_time=wall_clock(),
            owner=author,
            remote=True,
        )
        _LOG.info(
            "%s version %d is registered",
            *(name, version.number),
            extra={"action": Action.BOT_REGISTERED, "bot": name, "version": version.number},
        )
        return version, (await self._key(name)).text if is_new else ""

    async def new_key(self, name: str, *, author: str = "") -> str:
        """Revoke the keys of a remote bot, and make one that is told only now."""
        await self.bot(name)
        await self._check_owner(name, author)
        key = await self._key(name)
        for row in await self.tokens.rows():
            is_old = row.role is Role.BOT and row.subject == name and row.id != key.id
            if is_old and not row.revoked:
                await self.revoke(row.id)
        _LOG.info("%s has a new key", name, extra={"action": Action.KEY_RENEWED, "bot": name})
        return key.text

    async def _key(self, name: str) -> Token:
        token, _ = await self.tokens.create(Role.BOT, name, label="")
        return token

    async def revoke(self, token_id: str) -> TokenRow:
        """Revoke an access token; a remote bot that waits and came by it is told goodbye."""
        row = await self.tokens.revoke(token_id)
        self.lobby.dismiss(token_id)
        return row

    async def session(self, key: str, *, previous: str) -> tuple[str, str]:
        """A session token for the remote bot with that key, and the bot's name.

        `previous` is the token of a session that the bot had and lost. Raises
        `UnauthenticatedError` or `PermissionDeniedError` for what is no key of a remote bot.
        """
        caller, token = await self.tokens.caller(key), Token.parse(key)
        if caller.role is not Role.BOT or token is None:
            raise PermissionDeniedError(
                f"expected the key of a remote bot, got a token of the role {caller.role}: "
                "`mazzo bots register` makes keys"
            )
        return self.lobby.mint(caller.subject, token.id, previous=previous), caller.subject

    async def bots(self) -> list[tuple[BotRow, list[VersionRow]]]:
        """Every bot by name with all its versions, oldest first."""

        def read() -> list[tuple[BotRow, list[VersionRow]]]:
            return [(row, self._store.versions(row.name)) for row in self._store.bots()]

        return await asyncio.to_thread(read)

    async def bot(self, name: str) -> tuple[BotRow, list[VersionRow]]:
        """One bot with all its versions, oldest first."""

        def read() -> tuple[BotRow, list[VersionRow]]:
            row = self._store.bot(name)
            if row is None:
                raise NotFoundError(f"expected a bot's name (see `mazzo bots list`), got {name!r}")
            return row, self._store.versions(name)

        return await asyncio.to_thread(read)

    async def retire(self, name: str, *, author: str = "") -> None:
        """Take a bot out of future tournaments; see `submit` for whose it may be."""
        await self.bot(name)
        await self._check_owner(name, author)
        await asyncio.to_thread(self._store.retire, name)
        _LOG.info("%s is retired", name, extra={"action": Action.BOT_RETIRED, "bot": name})

    async def bot_logs(self, name: str, *, tournament: int = 0, author: str = "") -> list[BotLog]:
        """Every forfeit of a bot in mirror groups that are over, of one tournament or (0) of all.

        See `submit` for whose it may be.
        """
        await self.bot(name)
        await self._check_owner(name, author)
        return await self._read(logs_of, self._store, name, tournament)

    async def _check_owner(self, name: str, author: str) -> None:
        await asyncio.to_thread(self._check_is_own, name, author)

    def _check_is_own(self, name: str, author: str, *, advice: str = "") -> None:
        row = self._store.bot(name)
        if author and row is not None and row.owner != author:
            raise PermissionDeniedError(
                f"bot {name} belongs to {row.owner or 'the organiser'}, not to {author}{advice}"
            )

    def _check_may_add(self, name: str, author: str, *, remote: bool) -> None:
        """Whether a version may be added, before anything of it is kept."""
        self._check_is_own(name, author, advice=": submit yours under another name")
        row = self._store.bot(name)
        if row is not None:
            check_bot(row, owner=author, remote=remote)

    # Replays

    async def matches(
        self, tournament: int, *, bot: str, start: int, size: int
    ) -> tuple[list[ScheduledMatch], int | None]:
        """A page of the matches of a tournament; see `Replays.page`."""
        return await self._read(self._replays.page, tournament, bot=bot, start=start, size=size)

    async def match(
        self, tournament: int, group: int, seating: int, *, notes_for: str | None = None
    ) -> tuple[MatchRecord, Verification]:
        """A match record, checked; raises `ConflictError` while its group is not over.

        See `Replays.record` for whose notes it has.
        """

        def read() -> tuple[MatchRecord, Verification]:
            record = self._replays.record(tournament, group, seating, notes_for=notes_for)
            return record, verify(record)

        return await self._read(read)

    # Rankings

    async def rankings(self, variant: str) -> Sequence[VariantRanking]:
        """The ranking of a variant, or ("") of each that has a finished tournament."""
        return await self._read(self._rankings.of, variant)

    async def explain_ranking(
        self, bot: str, *, variant: str, groups: int, start: int, size: int
    ) -> tuple[Sequence[Explanation], int | None]:
        """A page of what tournaments did to a bot's rating; see `Rankings.explain`."""
        return await self._read(
            self._rankings.explain, bot, variant=variant, groups=groups, start=start, size=size
        )

    async def explain_tournament(
        self, bot: str, tournament: int, *, variant: str, start: int, size: int
    ) -> tuple[Explanation, int | None]:
        """What one tournament did to a bot's rating; see `Rankings.explain_tournament`."""
        return await self._read(
            self._rankings.explain_tournament,
            bot,
            tournament,
            variant=variant,
            start=start,
            size=size,
        )
