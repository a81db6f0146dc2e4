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
    """A zip archive; a name that ends in a slash is a folder."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def tarred(files: dict[str, bytes], *, mode: str = "w:gz") -> bytes:
    """An archive that is no zip, whole and harmless."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def on_disk(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir()) if root.exists() else []


def wheel(name: str, version: str, files: dict[str, bytes]) -> bytes:
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    return zipped(files | {f"{name}-{version}.dist-info/METADATA": metadata})
