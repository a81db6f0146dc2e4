"""Who plays next on a ladder."""

from mazzo_server.pairing.ladder.pairing import Ladder, compute_lead
from mazzo_server.pairing.ladder.rule import ChosenTable

__all__ = ["ChosenTable", "Ladder", "compute_lead"]
