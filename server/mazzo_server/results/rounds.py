"""Reads the rounds of a tournament, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.pairing import Group, GroupResult, make_pairing
from mazzo_server.results.standings import judge_group
from mazzo_server.storage import Store, TournamentRow, read_withdrawn

__all__ = ["read_results", "read_rounds"]


def read_rounds(store: Store, row: TournamentRow, first: int = 0) -> Iterator[Sequence[Group]]:
    """Return the groups from number `first` on, round by round, up to the round in play.

    A schedule that does not depend on results is returned whole. Reads as it goes; blocks.
    """
    pairing = make_pairing(row.definition)
    results: list[GroupResult] = []
    number = 0 if pairing.is_adaptive else first
    while groups := pairing.next(number, results):
        number += len(groups)
        yield [group for group in groups if group.number >= first]
        if pairing.is_adaptive:
            results += read_results(store, row.id, row.definition, groups)
            if len(results) < number:
                return


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
