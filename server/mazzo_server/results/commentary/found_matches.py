"""Tells of matches that were found, from the platform's messages."""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo.v1 import replay_pb2
from mazzo_server.model import MatchId, find_bot_name, is_person_name
from mazzo_server.results.commentary.lines import clean

__all__ = [
    "describe_play",
    "describe_verdict",
    "format_points",
    "format_swing",
    "has_copies",
    "list_sides",
    "name_match",
]

_VERDICTS = {
    replay_pb2.MATCH_VERDICT_WON: "won",
    replay_pb2.MATCH_VERDICT_DRAWN: "drawn",
    replay_pb2.MATCH_VERDICT_LOST: "lost",
}


def name_match(match: replay_pb2.FoundMatch) -> str:
    """Return the address of a match."""
    return str(MatchId(match.tournament, match.group, match.seating))


def list_sides(match: replay_pb2.FoundMatch) -> Sequence[Sequence[int]]:
    """Return the seats of each side.

    Each is for itself in a variant that only the server knows, and at a table with people, where
    partners are different players.
    """
    alone = [(seat,) for seat in range(len(match.seats))]
    if any(is_person_name(seat.bot) for seat in match.seats):
        return alone
    try:
        return parse_variant(match.variant).sides
    except MazzoError:
        return alone


def has_copies(match: replay_pb2.FoundMatch) -> bool:
    """Tell whether copies of the bot that was asked for are on several sides of the table."""
    if not match.HasField("result"):
        return False
    bots = [find_bot_name(match.seats[seats[0]].bot) for seats in list_sides(match)]
    return bots.count(find_bot_name(match.seats[match.result.seat].bot)) > 1


def describe_verdict(match: replay_pb2.FoundMatch) -> str:
    """Return how the match ended for the bot that was asked for; "" where none was."""
    return _VERDICTS.get(match.result.verdict, "")


def describe_play(match: replay_pb2.FoundMatch) -> str:
    """Return who scored what, a side of the table after the other, and what went wrong."""
    parts = [", ".join(_describe_side(match, seats) for seats in list_sides(match))]
    parts += ["void, since an entrant was withdrawn"] if match.void else []
    parts += [f"spoilt {match.spoilt}× before"] if match.spoilt else []
    parts += ["record thrown away"] if match.pruned else []
    return "; ".join(parts)


def _describe_side(match: replay_pb2.FoundMatch, seats: Sequence[int]) -> str:
    members = [match.seats[seat] for seat in seats]
    late = sum(member.late for member in members)
    forfeits = [clean(member.termination) for member in members if member.termination]
    faults = [f"forfeited: {forfeits[0]}"] if forfeits else []
    faults += [f"late {late}×"] if late else []
    text = f"{clean(members[0].bot)} {members[0].points}"
    return f"{text} ({', '.join(faults)})" if faults else text


def format_points(points: float) -> str:
    """Return points with their sign, rounded to a tenth."""
    return f"{round(points, 1) + 0.0:+.1f}".removesuffix(".0")  # no -0


def format_swing(result: replay_pb2.FoundResult) -> str:
    """Return the swing of a result; "" where it has none."""
    return format_points(result.swing) if result.HasField("swing") else ""
