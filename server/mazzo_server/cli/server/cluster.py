"""`mazzo cluster`: a Ray cluster on this machine to try it with, and a look at any."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from mazzo_server.cli.shell.connection import JsonOption, execute, fail
from mazzo_server.cli.shell.options import RayAddressOption, make_whole_parser
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.results.commentary import clean
from mazzo_server.sandbox import read_required_names
from mazzo_server.settings import RAY_ADDRESS_VARIABLE, Settings, list_usable_processors
from mazzo_server.tournaments.executor.cluster import (
    ClusterStatus,
    examine_cluster,
    make_token_file,
    run_cluster,
)

__all__ = ["app"]

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
            parser=make_whole_parser(1, 256),
            help="Workers that it can have.",
            show_default="one for two cores",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", parser=make_whole_parser(1, 65535), help="Of Ray."),
    ] = _PORT,
) -> None:
    """Run a Ray cluster on this machine, to try one with, until Ctrl-C."""
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
def status(ray_address: RayAddressOption = "", as_json: JsonOption = False) -> None:
    """Show the machines of a cluster, what they bring, and which may play.

    Fails where a machine may not.
    """
    found = execute(_examine(ray_address))
    if as_json:
        print_json(asdict(found))
    else:
        _tell(found)
    if any(node.unfit for node in found.nodes):
        raise typer.Exit(1)


async def _examine(address: str) -> ClusterStatus:
    if not address:
        raise InvalidInputError(
            "expected the address of a Ray cluster: give it with --ray-address HOST:PORT, or in "
            f"{RAY_ADDRESS_VARIABLE}"
        )
    required = read_required_names(Settings.from_environment().require)
    return await asyncio.to_thread(examine_cluster, address, required)


def _tell(found: ClusterStatus) -> None:
    table = make_table("node", "slots", "cores", "decisions/s", "may play", right="slots cores")
    for node in found.nodes:
        facts = node.facts
        table.add_row(
            clean(facts.name if facts else node.node[:8]),
            f"{node.slots}",
            f"{facts.cores}" if facts else "?",
            f"{facts.decisions_per_second:,.0f}" if facts else "?",
            "no" if node.unfit else "yes",
        )
    print_table(table)
    slots = sum(node.slots for node in found.nodes)
    console.print(f"{found.taken} of {slots} slots have a worker now.")
    for node in found.nodes:
        if node.unfit:
            console.print(f"\n{clean(node.node[:8])}: {clean(node.unfit)}", soft_wrap=True)
