"""Connects a command with the platform, and reports its errors to people."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypeVar

import grpc
import typer
from google.rpc import error_details_pb2, status_pb2

from mazzo.channel import explain_handshake_failure, is_this_machine, open_channel, parse_address
from mazzo.errors import AddressError, MazzoError
from mazzo.v1 import (
    auth_pb2_grpc,
    bot_pb2_grpc,
    challenge_pb2_grpc,
    entry_pb2_grpc,
    hook_pb2_grpc,
    ladder_pb2_grpc,
    ranking_pb2_grpc,
    replay_pb2_grpc,
    standings_pb2_grpc,
    tournament_pb2_grpc,
)
from mazzo_server.cli.shell.credentials import read_credentials
from mazzo_server.cli.shell.interrupts import handle_interrupts
from mazzo_server.cli.shell.option_group import SERVER_PANEL
from mazzo_server.cli.shell.retries import call_patiently, read_patiently
from mazzo_server.cli.text.output import error_console
from mazzo_server.errors import InvalidInputError, PlatformError, ServerUnavailableError
from mazzo_server.results.commentary import clean
from mazzo_server.settings import DEFAULT_ISOLATION, SERVER_VARIABLE, Settings

__all__ = [
    "INTERRUPTED",
    "Client",
    "CsvOption",
    "JsonOption",
    "ServerOption",
    "check_format",
    "connect",
    "execute",
    "fail",
    "fetch_all",
    "print_wait",
]

INTERRUPTED: Final = 130
"""The exit status of a command that Ctrl-C, SIGTERM or the end of its terminal ended."""
_USAGE, _FAILURE = 2, 1  # exit statuses
_MENDED_BY_CALLER = (
    "INVALID_INPUT",
    "BUNDLE_REFUSED",
    "NOT_FOUND",
    "UNAUTHENTICATED",
    "PERMISSION_DENIED",
)
_Value = TypeVar("_Value")
_Stub = TypeVar("_Stub")

ServerOption = Annotated[
    str,
    typer.Option(
        "--server",
        envvar=SERVER_VARIABLE,
        show_envvar=False,
        metavar="ADDRESS",
        help=f"HOST:PORT or unix:PATH of a server, as {SERVER_VARIABLE}. Without it the command "
        "works on the store under MAZZO_HOME.",
        rich_help_panel=SERVER_PANEL,
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print JSON for scripts.", rich_help_panel=SERVER_PANEL),
]
CsvOption = Annotated[
    bool,
    typer.Option(
        "--csv", help="Print the rows as CSV, for spreadsheets.", rich_help_panel=SERVER_PANEL
    ),
]


class _ServerError(PlatformError):
    """An error that the server reported, with its reason."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.server_reason = reason


@dataclass(frozen=True, slots=True)
class Client:
    """The platform's services."""

    address: str  # of the server, "" when embedded
    channel: grpc.aio.Channel
    token: str | None = field(repr=False)  # that every call shows
    bots: bot_pb2_grpc.BotServiceStub
    tournaments: tournament_pb2_grpc.TournamentServiceStub
    rankings: ranking_pb2_grpc.RankingServiceStub
    standings: standings_pb2_grpc.StandingsServiceStub
    replays: replay_pb2_grpc.ReplayServiceStub
    auth: auth_pb2_grpc.AuthServiceStub
    hooks: hook_pb2_grpc.HookServiceStub
    challenges: challenge_pb2_grpc.ChallengeServiceStub
    entries: entry_pb2_grpc.EntryServiceStub
    ladders: ladder_pb2_grpc.LadderServiceStub


@asynccontextmanager
async def connect(server: str, *, ray_address: str = "") -> AsyncIterator[Client]:
    """Yield the services of a server, or ("") of one that is embedded while the context lasts.

    At a port it shows the access token that was given. A Unix socket needs none. An embedded one
    can use the Ray cluster at that address.
    """

    @asynccontextmanager
    async def channel_to(
        address: str, *, ca: Path | None = None, token: str | None = None
    ) -> AsyncIterator[Client]:
        async with open_channel(address, ca) as channel:
            yield Client(
                server,
                channel,
                token,
                _attach_token(bot_pb2_grpc.BotServiceStub(channel), token),
                _attach_token(tournament_pb2_grpc.TournamentServiceStub(channel), token),
                _attach_token(ranking_pb2_grpc.RankingServiceStub(channel), token),
                _attach_token(standings_pb2_grpc.StandingsServiceStub(channel), token),
                _attach_token(replay_pb2_grpc.ReplayServiceStub(channel), token),
                _attach_token(auth_pb2_grpc.AuthServiceStub(channel), token),
                _attach_token(hook_pb2_grpc.HookServiceStub(channel), token),
                _attach_token(challenge_pb2_grpc.ChallengeServiceStub(channel), token),
                _attach_token(entry_pb2_grpc.EntryServiceStub(channel), token),
                _attach_token(ladder_pb2_grpc.LadderServiceStub(channel), token),
            )

    try:
        at_port = bool(server) and parse_address(server) is not None
    except AddressError as error:
        raise InvalidInputError(f"server: {error}") from error
    given = read_credentials()
    try:
        if at_port:
            async with channel_to(server, ca=given.ca, token=given.token()) as client:
                yield client
        elif server:
            async with channel_to(server) as client:
                yield client
        else:
            from mazzo_server.serving.grpc import open_embedded  # only this needs a server's code

            settings = replace(Settings.from_environment(), ray_address=ray_address)
            async with (
                open_embedded(settings, isolation=DEFAULT_ISOLATION) as address,
                channel_to(address) as client,
            ):
                yield client
    except grpc.aio.AioRpcError as error:
        raise _translate_error(error, server) from error


async def fetch_all(call: Callable[[Any], Awaitable[Any]], request: Any, field: str) -> list[Any]:
    """Return the values of that field from all pages of a paged method."""
    found: list[Any] = []
    while True:
        answer = await call(request)
        found += getattr(answer, field)
        request.page_token = answer.next_page_token
        if not request.page_token:
            return found


def print_wait(text: str) -> None:
    """Tell a person why a command waits."""
    error_console.print(text, soft_wrap=True)


def _attach_token(stub: _Stub, token: str | None) -> _Stub:
    """Return a stub whose calls show the token, and wait where the server asks for it.

    An upload is repeated by its command, which alone can send it again.
    """
    metadata = (("authorization", f"Bearer {token}"),) if token is not None else ()
    for name, call in list(vars(stub).items()):
        made: Callable[..., Any] = partial(call, metadata=metadata)
        if isinstance(call, grpc.aio.UnaryUnaryMultiCallable):
            made = partial(_call_again, call_patiently, made)
        elif isinstance(call, grpc.aio.UnaryStreamMultiCallable):
            made = partial(_call_again, read_patiently, made)
        setattr(stub, name, made)
    return stub


def _call_again(how: Callable[..., Any], call: Callable[[Any], Any], request: Any) -> Any:
    return how(lambda: call(request), print_wait)


def _translate_error(error: grpc.aio.AioRpcError, server: str) -> PlatformError:
    details = error.details() or "no reason given"
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            info = error_details_pb2.ErrorInfo()
            if status.details and status.details[0].Unpack(info):
                return _ServerError(status.message, info.reason)
    if error.code() is grpc.StatusCode.UNAVAILABLE and server:
        return ServerUnavailableError(_explain_unavailable(details, server))
    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
        return ServerUnavailableError(
            f"what answers at {server} is no Mazzo server of this version"
        )
    return PlatformError(f"{details} ({error.code().name})")


def _explain_unavailable(details: str, server: str) -> str:
    problem = explain_handshake_failure(details)
    if problem is not None:
        return f"cannot trust {server}: {problem}"
    place = parse_address(server)
    if place is not None and "DNS resolution failed" in details:
        return f"no host {place[0]} is known here: check the address, and this machine's network"
    if place is not None and is_this_machine(place[0]) and "Connection refused" not in details:
        return (
            f"{server} broke off: if it was started with --tls-cert, give its CA with --ca FILE; "
            "if you did, or if it has no TLS, try again in some seconds, for it lets only so many "
            "connections of one address begin at a time"
        )
    return (
        f"nobody answers at {server}: start a server with `mazzo serve`, or leave --server "
        f"and {SERVER_VARIABLE} out"
    )


def execute(work: Coroutine[Any, Any, _Value]) -> _Value:
    """Run a command's work; its errors end the process with a message and a status."""
    try:
        return asyncio.run(_run_until_interrupted(work))
    except MazzoError as error:
        # A call over TLS that a traceback still refers to holds up the exit for two seconds.
        error.__cause__ = error.__context__ = error.__traceback__ = None
        gc.collect()
        fail(error)
    except UnicodeEncodeError as error:
        fail(InvalidInputError(f"expected arguments in UTF-8, got {error.object!r}"))
    except (KeyboardInterrupt, asyncio.CancelledError):
        error_console.print("mazzo: interrupted")
        raise typer.Exit(INTERRUPTED) from None


async def _run_until_interrupted(work: Coroutine[Any, Any, _Value]) -> _Value:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    with handle_interrupts(lambda: loop.call_soon_threadsafe(task.cancel)):
        return await work


def check_format(*, as_json: bool, as_csv: bool) -> None:
    """Refuse a command line that asks for both formats."""
    if as_json and as_csv:
        fail(InvalidInputError("expected --json or --csv, got both"))


def fail(error: MazzoError) -> NoReturn:
    """Print an error for people, and raise the exit with its status."""
    error_console.print(f"mazzo: {clean(str(error), lines=True)}", soft_wrap=True)
    if isinstance(error, _ServerError):
        reason = error.server_reason
    else:  # the SDK's errors here are about a variant, a format or a seed that was given
        reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
    raise typer.Exit(_USAGE if reason in _MENDED_BY_CALLER else _FAILURE) from None
