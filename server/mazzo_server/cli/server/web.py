"""`mazzo web`: shows tournaments and rankings in a browser."""

from __future__ import annotations

import os
import socket
from typing import Annotated, Final

import typer

from mazzo.channel import is_this_machine, parse_address
from mazzo.errors import AddressError
from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import ServerOption, connect, execute
from mazzo_server.cli.text.output import console
from mazzo_server.errors import InvalidInputError, PlatformError

__all__ = ["web"]

_ADDRESS: Final = "127.0.0.1:8080"


def web(
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            metavar="HOST:PORT",
            help="An address that this machine alone reaches; port 0 picks a free one.",
        ),
    ] = _ADDRESS,
    server: ServerOption = "",
) -> None:
    """Show tournaments and rankings in a browser, until Ctrl-C.

    The pages are for this machine alone, as they show what this command may see.

    Example: mazzo web
    """

    async def work() -> None:
        try:
            from mazzo_server.serving.web import LOOPBACK_HOSTS, Services, make_app, serve_pages
        except ModuleNotFoundError as error:
            raise PlatformError(
                f"expected the packages of the pages, got no {error.name}: pip install 'mazzo[web]'"
            ) from error
        with _open_socket(listen) as opened:
            async with connect(server) as client:
                # Fail before the address is printed if the platform does not answer.
                await client.tournaments.ListTournaments(
                    tournament_pb2.ListTournamentsRequest(page_size=1)
                )
                host, port = opened.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                app = make_app(
                    Services(
                        tournaments=client.tournaments,
                        bots=client.bots,
                        rankings=client.rankings,
                        replays=client.replays,
                    ),
                    hosts=(*LOOPBACK_HOSTS, host),
                )
                console.print(
                    f"Open http://{shown}:{port}/ in a browser; Ctrl-C ends it.", soft_wrap=True
                )
                await serve_pages(app, opened)

    execute(work())


def _open_socket(address: str) -> socket.socket:
    """Return a socket that listens there.

    Raises `InvalidInputError` for an address that others reach, and `PlatformError` for one that
    is taken.
    """
    try:
        place = parse_address(address)
    except AddressError as error:
        raise InvalidInputError(f"--listen: {error}") from error
    if place is None or not is_this_machine(place[0]):
        raise InvalidInputError(
            f"--listen: expected an address that this machine alone reaches, such as {_ADDRESS}, "
            f"got {address!r}"
        )
    host, port = place[0].strip("[]"), place[1]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise PlatformError(f"cannot listen at {address}: {why}") from error
