"""Bots at home, without a server."""

from mazzo_server.home.bot_names import join_names, split_names
from mazzo_server.home.bots import HomeBot, find_common_variant, list_sample_bots, load_bot

__all__ = [
    "HomeBot",
    "find_common_variant",
    "join_names",
    "list_sample_bots",
    "load_bot",
    "split_names",
]
