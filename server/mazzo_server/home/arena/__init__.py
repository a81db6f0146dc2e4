"""Bots at home against each other on mirrored deals: who meets whom, one match, the figures."""

from mazzo_server.home.arena.crew import Crew
from mazzo_server.home.arena.figures import FigureLine, Figures
from mazzo_server.home.arena.messages import Work
from mazzo_server.home.arena.schedule import Schedule
from mazzo_server.home.arena.tally import ArenaTally

__all__ = ["ArenaTally", "Crew", "FigureLine", "Figures", "Schedule", "Work"]
