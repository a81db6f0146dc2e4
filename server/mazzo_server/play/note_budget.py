"""How much is kept of what bots say and write: a stranger's text, whatever their SDK makes of it.

The budget of a match depends on its place in the schedule alone: not on what finished first, nor
on whether the tournament was resumed.
"""

from __future__ import annotations

import json

from mazzo.note import one_line

__all__ = ["MOST_GROUPS_WITH_NOTES", "NoteBudget"]

MOST_GROUPS_WITH_NOTES = 1000
"""Of an entrant, by schedule number: of what it says in later ones nothing is kept."""
# Bytes of the store, as it keeps these texts, for one seat and match.
_NOTES_KEPT = 4096
_BESIDE = 8  # with each note: the index of its action, brackets, commas
_GROUPS_WITH_LOGS = 4  # of an entrant: in these the log of a forfeit is kept whole
_LOG_KEPT = 8192  # characters that are kept of it afterwards


class NoteBudget:
    """What is kept of the words of one bot in one seat of one match."""

    def __init__(self, groups_before: int = 0, *, notes_kept: int = _NOTES_KEPT) -> None:
        """`groups_before` is how many groups the entrant has before this one in the schedule."""
        self._left = notes_kept if groups_before < MOST_GROUPS_WITH_NOTES else 0
        self._keeps_whole_logs = groups_before < _GROUPS_WITH_LOGS

    def take_note(self, text: str) -> str:
        """Return a note as it is kept: one short harmless line; "" where it does not fit."""
        note = one_line(text)
        size = len(json.dumps(note)) + _BESIDE  # all that is not ASCII is escaped
        if size > self._left:
            return ""
        self._left -= size
        return note

    def take_log(self, text: str) -> str:
        """Return what is kept of the end of what an instance wrote before it forfeited."""
        return text if self._keeps_whole_logs else text[-_LOG_KEPT:]
