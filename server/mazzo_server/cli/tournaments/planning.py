"""Prints plans of tournaments, and the results of reruns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.output import console, error_console, make_table, print_table
from mazzo_server.results.commentary import clean

__all__ = ["print_plan", "print_rerun", "print_unqualified"]

_MOST_TABLES = 20  # that people are shown


def print_unqualified(names: Sequence[str]) -> None:
    """Name the bots that are left out of a tournament that takes every qualified bot."""
    if names:
        error_console.print(
            f"Left out, since not qualified: {', '.join(names)}. `mazzo bots show NAME` says what "
            "to mend.",
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


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"


def print_rerun(match: str, rerun: tournament_pb2.RerunMatchResponse) -> None:
    """Say whether a match came out as before."""
    if rerun.identical:
        console.print(
            f"Match {match} came out the same, action by action: "
            f"{_format_scores(rerun.entrants, rerun.stored_scores)}."
        )
        return
    console.print(Text(f"Match {match} came out differently.", style="bold red"))
    if rerun.HasField("difference"):
        difference = rerun.difference
        who = ""
        if difference.HasField("seat"):
            who = f"seat {difference.seat} ({rerun.entrants[difference.seat]}) "
        console.print(
            f"First at deal {difference.deal}, action {difference.step}: {who}played "
            f"{difference.stored or 'nothing'} then, {difference.played or 'nothing'} now."
        )
    console.print(f"then: {_format_scores(rerun.entrants, rerun.stored_scores)}")
    console.print(f"now:  {_format_scores(rerun.entrants, rerun.played_scores)}")
    for when, faults in (("then", rerun.stored_faults), ("now", rerun.played_faults)):
        for fault in faults:
            console.print(f"{when}: {fault.name} forfeited, {fault.termination}: ", end="")
            console.print(clean(fault.reason), soft_wrap=True)


def _format_scores(entrants: Sequence[str], scores: Sequence[str]) -> str:
    pairs = zip(entrants, scores, strict=True)
    return ", ".join(f"{name} {score}" for name, score in pairs)
