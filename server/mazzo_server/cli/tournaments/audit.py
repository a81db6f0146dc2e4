"""`mazzo audit`."""

from __future__ import annotations

from rich.text import Text

from mazzo.v1 import standings_pb2
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import IdArgument
from mazzo_server.cli.text.legend import LegendOption, is_legend_wanted, print_legend
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.results.commentary import AUDIT_COLUMNS, clean
from mazzo_server.results.tables import to_json

__all__ = ["audit"]


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
    from mazzo_server.serving.presenting import describe_audit, list_match_commands

    tournament = answer.tournament
    console.print(Text(f"{clean(tournament.name)} (tournament {tournament.id})", style="bold"))
    words = describe_audit(answer)
    commands = [f"  {command}" for command in list_match_commands(answer)]
    for line in filter(None, [*words.findings, words.caution, *commands, words.power]):
        console.print(line, soft_wrap=True)
    if answer.pairs:
        console.print()
        _print_pairs(answer)
        if is_legend_wanted(legend, "audit"):
            print_legend(AUDIT_COLUMNS)


def _print_pairs(answer: standings_pb2.GetAuditResponse) -> None:
    from mazzo_server.serving.presenting import format_excess, list_shown_pairs

    has_joint = answer.pairs[0].HasField("joint")
    shown = list_shown_pairs(answer)
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
