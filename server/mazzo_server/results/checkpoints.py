"""Reads the standings of a stored tournament: from kept standings, and the later results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from mazzo_server.model import MatchOutcome
from mazzo_server.pairing import Group, make_pairing
from mazzo_server.results.rounds import read_rounds
from mazzo_server.results.standings import (
    Course,
    Fold,
    Standings,
    add_scores,
    count_shares,
    rank_group,
)
from mazzo_server.stats import Rating, Sums, Tables, compute_season_ratings
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, read_withdrawn

__all__ = [
    "keep_season",
    "keep_standings",
    "read_counts",
    "read_played",
    "read_ratings",
    "read_season_ratings",
    "read_standings",
    "read_standings_with_course",
    "read_tables",
]


def read_standings(store: Store, row: TournamentRow) -> Standings:
    """Return the standings of a tournament, over all mirror groups that are over. Blocks."""
    return read_standings_with_course(store, row)[0]


def read_standings_with_course(
    store: Store, row: TournamentRow, *, with_pairs: bool = True
) -> tuple[Standings, Course]:
    """Return the standings, with or without the crosstable, and what lies behind them. Blocks."""
    fold, groups = _read_fold(store, row)
    return fold.make_standings(groups=groups, with_pairs=with_pairs), fold.make_course()


def read_tables(store: Store, row: TournamentRow) -> Tables:
    """Return what was scored at each table, over all mirror groups that are over. Blocks.

    Those of a ladder with larger tables are not kept, and added up anew.
    """
    sides = row.definition.sides
    if len(sides) == 2 or not row.definition.pairing.keeps_results:
        fold, _ = _read_fold(store, row)
        return fold.tables
    tables: dict[tuple[int, ...], Sums] = {}
    for group, matches in _read_finished(store, row, 0):
        if matches:
            add_scores(tables, group.table, count_shares(group, matches, sides=sides))
    return tables


def read_counts(store: Store, row: TournamentRow) -> Mapping[tuple[int, int], tuple[int, int, int]]:
    """Return who has won how often against whom, as `Fold.count_meetings` does. Blocks."""
    fold, _ = _read_fold(store, row)
    return fold.count_meetings()


def read_ratings(store: Store, row: TournamentRow) -> Mapping[int, Rating]:
    """Return the rating of each entrant that has played, by index. Blocks."""
    fold, _ = _read_fold(store, row)
    return fold.read_ratings()


def _read_fold(store: Store, row: TournamentRow) -> tuple[Fold, int]:
    """Return the fold over all mirror groups that are over, and how many groups there are."""
    fold, first = _read_kept(store, row)
    groups = first
    if row.definition.pairing.keeps_results:
        if row.status is TournamentStatus.FINISHED and not fold.groups.are_refitted:
            keep_season(store, row, read_season_ratings(store, row))
            fold, first = _read_kept(store, row)
        groups = first  # as it has no planned end
    elif row.status is not TournamentStatus.FINISHED:
        groups = make_pairing(row.definition).total()
    elif first and make_pairing(row.definition).is_adaptive:
        # The fold is complete; to check that would read every match once more.
        return fold, groups
    for group, matches in _read_finished(store, row, first):
        if matches is None or matches:
            fold.add(group, matches)
        groups = max(groups, group.number + 1)
    return fold, groups


def keep_standings(store: Store, tournament: int, groups: Sequence[Group] = ()) -> None:
    """Keep the standings as they are, for later readers. Blocks.

    They go up to the first group that is not over. When the earlier standings were kept, only
    `groups` are read: those of the round that has just ended.
    """
    row = store.tournament(tournament)
    fold, end = _read_kept(store, row)
    is_next = bool(groups) and groups[0].number == end
    new = _read_round(store, row, groups, read_withdrawn(store, row.id)) if is_next else None
    for group, matches in new or _read_finished(store, row, end):
        if matches is not None and not matches:
            break
        fold.add(group, matches)
        end = group.number + 1
    store.keep_checkpoint(tournament, end, fold.to_json(), revision=row.revision)


def read_season_ratings(store: Store, row: TournamentRow) -> dict[int, Rating]:
    """Return the ratings of a season of a ladder, from all its results at once, by index. Blocks.

    Whoever has inherited a rating and never played keeps it.
    """
    definition = row.definition
    inherited = {
        change.entrant: Rating(mu=change.inherited[0], sigma=change.inherited[1])
        for change in definition.changes
        if change.inherited is not None
    }
    results = (
        rank_group(group, matches, sides=definition.sides)
        for group, matches in _read_finished(store, row, 0)
        if matches
    )
    return inherited | compute_season_ratings(
        results, draw_probability=definition.draw_probability, inherited=inherited
    )


def keep_season(store: Store, row: TournamentRow, ratings: Mapping[int, Rating]) -> None:
    """Keep the standings of a season that is over, with the ratings that it ended with. Blocks."""
    keep_standings(store, row.id)
    row = store.tournament(row.id)
    fold, end = _read_kept(store, row)
    fold.refit(ratings)
    store.keep_checkpoint(row.id, end, fold.to_json(), revision=row.revision)


def _read_kept(store: Store, row: TournamentRow) -> tuple[Fold, int]:
    """Return a fold, and the number of groups that it covers already."""
    withdrawals = read_withdrawn(store, row.id)
    sides = row.definition.sides
    kept = store.checkpoint(row.id)
    if kept is not None:
        groups, text = kept
        fold = Fold.from_json(text, row.definition, sides, withdrawals)
        if fold is not None:
            return fold, groups
    return Fold(row.definition, sides, withdrawals), 0


def read_played(
    store: Store, row: TournamentRow, first: int = 0
) -> Iterator[tuple[Group, Sequence[MatchOutcome] | None]]:
    """Return the groups from number `first` on with their matches; no matches for an open group.

    None stands for a void group. Ends with the round that is being played. Reads as it goes;
    blocks.
    """
    withdrawn = read_withdrawn(store, row.id).keys()
    for group, matches in _read_finished(store, row, first):
        yield group, matches if withdrawn.isdisjoint(group.table) else None


def _read_finished(
    store: Store, row: TournamentRow, first: int
) -> Iterator[tuple[Group, Sequence[MatchOutcome] | None]]:
    """Return what `read_played` does, and of void groups the matches, too, if all were played."""
    withdrawn = read_withdrawn(store, row.id)
    for groups in read_rounds(store, row, first):
        is_whole = True
        for group, matches in _read_round(store, row, groups, withdrawn):
            yield group, matches
            is_whole = is_whole and (matches is None or bool(matches))
        if not is_whole:
            return


def _read_round(
    store: Store, row: TournamentRow, groups: Sequence[Group], withdrawn: Mapping[int, str]
) -> Iterator[tuple[Group, Sequence[MatchOutcome] | None]]:
    if not groups:
        return
    seatings = row.definition.seatings
    stored: dict[int, list[MatchOutcome]] = defaultdict(list)
    for outcome in store.outcomes(
        row.id,
        with_deals=False,
        first_group=groups[0].number,
        end_group=groups[-1].number + 1,
    ):
        stored[outcome.group].append(outcome)
    for group in groups:
        matches = stored[group.number]
        if len(matches) == seatings:
            yield group, matches
        else:
            yield group, () if withdrawn.keys().isdisjoint(group.table) else None
