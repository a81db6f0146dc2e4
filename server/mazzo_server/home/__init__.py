"""Bots at home, without a server."""

from mazzo_server.home.bot_names import join_names, split_names
from mazzo_server.home.bots import HomeBot, find_common_variant, find_home_bot, list_sample_bots
from mazzo_server.home.rerun import (
    ChangedDecision,
    HomeRerun,
    RecordedDecision,
    find_decision,
    play_decision,
    play_rerun,
)

__all__ = [
    "ChangedDecision",
    "HomeBot",
    "HomeRerun",
    "RecordedDecision",
    "find_common_variant",
    "find_decision",
    "find_home_bot",
    "join_names",
    "list_sample_bots",
    "play_decision",
    "play_rerun",
    "split_names",
]
