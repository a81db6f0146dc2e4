"""Bots at home, without a server."""

from mazzo_server.home.bot_names import join_names, split_names
from mazzo_server.home.bots import HomeBot, find_bot, find_common_variant, list_sample_bots

__all__ = [
    "HomeBot",
    "find_bot",
    "find_common_variant",
    "join_names",
    "list_sample_bots",
    "split_names",
]
