"""Follows a running tournament on the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import grpc

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import Client
from mazzo_server.cli.text.output import error_console
from mazzo_server.cli.tournaments.screen import RunScreen, open_screen
from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError, ServerUnavailableError

__all__ = ["follow", "get_tournament", "play_tournament", "print_goes_on"]

_RETURN_SECONDS, _RETURN_PAUSE = 10.0, 0.5  # for a connection that broke
_RENEW_PAUSE = 50  # between two looks at the standings, times what a look takes, at least
_STOPPED = {
    tournament_pb2.TOURNAMENT_STATE_INTERRUPTED: "stopped",
    tournament_pb2.TOURNAMENT_STATE_PAUSED: "paused",
    tournament_pb2.TOURNAMENT_STATE_CANCELLED: "cancelled",
}


async def play_tournament(
    client: Client, start: tournament_pb2.StartTournamentRequest
) -> tournament_pb2.Tournament:
    """Play a tournament to its end with a progress bar, and return it with its standings."""
    number = start.id
    await client.tournaments.StartTournament(start)
    try:
        await follow(client, number)
        tournament = await get_tournament(client, number)
    except asyncio.CancelledError:
        if client.address:
            print_goes_on(client, number)
        else:
            error_console.print(
                f"Stopping; every finished match is kept. Go on with: "
                f"mazzo tournament resume {number}",
                soft_wrap=True,
            )
        raise
    except grpc.aio.AioRpcError as error:
        if client.address and error.code() is grpc.StatusCode.UNAVAILABLE:
            raise ServerUnavailableError(
                f"the server at {client.address} went away; every finished match is kept: when it "
                f"is back, follow with: mazzo tournament watch {number}, or, if it was "
                f"interrupted, go on with: mazzo tournament resume {number}"
            ) from error
        raise
    how = _STOPPED.get(tournament.state)
    if how is not None:
        advice = f", go on with: mazzo tournament resume {number}" if how != "cancelled" else ""
        raise PlatformError(
            f"tournament {number} was {how} after {tournament.matches_played} of "
            f"{tournament.matches_total} matches; every finished match is kept{advice}"
        )
    return tournament


def print_goes_on(client: Client, number: int) -> None:
    """Tell a person who stopped watching that the tournament continues."""
    error_console.print(f"Tournament {number} goes on at {client.address}.", soft_wrap=True)


async def follow(client: Client, number: int) -> None:
    """Show the progress until the run ends; raise `PlatformError` when it failed."""
    request = tournament_pb2.WatchTournamentRequest(id=number)
    with open_screen(number) as screen:
        looking = asyncio.create_task(_show_standings(client, number, screen))
        try:
            async for report in _watch(client, request):
                screen.show_progress(report)
                if report.failure:
                    raise PlatformError(
                        f"tournament {number} stopped after {report.matches_played} of "
                        f"{report.matches_total} matches: {report.failure}; every finished match "
                        f"is kept, go on with: mazzo tournament resume {number}"
                    )
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking


async def _show_standings(client: Client, number: int, screen: RunScreen) -> None:
    """Show the standings again and again, in a small part of the time."""
    pause = screen.renew_seconds
    while True:
        await asyncio.sleep(pause)
        begin = monotonic()
        with suppress(grpc.aio.AioRpcError):  # the stream of reports ends with the same error
            standing = await get_tournament(client, number, max_age=screen.renew_seconds)
            screen.show_standings(standing)
        pause = max(screen.renew_seconds, _RENEW_PAUSE * (monotonic() - begin))


async def _watch(
    client: Client, request: tournament_pb2.WatchTournamentRequest
) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
    """Yield the reports; ask again where the connection broke while the server is still there."""
    end: float | None = None
    while True:
        try:
            async for report in client.tournaments.WatchTournament(request):
                end = None
                yield report
        except grpc.aio.AioRpcError as error:
            is_lost = error.code() is grpc.StatusCode.UNAVAILABLE and client.address
            if not is_lost or "failed to connect" in (error.details() or ""):
                raise
            end = end or monotonic() + _RETURN_SECONDS
            if monotonic() > end:
                raise
            await asyncio.sleep(_RETURN_PAUSE)
        else:
            return


async def get_tournament(
    client: Client, number: int, *, max_age: float = 0.0
) -> tournament_pb2.Tournament:
    """Return a tournament with its standings, which may be `max_age` seconds old."""
    request = tournament_pb2.GetTournamentRequest(id=number, max_age_seconds=max_age)
    answer: tournament_pb2.GetTournamentResponse = await client.tournaments.GetTournament(request)
    return answer.tournament
