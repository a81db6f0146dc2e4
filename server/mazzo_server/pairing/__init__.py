"""Who meets whom, on which deals, and in which seats: pure functions of a tournament's seed."""

from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult, Pairing, all_groups
from mazzo_server.pairing.round_robin import RoundRobin, groups_for_deals
from mazzo_server.pairing.seatings import Pattern, pattern, seatings_per_group
from mazzo_server.pairing.seats import Seats
from mazzo_server.pairing.swiss import Swiss, SwissRound
from mazzo_server.pairing.swiss_standings import SwissRow, swiss_standings
from mazzo_server.pairing.until_separated import (
    Played,
    SeparationRule,
    UntilSeparated,
    separation_level,
)

__all__ = [
    "MOST_GROUPS",
    "Group",
    "GroupResult",
    "Pairing",
    "Pattern",
    "Played",
    "RoundRobin",
    "Seats",
    "SeparationRule",
    "Swiss",
    "SwissRound",
    "SwissRow",
    "UntilSeparated",
    "all_groups",
    "groups_for_deals",
    "pattern",
    "seatings_per_group",
    "separation_level",
    "swiss_standings",
]
