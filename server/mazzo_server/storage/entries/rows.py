"""The rows of open tournaments, and the part of a store that keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.model import Definition, TournamentRequest
from mazzo_server.storage.entries.timetable import Timetable

__all__ = [
    "EntryRow",
    "EntryStore",
    "OpenTournamentRow",
    "PlayedRound",
    "RoundEnd",
    "check_entering",
    "check_few_open",
    "check_room",
    "check_unchanged",
    "make_entered_error",
    "make_no_entry_row_error",
    "make_no_open_tournament_error",
]

MOST_OPEN: Final = 100  # open tournaments that are not over
MOST_ENTRIES: Final = 1000  # of one of them


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTournamentRow:
    """A tournament of which nobody knows yet who plays.

    It has a number of its own. Each of its rounds that is played becomes a tournament.
    """

    id: int  # 1, 2, 3 … for each store, never used twice
    request: TournamentRequest  # without bots
    timetable: Timetable  # of the round that takes entries now, or of the last one
    create_time: float  # Unix seconds; shown to people, never computed with
    round: int = 1  # 1, 2, 3 …
    is_over: bool = False  # no round comes any more
    last_start: float | None = None  # `start_time` of the round before; None: this is the first
    problem: str = ""  # why it does not start although it is due; "": it is not
    revision: int = 0  # counts what changes who plays, and when
    entries: int = 0  # bots that have entered


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """A bot that has entered an open tournament."""

    bot: str
    author: str  # who entered it; "": the organiser
    time: float  # Unix seconds; shown to people, and they are listed in this order


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnd:
    """What comes of a round: a tournament, or the reason why there is none."""

    time: float  # Unix seconds; shown to people, never computed with
    definition: Definition | None = None  # of the tournament; None: it is not played
    concurrency: int = 1  # of the tournament
    reason: str = ""  # why it is not played; "": it is
    left_out: tuple[str, ...] = ()  # bots that had entered and could not play


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """A round that is over, played or not."""

    number: int
    time: float  # Unix seconds; shown to people, never computed with
    tournament: int | None  # its number; None: it was not played
    reason: str  # why it was not played; "": it was
    left_out: tuple[str, ...]


class EntryStore(Protocol):
    """The part of a `Store` that keeps open tournaments; the laws of `Store` hold.

    A call with a `revision` raises `ConflictError`, and changes nothing, where the open tournament
    has another one by now. So a round that ends twice ends once.
    """

    def add_open_tournament(
        self,
        request: TournamentRequest,
        timetable: Timetable,
        *,
        create_time: float,
        entries: Sequence[EntryRow] = (),
    ) -> OpenTournamentRow:
        """Add an open tournament, with the bots that its organiser enters at once."""
        ...

    def open_tournament(self, open_id: int) -> OpenTournamentRow:
        """Return the open tournament of that number."""
        ...

    def open_tournaments(self, *, with_over: bool = False) -> list[OpenTournamentRow]:
        """Return the open tournaments by number; or also those that are over."""
        ...

    def entries(self, open_id: int) -> list[EntryRow]:
        """Return the bots that have entered the current round, in that order."""
        ...

    def enter_bot(self, open_id: int, entry: EntryRow) -> None:
        """Enter a bot, at the time of the entry; raise `ConflictError` if that cannot be.

        Only the organiser enters bots while no entries are taken.
        """
        ...

    def remove_entry(self, open_id: int, bot: str, *, author: str, time: float) -> None:
        """Take a bot out, for that author ("": the organiser), as `enter_bot` enters it."""
        ...

    def change_open_tournament(
        self, open_id: int, *, revision: int, timetable: Timetable, problem: str
    ) -> None:
        """Replace the times of the current round, and why it does not start."""
        ...

    def end_round(
        self, open_id: int, end: RoundEnd, following: Timetable | None, *, revision: int
    ) -> int | None:
        """End the current round and begin the following one without entries; None: there is none.

        Returns the number of the tournament that it becomes, which is created; None: it is not
        played.
        """
        ...

    def call_off(self, open_id: int, *, time: float) -> None:
        """End an open tournament: no round comes any more. Raises `ConflictError` if it is over."""
        ...

    def rounds(self, open_id: int, *, limit: int) -> list[PlayedRound]:
        """Return at most so many rounds that are over, the newest first."""
        ...

    def unfinished_rounds(self) -> list[int]:
        """Return the tournaments that rounds became and that are created or running, by number."""
        ...


def check_entering(row: OpenTournamentRow, *, author: str, time: float) -> None:
    """Raise `ConflictError` unless the author may enter and take out bots now."""
    if row.is_over:
        raise ConflictError(
            f"open tournament {row.id} is over: `mazzo tournament entries` lists those that are not"
        )
    if not author:
        return
    if not row.timetable.has_opened(time):
        raise ConflictError(
            f"open tournament {row.id} takes no entries yet: see `mazzo tournament entries "
            f"{row.id}` for when it does"
        )
    if row.timetable.has_closed(time):
        raise ConflictError(
            f"open tournament {row.id} takes no more entries, nor may bots leave it: ask the "
            "organiser"
        )


def check_room(row: OpenTournamentRow) -> None:
    """Raise `ConflictError` unless one more bot may enter."""
    if row.entries >= MOST_ENTRIES:
        raise ConflictError(
            f"open tournament {row.id} has {MOST_ENTRIES:,} entries, and takes no more"
        )


def check_unchanged(row: OpenTournamentRow, revision: int) -> None:
    """Raise `ConflictError` where an open tournament changed, or is over."""
    if row.is_over or row.revision != revision:
        raise ConflictError(f"open tournament {row.id} changed meanwhile")


def check_few_open(number: int) -> None:
    """Raise `ConflictError` where there are too many open tournaments for one more."""
    if number >= MOST_OPEN:
        raise ConflictError(
            f"there are {MOST_OPEN} open tournaments: call one off with `mazzo tournament call-off "
            "ID`"
        )


def make_no_open_tournament_error(open_id: int) -> NotFoundError:
    """Return the error that there is no open tournament of this number."""
    return NotFoundError(
        f"there is no open tournament {open_id}: `mazzo tournament entries` lists them"
    )


def make_entered_error(open_id: int, bot: str) -> ConflictError:
    """Return the error that the bot is there already."""
    return ConflictError(f"{bot} has entered open tournament {open_id} already")


def make_no_entry_row_error(open_id: int, bot: str) -> NotFoundError:
    """Return the error that the bot is not there."""
    return NotFoundError(
        f"{bot} has not entered open tournament {open_id}: see `mazzo tournament entries {open_id}`"
    )
