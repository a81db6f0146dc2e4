"""How tournaments divide what may be in flight: by weight, and to nobody too little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.tournaments.executor.shares import share_flight

weights = st.lists(st.integers(1, 4096), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("everybody", "shares"),
    [
        ([128], [128]),
        ([4096], [4096]),
        ([1], [1]),
        ([128] * 8, [128] * 8),
        ([128] * 12, [85] * 12),
        ([128] * 40, [64] * 40),
        ([1024, 512, 512], [512, 256, 256]),
        ([4096, 4096], [2048, 2048]),
        ([4096, 128], [3971, 124]),
        ([4096, 64, 8], [4025, 64, 8]),
    ],
)
def test_shares(everybody: list[int], shares: list[int]) -> None:
    assert [share_flight(own, everybody) for own in everybody] == shares


@given(weights)
def test_nobody_gets_more_than_asked_for_or_too_little_to_fill_frames(everybody: list[int]) -> None:
    for own in everybody:
        assert min(own, 64) <= share_flight(own, everybody) <= own


@given(weights)
def test_together_they_are_no_more_than_the_machine_takes(everybody: list[int]) -> None:
    """But for the least that each has."""
    shares = [share_flight(own, everybody) for own in everybody]
    assert sum(share for share in shares if share > 64) <= max(1024, *everybody)


@given(weights, st.integers(1, 4096))
def test_a_larger_weight_is_no_smaller_share_and_another_tournament_no_larger_one(
    everybody: list[int], more: int
) -> None:
    by_weight = sorted(everybody)
    shares = [share_flight(own, everybody) for own in by_weight]
    assert shares == sorted(shares)


def test_a_tournament_that_is_not_among_them_counts_itself() -> None:
    """A run is listed only once it has begun."""
    assert share_flight(128, []) == 128
