"""Bundles: a bot's files on their way from its author's folder to the platform's store.

An archive comes from a stranger, so `BundleStore.add` believes nothing that it says about
itself: it counts what it really unpacks and accepts plain files and folders only.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import stat
import struct
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from mazzo_server.errors import BundleError, NotFoundError, StoreError
from mazzo_server.manifest import MANIFEST_NAME, MAX_MANIFEST_BYTES, Manifest, parse_manifest

__all__ = [
    "MAX_ARCHIVE_BYTES",
    "MAX_ENTRIES",
    "MAX_PATH_BYTES",
    "MAX_PATH_DEPTH",
    "MAX_UNPACKED_BYTES",
    "Bundle",
    "BundleStore",
    "Manifest",
    "pack",
    "parse_manifest",
]

MAX_ARCHIVE_BYTES = 32 * 1024 * 1024
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
MAX_ENTRIES = 2000
MAX_PATH_DEPTH = 16
MAX_PATH_BYTES = 240

_LEFT_OUT = frozenset({"__pycache__", ".git", ".venv"})
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # categories of Unicode
_CHUNK_BYTES = 64 * 1024
_TAR_OVERHEAD_BYTES = MAX_ENTRIES * 4 * 512 + tarfile.RECORDSIZE
_BROKEN_ARCHIVE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,  # zipfile on encrypted entries, tarfile on endless chains of headers
    OverflowError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A bot's files as the platform keeps them: checked, unpacked, never changed again.

    `content_hash` is the SHA-256, in hex, of the bytes `mazzo-bundle/1` and a line feed,
    then for each file, in ascending order of its path's UTF-8 bytes: the path in UTF-8
    with `/` between its parts, a zero byte, `x` if the file is executable and `-` if not,
    a zero byte, and the 32 bytes of the SHA-256 of what is in the file. It depends on
    nothing else, so a folder and any archive of it have the same.
    """

    manifest: Manifest
    content_hash: str
    path: Path


def pack(path: Path) -> bytes:
    """The archive to submit: a folder packed the same way every time, or an archive as it is.

    Folders named `__pycache__`, `.git` and `.venv` stay at home. Raises BundleError.
    """
    try:
        if path.is_dir():
            return _pack_folder(path)
        if not path.exists():
            raise BundleError(f"expected a bot's folder or archive, got {path}: no such path")
        if not path.is_file():
            raise BundleError(f"expected a bot's folder or archive, got {path}: no plain file")
        if path.stat().st_size > MAX_ARCHIVE_BYTES:
            raise BundleError(_too_large(f"{path}", path.stat().st_size))
        archive = path.read_bytes()
    except OSError as error:
        raise BundleError(f"expected readable files, got {error}") from error
    if _kind(archive) is None:
        raise BundleError(
            f"expected a folder, or a zip, tar or tar.gz archive, got {path}, which is none"
        )
    return archive


def _pack_folder(folder: Path) -> bytes:
    if not (folder / MANIFEST_NAME).is_file():
        raise BundleError(
            f"expected a bot's folder with {MANIFEST_NAME} in it, got {folder} without; add one"
        )
    count = _Count()
    packed = io.BytesIO()
    # GzipFile rather than tarfile's "w:gz", which writes the present time into the header.
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, file in _walk(folder, ""):
            count.entry()
            count.bytes(file.stat().st_size)
            content = file.read_bytes()
            entry = tarfile.TarInfo(_checked_path(name))
            entry.size = len(content)
            entry.mode = 0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644
            archive.addfile(entry, io.BytesIO(content))
    if packed.tell() > MAX_ARCHIVE_BYTES:
        raise BundleError(_too_large(f"the archive of {folder}", packed.tell()))
    return packed.getvalue()


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    """Every file below `folder` with its name in the archive, always in the same order."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        name = prefix + item.name
        if item.is_symlink():
            raise BundleError(
                f"{item}: expected plain files and folders only, got a symbolic link; "
                "put a copy of what it points to in its place"
            )
        if item.is_dir():
            if item.name not in _LEFT_OUT:
                yield from _walk(item, name + "/")
        elif item.is_file():
            yield name, item
        else:
            raise BundleError(
                f"{item}: expected plain files and folders only, got something else; remove it"
            )


class BundleStore:
    """The bundles of a platform, each in a folder named after its content hash.

    Any number of processes may use one store's folder at once.
    """

    def __init__(self, root: Path, *, known_games: Mapping[str, Sequence[int]]) -> None:
        self.root = root
        self._known_games = known_games

    def add(self, archive: bytes, *, check: Callable[[Manifest], None] = lambda _: None) -> Bundle:
        """Check and keep a submitted archive; one with the same content is simply there already.

        Raises BundleError, whatever `check` raises of its manifest, or StoreError where it
        cannot be written, and then nothing of it is left on disk.
        """
        if len(archive) > MAX_ARCHIVE_BYTES:
            raise BundleError(_too_large("the archive", len(archive)))
        try:
            return self._add(archive, check)
        except OSError as error:
            raise StoreError(f"cannot keep the bundle in {self.root}: {error}") from error

    def _add(self, archive: bytes, check: Callable[[Manifest], None]) -> Bundle:
        self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".adding-", dir=self.root) as scratch:
            unpacked = Path(scratch) / "bundle"
            unpacked.mkdir()
            _unpack(archive, unpacked)
            content = _content_root(unpacked)
            manifest = self._manifest(content)
            check(manifest)
            content_hash = _seal(content)
            place = self.root / content_hash
            try:
                content.rename(place)
            except OSError:
                if not place.is_dir():
                    raise
            _sync(self.root)
        return Bundle(manifest=manifest, content_hash=content_hash, path=place)

    def get(self, content_hash: str) -> Bundle:
        """The bundle of that content; raises NotFoundError."""
        place = self.root / content_hash
        if not re.fullmatch(r"[0-9a-f]{64}", content_hash) or not place.is_dir():
            raise NotFoundError(
                f"expected the content hash of a stored bundle, got {content_hash!r}"
            )
        return Bundle(manifest=self._manifest(place), content_hash=content_hash, path=place)

    def _manifest(self, content: Path) -> Manifest:
        with (content / MANIFEST_NAME).open("rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
        return parse_manifest(data, known_games=self._known_games)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One plain file or folder of an archive; only what `open` really gives is believed."""

    name: str
    folder: bool
    executable: bool = False
    open: Callable[[], IO[bytes]] = field(default=io.BytesIO)


@dataclass(slots=True)
class _Count:
    """What a bundle has taken up so far; raises BundleError when it is too much."""

    _entries: int = 0
    _bytes: int = 0

    def entry(self) -> None:
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise BundleError(_too_many_entries())

    def bytes(self, number: int) -> None:
        self._bytes += number
        if self._bytes > MAX_UNPACKED_BYTES:
            raise BundleError(_too_much_unpacked())


@dataclass(slots=True)
class _Names:
    """The paths met so far, so that no two of them could be one file on any machine."""

    _met: dict[str, tuple[str, bool]] = field(default_factory=dict)  # folded: path, is a folder
    _listed: set[str] = field(default_factory=set)

    def add(self, path: str, *, folder: bool) -> None:
        if path in self._listed:
            raise BundleError(f"expected each path once, got {path!r} twice; pack it again")
        self._listed.add(path)
        parts = path.split("/")
        for depth in range(1, len(parts)):
            self._meet("/".join(parts[:depth]), folder=True)
        self._meet(path, folder=folder)

    def _meet(self, path: str, *, folder: bool) -> None:
        folded = unicodedata.normalize("NFC", path.casefold())
        earlier, was_folder = self._met.setdefault(folded, (path, folder))
        if earlier != path:
            raise BundleError(
                f"expected paths that differ by more than case, got {earlier!r} and {path!r}; "
                "rename one"
            )
        if folder != was_folder:
            raise BundleError(f"expected a file or a folder, got {path!r} as both; rename one")


def _kind(archive: bytes) -> str | None:
    """What an archive is, by its content."""
    if archive.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if archive.startswith(b"\x1f\x8b"):
        return "gzip"
    return "tar" if archive[257:262] == b"ustar" else None


def _unpack(archive: bytes, folder: Path) -> None:
    """Write the files of an archive below `folder`."""
    count = _Count()
    names = _Names()
    try:
        for entry in _entries(archive):
            count.entry()
            # "./" in front, and "." itself, is what `tar -C folder .` writes.
            name = entry.name.removeprefix("./")
            if entry.folder and name in ("", "."):
                continue
            path = _checked_path(name.removesuffix("/") if entry.folder else name)
            names.add(path, folder=entry.folder)
            if not entry.folder:
                _copy(entry, folder / path, count)
    except _BROKEN_ARCHIVE as error:
        raise BundleError(f"expected a whole, readable archive, got: {error}; pack it again") from (
            error
        )


def _copy(entry: _Entry, target: Path, count: _Count) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with entry.open() as source, target.open("xb") as copy:
        while chunk := source.read(_CHUNK_BYTES):
            count.bytes(len(chunk))
            copy.write(chunk)
    target.chmod(0o755 if entry.executable else 0o644)


def _entries(archive: bytes) -> Iterator[_Entry]:
    match _kind(archive):
        case "zip":
            return _zip_entries(archive)
        case "gzip":
            return _tar_entries(_gunzip(archive))
        case "tar":
            return _tar_entries(archive)
        case _:
            raise BundleError(
                "expected a zip, tar or tar.gz archive, got none of these; "
                "submit the bot's folder, or pack it with zip or tar"
            )


def _gunzip(archive: bytes) -> bytes:
    limit = MAX_UNPACKED_BYTES + _TAR_OVERHEAD_BYTES
    with gzip.GzipFile(fileobj=io.BytesIO(archive)) as compressed:
        unpacked = compressed.read(limit + 1)
    if len(unpacked) > limit:
        raise BundleError(_too_much_unpacked())
    if _kind(unpacked) != "tar":
        raise BundleError("expected a tar archive inside the gzip file, got none; pack it again")
    return unpacked


def _tar_entries(archive: bytes) -> Iterator[_Entry]:
    # tarfile reads headers of any declared length, but never past the end of these bytes.
    with tarfile.open(
        fileobj=io.BytesIO(archive), mode="r:", encoding="utf-8", errors="strict"
    ) as tar:
        for member in tar:
            plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE)
            if not plain or member.issparse():
                raise BundleError(_not_plain(member.name, _tar_kind(member)))

            def content(member: tarfile.TarInfo = member) -> IO[bytes]:
                file = tar.extractfile(member)
                assert file is not None
                return file

            yield _Entry(
                name=member.name,
                folder=member.isdir(),
                executable=bool(member.mode & stat.S_IXUSR),
                open=content,
            )
        # tarfile takes a broken or missing header for the end.
        if archive[tar.offset : tar.offset + tarfile.BLOCKSIZE] != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it ends early or is damaged")


def _tar_kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "a symbolic link" if member.issym() else "a hard link"
    return "a device or a pipe" if member.isdev() else "an entry of another kind"


def _zip_entries(archive: bytes) -> Iterator[_Entry]:
    # zipfile builds an object for every entry before the first can be looked at. Files may
    # hold these four bytes too (a zip in the zip), so the bound is a loose one.
    if archive.count(b"PK\x01\x02") > 10 * MAX_ENTRIES:
        raise BundleError(_too_many_entries())
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        for member in packed.infolist():
            name = member.orig_filename  # `filename` ends at a zero byte
            mode = member.external_attr >> 16
            if not name.isascii() and not member.flag_bits & 0x800:
                raise BundleError(
                    f"expected names in UTF-8, got {name!r} in an older code; "
                    "submit the folder itself, or use plain letters in file names"
                )
            if member.flag_bits & 0x1:
                raise BundleError(f"expected no encryption, got {name!r} encrypted; pack it again")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BundleError(
                    f"expected files stored or deflated, got {name!r} packed in another way; "
                    "submit the folder itself"
                )
            folder = name.endswith("/")
            if stat.S_IFMT(mode) not in (0, stat.S_IFDIR if folder else stat.S_IFREG):
                kind = "a symbolic link" if stat.S_ISLNK(mode) else "an entry of another kind"
                raise BundleError(_not_plain(name, kind))

            def content(member: zipfile.ZipInfo = member) -> IO[bytes]:
                return packed.open(member)

            yield _Entry(
                name=name, folder=folder, executable=bool(mode & stat.S_IXUSR), open=content
            )


def _checked_path(name: str) -> str:
    """`name`, if it stays below its folder and means the same file on every machine."""

    parts = name.split("/")
    for wrong, expected in (
        (
            any(unicodedata.category(character) in _UNSEEN for character in name),
            "names in UTF-8 without control characters",
        ),
        ("\\" in name or re.match(r"[A-Za-z]:", name), "paths with / and without drive letters"),
        (name.startswith("/"), "paths relative to the bot's folder"),
        (
            not {"", ".", ".."}.isdisjoint(parts),
            "paths that stay in the bot's folder, without empty parts",
        ),
        (not unicodedata.is_normalized("NFC", name), "names in Unicode's form NFC"),
        (len(parts) > MAX_PATH_DEPTH, f"paths at most {MAX_PATH_DEPTH} names deep"),
        (len(name.encode(errors="replace")) > MAX_PATH_BYTES, f"paths of {MAX_PATH_BYTES} bytes"),
    ):
        if wrong:
            got = ascii(name if len(name) <= 300 else name[:297] + "...")
            raise BundleError(f"expected {expected}, got {got}; rename it and pack again")
    return name


def _content_root(unpacked: Path) -> Path:
    """The folder with `bot.toml` in it: the archive's top, or the only folder there."""
    top = sorted(unpacked.iterdir())
    for folder in [unpacked, *top] if len(top) == 1 else [unpacked]:
        if (folder / MANIFEST_NAME).is_file():
            return folder
    names = ", ".join(ascii(item.name) for item in top[:5]) or "nothing"
    raise BundleError(
        f"expected {MANIFEST_NAME} at the top of the archive or of its only folder, "
        f"got {names}{', ...' if len(top) > 5 else ''}; add one"
    )


def _seal(content: Path) -> str:
    """Bring what was unpacked safely to disk, readable for every bot; its content hash."""
    files = {item.relative_to(content).as_posix(): item for item in content.rglob("*")}
    total = hashlib.sha256(b"mazzo-bundle/1\n")
    for name, item in sorted(files.items(), key=lambda named: named[0].encode()):
        if item.is_dir():
            item.chmod(0o755)
            continue
        executable = item.stat().st_mode & stat.S_IXUSR
        digest = hashlib.sha256(item.read_bytes()).digest()
        total.update(name.encode() + (b"\0x\0" if executable else b"\0-\0") + digest)
        _sync(item)
    content.chmod(0o755)
    return total.hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _too_large(what: str, size: int) -> str:
    return (
        f"expected an archive of at most {MAX_ARCHIVE_BYTES // 2**20} MiB, "
        f"got {what} with {size:,} bytes; leave out what the bot does not need"
    )


def _too_much_unpacked() -> str:
    return (
        f"expected at most {MAX_UNPACKED_BYTES // 2**20} MiB in all when unpacked, got more; "
        "leave out what the bot does not need"
    )


def _too_many_entries() -> str:
    return f"expected at most {MAX_ENTRIES:,} files and folders, got more; leave some out"


def _not_plain(name: str, kind: str) -> str:
    return f"expected plain files and folders only, got {name!a} as {kind}; replace it by a file"
