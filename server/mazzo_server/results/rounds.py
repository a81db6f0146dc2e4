"""The rounds of a tournament, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mazzo.games import parse_variant
from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.pairing import Group, GroupResult, count_seatings, make_pairing
from mazzo_server.results.standings import judge_group
from mazzo_server.storage import Store, TournamentRow

__all__ = ["read_results", "read_rounds"]


def read_rounds(store: Store, row: TournamentRow, first: int = 0) -> Iterator[Sequence[Group]]:
    """The groups from number `first` on, round by round, up to the one that is being played.

    Without results to look at that is the whole schedule. Reads as it goes; blocks.
    """
    pairing = make_pairing(row.definition)
    results: list[GroupResult] = []
    number = 0 if pairing.adaptive else first
    while groups := pairing.next(number, results):
        number += len(groups)
        yield [group for group in groups if group.number >= first]
        if pairing.adaptive:
            results += read_results(store, row.id, row.definition, groups)
            if len(results) < number:
                return


def read_results(
    store: Store, tournament: int, definition: Definition, groups: Sequence[Group]
) -> list[GroupResult]:
    """What came of the groups of a round, up to the first that is not over.

    For the pairing a group counts as it did when the next round was made: whatever became of
    its entrants later, it is void only if a withdrawal kept it from being finished. From when on an
    entrant was withdrawn, a change says; until there is one, its unfinished groups do.
    """
    if not groups:
        return []
    sides = parse_variant(definition.variant).sides
    seatings = count_seatings(definition)
    end = groups[-1].number + 1
    withdrawn = {row.entrant for row in store.withdrawals(tournament)}
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
