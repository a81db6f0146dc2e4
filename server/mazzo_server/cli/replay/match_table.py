"""Tables of matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from mazzo.v1 import replay_pb2
from mazzo_server.cli.shell.times import format_minute
from mazzo_server.cli.text.output import make_table
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import (
    clean,
    describe_play,
    describe_verdict,
    format_points,
    format_swing,
    has_copies,
    name_match,
)

__all__ = ["make_found_table", "make_schedule_table"]

_DIGITS = 16  # of a commitment, in a table


def make_found_table(matches: Sequence[replay_pb2.FoundMatch]) -> Table:
    """Make the table of matches that were found; what all lack has no column."""
    has_bot = any(match.HasField("result") for match in matches)
    several = len({match.variant for match in matches}) > 1
    have_copies = any(map(has_copies, matches))
    columns = {
        "match": [name_match(match) for match in matches],
        "ended (UTC)": [format_minute(match.end_time) for match in matches],
        "variant": [clean(match.variant) for match in matches] if several else [],
        "seat": [str(match.result.seat) for match in matches] if have_copies else [],
        "result": [describe_verdict(match) for match in matches] if has_bot else [],
        "margin": [format_points(match.result.margin) for match in matches] if has_bot else [],
        "swing": [format_swing(match.result) for match in matches] if has_bot else [],
        "deals": [str(match.deals) for match in matches],
        "points by seat": [describe_play(match) for match in matches],
    }
    shown = {name: cells for name, cells in columns.items() if cells}
    right = "".join("r" if name in ("seat", "margin", "swing", "deals") else " " for name in shown)
    table = make_table(*shown, right=right)
    for row in zip(*shown.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


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
