"""Frames are found in bytes that come in parts of any size, and what carries nothing is bounded."""

from __future__ import annotations

from operator import add

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.serving.bucket import Bucket
from mazzo_server.serving.gateway.frames import Frame, FrameBudget, FrameCount, FrameCounter

frames = st.lists(
    st.tuples(
        st.integers(0, 12),
        st.integers(0, 255),
        st.integers(0, 2**31 - 1),
        st.one_of(st.binary(), st.integers(200, 800).map(bytes)),
    )
)


@given(frames, st.lists(st.integers(1, 40), min_size=1))
def test_frames_are_counted_however_they_are_parted(
    written: list[tuple[int, int, int, bytes]], sizes: list[int]
) -> None:
    """Of all but DATA that is not empty, also by their size."""
    data = b"".join(
        Frame(0, kind, flags, stream).pack(payload) for kind, flags, stream, payload in written
    )
    counter = FrameCounter()
    total = FrameCount(0, 0, 0)
    offset = turn = 0
    while offset < len(data):
        size = sizes[turn % len(sizes)]
        found = counter.count(data[offset : offset + size])
        total = FrameCount(*map(add, total, found))
        offset, turn = offset + size, turn + 1
    assert counter.is_between_frames
    others = [payload for kind, _, _, payload in written if kind or not payload]
    assert total == FrameCount(
        data=len(written) - len(others),
        headers=sum(kind == 1 for kind, _, _, _ in written),
        cost=sum(1 + len(payload) // 512 for payload in others),
    )


def test_large_frames_cost_more() -> None:
    """Bug: headers of 15 KiB cost as much as a ping, and took hundreds of MiB."""
    for kind in (1, 9):
        assert FrameCounter().count(Frame(0, kind, 0, 1).pack(bytes(15_360))).cost == 31


def test_a_head_is_read_as_it_was_written() -> None:
    packed = Frame(0, 9, 4, 77).pack(b"abc")
    assert Frame.parse(b"x" + packed, 1) == Frame(3, 9, 4, 77)


def test_a_frame_that_has_begun_is_not_whole() -> None:
    for part in (b"\0", Frame(0, 6, 0, 0).pack(bytes(8))[:-1]):
        counter = FrameCounter()
        counter.count(part)
        assert not counter.is_between_frames


def make_bucket(size: float) -> Bucket:
    return Bucket(size, per_second=0.0, clock=lambda: 0.0)


def test_who_gets_answers_may_send_more_than_who_does_not() -> None:
    """A client that reads a long answer pings and opens windows with each part of it."""
    now = 0.0
    budget = FrameBudget(make_bucket(10_000), clock=lambda: now)
    assert budget.spend(1_000)
    assert not budget.spend(1)
    budget.earn(10)
    assert budget.spend(40)
    assert not budget.spend(1)
    now = 1.0
    assert budget.spend(50)
    assert not budget.spend(1)


def test_strangers_of_an_address_spend_together() -> None:
    """Bug: each connection that was sent away came again with a budget of its own."""
    shared = make_bucket(1_500)
    first, second = (FrameBudget(shared, clock=lambda: 0.0) for _ in range(2))
    assert first.spend(1_000)
    assert second.spend(500)
    assert not second.spend(1)
    second.earn(10)
    assert second.spend(1)


def test_who_shows_a_token_counts_alone() -> None:
    budget = FrameBudget(make_bucket(10), clock=lambda: 0.0)
    budget.leave_shared()
    assert budget.spend(11)
