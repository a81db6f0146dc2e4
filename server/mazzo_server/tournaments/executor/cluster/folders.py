"""Carries the folders of bots to other machines, and checks what arrives."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from mazzo_server.errors import PlatformError

__all__ = ["pack_folder", "unpack_folder"]


def pack_folder(folder: Path) -> tuple[str, bytes]:
    """Return the SHA-256, in hex, of an archive of a folder, and the archive.

    Both depend on nothing but the paths, the contents, and which files are executable.
    """
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            tar.add(path, path.relative_to(folder), recursive=False, filter=_forget_origin)
    data = archive.getvalue()
    return hashlib.sha256(data).hexdigest(), data


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
