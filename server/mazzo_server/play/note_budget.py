"""Limits what is kept of the notes and logs of bots: strangers' text, whatever their SDK does.

The budget of a match depends on its place in the schedule alone: not on which match finished first,
nor on whether the tournament was resumed.
"""

from __future__ import annotations

import json

from mazzo.note import make_one_line

__all__ = ["MOST_GROUPS_WITH_NOTES", "NoteBudget"]

MOST_GROUPS_WITH_NOTES = 1000
"""Of an entrant, by schedule number: of what it says in later ones nothing is kept."""
# Bytes in the store for the notes of one seat in one match, as the store writes them.
_NOTES_KEPT = 4096
_BESIDE = 8  # bytes beside each note: the index of its action, brackets, commas
_GROUPS_WITH_LOGS = 4  # of an entrant: the log of a forfeit in these is kept whole
_LOG_KEPT = 8192  # characters of a log that are kept afterwards


class NoteBudget:
    """The notes and logs that are kept of one bot in one seat of one match."""

    def __init__(
        self,
        groups_before: int = 0,
        *,
        notes_kept: int = _NOTES_KEPT,
        groups_with_notes: int = MOST_GROUPS_WITH_NOTES,
    ) -> None:
        """`groups_before` is how many groups the entrant has before this one in the schedule."""
        self._left = notes_kept if groups_before < groups_with_notes else 0
        self._keeps_whole_logs = groups_before < _GROUPS_WITH_LOGS

    def take_note(self, text: str) -> str:
        """Return a note as it will be kept: one short harmless line; "" where it does not fit."""
        note = make_one_line(text)
        size = len(json.dumps(note)) + _BESIDE  # JSON escapes all that is not ASCII
        if size > self._left:
            return ""
        self._left -= size
        return note

    def take_log(self, text: str) -> str:
        """Return what will be kept of the end of a log before a forfeit."""
        return text if self._keeps_whole_logs else text[-_LOG_KEPT:]
