"""`mazzo tournament rerun`: plays a match again, to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.completion.platform import complete_match_of_tournament
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import IdArgument
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["rerun"]


def rerun(
    id: IdArgument,
    match: Annotated[
        str,
        typer.Option(
            "--match",
            metavar="GROUP/SEATING",
            autocompletion=complete_match_of_tournament,
            help="Which one; see `mazzo matches`.",
        ),
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a match again from its seed and compare; status 1 where the bots did otherwise.

    Nothing is stored. Bots that answer by the view and their seed do the same again.

    Example: mazzo tournament rerun 3 --match 17/0
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
        _print_rerun(match, answer)
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


def _print_rerun(match: str, rerun: tournament_pb2.RerunMatchResponse) -> None:
    """Say whether a match came out as before."""
    if rerun.identical:
        console.print(
            f"Match {match} came out the same, action by action: "
            f"{_format_scores(rerun.entrants, rerun.stored_scores)}."
        )
        return
    console.print(Text(f"Match {match} came out differently.", style="bold red"))
    if rerun.HasField("difference"):
        difference = rerun.difference
        who = ""
        if difference.HasField("seat"):
            who = f"seat {difference.seat} ({rerun.entrants[difference.seat]}) "
        console.print(
            f"First at deal {difference.deal + 1}, action {difference.step + 1}: {who}played "
            f"{difference.stored or 'nothing'} then, {difference.played or 'nothing'} now."
        )
    console.print(f"then: {_format_scores(rerun.entrants, rerun.stored_scores)}")
    console.print(f"now:  {_format_scores(rerun.entrants, rerun.played_scores)}")
    for when, faults in (("then", rerun.stored_faults), ("now", rerun.played_faults)):
        for fault in faults:
            console.print(f"{when}: {fault.name} forfeited, {fault.termination}: ", end="")
            console.print(clean(fault.reason), soft_wrap=True)


def _format_scores(entrants: Sequence[str], scores: Sequence[str]) -> str:
    pairs = zip(entrants, scores, strict=True)
    return ", ".join(f"{name} {score}" for name, score in pairs)
