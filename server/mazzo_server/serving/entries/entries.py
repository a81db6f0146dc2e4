"""Open tournaments of one store: made by organisers, entered and left by authors."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from mazzo.games import parse_variant
from mazzo_server.bots import find_own_bot
from mazzo_server.clock import wall_clock
from mazzo_server.errors import InvalidInputError
from mazzo_server.logs import LogAction
from mazzo_server.model import TournamentRequest, WholeNumber
from mazzo_server.serving.entries.readiness import Readiness, ShownEntry
from mazzo_server.serving.entries.steps import EntriesState, find_state, name_round
from mazzo_server.storage import (
    EntryRow,
    OpenTournamentRow,
    PlayedRound,
    Store,
    Timetable,
)
from mazzo_server.tournaments import check_request

__all__ = ["Entries", "ShownEntries"]

_LOG = logging.getLogger(__name__)

_LONGEST: Final = 5 * 366 * 86_400.0  # seconds from now until the last time of a timetable
_MOST_ROUNDS: Final = 100  # that are shown
_MOST_ENTERABLE: Final = 200  # bots that a form offers
_FIELD: Final = 8  # bots with which a request is tried out
_MOST_ROUND: Final = 999_999  # the largest number of a round that a name must have room for


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntries:
    """An open tournament, as it is shown."""

    row: OpenTournamentRow
    state: EntriesState
    entries: Sequence[ShownEntry] = ()  # not in lists
    rounds: Sequence[PlayedRound] = ()  # that are over, the newest first; not in lists
    enterable: Sequence[str] = ()  # bots that the caller may enter now
    removable: Sequence[str] = ()  # bots that the caller may take out now


class Entries:
    """Makes and shows open tournaments, and enters bots. Nothing is kept in memory."""

    def __init__(
        self,
        store: Store,
        readiness: Readiness,
        *,
        clock: Callable[[], float] = wall_clock,
    ) -> None:
        self._store = store
        self._readiness = readiness
        self._clock = clock

    async def open(self, request: TournamentRequest, timetable: Timetable) -> ShownEntries:
        """Make an open tournament, and enter the bots that are named.

        Raises `InvalidInputError` for times that do not go together, and what a tournament of such
        a request would raise.
        """
        return await asyncio.to_thread(self._open, request, timetable)

    def _open(self, request: TournamentRequest, timetable: Timetable) -> ShownEntries:
        now = self._clock()
        bots, request = request.bots, replace(request, bots=())
        _check_request(request, timetable, bots)
        _check_times(timetable, now)
        for name in bots:
            bot = find_own_bot(self._store, name, "")
            self._readiness.check_may_enter(bot, request)
        row = self._store.add_open_tournament(
            request,
            timetable,
            create_time=now,
            entries=[EntryRow(bot=name, author="", time=now) for name in bots],
        )
        _log(LogAction.ENTRIES_OPENED, row.id, "is made")
        return self._show(row, author="")

    async def list_open(self, *, with_over: bool = False) -> list[ShownEntries]:
        """Return the open tournaments by number, without their entries."""
        rows = await asyncio.to_thread(self._store.open_tournaments, with_over=with_over)
        now = self._clock()
        return [ShownEntries(row=row, state=find_state(row, now=now)) for row in rows]

    async def show(self, open_id: int, *, author: str | None = None) -> ShownEntries:
        """Return an open tournament with its entries.

        The `author` ("": the organiser) sees which bots to enter; None may enter none.
        """

        def read() -> ShownEntries:
            return self._show(self._store.open_tournament(open_id), author=author)

        return await asyncio.to_thread(read)

    def _show(self, row: OpenTournamentRow, *, author: str | None) -> ShownEntries:
        state = find_state(row, now=self._clock())
        is_open = not row.is_over if author == "" else state is EntriesState.OPEN
        entries = self._readiness.examine(row)
        shown = ShownEntries(
            row=row,
            state=state,
            entries=entries,
            rounds=self._store.rounds(row.id, limit=_MOST_ROUNDS),
        )
        if author is None or not is_open:
            return shown
        return replace(
            shown,
            enterable=self._readiness.list_enterable(row, author)[:_MOST_ENTERABLE],
            removable=[one.entry.bot for one in entries if author in ("", one.owner)],
        )

    async def enter(self, open_id: int, bot: str, *, author: str) -> ShownEntries:
        """Enter a bot of that author; "" is the organiser, who may enter every bot.

        Raises `PermissionDeniedError` for another author's bot, and `ConflictError` while no
        entries are taken.
        """

        def write() -> ShownEntries:
            found = find_own_bot(self._store, bot, author)
            self._readiness.check_may_enter(found, self._store.open_tournament(open_id).request)
            entry = EntryRow(bot=bot, author=author, time=self._clock())
            self._store.enter_bot(open_id, entry)
            return self._show(self._store.open_tournament(open_id), author=author)

        shown = await asyncio.to_thread(write)
        _log(LogAction.BOT_ENTERED, open_id, f"is entered by {bot}", bot=bot)
        return shown

    async def leave(self, open_id: int, bot: str, *, author: str) -> ShownEntries:
        """Take a bot of that author out; raises what `enter` raises."""

        def write() -> ShownEntries:
            find_own_bot(self._store, bot, author)
            self._store.remove_entry(open_id, bot, author=author, time=self._clock())
            return self._show(self._store.open_tournament(open_id), author=author)

        shown = await asyncio.to_thread(write)
        _log(LogAction.BOT_LEFT, open_id, f"is left by {bot}", bot=bot)
        return shown

    async def call_off(self, open_id: int) -> ShownEntries:
        """End an open tournament: no round of it comes any more."""

        def write() -> ShownEntries:
            self._store.call_off(open_id, time=self._clock())
            return self._show(self._store.open_tournament(open_id), author="")

        shown = await asyncio.to_thread(write)
        _log(LogAction.ENTRIES_CALLED_OFF, open_id, "is called off")
        return shown


def _check_request(request: TournamentRequest, timetable: Timetable, bots: Sequence[str]) -> None:
    """Raise what a tournament of such a request would raise with any bots."""
    request.check()
    variant = parse_variant(request.variant)
    if request.seed:
        raise InvalidInputError(
            "seed: expected none, for nobody may know the cards before the bots have entered"
        )
    if len(set(bots)) < len(bots) or any("*" in bot for bot in bots):
        raise InvalidInputError(
            "bots: expected each bot once, and no copies: an open tournament is entered by bots"
        )
    least = len(variant.sides)
    if timetable.start_with is not None:
        try:
            WholeNumber(least, 1000).check(timetable.start_with)
        except InvalidInputError as error:
            raise InvalidInputError(f"start-with: {error}") from error
    if timetable.every is not None and request.name:
        try:
            TournamentRequest.check_option("name", name_round(request.name, _MOST_ROUND))
        except InvalidInputError as error:
            raise InvalidInputError(f"{error}, with the number of a round behind it") from error
    check_request(request, bots=timetable.start_with or max(_FIELD, 2 * least))


def _check_times(timetable: Timetable, now: float) -> None:
    """Raise `InvalidInputError` for times that do not go together, or are over."""
    opens, closes, starts = timetable.entries_from, timetable.entries_until, timetable.start_at
    if closes is None and starts is None and timetable.start_with is None:
        raise InvalidInputError(
            "expected when it starts: at a time (--start-at), when the entries close "
            "(--entries-until), or with so many bots (--start-with)"
        )
    if timetable.every is not None and timetable.start_time is None:
        raise InvalidInputError("every: expected --start-at or --entries-until beside it")
    given = (("entries-from", opens), ("entries-until", closes), ("start-at", starts))
    times = [(name, time) for name, time in given if time is not None]
    for name, time in times:
        if time <= now and name != "entries-from":
            raise InvalidInputError(
                f"{name}: expected a time to come, got {_tell(time)}; now it is {_tell(now)}"
            )
        if abs(time - now) > _LONGEST:
            raise InvalidInputError(f"{name}: expected a time within five years")
    for (earlier, first), (later, second) in pairwise(times):
        if first > second or (first == second and earlier == "entries-from"):
            raise InvalidInputError(f"{later}: expected a time after that of --{earlier}")


def _tell(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _log(action: LogAction, open_id: int, what: str, *, bot: str | None = None) -> None:
    facts = {} if bot is None else {"bot": bot}
    _LOG.info(
        "open tournament %d %s",
        *(open_id, what),
        extra={"action": action, "open_tournament": open_id, **facts},
    )
