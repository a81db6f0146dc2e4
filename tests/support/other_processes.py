"""Other processes that use the same store."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mazzo_server.storage import OutcomeWriter, Store, open_store
from support.stored_rows import PATIENCE, add_version, outcome

__all__ = [
    "children",
    "command_of",
    "open_when_told",
    "other_process",
    "receive",
    "write_until_killed",
]

SPAWN = multiprocessing.get_context("spawn")


def open_when_told(place: Path | str, wire: Connection) -> None:
    """In another process: say ready, wait, open the store, submit, say how it went."""
    wire.send("ready")
    wire.recv()
    try:
        with closing(open_store(place)) as store:
            wire.send(add_version(store, "ann"))
    except Exception as error:
        wire.send(repr(error))


def write_until_killed(place: Path | str, tournament: int, wire: Connection) -> None:
    """In another process: put matches from several tasks, and tell each that was confirmed."""

    async def play(writer: OutcomeWriter, seating: int) -> None:
        for group in itertools.count():
            await writer.put(outcome(group, seating, deals=3))
            wire.send((group, seating))

    async def main(store: Store) -> None:
        writer = OutcomeWriter(store, tournament, delay=0.001)
        await asyncio.gather(*(play(writer, seating) for seating in range(8)))

    with closing(open_store(place)) as store:
        asyncio.run(main(store))


@contextmanager
def other_process(target: Callable[..., None], *args: object) -> Iterator[Connection]:
    """Run `target(*args, wire)` in a process of its own, and kill it in the end."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=target, args=(*args, there))
    process.start()
    there.close()
    try:
        yield here
    finally:
        process.kill()
        process.join(PATIENCE)
        process.close()
        here.close()


def receive(wire: Connection) -> Any:
    """The next message, within our patience."""
    assert wire.poll(PATIENCE), "expected a message from the other process"
    return wire.recv()


def children(pid: int) -> list[int]:
    """The processes that a process has started and that are still there."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [number for number in numbers if _status(number).get("PPid") == str(pid)]


def command_of(pid: int) -> list[str]:
    """The command line of a process; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").rstrip("\0").split("\0")
    except OSError:
        return []


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:  # it ended meanwhile
        return {}
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
