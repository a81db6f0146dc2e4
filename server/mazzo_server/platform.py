"""The platform: what can be done with the bots, tournaments and rankings of one store.

The gRPC services offer exactly this; nothing here knows the wire. Everything that blocks
(store, files, probes of the sandbox) runs in a thread, for matches are played on the
event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from mazzo.games import GAMES, parse_variant
from mazzo.match_check import Verification, verify
from mazzo.match_record import MatchRecord
from mazzo_server.access import Role, Token
from mazzo_server.bot_logs import BotLog, logs_of
from mazzo_server.bundles import BundleStore
from mazzo_server.changes import first_free_group, joined, retired
from mazzo_server.clock import wall_clock
from mazzo_server.definition import Definition, Entrant, TimeControl
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    ServerUnavailableError,
    StoreError,
)
from mazzo_server.logs import Action
from mazzo_server.manifest import Manifest, remote_manifest
from mazzo_server.master.instance import InstanceSpec
from mazzo_server.master.lobby import Lobby
from mazzo_server.master.remote import RemoteSpec
from mazzo_server.master.sandboxed import SandboxedSpec
from mazzo_server.metrics import Metrics
from mazzo_server.plan import Estimate, Plan, estimate, plan_of
from mazzo_server.pruning import Pruned, prune
from mazzo_server.ranking import VariantRanking
from mazzo_server.rankings import Explanation, Rankings
from mazzo_server.replays import Replays, ScheduledMatch
from mazzo_server.rerun import Rerun, play_again
from mazzo_server.runs import Report, Run, log_tournament
from mazzo_server.sandbox import Limits, Sandbox, open_sandbox
from mazzo_server.schedule import schedule_of, seatings_of
from mazzo_server.scoring import standings_of
from mazzo_server.settings import Settings
from mazzo_server.speed import measured_speed
from mazzo_server.standings import Standings
from mazzo_server.storage import (
    BotRow,
    Store,
    TokenRow,
    TournamentRow,
    TournamentStatus,
    VersionRow,
    check_bot,
    open_store,
)
from mazzo_server.tokens import Tokens
from mazzo_server.tournaments import TournamentWish, define, entrant_of
from mazzo_server.trial import play_trial, variants_of

__all__ = ["DEFAULT_CONCURRENCY", "PlannedTournament", "Platform", "TournamentStanding"]

_LOG = logging.getLogger(__name__)

_Value = TypeVar("_Value")

DEFAULT_CONCURRENCY = 128  # matches in flight
_MOST_CONCURRENCY = 4096
_HEAVY_READERS = 2  # threads
_MOST_TRIALS = 4  # at a time; the others wait
_DEFAULT_START_UP = 20.0  # seconds, in a trial
_MOST_OVER = 16  # runs that are over and still tell whoever watches how they ended


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTournament:
    """A tournament that is not stored."""

    definition: Definition
    plan: Plan
    estimate: Estimate | None  # None where nothing was measured yet


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentStanding:
    """A tournament as it stands now."""

    row: TournamentRow
    running: bool  # somebody plays it right now
    matches_played: int
    matches_total: int
    standings: Standings | None  # None where only an overview was asked for


class Platform:
    """One store, its bundles, and the tournaments that this process plays."""

    def __init__(self, settings: Settings, store: Store, *, embedded: bool = False) -> None:
        """See `open`."""
        known_games = {game.id: game.players for game in GAMES.values()}
        self.metrics = Metrics()
        self.draining = asyncio.Event()  # set: nothing new is begun any more
        self.tokens = Tokens(store)
        self.lobby = Lobby(self.tokens.is_valid)
        self._embedded = embedded
        self._known_games = known_games
        self._settings = settings
        self._store = store
        self._bundles = BundleStore(settings.bundles, known_games=known_games)
        self._sandboxes: dict[str, Sandbox] = {}
        self._runs: dict[int, Run] = {}
        # Reads that take long, so that nobody who only shows a token waits behind them.
        self._readers = ThreadPoolExecutor(_HEAVY_READERS, thread_name_prefix="read")
        self._trials = asyncio.Semaphore(_MOST_TRIALS)
        self._submissions: set[asyncio.Task[Any]] = set()
        self._replays = Replays(store)
        self._rankings = Rankings(store)

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
        tasks = self._submissions | {run.task for run in self._runs.values() if run.task}
        for run in self._runs.values():
            run.stop()
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

    async def sandbox(self, name: str) -> Sandbox:
        """The way of isolation of that name, checked once; raises `IsolationError`."""
        if name not in self._sandboxes:
            self._sandboxes[name] = await asyncio.to_thread(open_sandbox, name)
        return self._sandboxes[name]

    # Bots

    async def submit(self, archive: bytes, *, isolation: str, author: str = "") -> VersionRow:
        """Check, store and try out a bundle; the new version, with its trial.

        A new name belongs to the author; "" is the organiser, who may submit under any name.
        Raises `BundleError` and keeps nothing when it is refused, `PermissionDeniedError` for
        the name of another's bot. A bot that fails its trial is kept: the trial says what
        happened.
        """
        self._check_open()
        task = asyncio.current_task()
        assert task is not None
        self._submissions.add(task)
        try:
            return await self._submit(archive, await self.sandbox(isolation), author)
        finally:
            self._submissions.discard(task)

    async def _submit(self, archive: bytes, sandbox: Sandbox, author: str) -> VersionRow:
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
        facts = {"bot": version.bot, "version": version.number}
        _LOG.info(
            "%s version %d is submitted",
            *(version.bot, version.number),
            extra={"action": Action.BOT_SUBMITTED, **facts},
        )
        spec = self._spec(version, sandbox, start_up=_DEFAULT_START_UP)
        async with self._trials:
            trial = await play_trial(spec, variants_of(bundle.manifest), metrics=self.metrics)
        if not trial["passed"]:
            _LOG.info(
                "%s version %d fails its trial",
                *(version.bot, version.number),
                extra={"action": Action.TRIAL_FAILED, **facts},
            )
        await asyncio.to_thread(self._store.set_trial, version.bot, version.number, trial=trial)
        return await asyncio.to_thread(self._store.version, version.bot, version.number)

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

    async def bots(self) -> list[tuple[BotRow, VersionRow]]:
        """Every bot by name with its newest version."""

        def read() -> list[tuple[BotRow, VersionRow]]:
            return [(row, self._store.version(row.name)) for row in self._store.bots()]

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

    def _spec(self, version: VersionRow, sandbox: Sandbox, *, start_up: float) -> SandboxedSpec:
        manifest = Manifest.from_json(version.manifest)
        return SandboxedSpec(
            name=version.bot,
            bundle=self._bundle(version.bot, version.number, version.content_hash),
            command=manifest.command,
            capacity=manifest.capacity,
            start_up=start_up,
            sandbox=sandbox,
            limits=Limits(),
        )

    def _bundle(self, name: str, number: int, content_hash: str) -> Path:
        try:
            return self._bundles.get(content_hash).path
        except NotFoundError as error:
            raise StoreError(
                f"the files of {name} version {number} are not in {self._settings.bundles}: "
                "put that folder back, or submit the bot again"
            ) from error

    def _check_reachable(self, definition: Definition) -> None:
        names = [entrant.name for entrant in definition.entrants if entrant.remote]
        if self._embedded and names:
            raise InvalidInputError(
                f"{' and '.join(names)} plays from another machine, and nobody can dial in to "
                "this command: start a server with `mazzo serve`, and give its address with "
                "--server"
            )

    # Tournaments

    async def create(
        self, wish: TournamentWish, *, isolation: str, concurrency: int
    ) -> TournamentRow:
        """Check and store a tournament; nothing is played yet."""
        self._check_open()
        _check_concurrency(concurrency)
        await self.sandbox(isolation)

        def write() -> TournamentRow:
            definition = define(wish, self._store, isolation=isolation)
            self._check_reachable(definition)
            for entrant in definition.entrants:
                if not entrant.remote:
                    self._bundle(entrant.name, entrant.version, entrant.content_hash)
            return self._store.add_tournament(
                definition,
                concurrency=concurrency or DEFAULT_CONCURRENCY,
                create_time=wall_clock(),
            )

        row = await asyncio.to_thread(write)
        log_tournament(row, Action.TOURNAMENT_CREATED, "is created")
        return row

    async def start(self, tournament: int, *, concurrency: int = 0) -> None:
        """Play a tournament in the background, from where it stands; a finished one stays so."""
        self._check_open()
        _check_concurrency(concurrency)
        claim = await asyncio.to_thread(self._store.claim, tournament)
        if claim is None:
            raise ConflictError(f"tournament {tournament} is being played already")
        try:
            # Read only now: whoever had the claim a moment ago may have finished it.
            row = await asyncio.to_thread(self._store.tournament, tournament)
            if row.status is TournamentStatus.FINISHED:
                await asyncio.to_thread(claim.release)
                return
            if row.status is TournamentStatus.CANCELLED:
                raise ConflictError(f"tournament {tournament} was cancelled: make a new one")
            self._check_reachable(row.definition)
            sandbox = await self.sandbox(row.definition.isolation)
            specs = await asyncio.to_thread(self._specs, row.definition, sandbox)
            self._check_open()  # it may have begun to stop meanwhile
        except BaseException:
            claim.release()
            raise
        over = [number for number, run in self._runs.items() if run.over]
        for number in over[:-_MOST_OVER]:
            del self._runs[number]
        run = self._runs[tournament] = Run(
            row,
            self._store,
            specs,
            claim=claim,
            concurrency=concurrency or row.concurrency,
            share=lambda: sum(not run.over for run in self._runs.values()),
            metrics=self.metrics,
        )
        run.begin()

    def _specs(self, definition: Definition, sandbox: Sandbox) -> list[InstanceSpec]:
        """How each entrant is started."""
        return [self._entrant(entrant, definition.time, sandbox) for entrant in definition.entrants]

    def _entrant(self, entrant: Entrant, time: TimeControl, sandbox: Sandbox) -> InstanceSpec:
        version = self._store.version(entrant.name, entrant.version)
        if not entrant.remote:
            return self._spec(version, sandbox, start_up=time.start_up)
        return RemoteSpec(
            name=entrant.name,
            lobby=self.lobby,
            capacity=Manifest.from_json(version.manifest).capacity,
            start_up=time.start_up,
            grace=time.grace,
        )

    async def pause(self, tournament: int) -> None:
        """Stop after the current matches; raises `ConflictError` when it is not running here."""
        run = self._running(tournament)
        if run is None:
            await asyncio.to_thread(self._store.tournament, tournament)
            raise ConflictError(f"tournament {tournament} is not being played by this server")
        run.pause()

    async def cancel(self, tournament: int) -> None:
        """Stop for good; the matches that are being played are given up.

        Raises `ConflictError` for a tournament that is over, or that another process plays.
        """
        run = self._running(tournament)
        if run is not None:
            run.cancel()
            return

        def write() -> TournamentRow:
            with self._claimed(tournament) as row:
                self._store.set_status(
                    tournament, TournamentStatus.CANCELLED, end_time=wall_clock()
                )
            return row

        row = await asyncio.to_thread(write)
        log_tournament(row, Action.TOURNAMENT_CANCELLED, "is cancelled")

    async def add_entrant(self, tournament: int, bot: str) -> tuple[Entrant, int]:
        """Let a bot take part with its newest version, and from which mirror group on.

        Raises `ConflictError` for a tournament that is over or that another process plays, and
        what `joined` raises.
        """
        row = await asyncio.to_thread(self._store.tournament, tournament)
        definition = row.definition
        variant = parse_variant(definition.variant)
        sandbox = await self.sandbox(definition.isolation)

        def read() -> tuple[Entrant, InstanceSpec]:
            entrant = entrant_of(bot, variant, self._store)
            self._check_reachable(replace(definition, entrants=(entrant,)))
            return entrant, self._entrant(entrant, definition.time, sandbox)

        entrant, spec = await asyncio.to_thread(read)
        amend = partial(joined, entrant=entrant)
        return entrant, await self._change(tournament, amend, f"{bot} joins", spec)

    async def retire_entrant(self, tournament: int, bot: str) -> int:
        """Let a bot play no more, and from which mirror group on; its results stay.

        Raises `ConflictError` as `add_entrant`, and what `retired` raises.
        """
        return await self._change(tournament, partial(retired, name=bot), f"{bot} is retired")

    async def _change(
        self,
        tournament: int,
        amend: Callable[[Definition, int], Definition],
        what: str,
        *specs: InstanceSpec,
    ) -> int:
        run = self._running(tournament)
        if run is not None:
            first = await run.change(amend, *specs)
        else:

            def write() -> int:
                with self._claimed(tournament) as row:
                    first = first_free_group(self._store, row)
                    self._store.amend(tournament, amend(row.definition, first))
                    return first

            first = await asyncio.to_thread(write)
        _LOG.info(
            "tournament %d: %s from group %d on",
            *(tournament, what, first),
            extra={
                "action": Action.TOURNAMENT_CHANGED,
                "tournament": tournament,
                "change": what,
                "group": first,
            },
        )
        return first

    def _running(self, tournament: int) -> Run | None:
        run = self._runs.get(tournament)
        return None if run is None or run.over else run

    @contextmanager
    def _claimed(self, tournament: int) -> Iterator[TournamentRow]:
        """A tournament that is not over, while nobody else can play or change it. Blocks."""
        claim = self._store.claim(tournament)
        if claim is None:
            raise ConflictError(
                f"tournament {tournament} is being played by another process: stop it there"
            )
        try:
            row = self._store.tournament(tournament)
            if row.status.is_over:
                raise ConflictError(f"tournament {tournament} is {row.status}: make a new one")
            yield row
        finally:
            claim.release()

    async def plan(self, wish: TournamentWish, *, isolation: str) -> PlannedTournament:
        """What a tournament would play, and how long it would take; nothing is stored."""

        def read() -> PlannedTournament:
            definition = define(wish, self._store, isolation=isolation)
            self._check_reachable(definition)
            plan = plan_of(definition, schedule_of(definition))
            speed = measured_speed(self._store, definition)
            return PlannedTournament(
                definition=definition, plan=plan, estimate=estimate(definition, plan, speed)
            )

        return await self._read(read)

    async def rerun(self, tournament: int, group: int, seating: int) -> tuple[Definition, Rerun]:
        """Play a stored match again from its seed; nothing of it is stored.

        Raises `NotFoundError` and `ConflictError` as `match` does, and `ConflictError` for a
        match with a remote bot, which has no fresh instance, or one that does not start any more.
        """
        self._check_open()
        row, seats, match, stored = await self._read(
            self._replays.replayable, tournament, group, seating
        )
        definition = row.definition
        sandbox = await self.sandbox(definition.isolation)
        specs = await asyncio.to_thread(
            lambda: {
                index: self._entrant(definition.entrants[index], definition.time, sandbox)
                for index in set(stored.entrants)
            }
        )
        async with self._trials:
            rerun = await play_again(
                match,
                stored,
                [(specs[entrant], part) for entrant, part in seats],
                time=definition.time,
                metrics=self.metrics,
            )
        return definition, rerun

    async def watch(
        self, tournament: int, *, sequence: int = 0, run: str = ""
    ) -> AsyncIterator[Report]:
        """The progress of a tournament that this process plays, until it ends.

        With each report come the matches that have begun since the last one, those in flight
        first, or, given the `sequence` of an earlier report of the same `run`, those after it.
        Nothing is reported of a tournament that is not being played here.
        """
        await asyncio.to_thread(self._store.tournament, tournament)
        playing = self._runs.get(tournament)
        if playing is not None:
            async for report in playing.watch(sequence=sequence, run=run):
                yield report

    async def tournament(self, tournament: int) -> TournamentStanding:
        """A tournament with its standings."""

        def read() -> TournamentStanding:
            row = self._store.tournament(tournament)
            return self._standing(row, row.matches_played, standings_of(self._store, row))

        return await self._read(read)

    async def tournaments(self) -> list[TournamentStanding]:
        """Every tournament without standings, the newest first."""

        def read() -> list[TournamentStanding]:
            return [
                self._standing(row, row.matches_played, None)
                for row in reversed(self._store.tournaments())
            ]

        return await self._read(read)

    def _standing(
        self, row: TournamentRow, played: int, standings: Standings | None
    ) -> TournamentStanding:
        return TournamentStanding(
            row=row,
            running=row.status is TournamentStatus.RUNNING and self._store.is_claimed(row.id),
            matches_played=played,
            matches_total=self._matches_total(row),
            standings=standings,
        )

    def _matches_total(self, row: TournamentRow) -> int:
        pairing = schedule_of(row.definition)
        if pairing.adaptive and row.status is TournamentStatus.FINISHED:
            return row.matches_played
        return pairing.total() * seatings_of(row.definition)

    def _withdrawn(self, tournament: int) -> Mapping[int, str]:
        return {row.entrant: row.reason for row in self._store.withdrawals(tournament)}

    async def prune(
        self,
        ids: Sequence[int] = (),
        *,
        older_than: float | None = None,
        dry_run: bool = False,
        compact: bool = False,
    ) -> list[Pruned]:
        """Throw away the records of tournaments that are over; see `mazzo_server.pruning`.

        `older_than` is in days; with `compact` the store gives their space back afterwards.
        """

        def write() -> list[Pruned]:
            found = prune(
                self._store, ids=ids, older_than=older_than, now=wall_clock(), dry_run=dry_run
            )
            if compact and not dry_run:
                self._store.compact()
            return found

        found = await self._read(write)
        for pruned in () if dry_run else found:
            _LOG.info(
                "tournament %d is pruned",
                pruned.row.id,
                extra={
                    "action": Action.TOURNAMENT_PRUNED,
                    "tournament": pruned.row.id,
                    "matches": pruned.row.matches_played,
                },
            )
        return found

    # Replays

    async def matches(
        self, tournament: int, *, bot: str, start: int, size: int
    ) -> tuple[list[ScheduledMatch], int | None]:
        """A page of the matches of a tournament; see `Replays.page`."""
        return await self._read(self._replays.page, tournament, bot=bot, start=start, size=size)

    async def match(
        self, tournament: int, group: int, seating: int
    ) -> tuple[MatchRecord, Verification]:
        """A match record, checked; raises `ConflictError` while its group is not over."""

        def read() -> tuple[MatchRecord, Verification]:
            record = self._replays.record(tournament, group, seating)
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


def _check_concurrency(concurrency: int) -> None:
    if not 0 <= concurrency <= _MOST_CONCURRENCY:
        raise InvalidInputError(
            f"concurrency: expected 1 to {_MOST_CONCURRENCY} matches at once, got {concurrency}"
        )
