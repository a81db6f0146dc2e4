"""The pages on which matches are watched: one match, or a mirror group side by side."""

from mazzo_server.serving.web.replay_pages.advice import DecisionAdviser
from mazzo_server.serving.web.replay_pages.group import show_group
from mazzo_server.serving.web.replay_pages.match import show_replay
from mazzo_server.serving.web.replay_pages.matches import (
    VERDICTS,
    list_filters,
    list_rows,
    read_search,
    show_matches,
)
from mazzo_server.serving.web.replay_pages.record import send_record
from mazzo_server.serving.web.replay_pages.watched_matches import WatchedMatches
from mazzo_server.serving.web.replay_pages.whole import WholeMatches, show_whole

__all__ = [
    "VERDICTS",
    "DecisionAdviser",
    "WatchedMatches",
    "WholeMatches",
    "list_filters",
    "list_rows",
    "read_search",
    "send_record",
    "show_group",
    "show_matches",
    "show_replay",
    "show_whole",
]
