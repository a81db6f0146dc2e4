"""A verified match record, watched decision by decision; and answers that watchers share."""

from mazzo_server.results.watching.playback import Playback
from mazzo_server.results.watching.positions import Position, Positions
from mazzo_server.results.watching.retelling import DealRetelling, format_seconds
from mazzo_server.results.watching.shared_answers import SharedAnswers
from mazzo_server.results.watching.watched import Decision, WatchedMatch

__all__ = [
    "DealRetelling",
    "Decision",
    "Playback",
    "Position",
    "Positions",
    "SharedAnswers",
    "WatchedMatch",
    "format_seconds",
]
