"""Open tournaments in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from threading import RLock

from mazzo_server.model import Definition, TournamentRequest
from mazzo_server.storage.entries.rows import (
    EntryRow,
    OpenTournamentRow,
    PlayedRound,
    RoundEnd,
    check_entering,
    check_few_open,
    check_room,
    check_unchanged,
    make_entered_error,
    make_no_entry_row_error,
    make_no_open_tournament_error,
)
from mazzo_server.storage.entries.timetable import Timetable

__all__ = ["MemoryEntries"]


class MemoryEntries(ABC):
    """An `EntryStore` that lasts as long as the object, but for what it asks of tournaments."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._open: dict[int, OpenTournamentRow] = {}
        self._entries: dict[int, dict[str, EntryRow]] = {}
        self._rounds: dict[int, list[PlayedRound]] = {}

    def add_open_tournament(
        self,
        request: TournamentRequest,
        timetable: Timetable,
        *,
        create_time: float,
        entries: Sequence[EntryRow] = (),
    ) -> OpenTournamentRow:
        with self._lock:
            check_few_open(len(self.open_tournaments()))
            number = max(self._open, default=0) + 1
            self._open[number] = OpenTournamentRow(
                id=number, request=request, timetable=timetable, create_time=create_time
            )
            self._entries[number] = {entry.bot: entry for entry in entries}
            self._rounds[number] = []
            return self.open_tournament(number)

    def open_tournament(self, open_id: int) -> OpenTournamentRow:
        with self._lock:
            if open_id not in self._open:
                raise make_no_open_tournament_error(open_id)
            return replace(self._open[open_id], entries=len(self._entries[open_id]))

    def open_tournaments(self, *, with_over: bool = False) -> list[OpenTournamentRow]:
        with self._lock:
            rows = [self.open_tournament(open_id) for open_id in self._open]
            return [row for row in rows if with_over or not row.is_over]

    def entries(self, open_id: int) -> list[EntryRow]:
        with self._lock:
            self.open_tournament(open_id)
            return sorted(self._entries[open_id].values(), key=lambda row: (row.time, row.bot))

    def enter_bot(self, open_id: int, entry: EntryRow) -> None:
        with self._lock:
            row = self.open_tournament(open_id)
            check_entering(row, author=entry.author, time=entry.time)
            if entry.bot in self._entries[open_id]:
                raise make_entered_error(open_id, entry.bot)
            check_room(row)
            self._entries[open_id][entry.bot] = entry
            self._change_open(open_id)

    def remove_entry(self, open_id: int, bot: str, *, author: str, time: float) -> None:
        with self._lock:
            check_entering(self.open_tournament(open_id), author=author, time=time)
            if bot not in self._entries[open_id]:
                raise make_no_entry_row_error(open_id, bot)
            del self._entries[open_id][bot]
            self._change_open(open_id)

    def change_open_tournament(
        self, open_id: int, *, revision: int, timetable: Timetable, problem: str
    ) -> None:
        with self._lock:
            row = self.open_tournament(open_id)
            check_unchanged(row, revision)
            if row.timetable != timetable:
                self._change_open(open_id, timetable=timetable)
            self._open[open_id] = replace(self._open[open_id], problem=problem)

    def end_round(
        self, open_id: int, end: RoundEnd, following: Timetable | None, *, revision: int
    ) -> int | None:
        with self._lock:
            row = self.open_tournament(open_id)
            check_unchanged(row, revision)
            tournament = None
            if end.definition is not None:
                tournament = self._begin_round(end.definition, end.concurrency, end.time)
            self._rounds[open_id].append(
                PlayedRound(
                    number=row.round,
                    time=end.time,
                    tournament=tournament,
                    reason=end.reason,
                    left_out=end.left_out,
                )
            )
            if following is None:
                self._change_open(open_id, is_over=True, problem="")
            else:
                self._entries[open_id] = {}
                self._change_open(
                    open_id,
                    round=row.round + 1,
                    timetable=following,
                    last_start=row.timetable.start_time,
                    problem="",
                )
            return tournament

    def call_off(self, open_id: int, *, time: float) -> None:
        with self._lock:
            row = self.open_tournament(open_id)
            check_entering(row, author="", time=time)
            self._change_open(open_id, is_over=True, problem="")

    def rounds(self, open_id: int, *, limit: int) -> list[PlayedRound]:
        with self._lock:
            self.open_tournament(open_id)
            return self._rounds[open_id][::-1][:limit]

    @abstractmethod
    def _begin_round(self, definition: Definition, concurrency: int, time: float) -> int:
        """Add the tournament that a round becomes, and return its number."""

    def _list_round_tournaments(self) -> list[int]:
        """Return the numbers of all tournaments that rounds became."""
        rounds = [one for rows in self._rounds.values() for one in rows]
        return sorted(one.tournament for one in rounds if one.tournament is not None)

    def _remove_entries(self, bot: str) -> None:
        """Take a bot that is deleted out of every open tournament."""
        for open_id, entries in self._entries.items():
            if entries.pop(bot, None) is not None:
                self._change_open(open_id)

    def _change_open(self, open_id: int, **values: object) -> None:
        row = self._open[open_id]
        changed = replace(row, revision=row.revision + 1, **values)  # type: ignore[arg-type]
        self._open[open_id] = changed
