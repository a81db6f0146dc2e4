"""What came of matches: rounds, standings, rankings, replays, logs."""

from mazzo_server.results.bot_logs import BotLog, LogKind, logs_of
from mazzo_server.results.checkpoints import keep_standings, standings_of
from mazzo_server.results.replays import MatchStatus, Replays, ScheduledMatch
from mazzo_server.results.rounds import read_results, read_rounds

__all__ = [
    "BotLog",
    "LogKind",
    "MatchStatus",
    "Replays",
    "ScheduledMatch",
    "keep_standings",
    "logs_of",
    "read_results",
    "read_rounds",
    "standings_of",
]
