"""Bots at home, without a server."""

from mazzo_server.home.bot_names import add_copies, join_names
from mazzo_server.home.bots import (
    HomeBot,
    HomeBotError,
    find_common_variant,
    find_home_bot,
    find_seated_bots,
    is_home_bot,
    list_sample_bots,
)
from mazzo_server.home.decision import (
    RecordedDecision,
    find_decision,
    parse_position,
    play_decision,
)
from mazzo_server.home.expert import choose_as_expert
from mazzo_server.home.expert_process import open_expert
from mazzo_server.home.rerun import ChangedDecision, HomeRerun, play_rerun

__all__ = [
    "ChangedDecision",
    "HomeBot",
    "HomeBotError",
    "HomeRerun",
    "RecordedDecision",
    "add_copies",
    "choose_as_expert",
    "find_common_variant",
    "find_decision",
    "find_home_bot",
    "find_seated_bots",
    "is_home_bot",
    "join_names",
    "list_sample_bots",
    "open_expert",
    "parse_position",
    "play_decision",
    "play_rerun",
]
