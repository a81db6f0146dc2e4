"""Says what the columns of tables mean."""

from __future__ import annotations

from typing import Final

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2

__all__ = ["MATCH_COLUMNS", "RANKING_COLUMNS", "describe_standings"]

RANKING_COLUMNS: Final = {
    "rating": "a skill that it almost surely has: μ − 3σ",
    "μ": "its skill as TrueSkill believes it, by all finished tournaments of the variant",
    "σ": "how unsure that is; a new version begins where the one before it stood",
    "W-D-L": "mirror groups won, drawn at the top, and lost",
    "tournaments": "finished tournaments in which it played",
}
"""What the columns of a ranking mean."""
MATCH_COLUMNS: Final = {
    "margin": "the bot's points, less the mean of the others'",
    "swing": "its points, less the mean of what others made of the same cards in the same seat",
}
"""What the columns of matches mean that are said of one bot."""


def describe_standings(tournament: tournament_pb2.Tournament) -> dict[str, str]:
    """Return what the columns of the standings mean in this tournament."""
    standings = tournament.standings
    sides = parse_variant(tournament.variant).sides
    seatings = tournament.matches_total // max(standings.groups, 1)
    group = "a mirror group is the same deals"
    group += f" in {seatings} seatings" if seatings > 1 else ", played once"
    results = {"W-D-L": f"mirror groups won, drawn and lost; {group}"}
    if len(sides) > 2:
        results = {
            "place": f"its place in a mirror group on average, of {len(sides)}; {group}",
            "first": "mirror groups in which it was first alone, + those in which it shared that",
        }
    who = "its team" if len(sides[0]) > 1 else "it"
    return {
        "rating": "a skill that it almost surely has, by this tournament alone (TrueSkill, μ − 3σ)",
        **results,
        "score/deal": f"what {who} scored in a deal on average, ± half of the 95 % interval",
        "P>next": "how probable it is that it really scores more than the next row",
        "+deals": "deals that each table of the two would still have to play to tell them apart; "
        "0: they are told apart",
        "faults": "matches that it forfeited, and decisions that came late",
        "ms": "milliseconds that a decision took on average",
    }
