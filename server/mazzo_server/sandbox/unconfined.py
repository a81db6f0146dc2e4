"""Isolation `none`: the bot runs with the rights of the user who runs the platform."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator
from pathlib import Path

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import Exit, Launch, Limits, SandboxedProcess
from mazzo_server.sandbox.capture import Capture
from mazzo_server.sandbox.process import WatchedProcess, bind_process
from mazzo_server.sandbox.runtime import list_import_folders, make_bot_environment
from mazzo_server.sandbox.scratch import ScratchFolder

__all__ = ["UnconfinedSandbox"]

# Waits for a line before it becomes the bot, which is bound to its processors until then.
_GATE = ("/bin/sh", "-c", 'read -r go && exec "$@" </dev/null', "sh")


class UnconfinedSandbox:
    """Runs one's own bots only, without isolation.

    Nothing is hidden from them, and the only limits are `output_bytes` and `processor_share`, which
    they can set aside. Processes that a bot leaves running in its process group are ended with it.
    """

    name = "none"
    has_limits = False
    bounds_cores = False

    async def forget(self) -> None: ...

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        if limits.cores is not None:
            raise IsolationError(
                "isolation none cannot bind processor time: choose bubblewrap or docker, or "
                "`--cpu shared`"
            )
        with contextlib.ExitStack() as undo:
            scratch = ScratchFolder(ignore_cleanup_errors=True)
            undo.callback(scratch.cleanup)
            output, write = await Capture.open(limits.output_bytes)
            is_bound = bool(limits.list_processors())
            try:
                process = await asyncio.create_subprocess_exec(
                    *(_GATE if is_bound else ()),
                    # `env`, and not this process, finds out that a bot's command does not exist.
                    "/usr/bin/env",
                    *launch.command,
                    cwd=launch.bundle,
                    env=make_bot_environment(
                        socket=launch.socket,
                        token=launch.token,
                        scratch=scratch.name,
                        path=[
                            *_list_program_folders(launch.runtime),
                            *os.defpath.split(os.pathsep),
                        ],
                        python_path=[
                            *list_import_folders(),
                            *([str(launch.packages)] if launch.packages else []),
                        ],
                    ),
                    stdin=PIPE if is_bound else DEVNULL,
                    stdout=write,
                    stderr=write,
                    start_new_session=True,
                )
            except OSError as error:
                await output.finish(seconds=0)
                raise IsolationError(f"the bot's process cannot be started: {error}") from error
            finally:
                os.close(write)
            if is_bound:
                try:
                    bind_process(process.pid, limits)
                except OSError as error:
                    process.kill()
                    await process.wait()
                    await output.finish(seconds=0)
                    raise IsolationError(
                        f"the bot cannot be bound to some of the processors: {error}"
                    ) from error
                assert process.stdin is not None
                process.stdin.write(b"\n")
                process.stdin.close()
            undo.pop_all()
        return _UnconfinedProcess(process, output, scratch)


def _list_program_folders(runtime: str) -> Iterator[str]:
    """Return the folders that may have the program of a runtime, beside the system's."""
    yield str(Path(sys.executable).parent)
    if runtime == "node" and (node := shutil.which("node")):
        yield str(Path(node).parent)


class _UnconfinedProcess(WatchedProcess):
    def __init__(self, process: Process, output: Capture, scratch: ScratchFolder) -> None:
        self._scratch = scratch
        super().__init__(process, output)

    def freeze(self) -> None:
        """Do nothing, as its processor time is not limited."""

    def thaw(self) -> None:
        """Do nothing: it was never frozen."""

    def run_on(self, processor: int) -> None:
        """Do nothing: it is not bound to one processor."""

    def _kill_tree(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def _tree_ended(self) -> None:
        """Return at once: the group has its SIGKILL, and nobody reports its last process's end."""

    async def _exit(self, code: int) -> Exit:
        await asyncio.to_thread(_clear, self._scratch)
        return await super()._exit(code)


def _clear(scratch: ScratchFolder) -> None:
    """Remove the folder and its contents to any depth, which Python's own function cannot do."""
    for command in (("chmod", "-R", "u+rwx"), ("rm", "-rf")):
        subprocess.run([*command, "--", scratch.name], capture_output=True)  # noqa: S603
    scratch.cleanup()
