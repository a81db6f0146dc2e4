"""`mazzo matches`: finds the matches that were played, and lists those that are scheduled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from mazzo.v1 import replay_pb2
from mazzo_server.cli.replay.fetching import fetch_matches
from mazzo_server.cli.replay.match_filters import read_filters
from mazzo_server.cli.replay.match_table import make_found_table, make_schedule_table
from mazzo_server.cli.shell.completion.platform import complete_match
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.options import make_whole_parser, make_word_option
from mazzo_server.cli.text.output import console, print_json, print_table
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import name_match
from mazzo_server.results.tables import to_json
from mazzo_server.storage import MatchOrder

__all__ = ["matches"]

_LIMIT = 20
_ORDERS = {
    MatchOrder.TIME: replay_pb2.MATCH_ORDER_TIME,
    MatchOrder.SWING: replay_pb2.MATCH_ORDER_SWING,
    MatchOrder.MARGIN: replay_pb2.MATCH_ORDER_MARGIN,
}


def matches(
    context: typer.Context,
    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            **make_word_option([*map(str, MatchOrder)]),
            help="By time, the newest tournament first; or the bot's worst swing or margin first.",
            show_default="time",
        ),
    ] = None,
    worst: Annotated[
        int | None,
        typer.Option(
            "--worst",
            metavar="N",
            parser=make_whole_parser(1),
            help="The N worst, by margin, or with --sort swing by swing.",
        ),
    ] = None,
    best: Annotated[
        int | None,
        typer.Option("--best", metavar="N", parser=make_whole_parser(1), help="Show the N best."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            parser=make_whole_parser(1),
            help="Show at most N matches.",
            show_default=str(_LIMIT),
        ),
    ] = None,
    after: Annotated[
        str,
        typer.Option(
            "--after",
            metavar="MATCH",
            autocompletion=complete_match,
            help="Those after this one of the list.",
        ),
    ] = "",
    scheduled: Annotated[
        bool,
        typer.Option(
            "--scheduled",
            help="Every match that --tournament schedules, with its commitment and state.",
        ),
    ] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Find matches: those of a bot, the worst, the late ones.

    Filters combine. Only matches of which all seatings are over are found. `margin` is what the bot
    scored more than the others at the table; `swing` is what it scored more than the others did
    with the same cards in the same seat.

    Example: mazzo matches --bot my-bot --opponent greedy --worst 10
    """
    filters = read_filters(context)
    order = _choose_order(sort, worst, best, limit)

    def make_request() -> replay_pb2.FindMatchesRequest:  # in `execute`, for a text may be no text
        request = filters.make_request()
        request.order = _ORDERS[order]
        request.reverse = best is not None
        request.page_token = after
        return request

    if scheduled:
        execute(
            _list_scheduled(server, make_request, is_limited=limit is not None, as_json=as_json)
        )
        return
    given = {"--worst": worst, "--best": best, "--sort": order is not MatchOrder.TIME}
    filters.check(*(option for option, is_given in given.items() if is_given))
    found, place = execute(fetch_matches(server, make_request, worst or best or limit or _LIMIT))
    if as_json:
        print_json([{"match": name_match(match)} | to_json(match) for match in found])
        return
    if not found:
        console.print("There is no such match of which all seatings are over.")
        return
    print_table(make_found_table(found))
    shown = next((name_match(match) for match in found if not match.pruned), None)
    hints = [f"See one with `mazzo replay show {shown}`."] if shown is not None else []
    hints += [f"More follow: --after {place}."] if place else []
    if hints:
        console.print(" ".join(hints))
    if shown is not None and filters.bot:
        again = f"mazzo replay rerun {shown} --with FOLDER"
        console.print(f"Play it with other code: `{again}`.", soft_wrap=True)


def _choose_order(
    sort: str | None, worst: int | None, best: int | None, limit: int | None
) -> MatchOrder:
    if worst is not None and best is not None:
        raise typer.BadParameter("expected --worst or --best, got both")
    if worst is None and best is None:
        return MatchOrder(sort or MatchOrder.TIME)
    option = "--best" if worst is None else "--worst"
    if limit is not None:
        raise typer.BadParameter(f"{option} says how many: leave out --limit")
    if sort == MatchOrder.TIME:
        raise typer.BadParameter(f"{option}: expected --sort swing or margin, got time")
    return MatchOrder(sort or MatchOrder.MARGIN)


async def _list_scheduled(
    server: str,
    make_request: Callable[[], replay_pb2.FindMatchesRequest],
    *,
    is_limited: bool,
    as_json: bool,
) -> None:
    given = make_request()
    plain = replay_pb2.FindMatchesRequest(
        bot=given.bot, tournament=given.tournament, order=replay_pb2.MATCH_ORDER_TIME
    )
    if not given.tournament or given != plain or is_limited:
        raise InvalidInputError("--scheduled: expected --tournament, and no option but --bot")
    request = replay_pb2.ListMatchesRequest(tournament=given.tournament, bot=given.bot)
    async with connect(server) as client:
        listed = await fetch_all(client.replays.ListMatches, request, "matches")
    if not as_json:
        print_table(make_schedule_table(given.tournament, listed))
        return
    print_json(
        [
            {"match": str(MatchId(given.tournament, match.group, match.seating))} | to_json(match)
            for match in listed
        ]
    )
