"""Prints which machines of a cluster played a tournament."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.output import console, make_table, print_table
from mazzo_server.results.commentary import clean

__all__ = ["describe_late_node", "print_nodes"]


def print_nodes(nodes: Sequence[tournament_pb2.TournamentNode]) -> None:
    """Print what each machine played."""
    if not nodes:
        return
    console.print()
    console.print(Text("Where it was played", style="bold"))
    table = make_table("node", "matches", "decisions", "late", "forfeits", right=" rrrr")
    for node in nodes:
        table.add_row(
            clean(node.name) or "the platform's",
            f"{node.matches:,}",
            f"{node.decisions:,}",
            f"{node.late_decisions:,}",
            f"{node.forfeits:,}",
        )
    print_table(table)
    for node in nodes:
        if node.late_by_more_than_luck:
            late = describe_late_node(node.name or "the platform's machine")
            console.print(late, soft_wrap=True)


def describe_late_node(name: str) -> str:
    """Return what to say of a machine where bots are late by more than luck."""
    return (
        f"On {clean(name)} bots are late more often than the same bots elsewhere, by more than "
        "luck: look what else runs there, or take it out of the cluster."
    )
