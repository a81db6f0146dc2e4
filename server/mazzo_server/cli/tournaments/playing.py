"""`mazzo tournament run`, `start`, `resume`, `pause` and `cancel`."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import (
    Client,
    JsonOption,
    ServerOption,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import (
    ExecutorOption,
    IdArgument,
    NodesAlikeOption,
    RayAddressOption,
    WorkersOption,
    check_ray_options,
    make_tournament_option,
)
from mazzo_server.cli.shell.tournament_options import make_request
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.cli.tournaments.following import follow, get_tournament, play_tournament
from mazzo_server.cli.tournaments.planning import print_unqualified
from mazzo_server.cli.tournaments.standings import name_state, print_or_json
from mazzo_server.errors import InvalidInputError
from mazzo_server.results.tables import to_json

__all__ = ["cancel", "pause", "resume", "run", "start"]

ConcurrencyOption = Annotated[
    int | None, make_tournament_option("concurrency", usual="as it was created")
]


DetachOption = Annotated[
    bool,
    typer.Option("--detach", help="Let the server play it, and do not wait for the end."),
]


def run(
    context: typer.Context,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ray_address: RayAddressOption = "",
    nodes_alike: NodesAlikeOption = False,
    detach: DetachOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a tournament and print its standings. Ctrl-C stops it; `resume` goes on.

    Example: mazzo tournament run briscola/2 --deals 1000
    """

    async def work() -> tournament_pb2.Tournament:
        request = make_request(context)
        check_ray_options(executor, ray_address, server=server)
        async with connect(server, ray_address=ray_address) as client:
            _check_detach(detach, server)
            if nodes_alike:  # a plan refuses nodes that differ, before anything is stored
                plan = tournament_pb2.PlanTournamentRequest(
                    tournament=request, executor=executor or "", nodes_alike=True
                )
                await client.tournaments.PlanTournament(plan)
            answer = await client.tournaments.CreateTournament(request)
            print_unqualified(answer.unqualified)
            created = answer.tournament
            start = tournament_pb2.StartTournamentRequest(
                id=created.id,
                concurrency=request.concurrency,
                workers=workers or 0,
                executor=executor or "",
                nodes_alike=nodes_alike,
            )
            return await _start(client, start, detach)

    _print_played(execute(work()), detach, as_json)


def start(
    id: IdArgument,
    concurrency: ConcurrencyOption = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ray_address: RayAddressOption = "",
    nodes_alike: NodesAlikeOption = False,
    detach: DetachOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a tournament that was created, and print its standings.

    Example: mazzo tournament start 3
    """
    start = tournament_pb2.StartTournamentRequest(
        id=id,
        concurrency=concurrency or 0,
        workers=workers or 0,
        executor=executor or "",
        nodes_alike=nodes_alike,
    )
    _continue(start, detach, server, ray_address, as_json)


def resume(
    id: IdArgument,
    concurrency: ConcurrencyOption = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ray_address: RayAddressOption = "",
    nodes_alike: NodesAlikeOption = False,
    detach: DetachOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Go on with a tournament that was paused, stopped or killed, from where it stands.

    Example: mazzo tournament resume 3
    """
    start = tournament_pb2.StartTournamentRequest(
        id=id,
        concurrency=concurrency or 0,
        workers=workers or 0,
        executor=executor or "",
        nodes_alike=nodes_alike,
    )
    _continue(start, detach, server, ray_address, as_json)


def _continue(
    start: tournament_pb2.StartTournamentRequest,
    detach: bool,
    server: str,
    ray_address: str,
    as_json: bool,
) -> None:
    async def work() -> tournament_pb2.Tournament:
        check_ray_options(start.executor, ray_address, server=server)
        async with connect(server, ray_address=ray_address) as client:
            _check_detach(detach, server)
            return await _start(client, start, detach)

    _print_played(execute(work()), detach, as_json)


def _check_detach(detach: bool, server: str) -> None:
    if detach and not server:
        raise InvalidInputError(
            "--detach: expected a server that goes on without this command (--server): start one "
            "with `mazzo serve`"
        )


async def _start(
    client: Client, start: tournament_pb2.StartTournamentRequest, detach: bool
) -> tournament_pb2.Tournament:
    if not detach:
        return await play_tournament(client, start)
    await client.tournaments.StartTournament(start)
    return await get_tournament(client, start.id)


def _print_played(tournament: tournament_pb2.Tournament, detach: bool, as_json: bool) -> None:
    if detach and not as_json:
        console.print(
            f"Tournament {tournament.id} is played by the server. Look at it with: "
            f"mazzo tournament watch {tournament.id}",
            soft_wrap=True,
        )
        return
    print_or_json(tournament, as_json)


def pause(id: IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Stop a tournament after its current matches; `resume` goes on.

    Example: mazzo tournament pause 3
    """

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            await client.tournaments.StopTournament(tournament_pb2.StopTournamentRequest(id=id))
            await follow(client, id)
            return await get_tournament(client, id)

    _print_state(execute(work()), as_json)


def cancel(id: IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Stop a tournament for good. What is finished can be seen, and enters no ranking.

    Example: mazzo tournament cancel 3
    """

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            await client.tournaments.CancelTournament(tournament_pb2.CancelTournamentRequest(id=id))
            await follow(client, id)
            return await get_tournament(client, id)

    _print_state(execute(work()), as_json)


def _print_state(tournament: tournament_pb2.Tournament, as_json: bool) -> None:
    if as_json:
        print_json(to_json(tournament))
        return
    state = name_state(tournament.state)
    go_on = f" Go on with: mazzo tournament resume {tournament.id}" if state == "paused" else ""
    if state == "cancelled" and tournament.standings.groups_counted:
        go_on = f" Its unfinished standings: mazzo tournament show {tournament.id}"
    console.print(
        f"Tournament {tournament.id} is {state}, after {tournament.matches_played:,} of "
        f"{tournament.matches_total:,} matches.{go_on}",
        soft_wrap=True,
    )
