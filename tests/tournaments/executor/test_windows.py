"""How a chunk is cut into smaller ones: all of it once, in order, with few tables in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo_server.errors import ConflictError, PlatformError
from mazzo_server.model import TimeControl
from mazzo_server.pairing import Group
from mazzo_server.play import MatchRules
from mazzo_server.tournaments.executor.chunk import Chunk, ChunkGroup
from mazzo_server.tournaments.executor.windows import Windows

RULES = MatchRules(
    variant=parse_variant("briscola/2"),
    sides=[(0,), (1,)],
    match_format=MatchFormat("deals", 2),
    draws="seats",
    time=TimeControl(),
)
LOST = PlatformError("the worker 1 ended")
TABLES = [(0, 1), (0, 2), (1, 2)]


def make_chunk(groups: int, *, first: int = 0, tables: Sequence[tuple[int, int]] = TABLES) -> Chunk:
    """Groups of some tables by turns, some matches of which are over."""
    return Chunk(
        rules=RULES,
        groups=tuple(
            ChunkGroup(
                group=Group(
                    number=number,
                    table=(table := tables[number % len(tables)]),
                    number_at_table=number // len(tables),
                    seed=number.to_bytes(32),
                    seatings=(table, table[::-1]),
                ),
                groups_before=(0, 0),
            )
            for number in range(first, first + groups)
        ),
        seatings=2,
        finished=frozenset((number, 0) for number in range(first, first + groups, 5)),
        withdrawn=frozenset(),
    )


def windows_of(chunk: Chunk, *, workers: int, concurrency: int = 4) -> Windows:
    return Windows(chunk, chunk.groups, workers=workers, concurrency=concurrency)


def numbers_of(chunk: Chunk) -> list[int]:
    return [item.group.number for item in chunk.groups]


class CountedKeys(frozenset[tuple[int, int]]):
    """Matches that are over, which count how often all of them are looked at."""

    looks = 0

    def __iter__(self) -> Iterator[tuple[int, int]]:
        self.looks += 1
        return super().__iter__()


def test_what_is_over_is_looked_through_once_for_all_chunks() -> None:
    """A tournament that goes on has hundreds of thousands of stored matches."""
    chunk = make_chunk(100)
    keys = CountedKeys(chunk.finished)
    windows = windows_of(replace(chunk, finished=keys), workers=4, concurrency=1)
    parts = []
    while (part := windows.take()) is not None:
        parts.append(part)
    assert len(parts) > 3
    assert keys.looks == 1
    assert frozenset[tuple[int, int]]().union(*(part.finished for part in parts)) == chunk.finished


@given(st.data())
def test_every_group_is_given_out_once_whatever_its_speed(data: st.DataObject) -> None:
    chunk = make_chunk(data.draw(st.integers(1, 400)), first=data.draw(st.integers(0, 50)))
    windows = windows_of(
        chunk, workers=data.draw(st.integers(1, 5)), concurrency=data.draw(st.integers(1, 9))
    )
    given: list[int] = []
    lost: set[int] = set()
    finished: set[tuple[int, int]] = set()
    while (part := windows.take()) is not None:
        if part.first not in lost and data.draw(st.booleans()):
            lost.add(part.first)
            windows.put_back(part, over := {(part.first, 1)}, LOST)
            again = windows.take()
            assert again == replace(part, finished=part.finished | over)
            windows.put_back(part, (), LOST)
            continue
        numbers = numbers_of(part)
        assert numbers == sorted(numbers)
        assert max(numbers) < windows.begun_to
        given += numbers
        finished |= part.finished
        seconds = data.draw(st.floats(0.001, 1000.0))
        windows.note_time(part, seconds, matches=2 * len(numbers) - len(part.finished))
    assert sorted(given) == numbers_of(chunk)
    assert finished == chunk.finished
    assert windows.begun_to == chunk.end


def test_the_third_worker_that_a_chunk_costs_is_one_too_many() -> None:
    """The error names the chunk."""
    windows = windows_of(make_chunk(40, first=7), workers=2, concurrency=2)
    windows.take()
    part = windows.take()
    assert part is not None
    for _ in range(2):
        windows.put_back(part, (), LOST)
        assert windows.take() == part
    with pytest.raises(ConflictError, match="the groups 8 to 22 lost 3 workers") as told:
        windows.put_back(part, (), LOST)
    assert str(told.value).endswith("the last one: the worker 1 ended")


def test_a_chunk_has_few_tables() -> None:
    """Each entrant in it costs a start in every seating."""
    windows = windows_of(make_chunk(2400), workers=3, concurrency=100)
    parts = [part for _ in range(3) if (part := windows.take()) is not None]
    assert [numbers_of(part)[:2] for part in parts] == [[0, 3], [1, 4], [2, 5]]
    assert all(len({item.group.table for item in part.groups}) == 1 for part in parts)


def test_a_chunk_lasts_long_enough_for_its_starts_and_ends_with_the_others() -> None:
    """Starts of two bots in two seatings take 1 s: 25 s of play, and less near the end."""
    windows = windows_of(make_chunk(100_000), workers=2)
    sizes = []
    while (part := windows.take()) is not None:
        sizes.append(len(part.groups))
        # A hundred groups a second.
        windows.note_time(part, 1.0 + len(part.groups) / 100, matches=2 * len(part.groups))
    assert sizes[:2] == [16, 16]
    tables = 3  # in the first chunks, and in the last ones at least two
    assert all(2_400 <= size <= 25 * 150 * tables for size in sizes[2:6])
    assert all(later <= earlier + 1 for earlier, later in pairwise(sizes[8:]))
    assert 25 / 3 * 100 <= sizes[-1] <= 25 * 100 * 2 / 3 * 1.5 + 1, "the last one is short"
    rest = 100_000
    for size in sizes[2:]:
        assert size <= max(ceil(rest / 2), 1)


@pytest.mark.parametrize(("groups", "chunks"), [(1200, 2), (6000, 2), (7000, 4), (12_000, 8)])
def test_starts_of_twelve_bots_in_twelve_seatings_cost_little(groups: int, chunks: int) -> None:
    """Those of a chunk cost 36 s, so ten minutes of two workers have two chunks, not dozens."""
    table = tuple(range(12))
    rules = replace(RULES, variant=(frap := parse_variant("frap/12")), sides=frap.sides)
    numbered = tuple(
        ChunkGroup(
            group=Group(
                number=number,
                table=table,
                number_at_table=number,
                seed=number.to_bytes(32),
                seatings=tuple(table[turn:] + table[:turn] for turn in table),
            ),
            groups_before=(0,) * 12,
        )
        for number in range(groups)
    )
    whole = Chunk(
        rules=rules, groups=numbered, seatings=12, finished=frozenset(), withdrawn=frozenset()
    )
    windows, taken = windows_of(whole, workers=2, concurrency=768), 0
    while (part := windows.take()) is not None:
        taken += 1
        seconds = 6.0 + len(part.groups) / 2
        windows.note_time(part, seconds, matches=12 * len(part.groups))
    assert taken == chunks


def test_chunks_of_slow_bots_are_small() -> None:
    """A change of the entrants waits for the end of a window."""
    windows = windows_of(make_chunk(1000), workers=2, concurrency=1)
    first = windows.take()
    assert first is not None
    windows.note_time(first, 4000.0, matches=2 * len(first.groups))
    assert windows.take() is not None  # of the same window
    later = windows.take()
    assert later is not None
    assert len(later.groups) == 1


@pytest.mark.parametrize("over", [0.0, 0.9, 1.0])
def test_what_was_over_does_not_make_a_chunk_faster(over: float) -> None:
    """As when it is put back by a worker that was lost near its end."""
    windows = windows_of(make_chunk(100_000), workers=1, concurrency=25)
    first = windows.take()
    assert first is not None
    matches = 2 * len(first.groups)
    windows.note_time(first, 1.0 + 25.0, matches=matches)  # four groups a second
    part = windows.take()
    assert part is not None
    size = len(part.groups)
    left = round(2 * size * (1 - over))
    windows.note_time(part, 1.0 + left / 8, matches=left)
    later = windows.take()
    assert later is not None
    assert len(later.groups) == pytest.approx(size, abs=1)


def test_a_chunk_that_is_not_wanted_waits_for_others() -> None:
    """And the next window, as long as a chunk of this one is there."""
    windows = windows_of(make_chunk(40), workers=2, concurrency=2)
    first, second = windows.take(), windows.take(lambda chunk: False)
    assert first is not None
    assert second is None
    windows.put_back(first, (), None)
    second = windows.take(lambda chunk: chunk != first)
    assert second is not None
    assert windows.take(lambda chunk: chunk != first) is None
    assert windows.take() == first


@pytest.mark.parametrize("earliest", [0, 10, 31, 50])
def test_what_no_window_has_can_be_cut_off(earliest: int) -> None:
    windows = windows_of(make_chunk(100), workers=2, concurrency=2)
    part = windows.take()
    assert part is not None
    assert windows.begun_to == 16
    windows.cut_off(earliest)
    assert windows.end == max(16, earliest)
    given = numbers_of(part)
    while (part := windows.take()) is not None:
        given += numbers_of(part)
    assert sorted(given) == list(range(max(16, earliest)))


@pytest.mark.parametrize("begun", [0, 10, 31, 50])
def test_what_has_begun_elsewhere_is_not_cut_off(begun: int) -> None:
    windows = windows_of(make_chunk(100), workers=2, concurrency=2)
    windows.take()
    windows.note_begun(begun)
    windows.note_begun(0)
    windows.cut_off(0)
    assert windows.end == max(16, begun)
