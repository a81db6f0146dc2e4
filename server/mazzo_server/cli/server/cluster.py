"""`mazzo cluster`: a Ray cluster on this machine to try it with, and a look at any."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import (
    Client,
    JsonOption,
    ServerOption,
    connect,
    execute,
    fail,
    fetch_all,
)
from mazzo_server.cli.shell.options import (
    RayAddressOption,
    check_ray_address,
    make_whole_parser,
)
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.cli.tournaments.following import get_tournament
from mazzo_server.cli.tournaments.node_table import describe_late_node
from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.model import WORKERS
from mazzo_server.results.commentary import clean
from mazzo_server.sandbox import read_required_names
from mazzo_server.settings import RAY_ADDRESS_VARIABLE, Settings, list_usable_processors

if TYPE_CHECKING:
    from mazzo_server.tournaments.executor.cluster import ClusterStatus

__all__ = ["app"]

_WATCH_SECONDS: Final = 2.0  # for which it is seen how fast decisions come
_PORT = 6379  # Ray's usual one
_CORES_OF_SLOT = 2  # a worker with quick bots keeps about so many busy

app = typer.Typer(no_args_is_help=True, help="Play on the machines of a Ray cluster.")


@app.command("up")
def up(
    slots: Annotated[
        int | None,
        typer.Option(
            "--slots",
            metavar="N",
            parser=make_whole_parser(1, WORKERS.most),
            help="Workers that it can have.",
            show_default="one for two cores",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", parser=make_whole_parser(1, 65535), help="The port of Ray."
        ),
    ] = _PORT,
) -> None:
    """Run a Ray cluster on this machine, to try one with, until Ctrl-C.

    Example: mazzo cluster up
    """
    # Only these two commands need it.
    from mazzo_server.tournaments.executor.cluster import make_token_file, run_cluster

    number = slots or max(1, len(list_usable_processors()) // _CORES_OF_SLOT)
    try:
        token = make_token_file(Settings.from_environment().ray_token)
        with run_cluster(token, port=port, slots=number) as process:
            console.print(
                f"A Ray cluster runs at 127.0.0.1:{port}, with {number} "
                f"slot{'s' if number > 1 else ''} for workers. In another terminal:\n\n"
                f"  export {RAY_ADDRESS_VARIABLE}=127.0.0.1:{port}\n"
                f"  export RAY_AUTH_TOKEN_PATH={token}\n"
                "  mazzo cluster status\n"
                "  mazzo tournament run briscola/2 --executor ray\n\n"
                "Ctrl-C here ends it.",
                soft_wrap=True,
            )
            process.wait()
            raise PlatformError("Ray has ended by itself")
    except PlatformError as error:
        fail(error)
    except KeyboardInterrupt:
        console.print("The cluster has ended.")


@app.command("status")
def status(
    ray_address: RayAddressOption = "", server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Show the machines of a cluster, what they bring and play, and which may play.

    Fails where a machine may not.

    Example: mazzo cluster status --ray-address 10.0.0.1:6379
    """
    found, plays = execute(_examine(ray_address, server))
    if as_json:
        nodes = [asdict(node) | asdict(plays[node.name]) for node in found.nodes]
        print_json({"nodes": nodes, "taken": found.taken})
    else:
        _tell(found, plays)
    if any(node.unfit for node in found.nodes):
        raise typer.Exit(1)


@dataclass(slots=True, kw_only=True)
class _NodePlay:
    """What a node has played of the tournaments that are being played."""

    tournaments: list[int] = field(default_factory=list)
    matches: int = 0
    decisions: int = 0
    current_speed: float = 0.0  # decisions a second
    late_decisions: int = 0
    forfeits: int = 0
    late_by_more_than_luck: bool = False


async def _examine(address: str, server: str) -> tuple[ClusterStatus, dict[str, _NodePlay]]:
    """Return what there is, and what each node plays, by its name."""
    from mazzo_server.tournaments.executor.cluster import examine_apart

    check_ray_address(address)
    required = read_required_names(Settings.from_environment().require)
    found = await examine_apart(address, required)
    async with connect(server) as client:
        before, begin = await _read_plays(client, found), monotonic()
        if not any(play.tournaments for play in before.values()):
            return found, before
        await asyncio.sleep(_WATCH_SECONDS)
        plays, seconds = await _read_plays(client, found), monotonic() - begin
    for name, play in plays.items():
        play.current_speed = max(play.decisions - before[name].decisions, 0) / seconds
    return found, plays


async def _read_plays(client: Client, found: ClusterStatus) -> dict[str, _NodePlay]:
    plays = {node.name: _NodePlay() for node in found.nodes}
    request = tournament_pb2.ListTournamentsRequest()
    for listed in await fetch_all(client.tournaments.ListTournaments, request, "tournaments"):
        if listed.state != tournament_pb2.TOURNAMENT_STATE_RUNNING:
            continue
        tournament = await get_tournament(client, listed.id)
        for share in tournament.nodes:
            if play := plays.get(share.name):
                play.tournaments.append(tournament.id)
                play.matches += share.matches
                play.decisions += share.decisions
                play.late_decisions += share.late_decisions
                play.forfeits += share.forfeits
                play.late_by_more_than_luck |= share.late_by_more_than_luck
    return plays


def _tell(found: ClusterStatus, plays: dict[str, _NodePlay]) -> None:
    columns = ("node", "slots", "cores", "rules/s", "plays", "decisions/s", "late", "forfeits")
    table = make_table(*columns, "may play", right=" rrr rrr")
    for node in found.nodes:
        facts, play = node.facts, plays[node.name]
        table.add_row(
            clean(node.name),
            f"{node.slots}",
            f"{facts.cores}" if facts else "?",
            f"{facts.decisions_per_second:,.0f}" if facts else "?",
            ", ".join(map(str, play.tournaments)) or "nothing",
            f"{play.current_speed:,.0f}",
            f"{play.late_decisions:,}",
            f"{play.forfeits:,}",
            "no" if node.unfit else "yes",
        )
    print_table(table)
    slots = sum(node.slots for node in found.nodes)
    console.print(f"Slots that have a worker now: {found.taken} of {slots}.")
    for node in found.nodes:
        if node.unfit:
            console.print(f"\n{clean(node.name)}: {clean(node.unfit)}", soft_wrap=True)
        if plays[node.name].late_by_more_than_luck:
            console.print(f"\n{describe_late_node(node.name)}", soft_wrap=True)
