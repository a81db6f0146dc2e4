"""The bytes of a tournament's file: bounded, whatever they unpack to."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable

import pytest
import zstandard

from mazzo_server.errors import InvalidInputError
from mazzo_server.tournaments.stored.packing import pack_lines, unpack_lines


def reader_of(chunks: Iterable[bytes]) -> Callable[[], bytes]:
    waiting = iter(chunks)
    return lambda: next(waiting, b"")


@pytest.mark.parametrize("size", [1, 7, 10**9])
def test_lines_come_back_whatever_the_chunks(size: int) -> None:
    """Also long ones, empty ones, and none."""
    for lines in ([], [""], ["a", "", "è" * 300_000, "\\n"]):
        packed = b"".join(pack_lines(lines))
        pieces = (packed[start : start + size] for start in range(0, len(packed), size))
        assert list(unpack_lines(reader_of(pieces))) == lines


def test_what_is_no_zstd_is_refused() -> None:
    """A match record, for one, which is JSON Lines too."""
    packed = bytearray(b"".join(pack_lines(map(str, range(10_000)))))
    packed[len(packed) // 2] ^= 0xFF  # what a bad disk does: the checksum finds it
    for data in (b'{"format": "mazzo-match/1"}\n', b"\0" * 100, bytes(packed)):
        with pytest.raises(InvalidInputError, match="expected a file of `mazzo tournament export`"):
            list(unpack_lines(reader_of([data])))
    with pytest.raises(InvalidInputError, match="expected lines of UTF-8"):
        list(unpack_lines(reader_of([zstandard.compress(b"\xff\n")])))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_file_that_was_cut_off_is_told_so(share: float) -> None:
    """Of a download that broke off: its last line is no bad one."""
    lines = [f"{number} {'x' * 1000}" for number in range(3000)]
    packed = b"".join(pack_lines(lines))
    rest = packed[: int(len(packed) * share)]
    with pytest.raises(InvalidInputError, match="ends in the middle of a line: copy it again"):
        list(unpack_lines(reader_of([rest])))


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_bomb_takes_no_memory(end: bytes) -> None:
    """A gigabyte of one line, or of lines, is some 30 kB of zstd: it is read a piece at a time."""
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    zeros = (b"0" * 999_999 + (end or b"0")) * 10
    bomb = b"".join(packer.compress(zeros) for _ in range(100)) + packer.flush()
    assert len(bomb) < 200_000
    tracemalloc.start()
    try:
        lines = unpack_lines(reader_of([bomb]))
        if end:
            assert sum(map(len, lines)) == 999_999_000
        else:
            with pytest.raises(InvalidInputError, match="expected lines of at most 16,777,216"):
                list(lines)
        assert tracemalloc.get_traced_memory()[1] < 300 * 2**20
    finally:
        tracemalloc.stop()


def test_a_window_that_would_take_much_memory_is_refused() -> None:
    """Who unpacks has to keep as much as the file says that it may look back."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = packed.compress(b"line\n" * 100) + packed.flush()
    with pytest.raises(InvalidInputError, match="expected a file"):
        list(unpack_lines(reader_of([data])))
