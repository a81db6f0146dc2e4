"""The standings of a stored tournament: from what was kept of them, and what came since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mazzo.games import parse_variant
from mazzo_server.outcome import MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.schedule import known_rounds, schedule_of, seatings_of
from mazzo_server.standings import Fold, Standings
from mazzo_server.storage import Store, TournamentRow, TournamentStatus

__all__ = ["keep_standings", "played", "standings_of"]


def standings_of(store: Store, row: TournamentRow) -> Standings:
    """Where a tournament stands, over all mirror groups that are over. Blocks."""
    fold, first = _kept(store, row)
    groups = first
    if row.status is not TournamentStatus.FINISHED:
        groups = schedule_of(row.definition).total()
    for group, matches in played(store, row, first):
        if matches is None or matches:
            fold.add(group, matches)
        groups = max(groups, group.number + 1)
    return fold.standings(groups=groups)


def keep_standings(store: Store, tournament: int) -> None:
    """Keep the standings as they are, for whoever asks for them later. Blocks.

    They go up to the first group that is not over.
    """
    row = store.tournament(tournament)
    fold, end = _kept(store, row)
    for group, matches in played(store, row, end):
        if matches is not None and not matches:
            break
        fold.add(group, matches)
        end = group.number + 1
    store.keep_checkpoint(tournament, end, fold.text(), revision=row.revision)


def _kept(store: Store, row: TournamentRow) -> tuple[Fold, int]:
    """A fold, and the number of groups that it is over already."""
    withdrawals = {item.entrant: item.reason for item in store.withdrawals(row.id)}
    sides = parse_variant(row.definition.variant).sides
    kept = store.checkpoint(row.id)
    if kept is not None:
        groups, text = kept
        fold = Fold.parse(text, row.definition, sides, withdrawals)
        if fold is not None:
            return fold, groups
    return Fold(row.definition, sides, withdrawals), 0


def played(
    store: Store, row: TournamentRow, first: int = 0
) -> Iterator[tuple[Group, Sequence[MatchOutcome] | None]]:
    """The groups from a number on with their matches: none while not all of them are over.

    None stands for a group that is void. Ends with the round that is being played. Reads as it
    goes; blocks.
    """
    withdrawn = {item.entrant for item in store.withdrawals(row.id)}
    seatings = seatings_of(row.definition)
    for groups in known_rounds(store, row, first):
        if not groups:
            continue
        stored: dict[int, list[MatchOutcome]] = defaultdict(list)
        outcomes = store.outcomes(
            row.id,
            with_deals=False,
            first_group=groups[0].number,
            end_group=groups[-1].number + 1,
        )
        for outcome in outcomes:
            stored[outcome.group].append(outcome)
        is_whole = True
        for group in groups:
            if not withdrawn.isdisjoint(group.table):
                yield group, None
                continue
            matches = stored[group.number]
            is_complete = len(matches) == seatings
            is_whole = is_whole and is_complete
            yield group, matches if is_complete else ()
        if not is_whole:
            return
