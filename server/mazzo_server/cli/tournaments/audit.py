"""`mazzo audit`."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from mazzo.v1 import standings_pb2
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import IdArgument
from mazzo_server.cli.text.legend import LegendOption, is_legend_wanted, print_legend
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["audit"]

_MOST_PAIRS = 10  # of those that do not stand out, how many are shown
_COLUMNS: Final = {
    "together": "points a deal that both score more where they meet than is explained, ± half of "
    "the interval: all intervals together hold with 95 %",
    "ahead": "points a deal by which the first is further ahead of the second than is explained",
    "groups": "mirror groups in which both sat",
}


def audit(
    id: IdArgument,
    legend: LegendOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Look for pairs of bots that help each other, or lose on purpose.

    It compares what each two score where they meet with what the results of all others explain.
    What stands out is no proof: styles may suit each other.

    Example: mazzo audit 12
    """

    async def work() -> standings_pb2.GetAuditResponse:
        async with connect(server) as client:
            request = standings_pb2.GetAuditRequest(id=id)
            answer: standings_pb2.GetAuditResponse = await client.standings.GetAudit(request)
            return answer

    answer = execute(work())
    if as_json:
        print_json(to_json(answer))
        return
    # Only those who look at an audit wait for what presents it.
    from mazzo_server.serving.presenting import describe_audit

    tournament = answer.tournament
    console.print(Text(f"{clean(tournament.name)} (tournament {tournament.id})", style="bold"))
    for line in describe_audit(answer):
        console.print(line, soft_wrap=True)
    if answer.pairs:
        console.print()
        _print_pairs(answer)
        if is_legend_wanted(legend, "audit"):
            print_legend(_COLUMNS)


def _print_pairs(answer: standings_pb2.GetAuditResponse) -> None:
    from mazzo_server.serving.presenting import format_excess

    has_joint = answer.pairs[0].HasField("joint")
    found = sum(
        pair.lead.stands_out or (has_joint and pair.joint.stands_out) for pair in answer.pairs
    )
    shown = answer.pairs[: found + _MOST_PAIRS]
    joint = ("together",) if has_joint else ()
    table = make_table("bot", "with", *joint, "ahead", "groups", right="  rrr")
    for pair in shown:
        table.add_row(
            pair.name,
            pair.opponent,
            *([format_excess(pair.joint)] if has_joint else []),
            format_excess(pair.lead),
            str(pair.groups),
        )
    print_table(table)
    if len(shown) < len(answer.pairs):
        console.print(f"and {len(answer.pairs) - len(shown):,} more pairs: in the JSON (--json)")
