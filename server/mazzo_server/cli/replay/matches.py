"""`mazzo matches`: finds the matches that were played, and lists those that are scheduled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import replay_pb2
from mazzo_server.cli.replay.match_table import make_found_table, make_schedule_table, name_match
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.options import make_whole_parser, make_word_option
from mazzo_server.cli.shell.times import parse_since
from mazzo_server.cli.text.output import console, print_json, print_table, to_json
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import MatchId
from mazzo_server.storage import MatchOrder

__all__ = ["matches"]

_LIMIT = 20
_ORDERS = {
    MatchOrder.TIME: replay_pb2.MATCH_ORDER_TIME,
    MatchOrder.SWING: replay_pb2.MATCH_ORDER_SWING,
    MatchOrder.MARGIN: replay_pb2.MATCH_ORDER_MARGIN,
}


def matches(
    bot: Annotated[
        str, typer.Option("--bot", metavar="NAME", help="Matches of this bot, as it saw them.")
    ] = "",
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="NAME", help="With this bot at the table.")
    ] = "",
    variant: Annotated[
        str, typer.Option("--variant", metavar="VARIANT", help="Of this variant of a game.")
    ] = "",
    tournament: Annotated[
        int | None,
        typer.Option(
            "--tournament", metavar="ID", parser=make_whole_parser(1), help="Of this tournament."
        ),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat",
            metavar="N",
            parser=make_whole_parser(0),
            help="That the bot played in this seat; of a team its first one.",
        ),
    ] = None,
    won: Annotated[bool, typer.Option("--won", help="That the bot won.")] = False,
    drawn: Annotated[bool, typer.Option("--drawn", help="That were drawn.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="That the bot lost.")] = False,
    forfeited: Annotated[
        bool, typer.Option("--forfeited", help="That the bot, or without --bot anyone, forfeited.")
    ] = False,
    late: Annotated[
        bool, typer.Option("--late", help="With a late decision of the bot, or of anyone.")
    ] = False,
    spoilt: Annotated[
        bool, typer.Option("--spoilt", help="That a fault of the platform had spoilt before.")
    ] = False,
    since: Annotated[
        Timestamp | None,
        typer.Option(
            "--since",
            metavar="WHEN",
            parser=parse_since,
            help="That ended since a day, such as 2026-11-20, or in the last 30m, 2h or 3d.",
        ),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            **make_word_option([*map(str, MatchOrder)]),
            help="By time, newest first; or by the bot's swing or margin, worst first.",
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
        typer.Option("--best", metavar="N", parser=make_whole_parser(1), help="The N best."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            parser=make_whole_parser(1),
            help="At most N matches.",
            show_default=str(_LIMIT),
        ),
    ] = None,
    after: Annotated[
        str, typer.Option("--after", metavar="MATCH", help="Those after this one of the list.")
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
    order = _choose_order(sort, worst, best, limit)
    verdict = _choose_verdict(won=won, drawn=drawn, lost=lost)

    def make_request() -> replay_pb2.FindMatchesRequest:  # in `execute`, for a text may be no text
        return replay_pb2.FindMatchesRequest(
            bot=bot,
            opponent=opponent,
            variant=variant,
            tournament=tournament or 0,
            seat=seat,
            verdict=verdict,
            forfeited=forfeited,
            late=late,
            spoilt=spoilt,
            since_time=since,
            order=_ORDERS[order],
            reverse=best is not None,
            page_token=after,
        )

    if scheduled:
        execute(
            _list_scheduled(server, make_request, is_limited=limit is not None, as_json=as_json)
        )
        return
    if not bot:
        given = {
            "--opponent": opponent,
            "--seat": seat is not None,
            "--won": won,
            "--lost": lost,
            "--worst": worst,
            "--best": best,
            "--sort": order is not MatchOrder.TIME,
        }
        _check_bot_is_named([option for option, is_given in given.items() if is_given])
    found, has_more = execute(_find(server, make_request, worst or best or limit or _LIMIT))
    if as_json:
        print_json([{"match": name_match(match)} | to_json(match) for match in found])
        return
    if not found:
        console.print("There is no such match of which all seatings are over.")
        return
    print_table(make_found_table(found))
    shown = next((name_match(match) for match in found if not match.pruned), None)
    hints = [f"See one with `mazzo replay show {shown}`."] if shown is not None else []
    hints += [f"More follow: --after {name_match(found[-1])}."] if has_more else []
    if hints:
        console.print(" ".join(hints))
    if shown is not None and bot:
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


def _choose_verdict(*, won: bool, drawn: bool, lost: bool) -> replay_pb2.MatchVerdict:
    if won + drawn + lost > 1:
        raise typer.BadParameter("expected one of --won, --drawn and --lost, got several")
    if won:
        return replay_pb2.MATCH_VERDICT_WON
    if drawn:
        return replay_pb2.MATCH_VERDICT_DRAWN
    return replay_pb2.MATCH_VERDICT_LOST if lost else replay_pb2.MATCH_VERDICT_UNSPECIFIED


def _check_bot_is_named(options: Sequence[str]) -> None:
    """Refuse options that say something of one bot, where none is named."""
    if options:
        raise typer.BadParameter(f"{options[0]}: expected --bot NAME beside it")


async def _find(
    server: str, make_request: Callable[[], replay_pb2.FindMatchesRequest], limit: int
) -> tuple[list[replay_pb2.FoundMatch], bool]:
    """Return at most `limit` matches, and whether more follow."""
    request = make_request()
    found: list[replay_pb2.FoundMatch] = []
    async with connect(server) as client:
        while True:
            request.page_size = limit - len(found)
            answer: replay_pb2.FindMatchesResponse = await client.replays.FindMatches(request)
            found += answer.matches
            request.page_token = answer.next_page_token
            if not request.page_token or len(found) == limit:
                return found, bool(request.page_token)


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
