"""Other processes that use the same store."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mazzo_server.storage import open_store
from server.stored import PATIENCE, add_version

__all__ = ["open_when_told", "other_process", "receive"]

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
