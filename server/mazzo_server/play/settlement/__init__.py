"""Settles what a forfeited match counts in the score per deal."""

from mazzo_server.play.settlement.settlement import Settlement
from mazzo_server.play.settlement.simple_player import choose_action

__all__ = ["Settlement", "choose_action"]
