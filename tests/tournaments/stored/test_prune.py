"""Which tournaments are thrown away."""

from __future__ import annotations

import pytest

from mazzo_server.errors import InvalidInputError
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments.stored.prune import prune_tournaments


@pytest.mark.parametrize("age", [-1.0, float("-inf"), float("nan")])
def test_an_age_that_cannot_be_throws_nothing_away(age: float) -> None:
    """Every tournament is older than -1 days."""
    with pytest.raises(InvalidInputError, match="expected an age of at least 0 days"):
        prune_tournaments(MemoryStore(), ids=(), older_than=age, now=0.0, dry_run=False)
