"""A verified match record, watched decision by decision: by all, or by one seat alone."""

from mazzo_server.results.watching.playback import Playback
from mazzo_server.results.watching.positions import Position, Positions
from mazzo_server.results.watching.retelling import DealRetelling, format_seconds
from mazzo_server.results.watching.watched import Decision, WatchedMatch

__all__ = [
    "DealRetelling",
    "Decision",
    "Playback",
    "Position",
    "Positions",
    "WatchedMatch",
    "format_seconds",
]
