"""Who meets whom, on which deals, and in which seats: pure functions of a tournament's seed."""

from mazzo_server.pairing.round_robin import Group, RoundRobin, groups_for_deals
from mazzo_server.pairing.seatings import Pattern, pattern, seatings_per_group

__all__ = [
    "Group",
    "Pattern",
    "RoundRobin",
    "groups_for_deals",
    "pattern",
    "seatings_per_group",
]
