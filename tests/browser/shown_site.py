"""A `mazzo web` while a test lasts."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from support.command import Home, kill

__all__ = ["find_free_port", "show_site"]


@contextmanager
def show_site(home: Home, *options: str, listen: str = "127.0.0.1:0") -> Iterator[str]:
    """Yield the address that it tells, without a slash at its end."""
    process = home.start("web", "--listen", listen, *options)
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert line.startswith("Open "), kill(process).err
        yield line.removeprefix("Open ").partition(" ")[0].rstrip("/")
    finally:
        kill(process)


def find_free_port() -> int:
    """Return the number of a port of this machine that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
