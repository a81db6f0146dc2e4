"""A relay: the actor of Ray that holds one worker, and carries its bytes."""

from __future__ import annotations

import asyncio
import select
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from mazzo_server.clock import monotonic
from mazzo_server.sandbox import ScratchFolder, clear_dead_folders
from mazzo_server.tournaments.executor.cluster.folders import unpack_folder
from mazzo_server.tournaments.executor.cluster.messages import NodeFacts
from mazzo_server.tournaments.executor.cluster.node import examine_node
from mazzo_server.tournaments.executor.worker import make_command

__all__ = ["Relay"]

_SILENCE: Final = 2.0  # seconds after which an empty answer says that the relay lives
_GATHERING: Final = 0.05  # seconds without more bytes, after which those that came go on
_MOST_GATHERING: Final = 0.2  # seconds after which they go on anyway
_MOST_BYTES: Final = 90_000  # of an answer: Ray keeps larger ones in its object store


class Relay:
    """Owns a worker, which ends with it: the socket between them closes, and that is its end.

    Ray calls `read` in one thread, and all other methods in another, in the order of the calls. The
    worker has an event loop of its own, in its own process; none of ours runs in Ray's.
    """

    def __init__(self, level: int) -> None:
        """Start the worker, which logs from that level on."""
        clear_dead_folders()
        self._folder = ScratchFolder()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (our own program)
                make_command(theirs.fileno(), level=level),
                cwd=self._folder.name,  # the platform names bots by paths in this folder
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )

    def examine(self, node: str) -> NodeFacts:
        """Return the facts of the node of that name."""
        return asyncio.run(examine_node(node))

    def bring(self, digest: str, archive: bytes) -> None:
        """Keep a folder, see `unpack_folder`."""
        unpack_folder(digest, archive, Path(self._folder.name))

    def tell(self, data: bytes) -> None:
        """Pass bytes on to the worker."""
        with suppress(ConnectionError):  # it has ended, as `read` says
            self._socket.sendall(data)

    def read(self) -> bytes | None:
        """Return bytes of the worker, none after a while; None when it has ended."""
        ready, _, _ = select.select([self._socket], [], [], _SILENCE)
        if not ready:
            return b""
        data, end = bytearray(), monotonic() + _MOST_GATHERING
        while len(data) < _MOST_BYTES and monotonic() < end:
            if not select.select([self._socket], [], [], _GATHERING)[0]:
                break
            try:
                part = self._socket.recv(_MOST_BYTES - len(data))
            except ConnectionError:
                part = b""
            if not part:
                return bytes(data) or None
            data += part
        return bytes(data)

    def close(self, seconds: float) -> None:
        """Let the worker end its instances and itself, or kill it after so many seconds."""
        self._socket.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
