"""Bots at home against each other on mirrored deals: who meets whom, one match, the figures."""

from mazzo_server.home.arena.crew import Crew
from mazzo_server.home.arena.figures import Figures, Line
from mazzo_server.home.arena.messages import Work
from mazzo_server.home.arena.schedule import Schedule
from mazzo_server.home.arena.tally import Tally

__all__ = ["Crew", "Figures", "Line", "Schedule", "Tally", "Work"]
