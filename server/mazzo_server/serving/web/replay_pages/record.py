"""The record of a match as a file, which anyone can check."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from mazzo_server.serving.web.rendering import list_file_headers
from mazzo_server.serving.web.replay_pages.ways import read_match
from mazzo_server.serving.web.visitors import get_services

__all__ = ["send_record"]


async def send_record(request: Request) -> Response:
    """Send what `mazzo replay export` writes: without notes of bots, for it may be passed on."""
    match = read_match(request, request.path_params["seating"])
    text = await replace(get_services(request), notes=False).read_record(match)
    name = f"match-{match.tournament}-{match.group}-{match.seating}.jsonl"
    return Response(text, media_type="application/jsonl", headers=list_file_headers(name))
