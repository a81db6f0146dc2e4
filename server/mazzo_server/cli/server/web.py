"""`mazzo web`: the pages."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from mazzo.channel import is_this_machine, parse_address
from mazzo.errors import AddressError
from mazzo.v1 import auth_pb2
from mazzo_server.cli.shell.connection import ServerOption, connect, execute
from mazzo_server.cli.shell.credentials import PlatformGroup
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.shell.retries import call_patiently
from mazzo_server.cli.text.output import console, make_counter
from mazzo_server.errors import InvalidInputError, PlatformError

__all__ = ["app"]

_ADDRESS: Final = "127.0.0.1:8080"
_REPLAYS: Final = 200


app = typer.Typer(cls=PlatformGroup)


@app.callback(invoke_without_command=True)
def web(
    context: typer.Context,
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            metavar="HOST:PORT",
            help="Without --url an address that this machine alone reaches; port 0 picks a free "
            "one.",
        ),
    ] = _ADDRESS,
    url: Annotated[
        str,
        typer.Option(
            "--url",
            metavar="URL",
            help="The address by which visitors come, such as https://club.example/mazzo. They see "
            "what the server shows to everybody, and more with an access token of their own.",
            show_default=False,
        ),
    ] = "",
    tls_cert: Annotated[
        Path | None,
        typer.Option("--tls-cert", metavar="FILE", help="Certificate chain of the port, in PEM."),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="Its private key, in PEM.")
    ] = None,
    server: ServerOption = "",
) -> None:
    """Show bots, tournaments, matches and rankings in a browser, until Ctrl-C.

    Without --url the pages are for this machine alone, as they show what this
    command may see.

    Example: mazzo web
    """
    if context.invoked_subcommand is not None:
        _check_no_option(context)
        return

    async def work() -> None:
        with _explain_missing_packages():
            from mazzo_server.serving.web import Services, Site, make_app, serve_pages
        from mazzo_server.home import open_expert

        if (tls_cert is None) is not (tls_key is None):
            raise InvalidInputError("expected --tls-cert and --tls-key together, got one of them")
        site = Site.parse(url) if url else None
        with _open_socket(listen, for_all=site is not None) as opened:
            async with connect(server) as client, open_expert() as expert:
                if site is not None:
                    _check_shared(server, client.token)
                services = Services.from_channel(
                    client.channel, token=client.token or "", ask_patiently=call_patiently
                )
                host, port = opened.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                scheme = "https" if tls_cert else "http"
                if site is None:
                    # Fail before the address is printed if the platform does not answer.
                    caller = await client.auth.GetCaller(auth_pb2.GetCallerRequest())
                    site = Site.on_this_machine(host, caller.role)
                site = replace(site, port=port)
                place = url or f"{scheme}://{shown}:{port}/"
                console.print(f"Open {place} in a browser; Ctrl-C ends it.", soft_wrap=True)
                app = make_app(services, site, adviser=expert)
                await serve_pages(app, opened, certificate=tls_cert, key=tls_key)

    execute(work())


def _check_no_option(context: typer.Context) -> None:
    """Refuse an option before a command, of which it would know nothing."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"expected {parameter.opts[0]} behind `{context.invoked_subcommand}`"
            )


@app.command("export")
def export(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="A new or empty folder, or one that was written like this."
        ),
    ],
    replays: Annotated[
        int,
        typer.Option(
            "--replays",
            metavar="N",
            parser=make_whole_parser(0),
            help="How many matches to write, the newest ones.",
        ),
    ] = _REPLAYS,
    server: ServerOption = "",
) -> None:
    """Write the pages as files, which need no server and can be copied anywhere.

    They show what everybody may see.

    Example: mazzo web export results
    """

    async def work() -> int:
        with _explain_missing_packages():
            from mazzo_server.serving.publishing import export_pages
            from mazzo_server.serving.web import Services, Site, make_app
        async with connect(server) as client:
            services = Services.from_channel(client.channel, token=client.token or "", notes=False)
            with make_counter() as counter:
                task = counter.add_task("pages", total=None)
                advance = partial(counter.advance, task)
                return await export_pages(
                    make_app(services, Site(has_forms=False)),
                    folder,
                    replays=replays,
                    on_page=advance,
                )

    count = execute(work())
    console.print(f"{count:,} pages in {folder}: open {folder / 'index.html'}", soft_wrap=True)


@contextmanager
def _explain_missing_packages() -> Iterator[None]:
    """Raise `PlatformError` where the extra for pages is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise PlatformError(
            f"expected the packages of the pages, got no {error.name}: pip install 'mazzo[web]'"
        ) from error


def _check_shared(server: str, token: str | None) -> None:
    """Raise `InvalidInputError` where visitors would get the rights of this command."""
    if not server or parse_address(server) is None:
        raise InvalidInputError(
            "--url: expected --server HOST:PORT of a server that was started with --public, or "
            "where visitors have tokens: without it, or at a Unix socket, all would be organisers"
        )
    if token is not None:
        raise InvalidInputError(
            "--url: expected no access token for this command, since all visitors would have its "
            "rights, got one: see `mazzo web --help`"
        )


def _open_socket(address: str, *, for_all: bool) -> socket.socket:
    """Return a socket that listens there.

    Raises `InvalidInputError` for an address that others reach unless it is for them, and
    `PlatformError` for one that is taken.
    """
    try:
        place = parse_address(address)
    except AddressError as error:
        raise InvalidInputError(f"--listen: {error}") from error
    if place is None or not (for_all or is_this_machine(place[0])):
        raise InvalidInputError(
            f"--listen: expected an address that this machine alone reaches, such as {_ADDRESS}, "
            f"or --url beside it, got {address!r}"
        )
    host, port = place[0].strip("[]"), place[1]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = error.strerror or str(error)
        raise PlatformError(f"cannot listen at {address}: {why}") from error
