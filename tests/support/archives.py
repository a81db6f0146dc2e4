"""Archives of a small bot, good and bad ones, for the tests of bundles."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

KNOWN = {"briscola": (2, 3, 4), "tressette": (2, 4)}
TOML = b"""name = "ace"
games = ["briscola", "tressette/4"]
command = ["python", "bot.py"]
author = "Ada"
licence = "Apache-2.0"
"""
FILES = {"bot.toml": TOML, "bot.py": b"print('hello')\n"}


def zipped(files: dict[str, bytes], *, level: int = 6) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def tarred(
    files: dict[str, bytes],
    *more: tarfile.TarInfo,
    mode: str = "w:gz",
    encoding: str = "utf-8",
    format: int = tarfile.PAX_FORMAT,
) -> bytes:
    made = io.BytesIO()
    with tarfile.open(
        fileobj=made,
        mode=mode,
        encoding=encoding,
        format=format,
    ) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in more:
            archive.addfile(entry)
    return made.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.linkname = target
    return entry


def on_disk(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir()) if root.exists() else []


def wheel(name: str, version: str, files: dict[str, bytes]) -> bytes:
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    return zipped(files | {f"{name}-{version}.dist-info/METADATA": metadata})


def pax(*records: bytes) -> bytes:
    """Records of pax, each of less than 95 bytes."""
    return b"".join(b"%02d %s\n" % (len(record) + 4, record) for record in records)
