"""What bots say of their decisions: a stranger's text, whatever their SDK makes of it."""

from __future__ import annotations

from mazzo.note import one_line

__all__ = ["Notebook"]

_ROOM = 4 * 1024 * 1024  # bytes for the notes of one bot, so that it cannot fill the store


class Notebook:
    """Takes the notes of one bot, until there is no room for more."""

    def __init__(self) -> None:
        """An empty one."""
        self._room = _ROOM

    def take(self, text: str) -> str:
        """A note as it is kept: one short harmless line; "" where it does not fit."""
        note = one_line(text)
        size = len(note.encode())
        if size > self._room:
            return ""
        self._room -= size
        return note
