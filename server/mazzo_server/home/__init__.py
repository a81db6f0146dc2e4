"""Bots at home, without a server."""

from mazzo_server.home.bot_names import join_names, split_names
from mazzo_server.home.bots import HomeBot, find_common_variant, find_home_bot, list_sample_bots

__all__ = [
    "HomeBot",
    "find_common_variant",
    "find_home_bot",
    "join_names",
    "list_sample_bots",
    "split_names",
]
