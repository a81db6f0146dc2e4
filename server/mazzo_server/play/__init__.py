"""Matches that are being played, and the bots that play them."""

from mazzo_server.play.events import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.note_budget import MOST_GROUPS_WITH_NOTES, NoteBudget
from mazzo_server.play.phase import Phase
from mazzo_server.play.planned_match import MatchRules, PlannedMatch, PlannedSeat
from mazzo_server.play.player import Player
from mazzo_server.play.table import Table

__all__ = [
    "MOST_GROUPS_WITH_NOTES",
    "Began",
    "Finished",
    "LiveMatch",
    "MatchRules",
    "NoteBudget",
    "Phase",
    "PlannedMatch",
    "PlannedSeat",
    "PlayEvent",
    "Player",
    "Spoilt",
    "Table",
    "Withdrawn",
]
