"""The store of bundles, each in a folder that is named after its content."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mazzo_server.bots.bundles.archives import unpack
from mazzo_server.bots.bundles.limits import Count, check_archive, check_needs
from mazzo_server.bots.bundles.paths import SeenPaths
from mazzo_server.bots.bundles.wheels import WHEELS_NAME, unpack_wheels
from mazzo_server.clock import wall_clock
from mazzo_server.errors import BundleError, FullDiskError, NotFoundError, StoreError
from mazzo_server.model import (
    MANIFEST_NAME,
    MAX_MANIFEST_BYTES,
    BotLimits,
    Manifest,
    parse_manifest,
)

__all__ = ["Bundle", "BundleStore"]

_SCRATCH = ".adding-"
_LOCK = "bundles.lock"
_SURELY_LOCKED = 60.0  # seconds after a scratch folder is made
_MOST_UNPACKING = 2  # at a time: each may take 35 MiB of memory for a directory of many entries
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A bot's files as the platform keeps them: checked, unpacked, never changed again.

    `content_hash` is the SHA-256, in hex, of the bytes `mazzo-bundle/1` and a line feed,
    then for each file, in ascending order of its path's UTF-8 bytes: the path in UTF-8
    with `/` between its parts, a zero byte, `x` if the file is executable and `-` if not,
    a zero byte, and the 32 bytes of the SHA-256 of what is in the file. It depends on
    nothing else, so a folder and any archive of it have the same hash.

    `packages` is the folder with the unpacked wheels; None: the bot brings no wheels.
    """

    manifest: Manifest
    content_hash: str
    path: Path
    packages: Path | None


class BundleStore:
    """The bundles of a platform, each in a folder that is named after its content hash.

    The packages of its wheels lie beside it, in a folder that is named after the hash and the
    version of Python that unpacked them. Any number of processes may use the folder of a store
    at once.
    """

    def __init__(
        self,
        root: Path,
        *,
        known_games: Mapping[str, Sequence[int]],
        limits: BotLimits | None = None,
    ) -> None:
        """`limits` bound what is added from now on; what is there already stays."""
        self.root = root
        self.limits = limits or BotLimits()
        self._known_games = known_games
        self._unpacking = threading.Semaphore(_MOST_UNPACKING)

    def open_spool(self) -> BinaryIO:
        """Open a file for an archive that is being received, on the disk of the bundles.

        It has no name, so it is gone when it is closed, also by the end of the process. Raises
        StoreError.
        """
        try:
            self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
            return tempfile.TemporaryFile(dir=self.root, buffering=0)
        except OSError as error:
            raise self.make_unwritable_error(error) from error

    def add(
        self,
        archive: bytes | BinaryIO,
        *,
        check: Callable[[Manifest], None] = lambda _: None,
    ) -> Bundle:
        """Check and keep a submitted archive, unless a bundle with the same content is there.

        A file is read piece by piece. Raises BundleError, whatever `check` raises about the
        manifest, or StoreError if the files cannot be written. After an error nothing of the
        archive is left on disk.
        """
        file = io.BytesIO(archive) if isinstance(archive, bytes) else archive
        try:
            size = file.seek(0, os.SEEK_END)
            check_archive("the archive", size, most=self.limits.archive_bytes)
            return self._add(file, size, check)
        except OSError as error:
            raise self.make_unwritable_error(error) from error

    def _add(self, archive: BinaryIO, size: int, check: Callable[[Manifest], None]) -> Bundle:
        self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
        with self._make_scratch_folder() as scratch:
            unpacked = scratch / "bundle"
            unpacked.mkdir()
            count = Count(packed_bytes=size, most_unpacked=self.limits.unpacked_bytes)
            unpack(archive, unpacked, count=count, names=SeenPaths())
            content = _find_content_root(unpacked)
            manifest = self._read_manifest(content)
            check_needs(manifest, self.limits)
            check(manifest)
            has_wheels = _has_wheels(content, manifest)
            if has_wheels:
                _unpack_packages(content, scratch / "packages", count)
            _settle(content)
            content_hash = _compute_hash(content)
            place, beside = self.root / content_hash, self._find_packages_place(content_hash)
            # The packages come first: after a crash between the two they are in nobody's way.
            is_new = has_wheels and _keep(scratch / "packages", beside)
            try:
                _keep(content, place)
            except OSError:
                if is_new:
                    beside.rename(scratch / "packages")
                raise
            _sync(self.root)
        return Bundle(
            manifest=manifest,
            content_hash=content_hash,
            path=place,
            packages=beside if has_wheels else None,
        )

    @contextlib.contextmanager
    def hold(self, *, alone: bool = False) -> Iterator[None]:
        """Let nobody remove a bundle meanwhile, or, `alone`, neither add nor remove one. Blocks.

        Whoever adds a bundle holds this until something refers to it; whoever removes one that
        nothing refers to holds it alone. Raises StoreError.
        """
        try:
            self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
            file = (self.root / _LOCK).open("ab")
        except OSError as error:
            raise self.make_unwritable_error(error) from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield

    def remove(self, content_hash: str) -> None:
        """Remove a bundle, with the packages of its wheels; raise StoreError if that fails."""
        try:
            for folder in (self.root / content_hash, *self.root.glob(f"{content_hash}.*")):
                if folder.is_dir():
                    gone = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=self.root))
                    folder.rename(gone / folder.name)  # wholly or not
                    shutil.rmtree(gone)
        except OSError as error:
            raise StoreError(
                f"cannot remove the files {content_hash} from {self.root}: {error}"
            ) from error

    def get(self, content_hash: str, manifest: Manifest) -> Bundle:
        """Return the bundle with that content; make its packages again if they are lost.

        `manifest` is the one that was read when the bundle was added. Raises NotFoundError,
        BundleError if its wheels no longer fit the platform's Python, and StoreError if its
        packages cannot be written.
        """
        place = self.root / content_hash
        if not re.fullmatch(r"[0-9a-f]{64}", content_hash) or not place.is_dir():
            raise NotFoundError(
                f"expected the content hash of a stored bundle, got {content_hash!r}"
            )
        has_wheels = _has_wheels(place, manifest)
        try:
            packages = self._make_packages(place, content_hash) if has_wheels else None
        except OSError as error:
            raise self._make_store_error(error) from error
        return Bundle(manifest=manifest, content_hash=content_hash, path=place, packages=packages)

    def _make_packages(self, place: Path, content_hash: str) -> Path:
        beside = self._find_packages_place(content_hash)
        if not beside.is_dir():
            with self._make_scratch_folder() as scratch:
                _unpack_packages(place, scratch / "packages", Count())
                _keep(scratch / "packages", beside)
        return beside

    def _find_packages_place(self, content_hash: str) -> Path:
        return self.root / f"{content_hash}.{sys.implementation.cache_tag}"

    @contextlib.contextmanager
    def _make_scratch_folder(self) -> Iterator[Path]:
        self._clear_dead()
        with (
            self._unpacking,
            tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=self.root) as folder,
            _lock_folder(Path(folder)),
        ):
            yield Path(folder)

    def _clear_dead(self) -> None:
        """Remove what killed processes left behind while they were adding a bundle."""
        for folder in self.root.glob(f"{_SCRATCH}*"):
            with contextlib.suppress(OSError):
                if wall_clock() - folder.stat().st_mtime > _SURELY_LOCKED:
                    with _lock_folder(folder):
                        shutil.rmtree(folder)

    def make_unwritable_error(self, error: OSError) -> StoreError:
        """Return the error for what was submitted and cannot be written here."""
        if error.errno in _FULL:
            return FullDiskError(
                "the server's disk is full, and nothing of the bot was kept: its organiser has to "
                "make room; submit it again then"
            )
        return self._make_store_error(error)

    def _make_store_error(self, error: OSError) -> StoreError:
        return StoreError(f"cannot keep the bundle in {self.root}: {error}")

    def _read_manifest(self, content: Path) -> Manifest:
        with (content / MANIFEST_NAME).open("rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
        return parse_manifest(data, known_games=self._known_games)


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; the kernel frees it when the process dies.

    Raises BlockingIOError if somebody else holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _has_wheels(content: Path, manifest: Manifest) -> bool:
    return manifest.runtime == "python" and (content / WHEELS_NAME).is_dir()


def _unpack_packages(content: Path, packages: Path, count: Count) -> None:
    unpack_wheels(content / WHEELS_NAME, packages, count=count)
    _settle(packages)


def _find_content_root(unpacked: Path) -> Path:
    """Return the folder with `bot.toml` in it: the archive's top, or the only folder there."""
    top = sorted(unpacked.iterdir())
    for folder in [unpacked, *top] if len(top) == 1 else [unpacked]:
        if (folder / MANIFEST_NAME).is_file():
            return folder
    names = ", ".join(ascii(item.name) for item in top[:5]) or "nothing"
    raise BundleError(
        f"expected {MANIFEST_NAME} at the top of the archive or of its only folder, "
        f"got {names}{', ...' if len(top) > 5 else ''}; add one"
    )


def _settle(folder: Path) -> None:
    """Write what was unpacked safely to disk, and let every bot read it."""
    folder.chmod(0o755)
    for item in folder.rglob("*"):
        if item.is_dir():
            item.chmod(0o755)
        else:
            _sync(item)


def _compute_hash(content: Path) -> str:
    """Return the content hash, as `Bundle` defines it."""
    files = {item.relative_to(content).as_posix(): item for item in content.rglob("*")}
    total = hashlib.sha256(b"mazzo-bundle/1\n")
    for name, item in sorted(files.items(), key=lambda named: named[0].encode()):
        if item.is_file():
            executable = item.stat().st_mode & stat.S_IXUSR
            with item.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
            total.update(name.encode() + (b"\0x\0" if executable else b"\0-\0") + digest)
    return total.hexdigest()


def _keep(folder: Path, place: Path) -> bool:
    """Move a folder to its place unless one is there; return whether it was moved."""
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():
            raise
        return False
    return True


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
