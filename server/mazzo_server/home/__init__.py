"""Bots at home, without a server."""

from mazzo_server.home.bot_names import join_names, split_names
from mazzo_server.home.bots import HomeBot, common_variant, find_bot, sample_bots

__all__ = ["HomeBot", "common_variant", "find_bot", "join_names", "sample_bots", "split_names"]
