"""Which bots that have entered can play, and what the others still lack. All of it blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo_server.bots import (
    Launcher,
    find_current_version,
    find_entering_version,
    make_no_entry_error,
)
from mazzo_server.errors import ConflictError, InvalidInputError, StoreError
from mazzo_server.model import Mirror, TournamentRequest
from mazzo_server.storage import BotRow, EntryRow, OpenTournamentRow, Store, VersionRow

__all__ = ["Readiness", "ShownEntry", "list_ready"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """A bot that has entered, and whether it could play now."""

    entry: EntryRow
    owner: str  # of the bot; "": the organiser
    version: int | None  # that would play; None: none can
    lacks: str  # what it lacks, and what to do; "": nothing


class Readiness:
    """Finds out what bots lack to play in an open tournament."""

    def __init__(
        self, store: Store, launcher: Launcher, is_connected: Callable[[str], bool]
    ) -> None:
        """`is_connected` tells whether a program of a remote bot waits to play."""
        self._store = store
        self._launcher = launcher
        self._is_connected = is_connected

    def examine(self, row: OpenTournamentRow) -> list[ShownEntry]:
        """Return the entries of an open tournament, the oldest first."""
        variant = parse_variant(row.request.variant)
        bots = {bot.name: bot for bot in self._store.bots()}
        return [
            self._examine_entry(entry, bots.get(entry.bot), row.request, variant)
            for entry in self._store.entries(row.id)
        ]

    def check_may_enter(self, bot: BotRow, request: TournamentRequest) -> Sequence[VersionRow]:
        """Return the versions of a bot that may enter; raise why another one may not.

        These are `InvalidInputError` and `ConflictError`. A bot that only lacks a trial may enter:
        it has until the start to pass it.
        """
        if bot.retired:
            again = "register" if bot.remote else "submit"
            raise ConflictError(
                f"{bot.name} is retired: {again} it again with `mazzo bots {again}`, and enter it "
                "then"
            )
        variant, versions = parse_variant(request.variant), self._store.versions(bot.name)
        manifest = find_current_version(bot, versions).manifest
        if not manifest.has_game(variant.game.id, variant.players):
            raise make_no_entry_error(bot, versions, variant)
        is_mirrored = request.choose_mirror() is not Mirror.OFF
        if bot.remote and is_mirrored and not request.allow_remote_mirror:
            raise InvalidInputError(
                f"{bot.name} plays from another machine, and here deals are played again with the "
                "seats exchanged, of which it cannot be made to forget the cards: ask the organiser"
            )
        return versions

    def list_enterable(self, row: OpenTournamentRow, author: str) -> list[str]:
        """Return the bots that an author ("": the organiser) may enter and has not entered."""
        entered = {entry.bot for entry in self._store.entries(row.id)}
        found = []
        for bot in self._store.bots():
            if bot.name in entered or bot.retired or author not in ("", bot.owner):
                continue
            try:
                self.check_may_enter(bot, row.request)
            except (ConflictError, InvalidInputError):
                continue
            found.append(bot.name)
        return found

    def _examine_entry(
        self, entry: EntryRow, bot: BotRow | None, request: TournamentRequest, variant: Variant
    ) -> ShownEntry:
        version, lacks = None, ""
        if bot is None:
            return ShownEntry(entry=entry, owner="", version=None, lacks="it was just deleted")
        try:
            versions = self.check_may_enter(bot, request)
            version = self._find_version(bot, versions, request, variant)
        except (ConflictError, InvalidInputError) as error:  # not those of a store that is away
            lacks = str(error)
        return ShownEntry(entry=entry, owner=bot.owner, version=version, lacks=lacks)

    def _find_version(
        self,
        bot: BotRow,
        versions: Sequence[VersionRow],
        request: TournamentRequest,
        variant: Variant,
    ) -> int:
        """Return the version that would play now; raise what tells why none can."""
        version = find_entering_version(bot, versions, variant)
        if version is None:
            raise make_no_entry_error(bot, versions, variant)
        if not bot.remote:
            try:
                self._launcher.find_bundle(version, self._launcher.limits.change(request.limits))
            except StoreError as error:  # which names folders of the server
                raise ConflictError(
                    f"{bot.name} must be submitted again: the files of its version "
                    f"{version.number} are gone, or do not fit this server any more"
                ) from error
        elif not self._is_connected(bot.name):
            raise ConflictError(
                f"{bot.name} is away: start its program, which must be connected when the "
                "tournament starts"
            )
        return version.number


def list_ready(entries: Sequence[ShownEntry]) -> list[str]:
    """Return the names of the bots that can play."""
    return [shown.entry.bot for shown in entries if not shown.lacks]
