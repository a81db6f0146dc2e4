"""Who meets whom, on which deals, and in which seats: pure functions of a tournament's seed."""

from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult, Pairing, all_groups
from mazzo_server.pairing.round_robin import RoundRobin, groups_for_deals
from mazzo_server.pairing.seatings import Pattern, pattern, seatings_per_group
from mazzo_server.pairing.swiss import Swiss, SwissRound
from mazzo_server.pairing.swiss_standings import SwissRow, swiss_standings

__all__ = [
    "MOST_GROUPS",
    "Group",
    "GroupResult",
    "Pairing",
    "Pattern",
    "RoundRobin",
    "Swiss",
    "SwissRound",
    "SwissRow",
    "all_groups",
    "groups_for_deals",
    "pattern",
    "seatings_per_group",
    "swiss_standings",
]
