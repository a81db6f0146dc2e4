"""Decisions that a player owes, without a tournament around them."""

from __future__ import annotations

from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo_server.model import TimeControl
from mazzo_server.play.live_match import LiveMatch, SeatState
from mazzo_server.play.table import Ask, Table

__all__ = ["LIMIT", "owing_seat"]

LIMIT = 5.0  # seconds
MATCH = Match(parse_variant("briscola/2"), bytes(32), MatchFormat.parse("deals:1"))
TABLE = Table(MATCH, TimeControl())


def owing_seat(key: int) -> SeatState:
    """A seat of a match of briscola/2, which owes its first decision."""
    live = LiveMatch(TABLE, key=(key, 0), holders=[None, None], on_end=lambda _: None)
    ask = Ask(0, 1, MATCH.deal, 10.0, LIMIT)
    return SeatState(live=live, seat=0, handle=key, bot_seed=b"", ask=ask)
