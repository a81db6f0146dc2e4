"""Tournaments: how they are defined, planned, played, changed, rerun and kept."""

from mazzo_server.tournaments.define import check_request
from mazzo_server.tournaments.overview import TournamentStanding
from mazzo_server.tournaments.planning import PlannedTournament
from mazzo_server.tournaments.rerun import Rerun
from mazzo_server.tournaments.service import Tournaments
from mazzo_server.tournaments.stored import Pruned

__all__ = [
    "PlannedTournament",
    "Pruned",
    "Rerun",
    "TournamentStanding",
    "Tournaments",
    "check_request",
]
