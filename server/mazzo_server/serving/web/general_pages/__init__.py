"""The pages that are about no single bot, match or tournament."""

from mazzo_server.serving.web.general_pages.feed import KnownLeaders, send_feed
from mazzo_server.serving.web.general_pages.home import show_home
from mazzo_server.serving.web.general_pages.operation import show_operation
from mazzo_server.serving.web.general_pages.rules import show_game_rules, show_rules

__all__ = [
    "KnownLeaders",
    "send_feed",
    "show_game_rules",
    "show_home",
    "show_operation",
    "show_rules",
]
