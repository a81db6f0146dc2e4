"""Decides who meets whom, on which deals and in which seats: pure functions of a seed."""

from mazzo_server.pairing.base import Group, GroupResult, Pairing, list_groups
from mazzo_server.pairing.bracket import Bout, BoutReason, BoutStage, Bracket, BracketLook
from mazzo_server.pairing.elimination import (
    LookSums,
    list_pools,
    rank_places,
    rank_qualified,
)
from mazzo_server.pairing.factory import make_elimination, make_pairing
from mazzo_server.pairing.ladder import (
    ENOUGH_GROUPS,
    LEVEL_SHARE,
    Ladder,
    compute_lead,
    is_level_with,
)
from mazzo_server.pairing.presence import list_present
from mazzo_server.pairing.round_robin import RoundRobin, count_groups
from mazzo_server.pairing.rounds import Outlook, Rounds, begin_rounds
from mazzo_server.pairing.seatings import make_pattern
from mazzo_server.pairing.swiss import (
    SwissRound,
    SwissRow,
    count_round_points,
    rank_swiss,
    share_places,
)
from mazzo_server.pairing.until_separated import find_separation_level

__all__ = [
    "ENOUGH_GROUPS",
    "LEVEL_SHARE",
    "Bout",
    "BoutReason",
    "BoutStage",
    "Bracket",
    "BracketLook",
    "Group",
    "GroupResult",
    "Ladder",
    "LookSums",
    "Outlook",
    "Pairing",
    "RoundRobin",
    "Rounds",
    "SwissRound",
    "SwissRow",
    "begin_rounds",
    "compute_lead",
    "count_groups",
    "count_round_points",
    "find_separation_level",
    "is_level_with",
    "list_groups",
    "list_pools",
    "list_present",
    "make_elimination",
    "make_pairing",
    "make_pattern",
    "rank_places",
    "rank_qualified",
    "rank_swiss",
    "share_places",
]
