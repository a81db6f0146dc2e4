"""Changes the entrants of a tournament that has begun: bots join and leave."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import replace

from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model import Change, Definition, Entrant, Mirror, TournamentKind
from mazzo_server.pairing import make_pairing
from mazzo_server.results import continue_rounds, read_results, read_rounds
from mazzo_server.storage import Store, TournamentRow

__all__ = ["add_entrant", "find_free_group", "list_playing", "retire_entrant"]


def list_playing(definition: Definition) -> list[int]:
    """Return the entrants that were not retired, including withdrawn ones."""
    gone = {change.entrant for change in definition.changes if not change.joins}
    return [index for index in range(len(definition.entrants)) if index not in gone]


def add_entrant(definition: Definition, first_group: int, *, entrant: Entrant) -> Definition:
    """Return the definition with one more entrant, which plays from that group on.

    Raises `ConflictError` for a bot that takes part or took part, and where there is a bracket.
    Raises `InvalidInputError` for a remote bot where deals are mirrored and remote bots may not see
    them again.
    """
    check_no_season(definition)
    if definition.pairing.has_bracket:
        raise ConflictError(
            f"the bracket of a {definition.pairing} is made when it is created, and nobody joins: "
            "create another one"
        )
    entrants = definition.entrants
    if any(other.bot == entrant.bot for other in entrants):
        raise ConflictError(f"{entrant.name} takes part already, or was retired from it")
    is_mirrored = definition.mirror is not Mirror.OFF
    if entrant.remote and is_mirrored and not any(other.remote for other in entrants):
        raise InvalidInputError(
            f"the same deals are played again with the seats exchanged, and {entrant.name}, which "
            "plays from another machine, cannot be made to forget the cards: let it take part in "
            "a tournament of its own (--mirror off, or --allow-remote-mirror)"
        )
    change = Change(entrant=len(entrants), first_group=first_group, joins=True)
    return replace(definition, entrants=(*entrants, entrant), changes=(*definition.changes, change))


def retire_entrant(
    definition: Definition, first_group: int, *, name: str, withdrawn: Collection[int] = ()
) -> Definition:
    """Return the definition in which a bot is retired from that group on; its results stay.

    Raises `NotFoundError` for a bot that does not take part, and `ConflictError` where nobody could
    play without it.
    """
    check_no_season(definition)
    playing = {
        definition.entrants[index].name: index
        for index in list_playing(definition)
        if index not in withdrawn
    }
    if name not in playing:
        raise NotFoundError(
            f"expected a bot that takes part ({', '.join(sorted(playing))}), got {name!r}"
        )
    if name == definition.hero:
        raise ConflictError(f"{name} meets all others in this gauntlet: cancel it instead")
    sides = len(definition.sides)
    if len(playing) <= sides:
        raise ConflictError(
            f"{definition.variant} needs {sides} bots, and there would be {len(playing) - 1}: "
            "cancel the tournament instead"
        )
    change = Change(entrant=playing[name], first_group=first_group, joins=False)
    return replace(definition, changes=(*definition.changes, change))


def check_no_season(definition: Definition) -> None:
    """Raise `ConflictError` for a season of a ladder, which has commands of its own."""
    if definition.kind is TournamentKind.LADDER:
        raise ConflictError(
            f"this is a season of the ladder of {definition.variant}: expected `mazzo ladder "
            "join`, `leave`, `pause`, `resume` or `season end`"
        )


def find_free_group(store: Store, row: TournamentRow) -> int:
    """Return the first group that may still be changed, of a tournament that nobody plays.

    No later group is stored, or was begun by a bot that may remember it. Where results decide what
    is played, a round that has begun is played as it is. The group is never before an earlier
    change: a retired bot has joined first.
    """
    earliest = row.definition.last_change
    newest = store.next_group(row.id) - 1
    if not make_pairing(row.definition).is_adaptive:
        return max(earliest, newest + 1)
    known = continue_rounds(store, row).end
    last = next(iter(deque(read_rounds(store, row, known), maxlen=1)), ())
    if not last:
        return max(earliest, newest + 1, known)
    has_begun = newest >= last[0].number
    is_void = bool(read_results(store, row.id, row.definition, last))
    return max(earliest, last[-1].number + 1 if has_begun or is_void else last[0].number)
