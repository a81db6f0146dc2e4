"""Who plays next on a ladder."""

from mazzo_server.pairing.ladder.pairing import Ladder, is_level_with, compute_lead
from mazzo_server.pairing.ladder.rule import ENOUGH_GROUPS, ChosenTable

__all__ = ["ENOUGH_GROUPS", "ChosenTable", "Ladder", "is_level_with", "compute_lead"]
