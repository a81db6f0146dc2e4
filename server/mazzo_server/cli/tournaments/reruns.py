"""`mazzo tournament rerun`: plays a match again, to compare."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
)
from mazzo_server.cli.shell.match_id import MatchId
from mazzo_server.cli.shell.options import IdArgument
from mazzo_server.cli.text.output import (
    print_json,
    to_json,
)
from mazzo_server.cli.tournaments.planning import print_rerun
from mazzo_server.errors import InvalidInputError

__all__ = ["rerun"]


def rerun(
    id: IdArgument,
    match: Annotated[
        str,
        typer.Option(
            "--match", metavar="GROUP/SEATING", help="Which one; see `mazzo replay list ID`."
        ),
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a match again from its seed and compare; status 1 where the bots did otherwise.

    Nothing is stored. Bots that answer by the view and their seed do the same again.
    """

    async def work() -> tournament_pb2.RerunMatchResponse:
        which = _parse_match(id, match)
        request = tournament_pb2.RerunMatchRequest(id=id, group=which.group, seating=which.seating)
        async with connect(server) as client:
            answer: tournament_pb2.RerunMatchResponse = await client.tournaments.RerunMatch(request)
            return answer

    answer = execute(work())
    if as_json:
        print_json(to_json(answer))
    else:
        print_rerun(match, answer)
    if not answer.identical:
        raise typer.Exit(1)


def _parse_match(id: int, text: str) -> MatchId:
    """Parse GROUP/SEATING, or ID/GROUP/SEATING as in `mazzo replay`."""
    try:
        match = MatchId.parse(text if text.count("/") > 1 else f"{id}/{text}")
    except InvalidInputError:
        raise InvalidInputError(
            f"--match: expected GROUP/SEATING, such as 17/0, got {text!r}"
        ) from None
    if match.tournament != id:
        raise InvalidInputError(f"--match: expected a match of tournament {id}, got {text!r}")
    return match
