"""Reading tar archives: POSIX's ustar and pax formats, and GNU's where names are long.

The module `tarfile` keeps every header that it has met, and follows chains and maps of them
for minutes if an archive says so. This reader looks at each block once and keeps nothing.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from functools import partial

from mazzo_server.bots.bundles.entries import CHUNK_BYTES, BrokenArchiveError, Entry, not_plain
from mazzo_server.errors import BundleError

__all__ = ["is_tar", "tar_entries"]

_BLOCK = 512  # bytes
_MAX_HEADER_BYTES = 4096  # of one that stands in front of an entry
_MAX_HEADERS = 3  # in front of one entry
_MAX_RECORDS = 64  # in one of them
_FILE = (b"0", b"\0")
_FOLDER = b"5"
_IN_FRONT = b"xgLK"
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device or a pipe",
    b"4": "a device or a pipe",
    b"6": "a device or a pipe",
}


def is_tar(archive: bytes) -> bool:
    """Whether it begins like one."""
    return archive[257:262] == b"ustar"


def tar_entries(archive: bytes) -> Iterator[Entry]:
    """Raises BundleError for what a bundle may not hold, BrokenArchiveError for the rest."""
    at = 0
    said: dict[bytes, bytes] = {}  # about the next entry, by the headers in front of it
    headers = 0
    while any(block := archive[at : at + _BLOCK]):
        _check(block)
        at += _BLOCK
        kind = block[156:157]
        size = _octal(block[124:136])
        if kind in _IN_FRONT:
            headers += 1
            if size > _MAX_HEADER_BYTES or headers > _MAX_HEADERS:
                raise BrokenArchiveError("its headers are too long")
            said |= _said(kind, _content(archive, at, size))
            at += _padded(size)
            continue
        name = _text(said[b"path"] if said.get(b"path") else _name(block))
        if any(key.startswith(b"GNU.sparse") for key in said):
            raise not_plain(name, "a sparse file")
        if kind not in (*_FILE, _FOLDER):
            raise not_plain(name, _KINDS.get(kind, "an entry of another kind"))
        if said.get(b"size"):
            size = _decimal(said[b"size"])
        folder = kind == _FOLDER or name.endswith("/")
        if folder and size:
            raise BrokenArchiveError(f"the folder {name!a} has content")
        if size > len(archive) - at:
            raise BrokenArchiveError("it ends early")
        yield Entry(
            name=name,
            folder=folder,
            executable=bool(_octal(block[100:108]) & stat.S_IXUSR),
            size=size,
            chunks=partial(_chunks, archive, at, at + size),
        )
        at += _padded(size)
        said, headers = {}, 0
    if headers or len(block) < _BLOCK:
        raise BrokenArchiveError("it ends early")
    if archive[at:].strip(b"\0"):
        raise BrokenArchiveError("something follows its end")


def _check(block: bytes) -> None:
    blank = block[:148] + b" " * 8 + block[156:]
    if len(block) < _BLOCK or sum(blank) != _octal(block[148:156]):
        raise BrokenArchiveError("it ends early or is damaged")


def _content(archive: bytes, at: int, size: int) -> bytes:
    if size > len(archive) - at:
        raise BrokenArchiveError("it ends early")
    return archive[at : at + size]


def _chunks(archive: bytes, start: int, end: int) -> Iterator[bytes]:
    return (archive[at : min(at + CHUNK_BYTES, end)] for at in range(start, end, CHUNK_BYTES))


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _name(block: bytes) -> bytes:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0]
    # GNU's own format, which has a blank here, keeps other things in the place of the prefix.
    return prefix + b"/" + name if prefix and block[257:263] == b"ustar\0" else name


def _said(kind: bytes, content: bytes) -> dict[bytes, bytes]:
    """What a header says about the entry behind it: records of pax by their keys."""
    if kind == b"L":
        return {b"path": content.rstrip(b"\0")}
    said: dict[bytes, bytes] = {}
    while kind == b"x" and content:
        length = content.partition(b" ")[0]
        end = _decimal(length)
        record, content = content[:end], content[end:]
        key, equals, value = record[len(length) + 1 : -1].partition(b"=")
        whole = len(record) == end and record.endswith(b"\n") and equals
        if not whole or len(said) == _MAX_RECORDS:
            raise BrokenArchiveError("its headers are damaged")
        said[key] = value
    return said


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if digits.strip(b"01234567"):
        raise BrokenArchiveError("it is damaged, or a file in it has 8 GiB")
    return int(digits or b"0", 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 20:
        raise BrokenArchiveError("its headers are damaged")
    return int(digits)


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise BundleError(
            f"expected names in UTF-8, got {name[:300]!r}; rename it and pack again"
        ) from error
