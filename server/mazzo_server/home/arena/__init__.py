"""Plays bots at home against each other on mirrored deals: schedule, matches and figures."""

from mazzo_server.home.arena.comparison import Advantage, BotComparison, Question
from mazzo_server.home.arena.crew import Crew
from mazzo_server.home.arena.figures import FigureLine, Figures
from mazzo_server.home.arena.keeping import KeptBot, describe_kept_bots, open_keeper
from mazzo_server.home.arena.match import Outcome
from mazzo_server.home.arena.messages import Work
from mazzo_server.home.arena.schedule import Schedule, sort_groups
from mazzo_server.home.arena.tally import ArenaTally

__all__ = [
    "Advantage",
    "ArenaTally",
    "BotComparison",
    "Crew",
    "FigureLine",
    "Figures",
    "KeptBot",
    "Outcome",
    "Question",
    "Schedule",
    "Work",
    "describe_kept_bots",
    "open_keeper",
    "sort_groups",
]
