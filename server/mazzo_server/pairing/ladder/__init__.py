"""Who plays next on a ladder."""

from mazzo_server.pairing.ladder.pairing import Ladder, compute_lead, is_level_with
from mazzo_server.pairing.ladder.rule import ENOUGH_GROUPS, LEVEL_SHARE, ChosenTable

__all__ = ["ENOUGH_GROUPS", "LEVEL_SHARE", "ChosenTable", "Ladder", "compute_lead", "is_level_with"]
