"""Prints the bracket of a tournament: as a tree where the terminal is wide enough, else as a list.

Only pairs make a tree: the rounds of a knock-out of two sides, and of the unbeaten in a double
elimination. All others are listed round by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.output import console, make_table, print_table
from mazzo_server.results.commentary import (
    clean,
    describe_bout,
    format_decimal,
    list_pool_rows,
    name_bouts,
)

__all__ = ["print_bracket"]

_IN_TREE = ("round", "final", "winners")  # stages
_Bouts = Sequence[tournament_pb2.Bout]


def print_bracket(bracket: tournament_pb2.Bracket) -> None:
    """Print the pools and all rounds of a bracket as far as they are known."""
    if bracket.pools:
        console.print(Text("Pools", style="bold"))
        print_table(_make_pool_table(bracket.pools))
    parts = list(_list_parts(bracket))
    tree = [bouts for bouts in parts if bouts[0].stage in _IN_TREE]
    lines = _draw_tree(tree)
    if lines and max(line.cell_len for line in lines) <= console.width:
        console.print(Text("Bracket: seed, bot, score per deal", style="bold"))
        for line in lines:
            console.print(line, no_wrap=True, crop=False)
        parts = [bouts for bouts in parts if bouts[0].stage not in _IN_TREE]
    for bouts in parts:
        name = name_bouts(bouts)
        console.print(Text(f"{name[0].upper()}{name[1:]}", style="bold"))
        for bout in bouts:
            console.print(_make_line(bout), soft_wrap=True)


def _make_pool_table(pools: Sequence[tournament_pb2.Pool]) -> Table:
    table = make_table("pool", "#", "seed, bot", "score/deal", "groups", "", right="rr rr ")
    for row in list_pool_rows(pools):
        table.add_row(
            str(row.pool) if row.place == 1 else "",
            str(row.place),
            Text(clean(row.bot), style="bold" if row.goes_on else ""),
            row.score,
            f"{row.groups:,}",
            row.verdict,
        )
    return table


def _list_parts(bracket: tournament_pb2.Bracket) -> Iterator[_Bouts]:
    """Yield the bouts of each stage and round."""
    for played in bracket.rounds:
        for _, bouts in groupby(played.bouts, key=lambda bout: (bout.stage, bout.round)):
            yield list(bouts)


def _make_line(bout: tournament_pb2.Bout) -> Text:
    line = Text("  ")
    for place, entrant in enumerate(bout.entrants):
        if place:
            line.append(" – ")
        line.append(_describe_entrant(entrant), style="bold" if entrant.goes_on else "")
    return line.append(f"; {describe_bout(bout)}")


def _describe_entrant(entrant: tournament_pb2.BoutEntrant) -> str:
    text = f"{entrant.seed} {clean(entrant.name)}"
    if entrant.HasField("score_per_deal"):
        text += f" {format_decimal(entrant.score_per_deal, 1)}"
    return text


def _draw_tree(rounds: Sequence[_Bouts]) -> list[Text]:
    """Return the lines of a tree, in which an entrant stands between the two that it beat.

    There are none where tables are no pairs.
    """
    if not rounds or any(len(bout.entrants) > 2 for bouts in rounds for bout in bouts):
        return []
    height = 4 * len(rounds[0]) - 1
    lines = [Text() for _ in range(height)]
    for number, bouts in enumerate(rounds):
        step = 2**number
        cells: dict[int, tournament_pb2.BoutEntrant] = {}  # by line
        links: dict[int, str] = {}  # likewise
        for place, bout in enumerate(bouts):
            upper = step - 1 + 4 * step * place
            lower = upper + 2 * step
            if len(bout.entrants) == 1:  # a bye: it stands in the next round
                continue
            # The entrant that stood above in the round before comes first.
            cells[upper], cells[lower] = _sort_pair(rounds, number, place)
            links |= dict.fromkeys(range(upper + 1, lower), "│")
            links |= {upper: "┐", lower: "┘", (upper + lower) // 2: "├"}
        width = max((cell_len(_describe_entrant(one)) for one in cells.values()), default=0)
        for line, row in enumerate(lines):
            entrant = cells.get(line)
            text = "" if entrant is None else _describe_entrant(entrant)
            style = "bold" if entrant is not None and entrant.goes_on else ""
            row.append(text, style=style)
            row.append(" " * (width - cell_len(text)) + f" {links.get(line, ' ')} ")
    winner = _find_winner(rounds[-1])
    if winner:
        lines[(height - 1) // 2].append(winner, style="bold")
    for row in lines:
        row.rstrip()
    return [row for row in lines if row.plain]


def _sort_pair(
    rounds: Sequence[_Bouts], number: int, place: int
) -> list[tournament_pb2.BoutEntrant]:
    """Return the two of a bout as they stand in the tree."""
    pair = list(rounds[number][place].entrants)
    if number:
        above = {one.name for one in rounds[number - 1][2 * place].entrants}
        return sorted(pair, key=lambda one: one.name not in above)
    return sorted(pair, key=lambda one: one.seed)


def _find_winner(bouts: _Bouts) -> str:
    """Return who has won the last bout of a tree; "" as long as there is more to come."""
    if len(bouts) > 1 or not bouts[0].reason:
        return ""
    return next((clean(one.name) for one in bouts[0].entrants if one.goes_on), "")
