"""The page of a bot: its versions, its ratings, whom it has met, its newest matches."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import ranking_pb2, replay_pb2
from mazzo_server.results.commentary import RANKING_COLUMNS, describe_active, find_entering_versions
from mazzo_server.serving.presenting import draw_bot_ratings
from mazzo_server.serving.web.rendering import is_allowed_to_act, read_author, render, render_chart
from mazzo_server.serving.web.replay_pages import list_rows
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.standing_pages import find_ladder_places, list_played_ladders
from mazzo_server.serving.web.visitors import get_services, prepare_form

__all__ = ["render_bot", "show_bot"]

_NEWEST = 10  # matches


async def show_bot(request: Request) -> Response:
    """Show one bot."""
    return await render_bot(request, request.path_params["name"])


async def render_bot(
    request: Request,
    name: str,
    *,
    form: Mapping[str, str] = MappingProxyType({}),
    problem: str = "",
    status: int = HTTPStatus.OK,
) -> Response:
    """Return the page of a bot, with what a visitor's form came to if it was refused."""
    services = get_services(request)
    shown = await services.get_bot(name)
    bot = shown.bot
    wanted = replay_pb2.FindMatchesRequest(bot=bot.name, page_size=_NEWEST)
    rankings, meetings, (matches, following) = await asyncio.gather(
        services.list_rankings(),
        _list_meetings(services, bot.name),
        services.find_matches(wanted),
    )
    standing = [
        (ranking, row)
        for ranking in rankings
        for row in ranking.rows
        if row.name == bot.name and row.newest
    ]
    variant = _choose_variant(request.query_params.get("variant", ""), standing)
    ratings = await services.list_ratings(variant, [bot.name]) if variant else ()
    drawing = draw_bot_ratings(bot.name, variant, ratings)
    is_own = shown.own and is_allowed_to_act(request)
    entering = find_entering_versions(bot)
    own_bots: Sequence[tuple[str, Sequence[str]]] = ()
    if is_allowed_to_act(request):
        prepare_form(request)
        author = read_author(request)
        own_bots = await request.app.state.known_bots.list_playing(services, author=author)
    ladders = await list_played_ladders(request)
    places = await find_ladder_places(request, [one for one in ladders if name in one.bots], name)
    return render(
        request,
        "bot.html",
        status=status,
        problem=problem,
        bot=bot,
        is_own=is_own,
        active=describe_active(bot),
        newest=bot.versions[-1],
        entering=entering,
        variants=_list_variants(entering, own_bots),
        own_bots=own_bots,
        ladder_places=places,
        own_ladders=[one for one in ladders if name in one.bots or one.variant in entering],
        form=form,
        versions=list(reversed(bot.versions)),
        standing=standing,
        variant=variant,
        chart=render_chart(drawing) if drawing else None,
        ratings=[(one.tournament, one.name, own) for one in ratings for own in one.ratings],
        meetings=meetings,
        columns={name: RANKING_COLUMNS[name] for name in ("rating", "W-D-L", "tournaments")},
        rows=list_rows(matches),
        has_more=bool(following),
    )


def _list_variants(
    entering: Mapping[str, int], own_bots: Sequence[tuple[str, Sequence[str]]]
) -> list[str]:
    """Return the variants that the bot plays, those that the visitor's own bots play first."""
    own = {game for _, games in own_bots for game in games}
    return sorted(entering, key=lambda one: not {one, one.partition("/")[0]} & own)


async def _list_meetings(services: Services, name: str) -> Sequence[ranking_pb2.VariantMeetings]:
    request = ranking_pb2.ListMeetingsRequest(bot=name)
    answer: ranking_pb2.ListMeetingsResponse = await services.ask(
        services.rankings.ListMeetings, request
    )
    return answer.variants


def _choose_variant(
    wanted: str, standing: Sequence[tuple[ranking_pb2.Ranking, ranking_pb2.RankingRow]]
) -> str:
    """Return the variant whose ratings are shown: the wanted one, or that of most groups."""
    groups = {ranking.variant: row.groups for ranking, row in standing}
    return wanted if wanted in groups else max(groups, key=lambda one: groups[one], default="")
