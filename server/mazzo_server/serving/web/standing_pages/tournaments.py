"""The pages of tournaments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2
from mazzo_server.results.commentary import (
    compute_mean_places,
    describe_contradictions,
    describe_counted,
    describe_more,
    describe_seats,
    describe_separation,
    describe_standings,
    describe_unranked,
    is_season,
    list_pool_rows,
    name_places,
)
from mazzo_server.serving.presenting import (
    draw_bouts,
    draw_moments,
    draw_score_spreads,
    draw_standings,
    find_lead_steps,
    has_crosstable,
    list_bouts,
    list_moments,
    list_spreads,
)
from mazzo_server.serving.web.rendering import OVER, STREAM, render, render_chart, render_part
from mazzo_server.serving.web.standing_pages.entries import list_open_tournaments
from mazzo_server.serving.web.standing_pages.live import LiveTournaments
from mazzo_server.serving.web.visitors import get_services, read_number

__all__ = ["show_tournament", "show_tournaments", "stream_tournament"]

_MOST_CROSSED = 20  # entrants in a crosstable; its page has the square of that
_MOST_KINDS = 200  # of forfeits

_Made = TypeVar("_Made")


async def show_tournaments(request: Request) -> Response:
    """Show all tournaments, the newest first."""
    place = request.query_params.get("from", "")
    services = get_services(request)
    tournaments, following = await services.list_tournaments(place)
    return render(
        request,
        "tournaments.html",
        taking_entries=() if place else await list_open_tournaments(services),
        tournaments=tournaments,
        following=following,
        place=place,
    )


async def show_tournament(request: Request) -> Response:
    """Show one tournament: what it is, its standings, its forfeits."""
    number = read_number(request.path_params["number"])
    services = get_services(request)
    tournament = await services.get_tournament(number)
    course = await services.get_course(number)
    make = partial(
        render,
        request,
        "tournament.html",
        course_charts=[
            (render_chart(drawing), table, first)
            for drawing, table, first in (
                (draw_moments(course), list_moments(course), "Mirror groups"),
                (draw_score_spreads(course), list_spreads(course), "Points in a deal"),
            )
            if drawing is not None
        ],
    )
    return _render_tournament(make, tournament)


async def stream_tournament(request: Request) -> Response:
    """Send the changing part of a tournament's page as server-sent events, while it is played."""
    number = read_number(request.path_params["number"])
    services = get_services(request)
    tournament = await services.get_tournament(number)  # which also checks that it may be seen
    if tournament.state != tournament_pb2.TOURNAMENT_STATE_RUNNING:
        return Response(OVER, media_type="text/event-stream", headers=STREAM)
    live: LiveTournaments = request.app.state.live_tournaments

    def render_live(shown: tournament_pb2.Tournament) -> str:
        return _render_tournament(partial(render_part, request, "standing.html"), shown)

    events = live.watch(services, number, render_live, after=request.headers.get("Last-Event-ID"))
    return StreamingResponse(events, media_type="text/event-stream", headers=STREAM)


def _render_tournament(make: Callable[..., _Made], tournament: tournament_pb2.Tournament) -> _Made:
    """Return what is made of a tournament with the values of its templates."""
    standings = tournament.standings
    names = [entrant.name for entrant in tournament.entrants]
    drawing = draw_standings(tournament)
    bracket = draw_bouts(tournament)
    has_places = len(parse_variant(tournament.variant).sides) > 2
    is_crossed = has_crosstable(tournament, most=_MOST_CROSSED)
    return make(
        tournament=tournament,
        standings=standings,
        columns=_describe_columns(tournament),
        has_places=has_places,
        places=compute_mean_places(standings) if has_places else {},
        more={
            row.name: describe_more(row.more_deals)
            for row in standings.rows
            if row.HasField("more_deals")
        },
        remarks=_list_remarks(tournament),
        seat_places=name_places(tournament) if standings.seat_bias.blocks else {},
        owners=_count_owners(standings),
        fault_owners=sorted({kind.owner for kind in standings.fault_kinds}),
        counted=describe_counted(tournament),
        unranked=describe_unranked(tournament),
        is_season=is_season(tournament),
        points={row.name: row.points for row in standings.swiss},
        chart=None if drawing is None else render_chart(drawing),
        bracket=None if bracket is None else render_chart(bracket),
        bouts=list_bouts(tournament),
        pools=list_pool_rows(standings.bracket.pools),
        entrants_to_compare=[row.name for row in standings.rows if not row.withdrawn],
        too_many=not is_crossed and has_crosstable(tournament, most=len(names)),
        entrants=[row for row in standings.rows if not row.withdrawn] if is_crossed else [],
        lead_steps=find_lead_steps(tournament) if is_crossed else {},
        cells={(cell.name, cell.opponent): cell for cell in standings.crosstable},
        forfeits=standings.fault_kinds[:_MOST_KINDS],
        is_over=tournament.HasField("end_time"),
        is_cancelled=tournament.state == tournament_pb2.TOURNAMENT_STATE_CANCELLED,
    )


def _describe_columns(tournament: tournament_pb2.Tournament) -> dict[str, str]:
    """Return what the columns of the page mean: it has some of those of the command line."""
    told = describe_standings(tournament)
    points = {"points": "its points of all rounds, byes among them, by which it is ranked"}
    return (points if tournament.standings.swiss else {}) | told


def _list_remarks(tournament: tournament_pb2.Tournament) -> list[str]:
    """Return what is said of the order and of seats below the standings."""
    remarks = [describe_contradictions(tournament.standings)]
    if tournament.HasField("until_separated") and tournament.standings.groups_counted:
        remarks.append(describe_separation(tournament))
    return [*filter(None, remarks), *describe_seats(tournament)]


def _count_owners(standings: tournament_pb2.Standings) -> dict[str, Counter[str]]:
    """Return the number of forfeits by bot and by whose fault they were."""
    counts: dict[str, Counter[str]] = {}
    for kind in standings.fault_kinds:
        own = counts.setdefault(kind.name, Counter())
        own[kind.owner] += kind.matches
    return dict(list(counts.items())[:_MOST_KINDS])
