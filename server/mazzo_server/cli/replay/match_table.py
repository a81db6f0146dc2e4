"""Tables of matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo.v1 import replay_pb2
from mazzo_server.cli.shell.times import format_minute
from mazzo_server.cli.text.output import make_table
from mazzo_server.model import MatchId, find_bot_name
from mazzo_server.results.commentary import clean

__all__ = ["list_sides", "make_found_table", "make_schedule_table", "name_match"]

_DIGITS = 16  # of a commitment, in a table
_VERDICTS = {
    replay_pb2.MATCH_VERDICT_WON: "won",
    replay_pb2.MATCH_VERDICT_DRAWN: "drawn",
    replay_pb2.MATCH_VERDICT_LOST: "lost",
}


def name_match(match: replay_pb2.FoundMatch) -> str:
    """Return the address of a match."""
    return str(MatchId(match.tournament, match.group, match.seating))


def list_sides(match: replay_pb2.FoundMatch) -> Sequence[Sequence[int]]:
    """Return the seats of each side; each for itself in a variant that only the server knows."""
    try:
        return parse_variant(match.variant).sides
    except MazzoError:
        return [(seat,) for seat in range(len(match.seats))]


def make_found_table(matches: Sequence[replay_pb2.FoundMatch]) -> Table:
    """Make the table of matches that were found; what all lack has no column."""
    has_bot = any(match.HasField("result") for match in matches)
    several = len({match.variant for match in matches}) > 1
    has_copies = any(map(_has_copies, matches))
    columns = {
        "match": [name_match(match) for match in matches],
        "ended (UTC)": [format_minute(match.end_time) for match in matches],
        "variant": [clean(match.variant) for match in matches] if several else [],
        "seat": [str(match.result.seat) for match in matches] if has_copies else [],
        "result": [_describe_verdict(match) for match in matches] if has_bot else [],
        "margin": [_format_points(match.result.margin) for match in matches] if has_bot else [],
        "swing": [_format_swing(match.result) for match in matches] if has_bot else [],
        "deals": [str(match.deals) for match in matches],
        "points by seat": [_describe_play(match) for match in matches],
    }
    shown = {name: cells for name, cells in columns.items() if cells}
    right = "".join("r" if name in ("seat", "margin", "swing", "deals") else " " for name in shown)
    table = make_table(*shown, right=right)
    for row in zip(*shown.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


def _has_copies(match: replay_pb2.FoundMatch) -> bool:
    """Tell whether copies of the bot that was asked for are on several sides of the table."""
    if not match.HasField("result"):
        return False
    bots = [find_bot_name(match.seats[seats[0]].bot) for seats in list_sides(match)]
    return bots.count(find_bot_name(match.seats[match.result.seat].bot)) > 1


def _describe_verdict(match: replay_pb2.FoundMatch) -> str:
    return _VERDICTS.get(match.result.verdict, "")


def _describe_play(match: replay_pb2.FoundMatch) -> str:
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


def _format_points(points: float) -> str:
    return f"{round(points, 1) + 0.0:+.1f}".removesuffix(".0")  # no -0


def _format_swing(result: replay_pb2.FoundResult) -> str:
    return _format_points(result.swing) if result.HasField("swing") else ""


def make_schedule_table(tournament: int, matches: Iterable[replay_pb2.ScheduledMatch]) -> Table:
    """Make the table of matches of a tournament's schedule."""
    table = make_table("match", "state", "commitment", "bots by seat")
    for match in matches:
        state = replay_pb2.MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
        table.add_row(
            str(MatchId(tournament, match.group, match.seating)),
            state,
            f"{match.commitment[:_DIGITS]}…",
            Text(", ".join(map(clean, match.entrants))),
        )
    return table
