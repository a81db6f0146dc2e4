"""Unpacking a stranger's archive: a zip, a tar or a tar.gz."""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from mazzo_server.bots.bundles.entries import CHUNK_BYTES, BrokenArchiveError, Entry, not_plain
from mazzo_server.bots.bundles.limits import MAX_ENTRIES, Count, check_entries
from mazzo_server.bots.bundles.paths import Names, checked_path
from mazzo_server.bots.bundles.tar import is_tar, tar_entries
from mazzo_server.errors import BundleError

__all__ = ["is_archive", "is_zip", "unpack"]

_TAR_OVERHEAD_BYTES = MAX_ENTRIES * 4 * 512 + tarfile.RECORDSIZE
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAG = 0x1
_BROKEN = (
    BrokenArchiveError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,  # zipfile on what it does not implement
    OverflowError,
)


def is_zip(archive: bytes) -> bool:
    """Whether it begins like one."""
    return archive.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_archive(archive: bytes) -> bool:
    """Whether it begins like one of a kind that `unpack` reads."""
    return is_zip(archive) or _is_gzip(archive) or is_tar(archive)


def _is_gzip(archive: bytes) -> bool:
    return archive.startswith(b"\x1f\x8b")


def unpack(
    archive: bytes,
    folder: Path,
    *,
    count: Count,
    names: Names,
    place: Callable[[str], str | None] = lambda path: path,
) -> None:
    """Write the files of an archive below `folder`, each at `place` of its path, if anywhere.

    Raises BundleError; what was written by then is left to the caller.
    """
    try:
        for entry in _entries(archive, count):
            count.entries(1)
            # "./" in front, and "." itself, is what `tar -C folder .` writes.
            name = entry.name.removeprefix("./")
            if entry.folder and name in ("", "."):
                continue
            path = place(checked_path(name.removesuffix("/") if entry.folder else name))
            if path is not None:
                names.add(path, folder=entry.folder)
                if not entry.folder:
                    _write(entry, folder / path, count)
    except _BROKEN as error:
        raise BundleError(f"expected a whole, readable archive, got: {error}; pack it again") from (
            error
        )


def _write(entry: Entry, target: Path, count: Count) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with target.open("xb") as file:
        for chunk in entry.chunks():
            count.bytes(len(chunk))
            written += file.write(chunk)
    if written != entry.size:
        raise BrokenArchiveError(f"{entry.name!a} is not as long as it says")
    target.chmod(0o755 if entry.executable else 0o644)


def _entries(archive: bytes, count: Count) -> Iterator[Entry]:
    if is_zip(archive):
        return _zip_entries(archive)
    if _is_gzip(archive):
        return tar_entries(_gunzip(archive, count))
    if is_tar(archive):
        return tar_entries(archive)
    raise BundleError(
        "expected a zip, tar or tar.gz archive, got none of these; "
        "submit the bot's folder, or pack it with zip or tar"
    )


def _gunzip(archive: bytes, count: Count) -> bytes:
    most = count.most_bytes + _TAR_OVERHEAD_BYTES
    stream = zlib.decompressobj(wbits=31)  # with the header and the checksum of gzip
    unpacked = stream.decompress(archive, most + 1)
    if len(unpacked) > most:
        count.bytes(len(unpacked))
    if not stream.eof:
        raise BrokenArchiveError("it ends early")
    if stream.unused_data:
        raise BrokenArchiveError("something follows its end")
    if not is_tar(unpacked):
        raise BundleError("expected a tar archive inside the gzip file, got none; pack it again")
    return unpacked


def _zip_entries(archive: bytes) -> Iterator[Entry]:
    # zipfile builds an object for every entry before the first can be looked at. Files may
    # hold these four bytes too (a zip in the zip), so the bound is a loose one.
    if archive.count(b"PK\x01\x02") > 10 * MAX_ENTRIES:
        check_entries(MAX_ENTRIES + 1)
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        members = packed.infolist()
        check_entries(len(members))
        if archive[-22 - len(packed.comment) :][:4] != b"PK\x05\x06":
            raise BrokenArchiveError("something follows its end")
        # Entries that share their packed bytes are how a small zip becomes a large one.
        if sum(member.compress_size for member in members) > len(archive):
            raise BrokenArchiveError("its files overlap")
        for member in members:
            yield _zip_entry(packed, member)


def _zip_entry(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> Entry:
    name = member.orig_filename  # `filename` ends at a zero byte
    mode = member.external_attr >> 16
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
    folder = name.endswith("/")
    if stat.S_IFMT(mode) not in (0, stat.S_IFDIR if folder else stat.S_IFREG):
        raise not_plain(
            name, "a symbolic link" if stat.S_ISLNK(mode) else "an entry of another kind"
        )

    def chunks() -> Iterator[bytes]:
        with packed.open(member) as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    return Entry(
        name=name,
        folder=folder,
        executable=bool(mode & stat.S_IXUSR),
        size=member.file_size,
        chunks=chunks,
    )
