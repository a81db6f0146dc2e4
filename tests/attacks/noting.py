"""Notes of the instances that a process starts, which another process can read.

This process starts the attackers of a battle, or a worker does, here or on a node of a cluster.
With `note_processes` each of these programs writes notes, and the battle reads them.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from mazzo_server.sandbox import Launch, Limits, LockTable, Sandbox, SandboxedProcess, opening
from mazzo_server.sandbox.namespaces import userns
from mazzo_server.sandbox.namespaces.uids import FIRST_UID, Uids
from support.ray_cluster import list_ports
from support.scripted_tournaments import Lives

__all__ = ["NotedLife", "NotedLives", "note_processes", "note_this_process", "read_notes"]

_FOLDER: Final = "MAZZO_TEST_NOTES"
_UIDS: Final = "MAZZO_TEST_UIDS"
_TESTS: Final = Path(__file__).parents[1]
_PROGRAMS: Final = ("mazzo_server", "mazzo_server.tournaments.executor.worker")
# Python runs it at its start. Of the programs that do, only those of ours load anything.
_HOOK: Final = f"""
import sys
if {{*{_PROGRAMS}}} & {{*sys.orig_argv}}:
    from attacks.noting import note_this_process
    note_this_process()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedLife:
    """An instance that has ended."""

    token: str
    process: int  # who started it
    command: tuple[str, ...]
    began: float
    ended: float
    """Seconds of the machine's clock, which is the same for all its processes."""
    log: str
    grown: int
    """By how many KiB the memory of who started it grew meanwhile, at the most."""
    groups: tuple[str, ...]  # folders that must hold no control group any more
    owner: str  # of containers that must be gone; empty for a sandbox that makes none


class NotedLives(Lives):
    """Writes notes into a folder. It prepares what an attacker asks for in its plan."""

    def __init__(self, name: str, folder: Path, inner: Sandbox | None = None) -> None:
        super().__init__(name, inner=inner)
        self._path = folder / f"{os.getpid()}.jsonl"
        self._memory: dict[str, int] = {}
        self._victims: list[Launch] = []
        self._has_victim = asyncio.Event()
        self.before = self._prepare

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        self._memory[launch.token] = _measure_memory()
        return await super().start(launch, limits)

    async def _prepare(self, launch: Launch) -> None:
        """Give an attacker what only this moment tells: what others have and where they listen."""
        path = launch.bundle / "plan.json"
        plan = json.loads(path.read_text()) if path.exists() else {}
        if not plan and not self._victims:
            self._victims.append(launch)
            self._has_victim.set()
        if plan.get("steals"):
            await self._has_victim.wait()  # the thief begins when it can have the secrets
            victim = self._victims[0]
            loot = {"token": victim.token, "socket": str(victim.socket)}
            (launch.bundle / "stolen.json").write_text(json.dumps(loot))
        if "token_file" in plan:
            ports = list_ports(Path(plan["token_file"]))
            (launch.bundle / "ports.json").write_text(json.dumps(ports))

    def note_begin(self, token: str) -> None:
        super().note_begin(token)
        self._write(token=token, command=self.launches[token].command, began=self.began[token])

    def note_end(self, token: str, process: SandboxedProcess) -> None:
        super().note_end(token, process)
        parents = getattr(getattr(self.inner, "_groups", None), "_parents", {})
        self._write(
            token=token,
            process=os.getpid(),
            ended=self.ended[token],
            log=self.logs[token],
            grown=_measure_memory() - self._memory.pop(token),
            groups=sorted({str(folder) for folder in parents.values()}),
            owner=str(getattr(getattr(self.inner, "_engine", None), "_lock", "")),
        )

    def _write(self, **note: Any) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(note) + "\n")


def read_notes(folder: Path) -> list[NotedLife]:
    """The instances in the order in which they began; each must have ended."""
    notes: dict[str, dict[str, Any]] = {}
    for path in folder.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            note = json.loads(line)
            notes.setdefault(note["token"], {}).update(note)
    assert all("ended" in note for note in notes.values()), "processes are left"
    lives = [
        NotedLife(**note | {"command": tuple(note["command"]), "groups": tuple(note["groups"])})
        for note in notes.values()
    ]
    return sorted(lives, key=lambda life: life.began)


@contextmanager
def note_processes(*, uids: int = 0) -> Iterator[Path]:
    """Yield a folder of notes; programs that inherit from this process meanwhile write there.

    With `uids` they lease no more than so many, so that platforms soon want the same ones.
    """
    with TemporaryDirectory(prefix="n-") as name:
        folder = Path(name)
        (folder / "sitecustomize.py").write_text(_HOOK)
        paths = [name, str(_TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        variables = {_FOLDER: name, _UIDS: str(uids), "PYTHONPATH": os.pathsep.join(paths)}
        with patch.dict(os.environ, variables | {"PYTHONDONTWRITEBYTECODE": "1"}):
            yield folder


def note_this_process() -> None:
    """Have every sandbox that this process opens from now on note what it starts."""
    folder = Path(os.environ[_FOLDER])
    for isolation, open_it in list(opening._SANDBOXES.items()):
        opening._SANDBOXES[isolation] = partial(_open_noted, isolation.value, folder, open_it)
    if few := int(os.environ[_UIDS]):
        uids = Uids(LockTable.of_host("uids"), range(FIRST_UID, FIRST_UID + few))
        patch.object(userns, "open_uids", lambda: uids).start()


def _open_noted(name: str, folder: Path, open_it: Any) -> Sandbox:
    return NotedLives(name, folder, open_it())


def _measure_memory() -> int:
    """The most memory that this process ever had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
