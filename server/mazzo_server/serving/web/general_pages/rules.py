"""The pages of the games: how each is played, with drawn examples."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.game import Game
from mazzo.games import GAMES
from mazzo_server.serving.web.general_pages.examples import draw_game
from mazzo_server.serving.web.general_pages.texts import list_sections
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.visitors import get_services

__all__ = ["show_game_rules", "show_rules"]

_CARDS: Final = "Cards"  # the section below which the order of the cards is drawn
_DEAL: Final = "A deal from beginning to end"


async def show_rules(request: Request) -> Response:
    """Show which games there are."""
    return render(request, "rules.html", games=[*GAMES.values()])


async def show_game_rules(request: Request) -> Response:
    """Show how a game is played."""
    game = GAMES.get(request.path_params["game"])
    if game is None:
        known = ", ".join(GAMES)
        raise HTTPException(HTTPStatus.NOT_FOUND, f"The games are {known}.")

    def find(name: str) -> str | None:
        return request.url_for("game", game=name).path if name in GAMES else None

    return render(
        request,
        "game.html",
        game=game,
        sections=list_sections(game.id, find),
        drawn=draw_game(game.id),
        cards=_CARDS,
        deal=_DEAL,
        rankings=await _list_rankings(request, game),
    )


async def _list_rankings(request: Request, game: Game) -> Sequence[str]:
    """Return the variants that have a ranking, as far as the visitor may know that."""
    try:
        rankings = await get_services(request).list_rankings(game.id)
    except (grpc.aio.AioRpcError, TimeoutError):  # the rules are for all, and always
        return []
    return [ranking.variant for ranking in rankings]
