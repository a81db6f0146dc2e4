"""`mazzo doctor`: tells what this machine protects from bots."""

from __future__ import annotations

from dataclasses import asdict

import typer

from mazzo_server.cli.shell.connection import JsonOption, execute, fail
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import BotLimits, read_bot_limits
from mazzo_server.results.commentary import clean
from mazzo_server.sandbox import PROTECTIONS, examine, read_required_names
from mazzo_server.settings import Settings

__all__ = ["doctor"]


def doctor(as_json: JsonOption = False) -> None:
    """Try which protections from hostile bots this machine gives, and say what to do.

    Fails where one is missing that MAZZO_REQUIRE names.

    Example: mazzo doctor
    """
    try:
        settings = Settings.from_environment()
        required = read_required_names(settings.require)
        limits = read_bot_limits(settings.limits)
    except InvalidInputError as error:
        fail(error)
    lacking = execute(examine())
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "given": name not in lacking,
                    "required": name in required,
                    "protects": not item.ability,
                    "meaning": item.meaning,
                    "finding": lacking.get(name),
                    "remedy": item.remedy if name in lacking else None,
                    "limits": asdict(limits) if name == "limits" else None,
                }
                for name, item in PROTECTIONS.items()
            ]
        )
    else:
        _tell(lacking, required)
        _tell_limits(limits)
    if required & lacking.keys():
        raise typer.Exit(1)


def _tell_limits(limits: BotLimits) -> None:
    console.print()
    console.print(
        f"With the protection limits, an instance of a bot has {limits.memory_mib:,} MiB of "
        f"memory, {limits.processes:,} processes and threads, and {limits.disk_mib:,} MiB for "
        f"files in /tmp. A bot may have {limits.bundle_mib:,} MiB packed and "
        f"{limits.unpacked_mib:,} MiB unpacked. MAZZO_LIMITS sets them: "
        f"MAZZO_LIMITS={limits}",
        soft_wrap=True,
    )


def _tell(lacking: dict[str, str], required: frozenset[str]) -> None:
    table = make_table("protection", "given", "what it means")
    for name, item in PROTECTIONS.items():
        answer = "yes" if name not in lacking else "no, required" if name in required else "no"
        table.add_row(name, answer, item.meaning)
    print_table(table)
    for name, finding in lacking.items():
        console.print()
        console.print(f"{name}: {clean(finding, lines=True)}", soft_wrap=True)
        console.print(f"  What to do: {PROTECTIONS[name].remedy}.", soft_wrap=True)
