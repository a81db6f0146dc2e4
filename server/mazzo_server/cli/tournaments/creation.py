"""`mazzo tournament plan` and `create`: play nothing yet."""

from __future__ import annotations

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import (
    ExecutorOption,
    NodesAlikeOption,
    RayAddressOption,
    check_ray_options,
)
from mazzo_server.cli.shell.tournament_options import make_request
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.cli.tournaments.planning import print_plan, print_unqualified
from mazzo_server.results.tables import to_json

__all__ = ["create", "plan"]


def plan(
    context: typer.Context,
    executor: ExecutorOption = None,
    ray_address: RayAddressOption = "",
    nodes_alike: NodesAlikeOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show what a tournament would play, and how long that would take; nothing is stored.

    Example: mazzo tournament plan briscola/2 --deals 1000
    """

    async def work() -> tournament_pb2.PlanTournamentResponse:
        request = tournament_pb2.PlanTournamentRequest(
            tournament=make_request(context), executor=executor or "", nodes_alike=nodes_alike
        )
        check_ray_options(executor, ray_address, server=server)
        async with connect(server, ray_address=ray_address) as client:
            answer: tournament_pb2.PlanTournamentResponse = await client.tournaments.PlanTournament(
                request
            )
            return answer

    planned = execute(work())
    print_unqualified(planned.unqualified)
    if as_json:
        print_json(to_json(planned))
    else:
        print_plan(planned)


def create(context: typer.Context, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Store a tournament, with the active versions of its bots, to be played later.

    Example: mazzo tournament create briscola/2 --bots ann,bob --deals 1000
    """

    async def work() -> tournament_pb2.Tournament:
        request = make_request(context)
        async with connect(server) as client:
            answer: tournament_pb2.CreateTournamentResponse = (
                await client.tournaments.CreateTournament(request)
            )
            print_unqualified(answer.unqualified)
            return answer.tournament

    created = execute(work())
    if as_json:
        print_json(to_json(created))
        return
    console.print(
        f"Tournament {created.id} is created: {created.matches_total:,} matches of "
        f"{created.variant}. Play it with: mazzo tournament start {created.id}",
        soft_wrap=True,
    )
