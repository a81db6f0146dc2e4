"""The list of matches says which of them count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mazzo_server.model import Mirror
from mazzo_server.results.checkpoints import keep_standings
from mazzo_server.results.match_search import MatchSearch
from mazzo_server.storage import MatchQuery, MemoryStore, TournamentStatus
from support.stored_rows import DEFINITION, add_tournament, outcome


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize(
    ("status", "void"),
    [
        (TournamentStatus.RUNNING, {(0, 0): False, (0, 1): False}),
        (TournamentStatus.CANCELLED, {(0, 0): False, (0, 1): False, (1, 1): True}),
    ],
)
def test_a_match_of_a_group_that_was_never_finished_is_void(
    status: TournamentStatus, void: dict[tuple[int, int], bool], is_kept: bool
) -> None:
    """The standings leave it out, and so must who computes them from the results.

    Whether standings were kept before changes nothing.
    """
    store = MemoryStore()
    tournament = add_tournament(store, replace(DEFINITION, mirror=Mirror.ROTATIONS))
    store.add_outcomes(tournament, [outcome(0, 0), outcome(0, 1), outcome(1, 1)])
    if is_kept:
        keep_standings(store, tournament)
    store.set_status(tournament, status)
    page, has_more = MatchSearch(store).find_page(MatchQuery(), size=10)
    assert not has_more
    assert {
        (one.match.outcome.group, one.match.outcome.seating): one.is_void for one in page
    } == void
