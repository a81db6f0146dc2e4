"""`mazzo auth`: gives access to the server, and takes it away."""

from __future__ import annotations

from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp
from rich.text import Text

from mazzo.v1 import auth_pb2
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute, fetch_all
from mazzo_server.cli.shell.options import make_amount_parser, make_word_option
from mazzo_server.cli.text.output import console, error_console, make_table, print_json, print_table
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json
from mazzo_server.settings import ACCESS_TOKEN_VARIABLE

__all__ = ["app"]

_MOST_DAYS = 36_500

app = typer.Typer(no_args_is_help=True, help="Give access to the server, and take it back.")


_ROLES = {
    "organiser": auth_pb2.TOKEN_ROLE_ORGANISER,
    "author": auth_pb2.TOKEN_ROLE_AUTHOR,
}


@app.command("create")
def create(
    role: Annotated[
        str,
        typer.Argument(**make_word_option(_ROLES), help="What the token is for."),
    ],
    name: Annotated[
        str,
        typer.Argument(metavar="[NAME]", help="The author's name, to whom the bots will belong."),
    ] = "",
    label: Annotated[
        str, typer.Option("--label", metavar="TEXT", help="What it is for, to tell tokens apart.")
    ] = "",
    expires: Annotated[
        float | None,
        typer.Option(
            "--expires",
            metavar="DAYS",
            parser=make_amount_parser("days", most=_MOST_DAYS),
            help="After so many days the server refuses it.",
            show_default="never",
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Make an access token and print it; it is not stored and cannot be shown again.

    Example: mazzo auth create author ann
    """

    async def work() -> auth_pb2.CreateTokenResponse:
        request = auth_pb2.CreateTokenRequest(
            role=_ROLES[role], subject=name, label=label, expire_days=expires
        )
        async with connect(server) as client:
            answer: auth_pb2.CreateTokenResponse = await client.auth.CreateToken(request)
        return answer

    made = execute(work())
    if as_json:
        print_json(to_json(made))
        return
    until = ""
    if made.token.HasField("expire_time"):
        until = f" The server takes it until {_format_time(made.token.expire_time)}."
    error_console.print(
        f"The token of {_describe_owner(made.token)}, shown this once: its bearer puts it into "
        f"{ACCESS_TOKEN_VARIABLE}. `mazzo auth revoke {made.token.id}` takes it back.{until}"
    )
    console.print(made.text, soft_wrap=True)


def _describe_owner(token: auth_pb2.AccessToken) -> str:
    role = str(to_json(token)["role"])
    return f"{role} {clean(token.subject)}" if token.subject else f"an {role}"


def _describe_state(token: auth_pb2.AccessToken) -> str:
    if token.revoked:
        return " (revoked)"
    return " (expired)" if token.expired else ""


def _format_time(time: Timestamp) -> str:
    return time.ToDatetime().strftime("%Y-%m-%d %H:%M UTC")


def _format_day(time: Timestamp) -> str:
    # A table with three times to the minute would be too wide for a terminal; the JSON has them.
    return time.ToDatetime().strftime("%Y-%m-%d")


@app.command("list")
def list_tokens(server: ServerOption = "", as_json: JsonOption = False) -> None:
    """List the access tokens, revoked ones too; what they are is shown, never their text.

    Example: mazzo auth list
    """

    async def work() -> list[auth_pb2.AccessToken]:
        async with connect(server) as client:
            return await fetch_all(client.auth.ListTokens, auth_pb2.ListTokensRequest(), "tokens")

    tokens = execute(work())
    if as_json:
        print_json([to_json(token) for token in tokens])
        return
    if not tokens:
        console.print("No tokens yet: make one with `mazzo auth create`.")
        return
    table = make_table("id", "role", "name", "made", "last used", "expires", "label")
    for token in tokens:
        table.add_row(
            token.id + _describe_state(token),
            str(to_json(token)["role"]),
            clean(token.subject),
            _format_day(token.create_time),
            _format_day(token.last_use_time) if token.HasField("last_use_time") else "never",
            _format_day(token.expire_time) if token.HasField("expire_time") else "never",
            Text(clean(token.label)),
        )
    print_table(table)


@app.command("revoke")
def revoke(
    token_id: Annotated[
        str, typer.Argument(metavar="ID", help="The token's id, as `mazzo auth list` shows it.")
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Make an access token worthless from now on, on running servers too.

    Example: mazzo auth revoke 3f2a
    """

    async def work() -> auth_pb2.AccessToken:
        async with connect(server) as client:
            answer = await client.auth.RevokeToken(auth_pb2.RevokeTokenRequest(id=token_id))
        token: auth_pb2.AccessToken = answer.token
        return token

    token = execute(work())
    if as_json:
        print_json(to_json(token))
    else:
        console.print(f"{token.id}, the token of {_describe_owner(token)}, is revoked.")
