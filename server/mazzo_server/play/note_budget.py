"""What bots say and write: a stranger's text, whatever their SDK makes of it."""

from __future__ import annotations

import json

from mazzo.note import one_line

__all__ = ["Notebook"]

# Bytes of the store, as it keeps these texts, for one bot in one run of a tournament.
_ROOM = 4 * 1024 * 1024  # for its notes; nothing is kept of what comes after
_BESIDE = 8  # with each note: the index of its action, brackets, commas
_WHOLE_LOGS = 1024 * 1024  # for what it wrote when it forfeited
_LOG_KEPT = 8192  # characters of that which are kept with each forfeit afterwards


class Notebook:
    """What is kept of one bot's words, so that it cannot fill the store."""

    def __init__(self) -> None:
        """An empty one."""
        self._room = _ROOM
        self._whole_logs = _WHOLE_LOGS

    def take(self, text: str) -> str:
        """A note as it is kept: one short harmless line; "" where it does not fit."""
        note = one_line(text)
        size = _stored(note) + _BESIDE
        if size > self._room:
            return ""
        self._room -= size
        return note

    def take_log(self, text: str) -> str:
        """The end of what an instance wrote: whole for the first forfeits, and then little."""
        kept = text[-max(self._whole_logs, _LOG_KEPT) :]
        self._whole_logs -= _stored(kept)
        return kept


def _stored(text: str) -> int:
    """The bytes of a text in the store, which escapes all that is not ASCII."""
    return len(json.dumps(text))
