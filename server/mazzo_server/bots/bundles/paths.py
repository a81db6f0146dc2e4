"""Checks that paths stay below their folder and mean the same file on every machine."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from mazzo_server.bots.bundles.limits import MAX_PATH_BYTES, MAX_PATH_DEPTH
from mazzo_server.errors import BundleError

__all__ = ["SeenPaths", "check_path"]

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # categories of Unicode


def check_path(name: str) -> str:
    """Return `name`; raise BundleError unless it is a path that every machine understands alike.

    Such a path is relative and stays below its folder.
    """
    if expected := _explain_bad_name(name):
        got = ascii(name if len(name) <= 300 else name[:297] + "...")
        raise BundleError(f"expected {expected}, got {got}; rename it and pack again")
    return name


def _explain_bad_name(name: str) -> str:
    # The length comes first: the other checks take their time over a name of megabytes.
    if len(name.encode(errors="replace")) > MAX_PATH_BYTES:
        return f"paths of {MAX_PATH_BYTES} bytes"
    if any(unicodedata.category(character) in _UNSEEN for character in name):
        return "names in UTF-8 without control characters"
    if "\\" in name or re.match(r"[A-Za-z]:", name):
        return "paths with / and without drive letters"
    if name.startswith("/"):
        return "paths relative to the bot's folder"
    parts = name.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return "paths that stay in the bot's folder, without empty parts"
    if not unicodedata.is_normalized("NFC", name):
        return "names in Unicode's form NFC"
    if len(parts) > MAX_PATH_DEPTH:
        return f"paths at most {MAX_PATH_DEPTH} names deep"
    return ""


@dataclass(slots=True)
class SeenPaths:
    """Paths of which no two may be the same file on any machine.

    With `advice` a folder may be listed more than once, and the error about a file that is listed
    twice gives that advice.
    """

    advice: str = ""
    _met: dict[str, tuple[str, bool]] = field(default_factory=dict)  # folded: path, is a folder
    _listed: set[str] = field(default_factory=set)

    def add(self, path: str, *, folder: bool) -> None:
        """Add a path; raise BundleError if it was added before or may be taken for another."""
        if path in self._listed and not (folder and self.advice):
            advice = self.advice or "pack it again"
            raise BundleError(f"expected each path once, got {path!r} twice; {advice}")
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
