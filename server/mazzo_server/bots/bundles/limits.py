"""How large a bundle may be, and the checks of these limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from mazzo_server.errors import BundleError
from mazzo_server.model import LIMIT_KINDS, BotLimits, InstanceLimits, Manifest

__all__ = [
    "FREE_BYTES",
    "MAX_BUNDLE",
    "MAX_ENTRIES",
    "MAX_EXTRA_BYTES",
    "MAX_PATH_BYTES",
    "MAX_PATH_DEPTH",
    "MAX_RATIO",
    "Count",
    "check_archive",
    "check_entries",
    "check_needs",
]

MAX_BUNDLE = BotLimits(
    bundle_mib=LIMIT_KINDS["bundle_mib"].most, unpacked_mib=LIMIT_KINDS["unpacked_mib"].most
)
"""What any platform may allow."""
MAX_ENTRIES = 2000
MAX_EXTRA_BYTES = 512  # for an entry of a zip archive; usual tools write 36 or fewer
MAX_PATH_DEPTH = 16
MAX_PATH_BYTES = 240
MAX_RATIO = 200  # unpacked bytes for each packed byte, after the free ones
FREE_BYTES = 8 * 1024 * 1024


def check_archive(what: str, size: int, *, most: int = MAX_BUNDLE.archive_bytes) -> None:
    """Raise BundleError for an archive of more than `most` bytes."""
    if size > most:
        raise BundleError(
            f"expected an archive of at most {most // 2**20} MiB, "
            f"got {what} with {size:,} bytes; leave out what the bot does not need"
        )


def check_entries(number: int) -> None:
    """Raise BundleError for more files and folders than a bundle may have."""
    if number > MAX_ENTRIES:
        raise BundleError(
            f"expected at most {MAX_ENTRIES:,} files and folders, got more; leave some out"
        )


def check_needs(manifest: Manifest, limits: InstanceLimits) -> None:
    """Raise BundleError for a bot that needs more than its instances are given."""
    for name, needed in manifest.needs.items():
        given = getattr(limits, name)
        if needed > given:
            raise BundleError(
                f"bot.toml, key {name}: expected at most {given:,}, which is what the organiser "
                f"gives an instance here, got {needed:,}; ask for less, or for higher limits "
                "(docs/reference/settings.md)"
            )


@dataclass(slots=True, kw_only=True)
class Count:
    """Counts what a bundle takes up; raises BundleError when it is too much.

    `packed_bytes` is the size of the bundle's archive; None: it is no archive yet. The limit on
    the ratio keeps a small upload from making the platform work as hard as for the largest one.
    `most_unpacked` is the limit for the largest one, in bytes.
    """

    packed_bytes: int | None = None
    most_unpacked: int = MAX_BUNDLE.unpacked_bytes
    _entries: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)

    @property
    def _most_bytes(self) -> int:
        """How many bytes may be unpacked in all."""
        if self.packed_bytes is None:
            return self.most_unpacked
        return min(self.most_unpacked, FREE_BYTES + MAX_RATIO * self.packed_bytes)

    def add_entries(self, number: int) -> None:
        """Count more files or folders."""
        self._entries += number
        check_entries(self._entries)

    def add_bytes(self, number: int) -> None:
        """Count more bytes of their content."""
        self._bytes += number
        if self._bytes <= self._most_bytes:
            return
        if self._bytes > self.most_unpacked:
            raise BundleError(
                f"expected at most {self.most_unpacked // 2**20} MiB in all when unpacked, "
                "got more; leave out what the bot does not need"
            )
        raise BundleError(
            f"expected at most {MAX_RATIO} times the archive's size when unpacked, beyond "
            f"{FREE_BYTES // 2**20} MiB, got more; make a zip of it without compression (zip -0 -r)"
        )
