"""The pages on which matches are watched: one match, or a mirror group side by side."""

from mazzo_server.serving.web.replay_pages.advice import DecisionAdviser
from mazzo_server.serving.web.replay_pages.group import show_group
from mazzo_server.serving.web.replay_pages.match import show_replay
from mazzo_server.serving.web.replay_pages.matches import list_rows, show_matches
from mazzo_server.serving.web.replay_pages.record import send_record
from mazzo_server.serving.web.replay_pages.watched_matches import WatchedMatches
from mazzo_server.serving.web.replay_pages.whole import WholeMatches, show_whole

__all__ = [
    "DecisionAdviser",
    "WatchedMatches",
    "WholeMatches",
    "list_rows",
    "send_record",
    "show_group",
    "show_matches",
    "show_replay",
    "show_whole",
]
