"""The bytes of a tournament's file: lines of text, compressed with zstd, in bounded memory."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import zstandard

from mazzo_server.errors import InvalidInputError

__all__ = ["pack_lines", "unpack_lines"]

_PIECE: Final = 256 * 1024  # bytes that are passed on at a time
_LEVEL = 3  # zstd's default: 10 compresses by a tenth more, in five times the time
_WINDOW: Final = 8 * 1024 * 1024  # bytes that unpacking may look back, and so has to keep
_LONGEST_LINE: Final = 16 * 1024 * 1024  # bytes; far above any line of a tournament's file


def pack_lines(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield the lines, each with its end, as bytes of zstd; a piece whenever enough are there."""
    packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
    packed = bytearray()
    for line in lines:
        packed += packer.compress(f"{line}\n".encode())
        if len(packed) >= _PIECE:
            yield bytes(packed)
            packed.clear()
    yield bytes(packed + packer.flush())


def unpack_lines(read: Callable[[], bytes]) -> Iterator[str]:
    """Yield the lines of a file, without their ends, that is read piece by piece; b"" is its end.

    Raises `InvalidInputError` for what is no zstd, or no text, and for a file that was cut off.
    """
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    source = io.BufferedReader(_Pieces(read), _PIECE)
    file = io.BufferedReader(unpacker.stream_reader(source, read_size=_PIECE), _PIECE)
    while True:
        try:
            line = file.readline(_LONGEST_LINE)
        except zstandard.ZstdError as error:
            raise InvalidInputError(
                f"expected a file of `mazzo tournament export`, which zstd can unpack: {error}"
            ) from error
        if not line:
            return
        if len(line) == _LONGEST_LINE:
            raise InvalidInputError(
                f"expected lines of at most {_LONGEST_LINE:,} bytes, got a longer one"
            )
        if not line.endswith(b"\n"):
            raise InvalidInputError(
                "expected a whole file, got one that ends in the middle of a line: copy it again; "
                "nothing was imported"
            )
        try:
            yield line.decode().removesuffix("\n")
        except UnicodeDecodeError as error:
            raise InvalidInputError(f"expected lines of UTF-8, got {error}") from error


class _Pieces(io.RawIOBase):
    """A file that is read piece by piece."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill as much of the buffer as one piece can; return how many bytes, 0 at the end."""
        if not self._rest:
            self._rest = memoryview(self._read())
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
