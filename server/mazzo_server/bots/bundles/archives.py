"""Unpacking a stranger's zip archive."""

from __future__ import annotations

import io
import mmap
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mazzo_server.bots.bundles.limits import MAX_ENTRIES, MAX_EXTRA_BYTES, Count, check_entries
from mazzo_server.bots.bundles.paths import SeenPaths, check_path
from mazzo_server.errors import BundleError

__all__ = ["is_zip", "unpack"]

_CHUNK_BYTES = 64 * 1024
_ENTRY_SIGNATURE = b"PK\x01\x02"
_END_SIGNATURE = b"PK\x05\x06"
_END_BYTES = 22  # without its comment
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAG = 0x1
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,  # zipfile on what it does not implement
    OverflowError,
)


def is_zip(archive: bytes) -> bool:
    """Tell whether it begins like a zip archive."""
    return archive.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def unpack(
    archive: BinaryIO,
    folder: Path,
    *,
    count: Count,
    names: SeenPaths,
    place: Callable[[str], str | None] = lambda path: path,
) -> None:
    """Write the files of a zip archive below `folder`.

    `place` maps the path of a file to the path at which it is written; None leaves it out.
    Raises BundleError, and leaves the files that it has written by then to the caller.
    """
    try:
        with _open(archive) as packed:
            for member in _read_members(packed, archive):
                _check_plain(member)
                count.add_entries(1)
                # "./" in front, and as a folder, is what the `tar` of macOS and Windows writes.
                name = member.orig_filename.removeprefix("./")
                is_folder = member.orig_filename.endswith("/")
                if is_folder and not name:
                    continue
                path = place(check_path(name.removesuffix("/") if is_folder else name))
                if path is not None:
                    names.add(path, folder=is_folder)
                    if not is_folder:
                        _write(packed, member, folder / path, count)
    except UnicodeDecodeError as error:
        raise BundleError(
            f"expected names in UTF-8, got {error.object[:300]!r}; rename it and pack again"
        ) from error
    except _BROKEN as error:
        raise BundleError(
            f"expected a whole, readable archive, got: {error}; pack it again"
        ) from error


def _open(archive: BinaryIO) -> zipfile.ZipFile:
    with _open_data(archive) as data:
        if not is_zip(data[:4]):
            raise BundleError(
                "expected a zip archive, got another file: pack the bot's folder as a zip"
            )
        _check_directory(data)
    return zipfile.ZipFile(archive)


@contextmanager
def _open_data(archive: BinaryIO) -> Iterator[bytes | mmap.mmap]:
    """Give what an archive holds, without reading a file into memory."""
    if isinstance(archive, io.BytesIO):
        yield archive.getvalue()
    elif archive.seek(0, os.SEEK_END) == 0:
        yield b""
    else:
        with mmap.mmap(archive.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


def _check_directory(data: bytes | mmap.mmap) -> None:
    """Raise BundleError where the directory would take long to read, or much memory.

    zipfile builds an object for every entry before the first can be looked at. Files may hold the
    signature too (a zip in the zip), so the bound is a loose one. The time that zipfile takes over
    the extra fields of an entry grows with their square: 15 ms for 64 KiB. One entry may still get
    past that check, by pretending that what follows it is no entry.
    """
    number, entry = 0, data.find(_ENTRY_SIGNATURE)
    while entry >= 0:
        number += 1
        if number > 10 * MAX_ENTRIES:
            check_entries(MAX_ENTRIES + 1)
        lengths = data[entry + 28 : entry + 34]  # of the name, the extra fields, the comment
        if len(lengths) == 6:
            name, extra, comment = struct.unpack("<3H", lengths)
            # Files may hold the signature too, but then no other entry follows at that distance.
            after = entry + 46 + name + extra + comment
            if data[after : after + 2] == _ENTRY_SIGNATURE[:2]:
                _check_extra_field(extra)
        entry = data.find(_ENTRY_SIGNATURE, entry + 4)


def _check_extra_field(size: int) -> None:
    if size > MAX_EXTRA_BYTES:
        raise BundleError(
            f"expected at most {MAX_EXTRA_BYTES} bytes of extra fields for an entry, got {size:,}; "
            "pack it again without them (zip -X)"
        )


def _read_members(packed: zipfile.ZipFile, archive: BinaryIO) -> list[zipfile.ZipInfo]:
    """Return the entries, if the archive is nothing but them and their directory."""
    members = packed.infolist()
    check_entries(len(members))
    for member in members:
        _check_extra_field(len(member.extra))
    size = archive.seek(0, os.SEEK_END)
    end = archive.seek(max(0, size - _END_BYTES - len(packed.comment)))
    if archive.read(len(_END_SIGNATURE)) != _END_SIGNATURE or end + _END_BYTES > size:
        raise zipfile.BadZipFile("something follows its end")
    if min((member.header_offset for member in members), default=0):
        raise zipfile.BadZipFile("something stands before its first file")
    # Entries that share their packed bytes are how a small zip becomes a large one.
    if sum(member.compress_size for member in members) > size:
        raise zipfile.BadZipFile("its files overlap")
    return members


def _check_plain(member: zipfile.ZipInfo) -> None:
    """Raise BundleError for anything but a plain file or folder that can be read."""
    name = member.orig_filename  # `filename` ends at a zero byte
    if not name.isascii() and not member.flag_bits & _UTF8_FLAG:
        raise BundleError(
            f"expected names in UTF-8, got {name[:300]!r} in an older code; "
            "submit the folder itself, or use plain letters in file names"
        )
    if member.flag_bits & _ENCRYPTED_FLAG:
        raise BundleError(f"expected no encryption, got {name[:300]!r} encrypted; pack it again")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BundleError(
            f"expected files stored or deflated, got {name[:300]!r} packed in another way; "
            "submit the folder itself"
        )
    is_folder = name.endswith("/")
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFDIR if is_folder else stat.S_IFREG):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "an entry of another kind"
        shown = ascii(name if len(name) <= 300 else name[:297] + "...")
        raise BundleError(
            f"expected plain files and folders only, got {shown} as {kind}; replace it by a file"
        )
    if is_folder and member.file_size:
        raise zipfile.BadZipFile(f"the folder {name[:300]!a} has content")


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, count: Count) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with target.open("xb") as file, packed.open(member) as content:
        # Only what really comes is counted, whatever the entry says of its size.
        while chunk := content.read(_CHUNK_BYTES):
            count.add_bytes(len(chunk))
            written += file.write(chunk)
    if written != member.file_size:
        raise zipfile.BadZipFile(f"{member.orig_filename!a} is not as long as it says")
    is_executable = member.external_attr >> 16 & stat.S_IXUSR
    target.chmod(0o755 if is_executable else 0o644)
