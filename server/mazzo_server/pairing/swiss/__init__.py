"""Swiss tournaments: their rounds, and the order that follows from these."""

from mazzo_server.pairing.swiss.rounds import Swiss, SwissRound, count_round_points, share_places
from mazzo_server.pairing.swiss.tie_breaks import SwissRow, rank_swiss

__all__ = [
    "Swiss",
    "SwissRound",
    "SwissRow",
    "count_round_points",
    "rank_swiss",
    "share_places",
]
