"""Keeps the matches of arenas in a store of their own, each arena as a tournament that is over."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mazzo.game import Variant
from mazzo_server.clock import monotonic, tell_end_time, wall_clock
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.arena.match import Outcome
from mazzo_server.home.arena.schedule import Schedule
from mazzo_server.home.bots import read_home_bot
from mazzo_server.model import (
    Definition,
    Entrant,
    Manifest,
    MatchOutcome,
    Mirror,
    TimeControl,
    TournamentRequest,
    find_bot_name,
    name_copies,
)
from mazzo_server.pairing import make_pairing
from mazzo_server.results import keep_standings
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import Claim, Store, TournamentStatus, VersionRow, open_store

__all__ = ["ArenaKeeper", "KeptBot", "describe_kept_bots", "open_keeper"]

_BATCH: Final = 256  # matches that are stored at once
_MOST_SECONDS: Final = 5.0  # between two writes, while matches are played
_LONGEST_NAME: Final = 32
_NO_CLOCK: Final = TimeControl(bank=86_400.0, increment=0.0, limit=86_400.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBot:
    """What the store knows about a bot of an arena; its code is not kept."""

    name: str  # as an entrant
    manifest: Manifest  # with the name that it has as a bot there
    content_hash: str


def describe_kept_bots(given: Sequence[str], variant: Variant, folder: Path) -> list[KeptBot]:
    """Return the bots in order, with their names in the store of that folder.

    Runs none of their code. The same code under the same name is a bot and its copies. Where other
    code has the same name, each has the name of its folder or file. Characters that a bot's name
    may not have are replaced, and equal names get numbers. Raises `InvalidInputError` and
    `BundleError`.
    """
    found = {one: _read_bot(one, variant, folder) for one in dict.fromkeys(given)}
    read = [found[one] for one in given]
    codes = [(manifest.name, content_hash) for manifest, content_hash in read]
    numbers = Counter(codes)
    folders = {code: _find_own_name(one) for one, code in zip(given, codes, strict=True)}
    uses = Counter(name for name, _ in numbers)
    names = _make_names([code[0] if uses[code[0]] == 1 else folders[code] for code in numbers])
    entrants = {
        code: iter(name_copies(name, number))
        for name, (code, number) in zip(names, numbers.items(), strict=True)
    }
    bots = []
    for code, (manifest, content_hash) in zip(codes, read, strict=True):
        name = next(entrants[code])
        manifest = replace(manifest, name=find_bot_name(name))
        bots.append(KeptBot(name=name, manifest=manifest, content_hash=content_hash))
    return bots


def _find_own_name(given: str) -> str:
    """Return the name of a bot's folder, or of its file."""
    path = Path(given).resolve()
    return path.stem if path.suffix == ".py" else path.name


def _read_bot(given: str, variant: Variant, folder: Path) -> tuple[Manifest, str]:
    """Return what a bot says of itself, and the hash of its code."""
    from mazzo_server.bots.bundles import pack  # only a few commands need it

    path, manifest = read_home_bot(given)
    if manifest and folder.resolve().is_relative_to(path.resolve()):
        raise InvalidInputError(
            f"--keep: expected a folder outside of the bot {given!r}, got {str(folder)!r}, which "
            "would be a part of its code"
        )
    try:
        content = pack(path) if manifest else path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"bot {given!r} cannot be read: {error.strerror}") from error
    content_hash = hashlib.sha256(content).hexdigest()
    if manifest is not None:
        return manifest, content_hash
    manifest = Manifest(
        name=path.stem,
        games=(variant.game.id,),
        command=("python", "bot.py"),
        runtime="python",
        capacity=1,
        author="unknown",
        licence="unknown",
        description=None,
    )
    return manifest, content_hash


def _make_names(given: Sequence[str]) -> list[str]:
    """Return names that bots of a store may have, all different."""
    plain = [re.sub(r"[^a-z0-9-]", "-", name.lower()).lstrip("-") or "bot" for name in given]
    count, used = Counter(name[:_LONGEST_NAME] for name in plain), set[str]()
    names = []
    for name in plain:
        chosen, number = name[:_LONGEST_NAME], 0
        while chosen in used or (not number and count[chosen] > 1):
            number += 1
            end = f"-{number}"
            chosen = name[: _LONGEST_NAME - len(end)] + end
        used.add(chosen)
        names.append(chosen)
    return names


@contextmanager
def open_keeper(
    folder: Path,
    schedule: Schedule,
    bots: Sequence[KeptBot],
    *,
    variant: Variant,
    control: TimeControl | None,
    seed: bytes,
    is_seed_chosen: bool,
    workers: int,
) -> Iterator[ArenaKeeper]:
    """Keep an arena in the store of a folder, which is made if it is not there.

    The schedule has the names of the bots. The caller closes the keeper. Raises `StoreError`, and
    `InvalidInputError` for a store of bots that were submitted: arenas would count in its rankings.
    """
    with closing(open_store(Settings(home=folder).store)) as store:
        for bot in store.bots():
            if not bot.retired or bot.owner or bot.remote or _has_trial(store, bot.name):
                raise InvalidInputError(
                    f"--keep: expected a folder for arenas alone, got {str(folder)!r}, where bots "
                    f"were submitted, such as {bot.name}: give another folder"
                )
        ordered = [bots[bot] for bot in schedule.by_name]
        names = [bot.name for bot in ordered]
        definition = Definition(
            name=TournamentRequest(variant=variant.text).choose_name(variant, names),
            variant=variant.text,
            entrants=(),  # their versions are known when the first match is stored
            match_format=str(schedule.match_format),
            mirror=Mirror.ROTATIONS,
            groups=schedule.groups_per_table,
            draws=variant.game.fair_draws,
            time=control or _NO_CLOCK,
            isolation=Isolation.NONE,
            seed=seed,
            seed_chosen=is_seed_chosen,
        )
        yield ArenaKeeper(store, definition, ordered, workers=workers)


def _has_trial(store: Store, bot: str) -> bool:
    return any(version.trial is not None for version in store.versions(bot))


def _make_entrant(store: Store, bot: KeptBot) -> Entrant:
    """Return a bot as an entrant: code that the store does not know is a new version."""
    own = bot.manifest.name
    known = store.versions(own) if store.bot(own) else []
    same = [row.number for row in known if row.content_hash == bot.content_hash]
    number = same[0] if same else 1 + max((row.number for row in known), default=0)
    return Entrant(name=bot.name, version=number, content_hash=bot.content_hash)


class ArenaKeeper:
    """Stores the matches of one arena while it is played.

    Until the first of them is stored there is no tournament. Until the arena is over it is a
    cancelled one, which nobody else may change; whatever ends the arena leaves the matches that
    were stored by then. Everything is stored in a thread of its own, so that Ctrl-C cuts nothing
    short.
    """

    def __init__(
        self, store: Store, definition: Definition, bots: Sequence[KeptBot], *, workers: int
    ) -> None:
        """`bots` become the definition's entrants, in this order."""
        self.tournament: int | None = None  # its number
        self._store = store
        self._definition = definition
        self._bots = bots
        self._workers = workers
        self._begin_time = wall_clock()
        self._claim: Claim | None = None
        self._waiting = deque[list[MatchOutcome]]()  # whole mirror groups
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mazzo-keep")
        self._writing: Future[None] | None = None
        self._written_at = monotonic()

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Store the matches of a mirror group within seconds; raise an earlier write's error."""
        group = []
        for outcome in outcomes:
            assert outcome.whole is not None
            group.append(replace(outcome.whole, end_time=wall_clock()))
        self._waiting.append(group)
        is_late = monotonic() - self._written_at >= _MOST_SECONDS
        if is_late or len(self._waiting) * len(group) >= _BATCH:
            self._written_at = monotonic()
            self._write(self._store_waiting)

    def close(self, *, seconds: float) -> None:
        """Store the rest, and the end of the arena, which was played for so long."""
        try:
            self._write(lambda: self._end(seconds))
            self._wait()
        finally:
            self._writer.shutdown()
            if self._claim is not None:
                self._claim.release()

    def _write(self, work: Callable[[], None]) -> None:
        self._wait()
        self._writing = self._writer.submit(work)

    def _wait(self) -> None:
        """Wait for the last write; raise its error, each time."""
        if self._writing is not None:
            self._writing.result()

    def _store_waiting(self) -> None:
        batch: list[MatchOutcome] = []
        while self._waiting:
            batch += self._waiting.popleft()
        if not batch:
            return
        if self.tournament is None:
            self.tournament = self._begin()
        self._store.add_outcomes(self.tournament, batch)

    def _begin(self) -> int:
        """Store the bots and the tournament; return its number."""
        entrants = tuple(_make_entrant(self._store, bot) for bot in self._bots)
        self._definition = replace(self._definition, entrants=entrants)
        self._store.import_versions(self._list_versions(), remote=())
        row = self._store.add_tournament(
            self._definition,
            concurrency=self._workers,
            create_time=self._begin_time,
            status=TournamentStatus.CANCELLED,
        )
        self._claim = self._store.claim(row.id)
        return row.id

    def _list_versions(self) -> list[VersionRow]:
        """Return the versions of the entrants, each once."""
        entrants = zip(self._definition.entrants, self._bots, strict=True)
        versions = {
            entrant.bot: VersionRow(
                bot=entrant.bot,
                number=entrant.version,
                content_hash=entrant.content_hash,
                manifest=bot.manifest,
                trial=None,
                create_time=self._begin_time,
            )
            for entrant, bot in entrants
        }
        return [*versions.values()]

    def _end(self, seconds: float) -> None:
        self._store_waiting()
        if self.tournament is None:
            return
        keep_standings(self._store, self.tournament)
        self._store.add_run_time(self.tournament, seconds)
        groups = make_pairing(self._definition).total()
        played = self._store.tournament(self.tournament).matches_played
        is_whole = played == groups * self._definition.seatings
        status = TournamentStatus.FINISHED if is_whole else TournamentStatus.CANCELLED
        end_time = tell_end_time(self._begin_time, seconds=seconds)
        self._store.set_status(self.tournament, status, end_time=end_time)
