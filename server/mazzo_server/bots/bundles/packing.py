"""Packing a bot's folder on its author's machine."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mazzo_server.bots.bundles.archives import is_zip
from mazzo_server.bots.bundles.limits import MAX_BUNDLE, Count, check_archive
from mazzo_server.bots.bundles.paths import check_path
from mazzo_server.errors import BundleError
from mazzo_server.model import MANIFEST_NAME

__all__ = ["pack"]

_LEFT_OUT: Final = frozenset({"__pycache__", ".git", ".venv"})
_UNIX: Final = 3  # what a zip archive calls a system with modes like ours


def pack(
    path: Path,
    *,
    most_packed: int = MAX_BUNDLE.archive_bytes,
    most_unpacked: int = MAX_BUNDLE.unpacked_bytes,
) -> bytes:
    """Return the zip archive to submit for a bot's folder, or for such an archive.

    A folder gives the same bytes every time: its files in the order of their names, all with
    the same time, and of their modes whether they are executable. Folders named `__pycache__`,
    `.git` and `.venv` are left out. An archive is returned as it is. Raises BundleError, for more
    bytes than `most_packed` of an archive or `most_unpacked` of a folder, too; by default the most
    that any platform takes.
    """
    try:
        if path.is_dir():
            return _pack_folder(path, most_packed=most_packed, most_unpacked=most_unpacked)
        if not path.exists():
            raise BundleError(f"expected a bot's folder or archive, got {path}: no such path")
        if not path.is_file():
            raise BundleError(f"expected a bot's folder or archive, got {path}: no plain file")
        check_archive(f"{path}", path.stat().st_size, most=most_packed)
        archive = path.read_bytes()
    except OSError as error:
        raise BundleError(f"expected readable files, got {error}") from error
    if not is_zip(archive):
        raise BundleError(
            f"expected a bot's folder or zip archive, got {path}, which is neither; "
            "make a zip or give the folder"
        )
    return archive


def _pack_folder(folder: Path, *, most_packed: int, most_unpacked: int) -> bytes:
    if not (folder / MANIFEST_NAME).is_file():
        raise BundleError(
            f"expected a bot's folder with {MANIFEST_NAME} in it, got {folder} without; add one"
        )
    count = Count(most_unpacked=most_unpacked)
    files: dict[str, Path] = {}
    for name, file in _walk(folder, ""):
        count.add_entries(1)
        files[check_path(name)] = file
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, file in sorted(files.items()):
            status = file.stat()
            count.add_bytes(status.st_size)
            entry = zipfile.ZipInfo(name)  # with the first moment that a zip archive can name
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = _UNIX
            mode = 0o755 if status.st_mode & stat.S_IXUSR else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, file.read_bytes())
    check_archive(f"the archive of {folder}", packed.tell(), most=most_packed)
    return packed.getvalue()


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    """Yield every file below `folder` with its name in the archive."""
    for item in sorted(folder.iterdir()):
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
