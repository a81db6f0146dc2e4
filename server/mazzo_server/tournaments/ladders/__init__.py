"""Ladders: seasons without a planned end, which bots join and leave."""

from mazzo_server.tournaments.ladders.keeper import LadderKeeper
from mazzo_server.tournaments.ladders.ladders import Ladders, LadderStanding
from mazzo_server.tournaments.ladders.members import list_members
from mazzo_server.tournaments.ladders.seasons import (
    USUAL_CONFIDENCE,
    USUAL_SHARE,
    LadderRequest,
)

__all__ = [
    "USUAL_CONFIDENCE",
    "USUAL_SHARE",
    "LadderKeeper",
    "LadderRequest",
    "LadderStanding",
    "Ladders",
    "list_members",
]
