"""What bots say of their decisions: a stranger's text, taken in as one harmless line."""

from __future__ import annotations

from typing import Final

__all__ = ["LONGEST_NOTE", "Notebook"]

LONGEST_NOTE: Final = 200
"""Bytes of UTF-8; what is longer is cut."""
_ROOM = 4 * 1024 * 1024  # bytes for the notes of one bot, so that it cannot fill the store


class Notebook:
    """Takes the notes of one bot, until there is no room for more."""

    def __init__(self) -> None:
        """An empty one."""
        self._room = _ROOM

    def take(self, text: str) -> str:
        """A note as it is kept: without control characters, and cut; "" where it does not fit."""
        line = "".join(c if c.isprintable() else "\ufffd" for c in text[:LONGEST_NOTE])
        kept = line.encode()[:LONGEST_NOTE]
        if len(kept) > self._room:
            return ""
        self._room -= len(kept)
        return kept.decode(errors="ignore")
