"""Bots at home against each other on mirrored deals: who meets whom, one match, the figures."""

from mazzo_server.home.arena.figures import Figures, Line, Meeting
from mazzo_server.home.arena.match import Outcome, play
from mazzo_server.home.arena.schedule import Schedule
from mazzo_server.home.arena.tally import MEASURES, Measure, Tally

__all__ = [
    "MEASURES",
    "Figures",
    "Line",
    "Measure",
    "Meeting",
    "Outcome",
    "Schedule",
    "Tally",
    "play",
]
