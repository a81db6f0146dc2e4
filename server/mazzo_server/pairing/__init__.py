"""Who meets whom, on which deals, and in which seats: pure functions of a tournament's seed."""

from mazzo_server.pairing.base import Group, GroupResult, Pairing, all_groups
from mazzo_server.pairing.factory import count_seatings, make_pairing
from mazzo_server.pairing.round_robin import RoundRobin, groups_for_deals
from mazzo_server.pairing.seatings import pattern, seatings_per_group
from mazzo_server.pairing.swiss import SwissRound, places_to_shares, present_at, round_points
from mazzo_server.pairing.swiss_standings import SwissRow, swiss_standings
from mazzo_server.pairing.until_separated import separation_level

__all__ = [
    "Group",
    "GroupResult",
    "Pairing",
    "RoundRobin",
    "SwissRound",
    "SwissRow",
    "all_groups",
    "count_seatings",
    "groups_for_deals",
    "make_pairing",
    "pattern",
    "places_to_shares",
    "present_at",
    "round_points",
    "seatings_per_group",
    "separation_level",
    "swiss_standings",
]
