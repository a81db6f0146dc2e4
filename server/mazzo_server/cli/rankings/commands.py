"""`mazzo rankings`: shows who is best by variant, and how each rating came about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from mazzo.v1 import ranking_pb2
from mazzo_server.cli.rankings.history import PASSAGE_COLUMNS, make_passage_cells, print_passage
from mazzo_server.cli.rankings.table import print_ranking
from mazzo_server.cli.shell.completion.games import complete_game, complete_variant
from mazzo_server.cli.shell.completion.offers import Offer
from mazzo_server.cli.shell.completion.platform import complete_bot, complete_tournament
from mazzo_server.cli.shell.connection import (
    Client,
    CsvOption,
    JsonOption,
    ServerOption,
    check_format,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.credentials import PlatformGroup
from mazzo_server.cli.shell.options import PlotOption, make_whole_parser
from mazzo_server.cli.shell.streams import open_output
from mazzo_server.cli.text.legend import LegendOption, is_legend_wanted, print_legend
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.cli.text.spreadsheet import print_csv
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.results.commentary import RANKING_COLUMNS, clean
from mazzo_server.results.tables import to_json

__all__ = ["app"]


class _VariantOrCommand(PlatformGroup):
    """A group whose first argument is a command, or a variant for the group itself."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] in self.commands:
            return super().parse_args(ctx, ["", *args])
        ctx.allow_interspersed_args = True
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_VariantOrCommand)


def _complete_variant_or_command(context: typer.Context, incomplete: str) -> list[Offer | str]:
    """Offer what the first argument may be."""
    return [*complete_game(incomplete), *getattr(context.command, "commands", ())]


@app.callback(invoke_without_command=True)
def rankings(
    context: typer.Context,
    variant: Annotated[
        str,
        typer.Argument(
            metavar="VARIANT",
            autocompletion=_complete_variant_or_command,
            help="Such as briscola/2, or briscola; by default all.",
        ),
    ] = "",
    legend: LegendOption = False,
    plot: PlotOption = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Show the ranking of each variant over all its finished tournaments.

    Example: mazzo rankings briscola
    """
    if context.invoked_subcommand is not None:
        return
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> list[ranking_pb2.Ranking]:
        request = ranking_pb2.ListRankingsRequest(variant=variant)
        async with connect(server) as client:
            rankings = list((await client.rankings.ListRankings(request)).rankings)
            if plot is not None:
                await _write_chart(client, rankings, plot)
            return rankings

    found = execute(work())
    if as_json:
        print_json([to_json(ranking) for ranking in found])
        return
    if as_csv:
        rows = [
            {"variant": ranking.variant, **to_json(row)}
            for ranking in found
            for row in ranking.rows
        ]
        print_csv(["variant", *ranking_pb2.RankingRow.DESCRIPTOR.fields_by_name], rows)
        return
    if not found:
        of = f" of {variant}" if variant else ""
        console.print(
            f"No ranking{of} yet: it is made of finished tournaments without copies of a bot.",
            soft_wrap=True,
        )
    for index, ranking in enumerate(found):
        if index:
            console.print()
        print_ranking(ranking)
    if found and is_legend_wanted(legend, "rankings"):
        print_legend(RANKING_COLUMNS)


async def _write_chart(client: Client, rankings: Sequence[ranking_pb2.Ranking], file: Path) -> None:
    from mazzo_server.results.charts import stack
    from mazzo_server.serving.presenting import draw_ranking, list_best_bots

    if not rankings:
        raise PlatformError("expected a ranking to draw, got none: no finished tournament counts")
    if len(rankings) > 1:
        variants = ", ".join(ranking.variant for ranking in rankings)
        raise InvalidInputError(
            f"--plot: expected one variant, got {len(rankings)}: name one of {variants}"
        )
    (ranking,) = rankings

    request = ranking_pb2.ListRatingsRequest(variant=ranking.variant, bots=list_best_bots(ranking))
    drawings = draw_ranking(
        ranking, await fetch_all(client.rankings.ListRatings, request, "tournaments")
    )
    with open_output(file) as output:
        output.write(stack(drawings))


@app.command("explain")
def explain(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=complete_bot, help="Its name; of all its versions."
        ),
    ],
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="VARIANT",
            autocompletion=complete_variant,
            help="Only there; by default wherever.",
        ),
    ] = "",
    tournament: Annotated[
        int | None,
        typer.Option(
            "--tournament",
            metavar="ID",
            autocompletion=complete_tournament,
            parser=make_whole_parser(1),
            help="Every group of the bot in this one; by default all tournaments, in short.",
        ),
    ] = None,
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups",
            metavar="N",
            parser=make_whole_parser(1, 100),
            help="How many groups of each tournament: those that moved μ most; 3.",
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Tell how a bot came by its rating, tournament by tournament, and what moved it.

    Example: mazzo rankings explain greedy --variant briscola/2
    """
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> list[ranking_pb2.RatingPassage]:
        if tournament and groups:
            raise InvalidInputError("--tournament shows every group: leave out --groups")
        request = ranking_pb2.ExplainRankingRequest(
            bot=bot, variant=variant, tournament=tournament or 0, groups=groups or 0
        )
        async with connect(server) as client:
            found = await fetch_all(client.rankings.ExplainRanking, request, "passages")
        if tournament:  # the same one on every page
            for page in found[1:]:
                found[0].groups.extend(page.groups)
            del found[1:]
        return found

    found = execute(work())
    if as_json:
        print_json([to_json(passage) for passage in found])
        return
    if as_csv:
        print_csv(
            PASSAGE_COLUMNS,
            [make_passage_cells(passage, move) for passage in found for move in passage.groups],
        )
        return
    if not found:
        where = f" of {variant}" if variant else ""
        console.print(
            f"{clean(bot)} has no rating yet: it is in no finished tournament{where} without "
            "copies of a bot.",
            soft_wrap=True,
        )
    for index, (text, passages) in enumerate(groupby(found, key=lambda one: one.variant)):
        if index:
            console.print()
        console.print(Text(f"{clean(bot)} in {text}", style="bold"))
        for passage in passages:
            console.print()
            print_passage(bot, passage)
