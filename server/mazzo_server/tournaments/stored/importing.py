"""Takes a tournament from a file into a store, once all of it is proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

from mazzo.errors import BadRecordError, MazzoError
from mazzo.fields import read_line, read_object
from mazzo_server.errors import ConflictError, InvalidInputError, PlatformError, StoreError
from mazzo_server.model import MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.results import Disclosure, keep_standings, read_rounds, read_standings
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, check_same_bot
from mazzo_server.tournaments.stored.claiming import hold_claim
from mazzo_server.tournaments.stored.header import TournamentLine, format_standings, read_end
from mazzo_server.tournaments.stored.matches import MatchLine

__all__ = ["import_tournament"]

_BATCH = 256  # matches that are stored at once
_Value = TypeVar("_Value")


def import_tournament(
    store: Store, lines: Iterator[str], *, check: Callable[[], None] = lambda: None
) -> TournamentRow:
    """Check a file's lines, and store the tournament that they are; return it as it is stored.

    Everything is played again: see `MatchLine.check`. Then the standings must be those of the file,
    to the byte. Until all of it is stored the tournament is cancelled, so that it counts nowhere;
    whatever goes wrong before that deletes it. What a kill leaves of it is deleted by the next
    import of the same file. The bots that are not here come with it, retired and without files.

    Blocks, for long, and calls `check` now and then: whatever that raises gives it up. Raises
    `InvalidInputError`, which names the line of what is wrong, `ConflictError` for a tournament
    that is here and for bots that are others here, and `StoreError`.
    """
    source = _Source(lines)
    header = source.read(TournamentLine.from_json)
    _check_bots(store, header)
    _clear_leftover(store, header)
    row = store.add_tournament(
        header.definition,
        concurrency=header.concurrency,
        create_time=header.create_time,
        status=TournamentStatus.CANCELLED,
    )
    bots = {entrant.bot for entrant in header.definition.entrants}
    new_bots = bots - {bot.name for bot in store.bots()}
    with hold_claim(store, row.id):
        work = _Import(store, row, header, source, check)
        try:
            work.store_all()
        except BaseException:
            with suppress(PlatformError):  # the first error tells more
                store.delete_tournament(row.id)
                for name in sorted(new_bots) if work.has_bots else ():
                    store.delete_bot(name)
            raise
    return store.tournament(row.id)


class _Source:
    """The lines of a file, which are read one after the other."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._number = 1  # of the line that was read last
        self._is_first = True

    @contextmanager
    def explain(self, what: str = "") -> Iterator[None]:
        """Say of an error about the file which line, and what in it, is wrong."""
        try:
            yield
        except (ConflictError, StoreError):
            raise
        except MazzoError as error:
            where = f"line {self._number}" + (f", {what}" if what else "")
            raise InvalidInputError(f"{where}: {error}; nothing was imported") from error

    def read(self, parse: Callable[[Any], _Value]) -> _Value:
        """Return what `parse` makes of the next line's object."""
        line = next(self._lines, None)
        with self.explain():
            if line is None:
                raise BadRecordError("expected more lines, got the end of the file")
            self._number += not self._is_first
            self._is_first = False
            return parse(read_object(read_line(line), "the line"))

    def check_end(self) -> None:
        """Raise `InvalidInputError` unless there is no further line."""
        with self.explain():
            if next(self._lines, None) is not None:
                raise BadRecordError("expected no line after the standings, got one")


def _check_bots(store: Store, header: TournamentLine) -> None:
    """Raise `ConflictError` for bots that are others here, before anything is stored."""
    for version, entrant in zip(header.versions, header.definition.entrants, strict=True):
        bot = store.bot(version.bot)
        known = () if bot is None else store.versions(version.bot)
        check_same_bot(bot, known, version, remote=entrant.remote)


def _clear_leftover(store: Store, header: TournamentLine) -> None:
    """Delete what an import of this file left when it was killed.

    Raises `ConflictError` if the store has the whole tournament already.
    """
    for row in store.tournaments(every_kind=True):
        if (row.definition, row.create_time) != (header.definition, header.create_time):
            continue
        if row.status is not TournamentStatus.CANCELLED or row.end_time is not None:
            raise ConflictError(f"this tournament is here already: it is tournament {row.id}")
        with hold_claim(store, row.id):
            store.delete_tournament(row.id)


class _Import:
    """Checks and stores the matches of a tournament whose row is there."""

    def __init__(
        self,
        store: Store,
        row: TournamentRow,
        header: TournamentLine,
        source: _Source,
        check: Callable[[], None],
    ) -> None:
        self.has_bots = False  # those that come with it are stored
        self._check = check
        self._store = store
        self._row = row
        self._header = header
        self._source = source
        self._left = header.matches  # lines with a match that are still to come
        self._next: MatchLine | None = None
        self._batch: list[MatchOutcome] = []

    def store_all(self) -> None:
        """Store everything; raise for the first thing that is wrong."""
        header, row = self._header, self._row
        for withdrawal in header.withdrawals:
            self._store.add_withdrawal(
                row.id, withdrawal.entrant, reason=withdrawal.reason, log=withdrawal.log
            )
        self._store_matches()
        self._check_standings()
        remote = {entrant.bot for entrant in header.definition.entrants if entrant.remote}
        self._store.import_versions(header.versions, remote=remote)
        self.has_bots = True
        self._store.add_run_time(row.id, header.run_seconds)
        self._store.set_status(row.id, header.status, end_time=header.end_time)

    def _store_matches(self) -> None:
        disclosure = Disclosure(self._store, self._row)
        withdrawn = {withdrawal.entrant for withdrawal in self._header.withdrawals}
        is_finished = self._header.status is TournamentStatus.FINISHED
        self._take()
        for groups in read_rounds(self._store, self._row):
            self._check()
            for group in groups:
                stored = self._store_group(disclosure, group)
                is_open = stored < disclosure.seatings and withdrawn.isdisjoint(group.table)
                if is_finished and is_open:
                    with self._source.explain():
                        raise BadRecordError(
                            f"expected {disclosure.seatings} matches of mirror group "
                            f"{group.number} of a finished tournament, got {stored}"
                        )
            self._flush()  # the next round follows from these
            if self._next is None and not is_finished:
                break
        if self._next is not None:
            with self._source.explain(f"match {self._next.record.name}"):
                raise BadRecordError(
                    "expected matches in schedule order, of mirror groups that there are"
                )

    def _store_group(self, disclosure: Disclosure, group: Group) -> int:
        """Store the matches of a group; return how many the file has."""
        seatings: list[int] = []
        while (line := self._next) is not None and line.record.group == group.number:
            with self._source.explain(f"match {line.record.name}"):
                seating = line.record.seating
                if seating >= disclosure.seatings or (seatings and seating <= seatings[-1]):
                    raise BadRecordError(
                        f"seating: expected those below {disclosure.seatings}, each once and "
                        f"ascending, got {seating}"
                    )
                self._batch.append(line.check(disclosure, group))
            seatings.append(seating)
            if len(self._batch) == _BATCH:
                self._flush()
            self._take()
        return len(seatings)

    def _take(self) -> None:
        """Read the next match, if one is left."""
        self._next = self._source.read(MatchLine.from_json) if self._left else None
        self._left -= self._next is not None

    def _flush(self) -> None:
        self._store.add_outcomes(self._row.id, self._batch)
        self._batch.clear()

    def _check_standings(self) -> None:
        """Check that the results give the standings of the file's last line."""
        keep_standings(self._store, self._row.id)
        row = replace(self._store.tournament(self._row.id), status=self._header.status)
        true = format_standings(read_standings(self._store, row))
        claimed = self._source.read(read_end)
        with self._source.explain():
            if claimed != true:
                raise BadRecordError("standings: expected those that the matches give, got others")
        self._source.check_end()
