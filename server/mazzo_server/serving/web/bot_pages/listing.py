"""The list of bots."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.visitors import get_services

__all__ = ["show_bots"]


async def show_bots(request: Request) -> Response:
    """Show the bots by name, retired ones too."""
    place = request.query_params.get("from", "")
    bots, following = await get_services(request).list_bots(place)
    return render(request, "bots.html", bots=bots, following=following, place=place)
