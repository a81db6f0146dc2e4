"""Deletes tournaments, or the records of old ones, which are most of a store."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass

from mazzo_server.errors import ConflictError, InvalidInputError
from mazzo_server.logs import LogAction
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.stored.claiming import hold_claim

__all__ = ["Pruned", "delete_tournament", "prune_tournaments"]

_LOG = logging.getLogger(__name__)

_DAY = 86_400.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """A tournament whose matches can no longer be replayed."""

    row: TournamentRow  # as it was before
    bytes: int  # about, of its deals and logs


def delete_tournament(store: Store, number: int) -> TournamentRow:
    """Delete a tournament with its matches, and return it as it was; rankings forget it. Blocks.

    Raises `NotFoundError`, and `ConflictError` while it is being played or imported.
    """
    with hold_claim(store, number):
        row = store.tournament(number)
        store.delete_tournament(number)
    _LOG.info(
        "tournament %d is deleted",
        number,
        extra={
            "action": LogAction.TOURNAMENT_DELETED,
            "tournament": number,
            "matches": row.matches_played,
        },
    )
    return row


def prune_tournaments(
    store: Store,
    *,
    ids: Collection[int],
    older_than: float | None,
    now: float,
    dry_run: bool,
    compact: bool = False,
) -> list[Pruned]:
    """Prune tournaments that have been over for so many days: all, or those with some ids.

    `now` is in Unix seconds. With `compact` the store gives their space back afterwards.
    Tournaments that were pruned already are left out. Blocks, with a transaction for each
    tournament. Raises `InvalidInputError` when neither ids nor an age is given, or for an invalid
    age. Before anything is deleted it raises `NotFoundError` and `ConflictError` for the id of a
    tournament that does not exist or is not over.
    """
    if not ids and older_than is None:
        raise InvalidInputError("expected an age in days or numbers of tournaments, got neither")
    if older_than is not None and not older_than >= 0:
        raise InvalidInputError(f"expected an age of at least 0 days, got {older_than:g}")
    rows = [store.tournament(number) for number in sorted(set(ids))]
    rows = rows or store.tournaments(every_kind=True)
    if ids and (going_on := [row.id for row in rows if not row.status.is_over]):
        raise ConflictError(
            f"tournament {going_on[0]} is not over: expected finished or cancelled ones"
        )
    if ids and (busy := [row.id for row in rows if store.is_claimed(row.id)]):
        raise ConflictError(f"tournament {busy[0]} is being imported: wait for its end")
    found = [
        Pruned(row=row, bytes=store.record_bytes(row.id))
        for row in rows
        if row.status.is_over
        and not row.pruned
        and _compute_age(row, now) >= (older_than or 0.0)
        and not store.is_claimed(row.id)  # as one that is imported is
    ]
    for pruned in () if dry_run else found:
        with hold_claim(store, pruned.row.id):
            store.prune(pruned.row.id)
        _LOG.info(
            "tournament %d is pruned",
            pruned.row.id,
            extra={
                "action": LogAction.TOURNAMENT_PRUNED,
                "tournament": pruned.row.id,
                "matches": pruned.row.matches_played,
            },
        )
    if compact and not dry_run:
        store.compact()
    return found


def _compute_age(row: TournamentRow, now: float) -> float:
    """Return the age in days; at least 0, even if the clock was set back."""
    ended = row.create_time if row.end_time is None else row.end_time
    return max(now - ended, 0.0) / _DAY
