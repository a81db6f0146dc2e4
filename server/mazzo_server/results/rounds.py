"""The rounds of a tournament, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mazzo.games import parse_variant
from mazzo_server.model.definition import Definition
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import (
    Group,
    GroupResult,
    Pairing,
    RoundRobin,
    Seats,
    SeparationRule,
    Swiss,
    UntilSeparated,
    seatings_per_group,
)
from mazzo_server.results.standings import group_result
from mazzo_server.storage import Store, TournamentRow

__all__ = ["known_rounds", "results_of", "schedule_of", "seatings_of"]


def schedule_of(definition: Definition) -> Pairing:
    """The pairing that follows from a definition."""
    sides = len(parse_variant(definition.variant).sides)
    if definition.until_separated is not None:
        seats = Seats(
            variant=definition.variant,
            entrants=definition.entrants,
            sides=sides,
            mirror=definition.mirror,
            seed=definition.seed,
        )
        rule = SeparationRule.of(definition, sides=sides)
        return UntilSeparated(seats, rule=rule, changes=definition.changes)
    if definition.pairing == "swiss":
        return Swiss(
            variant=definition.variant,
            entrants=definition.entrants,
            sides=sides,
            groups_per_table=definition.groups,
            mirror=definition.mirror,
            seed=definition.seed,
            rounds=definition.rounds,
            changes=definition.changes,
        )
    return RoundRobin(
        variant=definition.variant,
        entrants=definition.entrants,
        sides=sides,
        groups_per_table=definition.groups,
        mirror=definition.mirror,
        seed=definition.seed,
        tables=definition.tables,
        hero=definition.hero,
        changes=definition.changes,
    )


def seatings_of(definition: Definition) -> int:
    """In how many seatings each mirror group is played."""
    return seatings_per_group(definition.mirror, len(parse_variant(definition.variant).sides))


def known_rounds(store: Store, row: TournamentRow, first: int = 0) -> Iterator[Sequence[Group]]:
    """The groups from number `first` on, round by round, up to the one that is being played.

    Without results to look at that is the whole schedule. Reads as it goes; blocks.
    """
    pairing = schedule_of(row.definition)
    results: list[GroupResult] = []
    number = 0 if pairing.adaptive else first
    while groups := pairing.next(number, results):
        number += len(groups)
        yield [group for group in groups if group.number >= first]
        if pairing.adaptive:
            results += results_of(store, row.id, row.definition, groups)
            if len(results) < number:
                return


def results_of(
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
    seatings = seatings_of(definition)
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
            results.append(replace(group_result(group, matches, sides=sides), withdrawn=out))
        elif out:
            results.append(GroupResult(table=group.table, ranks=None, scores={}, withdrawn=out))
        else:
            break
    return results
