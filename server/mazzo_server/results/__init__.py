"""The results of matches: rounds, standings, rankings, replays, logs."""

from mazzo_server.results.bot_logs import BotLog, LogKind, read_logs
from mazzo_server.results.checkpoints import (
    keep_season,
    keep_standings,
    read_ratings,
    read_season_ratings,
    read_standings,
    read_standings_with_course,
    read_tables,
)
from mazzo_server.results.disclosure import Disclosure, MatchStatus, ScheduledMatch
from mazzo_server.results.match_records import begin_match, make_record
from mazzo_server.results.match_search import ListedMatch
from mazzo_server.results.node_shares import NodeShare, compute_node_shares
from mazzo_server.results.replays import Replays
from mazzo_server.results.rounds import (
    continue_rounds,
    explain_rounds,
    read_results,
    read_rounds,
)

__all__ = [
    "BotLog",
    "Disclosure",
    "ListedMatch",
    "LogKind",
    "MatchStatus",
    "NodeShare",
    "Replays",
    "ScheduledMatch",
    "begin_match",
    "compute_node_shares",
    "continue_rounds",
    "explain_rounds",
    "keep_season",
    "keep_standings",
    "make_record",
    "read_logs",
    "read_ratings",
    "read_results",
    "read_rounds",
    "read_season_ratings",
    "read_standings",
    "read_standings_with_course",
    "read_tables",
]
