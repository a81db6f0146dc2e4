"""Isolation `docker`: a container for each instance, created by the engine of this machine.

A bot sees one of the images of `docker/`, with its bundle in `/bot` and its socket in `/run`, and
may write to `/tmp` alone. The first process is the image's `/mazzo/init`: it ends the container
with the bot. It also does so when its standard input ends, which the engine closes when we are
gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import Exit, Launch, Limits, MemoryPeak, SandboxedProcess
from mazzo_server.sandbox.caches import clear_caches
from mazzo_server.sandbox.capture import Capture
from mazzo_server.sandbox.cgroup import BorrowedGroup, has_group_access
from mazzo_server.sandbox.containers.attachment import Attachment
from mazzo_server.sandbox.containers.engine import ContainerEnd, Engine
from mazzo_server.sandbox.process import call_in_full
from mazzo_server.sandbox.runtime import (
    INNER_PACKAGES,
    INNER_SCRATCH,
    INNER_SOCKET,
    make_inner_environment,
)
from mazzo_server.sandbox.seccomp import compile_filter

__all__ = ["DockerSandbox"]

PYTHON_IMAGE_VARIABLE = "MAZZO_DOCKER_PYTHON_IMAGE"
NODE_IMAGE_VARIABLE = "MAZZO_DOCKER_NODE_IMAGE"

_ENDED_SECONDS = 2  # seconds from the end of its output until the engine knows of its end
_CALLS = 16  # calls to the engine at once

# Statuses of `/mazzo/init`: the bot was killed by SIGKILL; init itself was killed, which nobody
# inside can do, or it lost its input.
_BOT_KILLED = 193
_INIT_KILLED = 128 + int(signal.SIGKILL)

T = TypeVar("T")


class DockerSandbox:
    """Runs bots in containers.

    The constructor tries it out, and removes what killed platforms left behind. It raises
    IsolationError, which says what to do.
    """

    name = "docker"
    has_limits = True

    def __init__(self) -> None:
        python = os.environ.get(PYTHON_IMAGE_VARIABLE) or "mazzo-bot-python"
        node = os.environ.get(NODE_IMAGE_VARIABLE) or "mazzo-bot-node"
        # The Python image also has all that a binary needs beside its bundle.
        self._images = {"python": python, "binary": python, "node": node}
        compile_filter()
        self._engine = Engine.open()
        self._calls = _Calls()
        self._engine.check_image(python, "docker/bot-python.Dockerfile")
        self._engine.sweep()
        self.bounds_cores = has_group_access()

    async def forget(self) -> None:
        await clear_caches()

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        if not launch.bundle.is_dir() or not launch.socket.is_socket():
            raise IsolationError(
                f"expected a bundle's folder and a socket, got {launch.bundle} and {launch.socket}"
            )
        if limits.cores is not None and not self.bounds_cores:
            raise _make_freezing_error()
        # The bot does not own the socket; the folder around it guards it.
        launch.socket.chmod(0o666)
        mounts = {Path("/bot"): launch.bundle.resolve(), INNER_SOCKET: launch.socket.resolve()}
        if launch.packages is not None:
            mounts[INNER_PACKAGES] = launch.packages.resolve()
        image = self._images[launch.runtime]
        if launch.runtime == "node":
            await self._calls.call_in_full(
                partial(self._engine.check_image, image, "docker/bot-node.Dockerfile")
            )
        greeting = _encode_greeting(launch)
        container = f"mazzo-{secrets.token_hex(8)}"
        output = Capture(limits.output_bytes)
        attachment: Attachment | None = None
        try:
            await self._calls.call_in_full(
                partial(
                    self._engine.create,
                    container,
                    image=image,
                    command=launch.command,
                    mounts=mounts,
                    scratch=INNER_SCRATCH,
                    limits=limits,
                )
            )
            attachment = await self._engine.attach(container, output)
            await self._calls.call_in_full(partial(self._engine.start, container))
            group = None
            if limits.cores is not None:
                group = await self._calls.call_in_full(partial(self._engine.group, container))
                if group is None:
                    raise _make_freezing_error()
            # The bot starts only now: earlier it could have ended, and with it what can be frozen.
            attachment.write(greeting)
        except BaseException:
            if attachment is not None:
                attachment.close()
            with contextlib.suppress(IsolationError):
                await self._calls.call_in_full(partial(self._engine.remove, container))
            raise
        return _DockerProcess(self._engine, self._calls, container, output, attachment, group)


class _Calls:
    """Threads for the engine alone: a call that hangs must not stop the rest of the platform."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_CALLS, "engine")

    async def call_in_full(self, call: Callable[[], T]) -> T:
        """Make a call in these threads; see the function of this name."""
        return await call_in_full(call, self._threads)


class _DockerProcess:
    """A container, with a task that watches it until its end."""

    def __init__(
        self,
        engine: Engine,
        calls: _Calls,
        container: str,
        output: Capture,
        attachment: Attachment,
        group: BorrowedGroup | None,
    ) -> None:
        self._engine = engine
        self._calls = calls
        self._container = container
        self._output = output
        self._attachment = attachment
        self._group = group
        self._killed = False
        self._ending = asyncio.create_task(self._watch())
        self._removing = asyncio.create_task(self._remove())

    @property
    def log_size(self) -> int:
        return self._output.size

    def read_log(self, since: int = 0) -> str:
        return self._output.read(since)

    def read_memory_peak(self) -> MemoryPeak:
        """Tell nothing: the engine does not know it with control groups of version 2."""
        return MemoryPeak()

    def freeze(self) -> None:
        if not (self._killed or self._attachment.ended.is_set()):
            self._set_frozen(frozen=True)

    def thaw(self) -> None:
        self._set_frozen(frozen=False)

    def run_on(self, processor: int) -> None:
        if self._group is not None:
            with contextlib.suppress(OSError):  # it has ended
                self._group.run_on(processor)

    async def wait(self) -> Exit:
        # Shielded: a time-out of the caller must not leave the container unwatched.
        return await asyncio.shield(self._ending)

    async def kill(self) -> None:
        if not self._ending.done():
            self._killed = True
            self.thaw()  # a frozen process does not die
            # This alone would suffice, and takes no time.
            self._attachment.end_input()
            try:
                await self._calls.call_in_full(partial(self._engine.kill, self._container))
            except IsolationError:  # an engine that hangs would never report the end
                self._attachment.close()
        await asyncio.shield(self._removing)

    async def _watch(self) -> Exit:
        await self._attachment.ended.wait()
        self.thaw()  # the engine may have caused the end, and a frozen process does not die
        ended = None if self._killed else await self._ended()
        if self._killed:
            return Exit(code=None, signal=int(signal.SIGKILL))
        return _make_exit(ended)

    async def _ended(self) -> ContainerEnd | None:
        """Return the end of the container; None: the engine, or the container, is gone."""
        ask = partial(self._engine.wait_for_end, self._container, seconds=_ENDED_SECONDS)
        with contextlib.suppress(IsolationError):
            return await self._calls.call_in_full(ask)
        # The engine is slow, or lost sight of a container that runs on. A container that has ended
        # keeps its status, so a bot gains nothing by an engine that is slow.
        with contextlib.suppress(IsolationError):
            await self._calls.call_in_full(partial(self._engine.kill, self._container))
            return await self._calls.call_in_full(ask)
        return None

    async def _remove(self) -> None:
        """Remove the container; call this after the exit is known, as it may take long."""
        await asyncio.wait((self._ending,))
        with contextlib.suppress(IsolationError):
            await self._calls.call_in_full(partial(self._engine.remove, self._container))

    def _set_frozen(self, *, frozen: bool) -> None:
        if self._group is not None:
            with contextlib.suppress(OSError):  # it has ended
                self._group.set_frozen(frozen=frozen)


def _make_freezing_error() -> IsolationError:
    return IsolationError(
        "instances cannot be frozen here: that needs the control groups of the container engine "
        "to be writable, as they are for root outside of every container; or `--cpu shared`"
    )


def _make_exit(ended: ContainerEnd | None) -> Exit:
    """Return the bot's end from the status of `/mazzo/init`; None: the status is unknown."""
    killed = int(signal.SIGKILL)
    if ended is None:
        return Exit(code=None, signal=killed, platform=True)
    if ended.status in (_INIT_KILLED, _BOT_KILLED):
        return Exit(
            code=None,
            signal=killed,
            # When the bot's memory runs out, the first process may die as well.
            platform=ended.status == _INIT_KILLED and not ended.out_of_memory,
            out_of_memory=ended.out_of_memory,
        )
    if 128 < ended.status < 128 + signal.NSIG:
        return Exit(code=None, signal=ended.status - 128)
    return Exit(code=ended.status, signal=None)


def _encode_greeting(launch: Launch) -> bytes:
    """Return what `/mazzo/init` reads first: the environment and the filter of system calls.

    The engine would show the container's own environment to all of its users.
    """
    variables = make_inner_environment(launch)
    environment = b"".join(os.fsencode(f"{name}={value}\0") for name, value in variables.items())
    blocks = (environment, compile_filter())
    return b"".join(struct.pack(">I", len(block)) + block for block in blocks)
