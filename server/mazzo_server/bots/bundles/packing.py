"""Packing a bot's folder on its author's machine."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

from mazzo_server.bots.bundles.archives import is_archive
from mazzo_server.bots.bundles.limits import Count, check_archive
from mazzo_server.bots.bundles.paths import checked_path
from mazzo_server.errors import BundleError
from mazzo_server.model import MANIFEST_NAME

__all__ = ["pack"]

_LEFT_OUT = frozenset({"__pycache__", ".git", ".venv"})


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
        check_archive(f"{path}", path.stat().st_size)
        archive = path.read_bytes()
    except OSError as error:
        raise BundleError(f"expected readable files, got {error}") from error
    if not is_archive(archive):
        raise BundleError(
            f"expected a folder, or a zip, tar or tar.gz archive, got {path}, which is none"
        )
    return archive


def _pack_folder(folder: Path) -> bytes:
    if not (folder / MANIFEST_NAME).is_file():
        raise BundleError(
            f"expected a bot's folder with {MANIFEST_NAME} in it, got {folder} without; add one"
        )
    count = Count()
    packed = io.BytesIO()
    # GzipFile rather than tarfile's "w:gz", which writes the present time into the header.
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, file in _walk(folder, ""):
            count.entries(1)
            count.bytes(file.stat().st_size)
            content = file.read_bytes()
            entry = tarfile.TarInfo(checked_path(name))
            entry.size = len(content)
            entry.mode = 0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644
            archive.addfile(entry, io.BytesIO(content))
    check_archive(f"the archive of {folder}", packed.tell())
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
