"""Reads the rounds of a tournament, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from mazzo_server.errors import StoreError
from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.pairing import (
    Group,
    GroupResult,
    Ladder,
    Outlook,
    Rounds,
    begin_rounds,
    make_pairing,
)
from mazzo_server.results.standings import judge_group
from mazzo_server.storage import Store, TournamentRow, read_withdrawn

__all__ = ["continue_rounds", "explain_rounds", "read_results", "read_rounds"]

_LEAST_AT_A_TIME: Final = 16  # groups: enough to find one
_MOST_AT_A_TIME: Final = 1024


def read_rounds(store: Store, row: TournamentRow, first: int = 0) -> Iterator[Sequence[Group]]:
    """Return the groups from number `first` on, round by round, up to the round in play.

    Of a season of another release, which cannot be gone on with, all that were played.

    A schedule that does not depend on results is returned whole. Of what a ladder has kept, parts
    are returned instead of rounds, without the groups of which no match was played. Reads as it
    goes; blocks.
    """
    pairing = make_pairing(row.definition)
    if not pairing.is_adaptive:
        number = first
        while groups := pairing.next(number):
            number += len(groups)
            yield groups
        return
    known = _find_rounds(store, row)
    if isinstance(pairing, Ladder):
        end = store.next_group(row.id) if known is None else known.end
        yield from _read_tables(store, row, pairing, range(first, end))
    if known is None:
        return
    while groups := known.make_round():
        yield [group for group in groups if group.number >= first]
        results = read_results(store, row.id, row.definition, groups)
        if len(results) < len(groups):
            return
        known.add_results(results)


def continue_rounds(store: Store, row: TournamentRow) -> Rounds:
    """Return the rounds of an adaptive pairing, as they were kept last, or from the beginning.

    Raises `StoreError` for those of another release, which would go on in another way.
    """
    rounds = _find_rounds(store, row)
    if rounds is None:
        raise StoreError(
            f"cannot go on with ladder season {row.id}, which another release of Mazzo has played: "
            f"end it with `mazzo ladder season end {row.definition.variant}`, which begins the "
            "next one"
        )
    return rounds


def explain_rounds(store: Store, row: TournamentRow) -> Outlook | None:
    """Return who plays next on a ladder, and why; None where nobody can go on with it."""
    rounds = None if row.status.is_over else _find_rounds(store, row)
    return None if rounds is None else rounds.explain()


def _find_rounds(store: Store, row: TournamentRow) -> Rounds | None:
    """Return the rounds as they were kept; None for those of another release."""
    try:
        return begin_rounds(make_pairing(row.definition), store.schedule(row.id))
    except ValueError:
        return None


def _read_tables(
    store: Store, row: TournamentRow, ladder: Ladder, numbers: range
) -> Iterator[Sequence[Group]]:
    """Return the groups of these numbers of which matches are stored, part by part."""
    size = _LEAST_AT_A_TIME
    while numbers:
        part, numbers = numbers[:size], numbers[size:]
        tables = {
            outcome.group: tuple(sorted(set(outcome.entrants)))
            for outcome in store.outcomes(
                row.id, with_deals=False, first_group=part.start, end_group=part.stop
            )
        }
        yield [ladder.make_group(number, table) for number, table in sorted(tables.items())]
        size = min(2 * size, _MOST_AT_A_TIME)


def read_results(
    store: Store, tournament: int, definition: Definition, groups: Sequence[Group]
) -> list[GroupResult]:
    """Return the results of a round's groups, up to the first that is not over.

    To the pairing a group counts as it did when the next round was made, whatever happened to its
    entrants later: it is void only if a withdrawal kept it from being finished. A change tells when
    an entrant was withdrawn; until there is one, its unfinished groups tell it.
    """
    if not groups:
        return []
    sides = definition.sides
    seatings = definition.seatings
    end = groups[-1].number + 1
    withdrawn = read_withdrawn(store, tournament)
    leaves_at = {item.entrant: item.first_group for item in definition.changes if not item.joins}
    known = {entrant for entrant in withdrawn if leaves_at.get(entrant, end + 1) <= end}
    suspected = {entrant for entrant in withdrawn if leaves_at.get(entrant, end) <= end}
    found: dict[int, list[MatchOutcome]] = {group.number: [] for group in groups}
    for outcome in store.outcomes(
        tournament, with_deals=False, first_group=groups[0].number, end_group=end
    ):
        found[outcome.group].append(outcome)
    results = []
    for group in groups:
        matches = found[group.number]
        is_complete = len(matches) == seatings
        out = frozenset((known if is_complete else suspected).intersection(group.table))
        if is_complete:
            results.append(replace(judge_group(group, matches, sides=sides), withdrawn=out))
        elif out:
            results.append(GroupResult(table=group.table, ranks=None, scores={}, withdrawn=out))
        else:
            break
    return results
