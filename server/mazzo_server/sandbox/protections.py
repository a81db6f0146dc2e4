"""Finds out, by trying, what protections from bots this machine has."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from socket import AF_UNIX, socket

from mazzo_server.errors import InvalidInputError, IsolationError
from mazzo_server.sandbox import cgroup
from mazzo_server.sandbox.base import CORE_BYTES, Launch, Limits, Sandbox
from mazzo_server.sandbox.caches import has_cache_access
from mazzo_server.sandbox.cgroup import Controller
from mazzo_server.sandbox.containers import DockerSandbox
from mazzo_server.sandbox.namespaces import BubblewrapSandbox, is_own_id
from mazzo_server.sandbox.scratch import ScratchFolder
from mazzo_server.sandbox.seccomp import compile_filter

__all__ = ["PROTECTIONS", "Protection", "check_required", "examine", "read_required_names"]

_PATIENCE = 20.0  # seconds, for each trial
_GROUPS = (
    "give Mazzo a control group that it may write to: start it as root, or by "
    "`systemd-run --user --scope -p Delegate=yes mazzo ...`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """One protection or ability that a machine may have."""

    name: str
    meaning: str
    remedy: str  # what to do where it is missing
    ability: bool = False  # no protection: without it some bots cannot be run


_TABLE = (
    Protection(
        name="namespaces",
        meaning="bots see no process, network or file system but their own",
        remedy="allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian), "
        "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), user.max_user_namespaces",
    ),
    Protection(
        name="bubblewrap",
        meaning="bots can be run under bubblewrap at all",
        remedy="see what it says; in a container, run that with a /proc that may be mounted",
    ),
    Protection(
        name="seccomp",
        meaning="bots cannot reach the parts of the kernel that they have no need of",
        remedy="install libseccomp 2.5.4 or later (libseccomp2 on Debian and Ubuntu)",
    ),
    Protection(
        name="limits",
        meaning="each process of a bot has a bound on memory, files and output",
        remedy="run Mazzo where it may set resource limits (setrlimit)",
    ),
    Protection(
        name="memory",
        meaning="an instance is bound in all its memory, not each of its processes alone",
        remedy=_GROUPS,
    ),
    Protection(
        name="processes",
        meaning="an instance is bound in its processes, whatever else runs as the same user",
        remedy=_GROUPS,
    ),
    Protection(
        name="cpu",
        meaning="processor time can be bound (`--cpu fair`)",
        remedy=_GROUPS,
    ),
    Protection(
        name="freezer",
        meaning="a bot that owes no decision can be stopped (`--cpu fair`)",
        remedy=_GROUPS,
    ),
    Protection(
        name="uid",
        meaning="each instance has an unprivileged user of its own, which is not yours, and shares "
        "with none what the kernel counts for a user",
        remedy="start Mazzo as root: it gives that up for every bot",
    ),
    Protection(
        name="caches",
        meaning="what a bot has read or looked up is forgotten before its next instance may see "
        "the same deals",
        remedy="run Mazzo as root on the machine itself, or play each deal once (`--mirror off`)",
    ),
    Protection(
        name="python",
        meaning="bots in Python can be run: they may read the installation",
        remedy="install Python in a folder of its own that is not your home",
        ability=True,
    ),
    Protection(
        name="node",
        meaning="bots in JavaScript can be run",
        remedy="install Node.js 20 or 22, and put it on PATH",
        ability=True,
    ),
    Protection(
        name="docker",
        meaning="bots can be run in containers (`--isolation docker`)",
        remedy="see docs/how-to/run-in-docker.md: install an engine, and build the images",
        ability=True,
    ),
)
PROTECTIONS = {protection.name: protection for protection in _TABLE}
_CONTROLLERS = {
    "memory": Controller.MEMORY,
    "processes": Controller.PROCESSES,
    "cpu": Controller.CPU,
    "freezer": Controller.FREEZER,
}

# Run as a bot: a call that only the filter denies, the limits, and the user.
_LOOK = """
import ctypes, json, os, resource
import grpc, mazzo
kinds = ("DATA", "NPROC", "NOFILE", "FSIZE", "CORE")
print(json.dumps({
    "traced": ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0,
    "limits": [resource.getrlimit(getattr(resource, "RLIMIT_" + kind))[1] for kind in kinds],
    "uid": os.getuid(),
}))
"""


def read_required_names(text: str) -> frozenset[str]:
    """Return the names in a list with commas, or for "all" every protection.

    Raises InvalidInputError for an unknown name.
    """
    names = {name.strip() for name in text.split(",")} - {""}
    if "all" in names:
        names -= {"all"}
        names |= {name for name, protection in PROTECTIONS.items() if not protection.ability}
    if unknown := names - PROTECTIONS.keys():
        raise InvalidInputError(
            f"expected MAZZO_REQUIRE to name protections among all, {', '.join(PROTECTIONS)}, "
            f"got {', '.join(sorted(unknown))}"
        )
    return frozenset(names)


async def check_required(names: frozenset[str], isolation: str) -> None:
    """Raise IsolationError if one of these protections is missing with that isolation."""
    if not names:
        return
    if isolation == "none":
        raise IsolationError(
            f"MAZZO_REQUIRE asks for {', '.join(sorted(names))}, and isolation none protects "
            "from nothing"
        )
    lacking = _find_lacking_in_docker() if isolation == "docker" else await examine()
    missing = [f"{name} ({what})" for name, what in lacking.items() if name in names]
    if missing:
        raise IsolationError(
            f"MAZZO_REQUIRE asks for what this machine does not give: {'; '.join(missing)}. "
            "`mazzo doctor` says what to do"
        )


def _find_lacking_in_docker() -> dict[str, str]:
    """Return what its containers lack. They have all else, or the engine is refused."""
    lacking = {
        "bubblewrap": "isolation docker has no use for it",
        "uid": "all containers have the same user",
    }
    if not has_cache_access():
        lacking["caches"] = "the caches of this machine cannot be cleared from here"
    if not cgroup.has_group_access():
        lacking["freezer"] = "the control groups of containers are not writable"
    return lacking


async def examine() -> dict[str, str]:
    """Return what this machine lacks, and how that showed, by name. Takes about a second."""
    lacking = await asyncio.to_thread(_find_lacking_outside)
    try:
        sandbox = await asyncio.to_thread(BubblewrapSandbox)
    except IsolationError as error:
        lacking["bubblewrap"] = str(error)
        for name in ("seccomp", "limits", "uid", "python", "node"):
            lacking.setdefault(name, "no bot can be run to try it")
    else:
        lacking |= await _find_lacking_inside(sandbox)
    return {name: lacking[name] for name in PROTECTIONS if name in lacking}


def _find_lacking_outside() -> dict[str, str]:
    """Return what is found lacking without a bot."""
    lacking = {}
    try:
        subprocess.run(
            ["unshare", "--user", "--net", "--pid", "--fork", "true"],  # noqa: S607
            capture_output=True,
            check=True,
            timeout=_PATIENCE,
        )
    except subprocess.CalledProcessError as error:
        lacking["namespaces"] = error.stderr.decode(errors="replace").strip()
    except (OSError, subprocess.SubprocessError) as error:
        lacking["namespaces"] = str(error)
    try:
        compile_filter()
    except IsolationError as error:
        lacking["seccomp"] = str(error)
    try:
        DockerSandbox()
    except IsolationError as error:
        lacking["docker"] = str(error)
    if not has_cache_access():
        lacking["caches"] = "the caches of this machine cannot be cleared from here"
    groups = cgroup.find_control_groups()
    for name, controller in _CONTROLLERS.items():
        if controller not in groups.controllers:
            lacking[name] = "no control group can be made and bound here"
    try:
        with subprocess.Popen(["sleep", "60"]) as process:  # noqa: S607
            try:
                group = groups.make(Limits(cores=1.0))
                try:
                    group.add(process.pid)
                    group.freeze()
                finally:
                    group.remove()  # first, as a frozen process does not die
            finally:
                process.kill()
    except OSError as error:
        lacking |= dict.fromkeys(_CONTROLLERS, f"a control group does not work: {error}")
    return lacking


async def _find_lacking_inside(sandbox: Sandbox) -> dict[str, str]:
    """Return what a bot finds lacking."""
    lacking = {}
    try:
        seen = json.loads(await _read_output(sandbox, "python", ("python", "-c", _LOOK)))
    except (IsolationError, ValueError) as error:
        lacking["python"] = str(error)
        for name in ("seccomp", "limits", "uid"):
            lacking[name] = "no bot in Python can be run to try it"
    else:
        if seen["traced"]:
            lacking["seccomp"] = "a bot made a system call that is denied"
        most = Limits()
        wanted = (most.memory_bytes, most.processes, most.open_files, most.file_bytes, CORE_BYTES)
        if not all(0 <= is_ <= limit for is_, limit in zip(seen["limits"], wanted, strict=True)):
            lacking["limits"] = f"expected {wanted}, got {seen['limits']}"
        if not is_own_id(seen["uid"]):
            lacking["uid"] = "outside of the sandbox, bots are the user who runs Mazzo"
    try:
        # Its version alone would not do: Node prints it before it asks for the memory that it
        # needs.
        await _read_output(sandbox, "node", ("node", "-p", "process.version"))
    except IsolationError as error:
        lacking["node"] = str(error)
    return lacking


async def _read_output(sandbox: Sandbox, runtime: str, command: tuple[str, ...]) -> str:
    """Run a bot and return its output; raise IsolationError if it fails."""
    with (
        ScratchFolder() as bundle,
        ScratchFolder() as folder,
        socket(AF_UNIX) as door,
    ):
        way_out = Path(folder) / "s"
        door.bind(str(way_out))
        os.chmod(bundle, 0o755)  # noqa: S103 (a bot may be another user)
        launch = Launch(
            bundle=Path(bundle), command=command, runtime=runtime, socket=way_out, token=""
        )
        process = await sandbox.start(launch, Limits())
        try:
            async with asyncio.timeout(_PATIENCE):
                end = await process.wait()
        except TimeoutError as error:
            raise IsolationError(f"a bot took longer than {_PATIENCE:g} s") from error
        finally:
            await process.kill()
    if end.code != 0:
        raise IsolationError(f"a bot {end.describe()}: {process.read_log().strip()}")
    return process.read_log()
