"""What programs get of a tournament: its standings and its results as files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import grpc
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from mazzo.v1 import replay_pb2, tournament_pb2
from mazzo_server.results.tables import ResultRow, format_csv, make_result_rows, to_json
from mazzo_server.serving.web.rendering import list_file_headers
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors import get_services, read_number

__all__ = ["send_results", "send_standings_csv", "send_standings_json"]

_CSV: Final = "text/csv"
_BROKEN_OFF: Final = "broken off" + "," * len(ResultRow._fields) + "\n"  # one field too many
_COLUMNS: Final = tuple(tournament_pb2.StandingsRow.DESCRIPTOR.fields_by_name)


async def send_standings_csv(request: Request) -> Response:
    """Send the rows of the standings, as `mazzo tournament show --csv` prints them."""
    number = read_number(request.path_params["number"])
    tournament = await get_services(request).get_tournament(number)
    text = format_csv(_COLUMNS, [to_json(row) for row in tournament.standings.rows])
    headers = list_file_headers(f"tournament-{number}-standings.csv")
    return Response(text, media_type=_CSV, headers=headers)


async def send_standings_json(request: Request) -> Response:
    """Send the tournament with its standings, as `mazzo tournament show --json` prints it."""
    number = read_number(request.path_params["number"])
    services = get_services(request)
    tournament = await services.get_tournament(number)
    if not services.notes:  # nobody's own pages: the machines are the organiser's to know
        tournament.ClearField("nodes")
    headers = list_file_headers(f"tournament-{number}.json")
    text = json.dumps(to_json(tournament), indent=2) + "\n"
    return Response(text, media_type="application/json", headers=headers)


async def send_results(request: Request) -> Response:
    """Send the results of all matches that can be shown, as `mazzo results --csv` prints them.

    They may be very many: each page of them is sent before the next one is asked for. Where the
    platform gives no more, the file ends with a line that no table has, and the connection with it.
    """
    number = read_number(request.path_params["number"])
    services = get_services(request)
    wanted = replay_pb2.FindMatchesRequest(tournament=number)
    matches, following = await services.find_matches(wanted)
    if request.method == "HEAD":
        following = ""
    return _Download(
        _list_results(services, wanted, matches, following),
        media_type=_CSV,
        headers=list_file_headers(f"tournament-{number}-results.csv"),
    )


class _Download(StreamingResponse):
    """A file of which the client notices that it is not whole."""

    async def stream_response(self, send: Send) -> None:
        """Send it; after an error of the platform the server finds no end, and disconnects."""
        with suppress(grpc.aio.AioRpcError, TimeoutError):
            await super().stream_response(send)


async def _list_results(
    services: Services,
    wanted: replay_pb2.FindMatchesRequest,
    matches: Sequence[replay_pb2.FoundMatch],
    following: str,
) -> AsyncIterator[str]:
    """Yield the lines of these matches, and of all that follow them."""
    yield format_csv(ResultRow._fields, ())
    while True:
        rows = [row._asdict() for match in matches for row in make_result_rows(match)]
        yield format_csv(ResultRow._fields, rows, header=False)
        if not following:
            return
        wanted.page_token = following
        try:
            matches, following = await services.ask_patiently(
                partial(services.find_matches, wanted)
            )
        except (grpc.aio.AioRpcError, TimeoutError):
            yield _BROKEN_OFF  # a proxy may take the end of the connection for that of the file
            raise
