"""Shows the figures of an arena as tables that fit a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from mazzo_server.cli.text.output import (
    console,
    make_table,
    print_crosstable,
)
from mazzo_server.home.arena import FigureLine, Figures
from mazzo_server.results.commentary import format_decimal
from mazzo_server.stats import Interval

__all__ = ["describe_figures", "encode_figures", "make_figures_table", "print_meetings"]


def make_figures_table(
    figures: Figures, names: Sequence[str], *, sides: int, has_clock: bool
) -> Table:
    """Return a row for each bot: its share of won deals at two sides, else its place."""
    third = "won" if sides == 2 else "place"
    late = ("late",) if has_clock else ()
    table = make_table("", "bot", "score/deal", third, "P>next", *late, "ms", right="r rrrrr")
    for line in figures.lines:
        better, seconds = line.probability_better_than_next, line.seconds_per_decision
        table.add_row(
            str(line.rank),
            Text(names[line.bot]),
            _format_with_margin(line.score, 2),
            _format_percent(line.won) if sides == 2 else _format_with_margin(line.place, 2),
            "" if better is None else f"{better:.1%}",
            *([str(line.late)] if has_clock else []),
            "" if seconds is None else format_decimal(seconds * 1000, 2 if seconds < 0.1 else 0),
        )
    return table


def describe_figures(*, sides: int, has_clock: bool) -> dict[str, str]:
    """Return what the columns of the table of figures mean."""
    third = {
        "place": f"its place in a match on average, of {sides}; equals share the mean of theirs"
    }
    if sides == 2:
        third = {"won": "share of the deals that it won, half of a drawn one"}
    return {
        "score/deal": "what its side scored in a deal on average, ± half of the 95 % interval",
        **third,
        "P>next": "how probable it is that it really scores more than the next row",
        **({"late": "decisions that took longer than the clock allows"} if has_clock else {}),
        "ms": "milliseconds that a decision took on average",
    }


def print_meetings(figures: Figures, names: Sequence[str]) -> None:
    """Print the scores against each opponent, as far as the terminal is wide enough."""
    console.print()
    print_crosstable(
        (_make_crosstable(figures, names, margins=margins), "") for margins in (True, False)
    )


def _make_crosstable(figures: Figures, names: Sequence[str], *, margins: bool) -> Table:
    bots = [line.bot for line in figures.lines]
    scores = {(meeting.bot, meeting.opponent): meeting.score for meeting in figures.meetings}
    columns = [str(place) for place in range(1, len(bots) + 1)]
    table = make_table("", "bot", *columns, right="r " + "r" * len(bots))
    for place, bot in zip(columns, bots, strict=True):
        cells = []
        for other in bots:
            score = scores.get((bot, other))
            if score is None or score.mean is None:
                cells.append("·")
            else:
                cells.append(
                    _format_with_margin(score, 1) if margins else format_decimal(score.mean, 1)
                )
        table.add_row(place, Text(names[bot]), *cells)
    return table


def _format_with_margin(interval: Interval, decimals: int) -> str:
    if interval.mean is None:
        return "–"
    mean, margin = format_decimal(interval.mean, decimals), interval.margin
    return mean if margin is None else f"{mean} ±{format_decimal(margin, decimals)}"


def _format_percent(interval: Interval) -> str:
    if interval.mean is None:
        return "–"
    margin = interval.margin
    return f"{interval.mean:.1%}" if margin is None else f"{interval.mean:.1%} ±{margin:.1%}"


def encode_figures(figures: Figures, names: Sequence[str], given: Sequence[str]) -> dict[str, Any]:
    """Return the figures, with everything for which the tables have no room."""
    return {
        "groups_played": figures.groups,
        "matches_played": figures.matches,
        "deals_played": figures.deals,
        "standings": [_encode_line(line, names, given) for line in figures.lines],
        "crosstable": [
            {
                "bot": names[meeting.bot],
                "opponent": names[meeting.opponent],
                "deals": meeting.score.deals,
                **_encode_interval("score_per_deal", "score", meeting.score),
                **_encode_interval("won", "won", meeting.won),
            }
            for meeting in figures.meetings
        ],
    }


def _encode_line(line: FigureLine, names: Sequence[str], given: Sequence[str]) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "bot": names[line.bot],
        "given": given[line.bot],
        "deals": line.score.deals,
        **_encode_interval("score_per_deal", "score", line.score),
        **_encode_interval("won", "won", line.won),
        **_encode_interval("place", "place", line.place),
        "probability_better_than_next": line.probability_better_than_next,
        "decisions": line.decisions,
        "late": line.late,
        "decision_seconds": line.seconds_per_decision,
    }


def _encode_interval(name: str, stem: str, interval: Interval) -> dict[str, float | None]:
    return {name: interval.mean, f"{stem}_low": interval.low, f"{stem}_high": interval.high}
