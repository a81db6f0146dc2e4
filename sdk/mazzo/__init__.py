"""Mazzo: write a bot that plays trick-taking card games.

from mazzo import Action, Bot, View, run

class First(Bot):
    def act(self, view: View) -> Action:
        return view.legal[0]

run(First)
"""

from mazzo.bot import Bot, MatchEnded, MatchStarted
from mazzo.cards import Card
from mazzo.errors import MazzoError
from mazzo.game import Action, Clock, Event, Trick, Variant, View
from mazzo.games import GAMES, parse_variant
from mazzo.program import run

__all__ = [
    "GAMES",
    "Action",
    "Bot",
    "Card",
    "Clock",
    "Event",
    "MatchEnded",
    "MatchStarted",
    "MazzoError",
    "Trick",
    "Variant",
    "View",
    "parse_variant",
    "run",
]
