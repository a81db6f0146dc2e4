"""Frames are found in bytes that come in parts of any size, and what carries nothing is bounded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.serving.gateway.frames import Frame, FrameBudget, FrameCounter

frames = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 255), st.integers(0, 2**31 - 1), st.binary())
)


@given(frames, st.lists(st.integers(1, 40), min_size=1))
def test_frames_are_counted_however_they_are_parted(
    written: list[tuple[int, int, int, bytes]], sizes: list[int]
) -> None:
    """Of those that carry something, which is DATA that is not empty, and of all others."""
    data = b"".join(
        Frame(0, kind, flags, stream).pack(payload) for kind, flags, stream, payload in written
    )
    counter = FrameCounter()
    carrying = others = offset = turn = 0
    while offset < len(data):
        size = sizes[turn % len(sizes)]
        found = counter.count(data[offset : offset + size])
        carrying, others = carrying + found[0], others + found[1]
        offset, turn = offset + size, turn + 1
    assert counter.is_between_frames
    assert carrying == sum(kind == 0 and payload != b"" for kind, _, _, payload in written)
    assert carrying + others == len(written)


def test_a_head_is_read_as_it_was_written() -> None:
    packed = Frame(0, 9, 4, 77).pack(b"abc")
    assert Frame.parse(b"x" + packed, 1) == Frame(3, 9, 4, 77)


def test_a_frame_that_has_begun_is_not_whole() -> None:
    for part in (b"\0", Frame(0, 6, 0, 0).pack(bytes(8))[:-1]):
        counter = FrameCounter()
        counter.count(part)
        assert not counter.is_between_frames


def test_who_gets_answers_may_send_more_than_who_does_not() -> None:
    """A client that reads a long answer pings and opens windows with each part of it."""
    now = 0.0
    budget = FrameBudget(clock=lambda: now)
    assert budget.spend(1_000)
    assert not budget.spend(1)
    budget.earn(10)
    assert budget.spend(40)
    assert not budget.spend(1)
    now = 1.0
    assert budget.spend(50)
    assert not budget.spend(1)
