"""Prints plans of tournaments."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.output import console, error_console, make_table, print_table
from mazzo_server.results.commentary import clean

__all__ = ["print_plan", "print_unqualified"]

_MOST_TABLES = 20  # that people are shown


def print_unqualified(names: Sequence[str]) -> None:
    """Name the bots that are left out of a tournament that takes every qualified bot."""
    if names:
        error_console.print(
            f"Left out, since not qualified, in need of more than an instance gets, or with "
            f"wheels that fit no longer: {', '.join(names)}. `mazzo bots show NAME` says more.",
            soft_wrap=True,
        )


def print_plan(plan: tournament_pb2.PlanTournamentResponse) -> None:
    """Print who would meet whom, and how long it would take."""
    tournament = plan.tournament
    console.print(Text(f"{clean(tournament.name)} (a plan: nothing is stored)", style="bold"))
    console.print(
        f"{tournament.variant}, {tournament.pairing}, {tournament.match_format}, "
        f"mirror {tournament.mirror}; {len(tournament.entrants)} bots"
    )
    most = "at most " if plan.adaptive else ""
    deals = f", {plan.deals:,} deals" if plan.HasField("deals") else ""
    console.print(f"{most}{plan.groups:,} mirror groups, {plan.matches:,} matches{deals}")
    if plan.HasField("seconds"):
        console.print(f"about {_format_duration(plan.seconds)}, by {plan.basis}", soft_wrap=True)
    else:
        console.print(
            "how long it takes is not known: no tournament of these bots was played yet, nor were "
            "all of them tried out here",
            soft_wrap=True,
        )
    console.print(
        f"{_name_processes(plan.workers)} would play, since {plan.workers_reason}", soft_wrap=True
    )
    if plan.nodes:
        _print_nodes(plan)
    if not plan.tables:
        console.print("Results decide who meets whom.")
        return
    console.print()
    table = make_table("table", "groups", right=" r")
    for meeting in plan.tables[:_MOST_TABLES]:
        table.add_row(" – ".join(meeting.entrants), f"{meeting.groups:,}")
    print_table(table)
    rest = plan.tables_total - min(len(plan.tables), _MOST_TABLES)
    if rest:
        console.print(f"and {rest:,} tables more; --json has up to 1,000")


def _print_nodes(plan: tournament_pb2.PlanTournamentResponse) -> None:
    """Print on which machines it would play, and how much they differ."""
    console.print()
    table = make_table("node", "slots", "rules/s", "may play", right=" rr")
    for node in plan.nodes:
        has_speed = node.HasField("decisions_per_second")
        table.add_row(
            clean(node.name),
            f"{node.slots}",
            f"{node.decisions_per_second:,.0f}" if has_speed else "?",
            "no" if node.unfit else "yes",
        )
    print_table(table)
    if plan.HasField("speed_difference") and len(plan.nodes) > 1:
        less = 100 * plan.speed_difference
        console.print(f"The slowest node that may play is {less:.1f} % slower than the fastest.")
    for node in plan.nodes:
        if node.unfit:
            console.print(f"{clean(node.name)}: {clean(node.unfit)}", soft_wrap=True)


def _name_processes(workers: int) -> str:
    return "one process" if workers == 1 else f"{workers} processes"


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"
