"""The entries of an archive, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mazzo_server.errors import BundleError

__all__ = ["CHUNK_BYTES", "BrokenArchiveError", "Entry", "not_plain"]

CHUNK_BYTES = 64 * 1024


class BrokenArchiveError(ValueError):
    """An archive that is damaged, or cut off; the text says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One plain file or folder; only what `chunks` really gives is believed."""

    name: str
    folder: bool
    executable: bool
    size: int  # bytes, as declared
    chunks: Callable[[], Iterator[bytes]]


def not_plain(name: str, kind: str) -> BundleError:
    """What is said of a link, a device and the like."""
    shown = ascii(name if len(name) <= 300 else name[:297] + "...")
    return BundleError(
        f"expected plain files and folders only, got {shown} as {kind}; replace it by a file"
    )
