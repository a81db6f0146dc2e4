"""Mazzo: write a bot that plays trick-taking card games.

from mazzo import Action, Bot, View, run

class First(Bot):
    def act(self, view: View) -> Action:
        return view.legal[0]

run(First)
"""

import os

# A bot may fork, for instance with multiprocessing. gRPC's own fork handlers would start its
# threads anew in that child, which can wait for them for ever.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

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
