"""Carries the folders of bots to other machines, and checks what arrives."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mazzo_server.errors import PlatformError

__all__ = ["hash_folder", "pack_folder", "unpack_folder"]


class _Hasher(io.BufferedIOBase):
    """A file whose contents are only hashed."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return len(data)


def hash_folder(folder: Path) -> str:
    """Return the SHA-256, in hex, of the archive of a folder.

    Both depend on nothing but the paths, the contents, and which files are executable.
    """
    hasher = _Hasher()
    _write_archive(folder, hasher)
    return hasher.digest.hexdigest()


def pack_folder(digest: str, folder: Path) -> bytes:
    """Return the archive of a folder.

    Raises `PlatformError` if it has another digest.
    """
    archive = io.BytesIO()
    _write_archive(folder, archive)
    data = archive.getvalue()
    if hashlib.sha256(data).hexdigest() != digest:
        raise PlatformError(f"expected the files in {folder} as they were, got changed ones")
    return data


def _write_archive(folder: Path, file: io.BufferedIOBase) -> None:
    with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            tar.add(path, path.relative_to(folder), recursive=False, filter=_forget_origin)


def unpack_folder(digest: str, data: bytes, root: Path) -> None:
    """Make the folder `digest` in `root`, unless it is there.

    Raises `PlatformError` if the archive is another one; then nothing of it is left.
    """
    if hashlib.sha256(data).hexdigest() != digest:
        raise PlatformError(f"expected an archive with the SHA-256 {digest}, got another one")
    if (root / digest).exists():
        return
    with TemporaryDirectory(dir=root) as scratch:
        unpacked = Path(scratch) / "folder"
        unpacked.mkdir(mode=0o755)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            # Python knows filters from 3.11.4 on. Without them, too, it is what we packed.
            tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            tar.extractall(unpacked)  # noqa: S202
        for inner in (unpacked, *filter(Path.is_dir, unpacked.rglob("*"))):
            inner.chmod(0o755)  # bots have users of their own, whatever the umask is
        unpacked.rename(root / digest)


def _forget_origin(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info
