"""Control groups, version 1 or 2: they limit, freeze and thaw an instance as a whole.

A process that may write to its own control group may create others below it. A platform creates one
folder there, locked for as long as it lives, with a group for each instance. An unlocked folder
belongs to a platform that was killed: the next platform removes it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import signal
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from pathlib import Path, PurePosixPath
from typing import ClassVar

from mazzo_server.sandbox.base import Limits

__all__ = [
    "BorrowedGroup",
    "ControlGroup",
    "ControlGroups",
    "Controller",
    "OutOfMemory",
    "find_control_groups",
    "find_group",
    "has_group_access",
]

_PREFIX = "mazzo-"
_OURSELVES = "platform.mazzo"  # version 2: takes the processes that were in the group before
_PERIOD = 100_000  # microseconds in which a share of the processors is measured
_ROUNDS = 3  # rounds of moving processes that were started meanwhile
_ON = "cpuset.cpus"  # the processors of a group, in both versions
_HUGE_PAGE = 2 * 1024 * 1024
_EMPTY_SECONDS = 2.0  # seconds in which killed processes must leave their group


class Controller(StrEnum):
    """The abilities of a control group."""

    MEMORY = "memory"
    PROCESSES = "processes"
    CPU = "cpu"
    FREEZER = "freezer"
    PROCESSORS = "processors"  # choose the processors of the instance
    ACCOUNTING = "accounting"  # tell how much processor time was used


class OutOfMemory(Enum):
    """The reason why the kernel killed a process for memory."""

    LIMIT = "its own limit was reached"
    MACHINE = "the machine had none left, though the limit was not reached"


class ControlGroup(ABC):
    """The group of one instance. Its methods block for a moment, and raise OSError.

    Where the machine lacks the controller, a method does nothing, without an error.
    """

    weight: ClassVar[tuple[str, int, int]]
    # The file with a group's part of the processors, the value for one process, and the largest.

    def __init__(
        self, folders: Mapping[Controller, Path], owner: ControlGroups | None = None
    ) -> None:
        self._folders = folders
        self._owner = owner  # its lock guards the folders
        self.removed = False

    def add(self, pid: int) -> None:
        """Add a process, and with it all that it will start."""
        for folder in set(self._folders.values()):
            _write(folder / "cgroup.procs", str(pid))

    def remove(self) -> None:
        """End all processes in the group and remove it; may be called any number of times."""
        with contextlib.suppress(OSError):
            self.thaw()  # version 2 cannot kill frozen processes
        for folder in set(self._folders.values()):
            _clear(folder)
        self.removed = True  # set before the last change of weight: another thread may thaw it
        self._weigh(active=False)

    def freeze(self) -> None:
        """Freeze every process in the group."""
        self._set_frozen(frozen=True)
        self._weigh(active=False)

    def thaw(self) -> None:
        """Let the processes run again."""
        self._weigh(active=True)
        self._set_frozen(frozen=False)

    def run_on(self, processor: int) -> None:
        """Restrict the processes to one processor, by its number."""
        if folder := self._folders.get(Controller.PROCESSORS):
            with _ignore_gone():
                _write(folder / _ON, str(processor))

    def _weigh(self, *, active: bool) -> None:
        if self._owner is not None:
            self._owner.weigh(self, active=active)

    def _set_frozen(self, *, frozen: bool) -> None:
        if folder := self._folders.get(Controller.FREEZER):
            with _ignore_gone():
                _set_frozen(folder, frozen=frozen)

    @classmethod
    @abstractmethod
    def open(cls, folder: Path) -> None:
        """Prepare a new folder, so that groups in it can have processes and limits."""

    @abstractmethod
    def bind(self, controller: Controller, limits: Limits) -> None:
        """Set the limit that belongs to `controller`."""

    @abstractmethod
    def read_cpu_seconds(self) -> float | None:
        """Return the processor time of the group in all; None: it is not counted."""

    @abstractmethod
    def read_memory_peak(self) -> int:
        """Return the bytes of memory that the group held at most; 0: they are not counted."""

    @abstractmethod
    def explain_out_of_memory(self) -> OutOfMemory | None:
        """Return why the kernel killed a process of the group for memory; None: it did not."""


class _GroupV1(ControlGroup):
    """One folder in the hierarchy of each controller."""

    weight = ("cpu.shares", 1024, 262_144)

    @classmethod
    def open(cls, folder: Path) -> None:
        if (folder / _ON).exists():
            _inherit(folder)

    def bind(self, controller: Controller, limits: Limits) -> None:
        folder = self._folders[controller]
        match controller:
            case Controller.MEMORY:
                most = str(limits.memory_bytes + limits.scratch_bytes)
                _write(folder / "memory.limit_in_bytes", most)
                # Without this file the kernel does not count swap, but may be told not to swap.
                if (folder / "memory.memsw.limit_in_bytes").exists():
                    _write(folder / "memory.memsw.limit_in_bytes", most)
                else:
                    _write(folder / "memory.swappiness", "0")
            case Controller.PROCESSES:
                _write(folder / "pids.max", str(limits.processes))
            case Controller.CPU:
                quota = -1 if limits.cores is None else round(limits.cores * _PERIOD)
                _write(folder / "cpu.cfs_period_us", str(_PERIOD))
                _write(folder / "cpu.cfs_quota_us", str(quota))
            case Controller.FREEZER:
                _write(folder / "freezer.state", "THAWED")
            case Controller.PROCESSORS:
                _inherit(folder)
                _bind_to(folder, limits.list_processors())
            case Controller.ACCOUNTING:
                (folder / "cpuacct.usage").read_text()

    def read_cpu_seconds(self) -> float | None:
        folder = self._folders.get(Controller.ACCOUNTING)
        return int((folder / "cpuacct.usage").read_text()) / 1e9 if folder else None

    def read_memory_peak(self) -> int:
        folder = self._folders.get(Controller.MEMORY)
        return int((folder / "memory.max_usage_in_bytes").read_text()) if folder else 0

    def explain_out_of_memory(self) -> OutOfMemory | None:
        folder = self._folders.get(Controller.MEMORY)
        if folder is None or not _read_counts(folder / "memory.oom_control").get("oom_kill"):
            return None
        # Some kernels do not count failures; the largest use is then within a huge page of the
        # limit.
        limit = int((folder / "memory.limit_in_bytes").read_text())
        reached = int((folder / "memory.max_usage_in_bytes").read_text()) > limit - _HUGE_PAGE
        return OutOfMemory.LIMIT if reached else OutOfMemory.MACHINE


class _GroupV2(ControlGroup):
    """One folder for all controllers."""

    weight = ("cpu.weight", 100, 10_000)

    @classmethod
    def open(cls, folder: Path) -> None:
        there = (folder / "cgroup.controllers").read_text().split()
        _write(folder / "cgroup.subtree_control", _join_names(there))

    def bind(self, controller: Controller, limits: Limits) -> None:
        folder = self._folders[controller]
        match controller:
            case Controller.MEMORY:
                _write(folder / "memory.max", str(limits.memory_bytes + limits.scratch_bytes))
                with contextlib.suppress(FileNotFoundError):  # a kernel that cannot swap
                    _write(folder / "memory.swap.max", "0")
            case Controller.PROCESSES:
                _write(folder / "pids.max", str(limits.processes))
            case Controller.CPU:
                quota = "max" if limits.cores is None else str(round(limits.cores * _PERIOD))
                _write(folder / "cpu.max", f"{quota} {_PERIOD}")
            case Controller.FREEZER:
                _write(folder / "cgroup.freeze", "0")
            case Controller.PROCESSORS:
                (folder / _ON).read_text()
                _bind_to(folder, limits.list_processors())
            case Controller.ACCOUNTING:
                _read_counts(folder / "cpu.stat")["usage_usec"]

    def read_cpu_seconds(self) -> float | None:
        folder = self._folders.get(Controller.ACCOUNTING)
        return _read_counts(folder / "cpu.stat")["usage_usec"] / 1e6 if folder else None

    def read_memory_peak(self) -> int:
        folder = self._folders.get(Controller.MEMORY)
        peak = folder / "memory.peak" if folder else None  # since Linux 5.19
        return int(peak.read_text()) if peak and peak.exists() else 0

    def explain_out_of_memory(self) -> OutOfMemory | None:
        folder = self._folders.get(Controller.MEMORY)
        events = _read_counts(folder / "memory.events") if folder else {}
        if not events.get("oom_kill"):
            return None
        return OutOfMemory.LIMIT if events.get("oom") else OutOfMemory.MACHINE


class ControlGroups:
    """The folders of one platform, in which it creates groups. They end with the platform."""

    def __init__(self, kind: type[ControlGroup], parents: Mapping[Controller, Path]) -> None:
        """Create the folders below `parents` where possible; remove those of dead platforms."""
        self._kind = kind
        self._parents: dict[Controller, Path] = {}
        self._active: set[int] = set()
        self._weighing = threading.Lock()
        self._close = contextlib.ExitStack()
        weakref.finalize(self, self._close.close)
        # The freezer first, also when the folders are closed in turn: frozen processes cannot be
        # killed.
        freezer = parents.get(Controller.FREEZER)
        places = sorted(set(parents.values()), key=lambda place: place != freezer)
        for parent in places:
            _clear_dead(parent)
        for parent in reversed(places):
            with contextlib.suppress(OSError):
                ours = _make_locked(parent, self._close)
                kind.open(ours)
                self._parents |= {which: ours for which in parents if parents[which] == parent}
        self._drop_what_fails()

    @property
    def controllers(self) -> frozenset[Controller]:
        """The abilities of this machine's groups."""
        return frozenset(self._parents)

    def make(self, limits: Limits) -> ControlGroup:
        """Create an empty group with these limits. Raises OSError."""
        group = self._make()
        try:
            for controller in self._parents:
                group.bind(controller, limits)
        except BaseException:
            group.remove()
            raise
        return group

    def weigh(self, group: ControlGroup, *, active: bool) -> None:
        """Note whether a group may compute; give each group the weight of a process beside them.

        Without that, all groups of a platform together would have the weight of one such process.
        """
        with self._weighing:
            before = len(self._active)
            active = active and not group.removed
            (self._active.add if active else self._active.discard)(id(group))
            folder = self._parents.get(Controller.CPU)
            if folder and len(self._active) != before:
                name, each, most = self._kind.weight
                with contextlib.suppress(OSError):
                    _write(folder / name, str(min(max(len(self._active), 1) * each, most)))

    def _make(self) -> ControlGroup:
        # Not a number: a bot sees the name, and must not learn how many were started before it.
        name = secrets.token_hex(8)
        group = self._kind({which: path / name for which, path in self._parents.items()}, self)
        try:
            for folder in set(self._parents.values()):
                (folder / name).mkdir()
            self.weigh(group, active=True)
        except BaseException:
            group.remove()
            raise
        return group

    def _drop_what_fails(self) -> None:
        try:
            trial = self._make()
        except OSError:
            self._parents.clear()
            return
        for controller in list(self._parents):
            try:
                trial.bind(controller, Limits(cores=1.0))
            except (OSError, KeyError):
                del self._parents[controller]
        trial.remove()


def find_control_groups(process: Path = Path("/proc/self")) -> ControlGroups:
    """Return the control groups for this process: version 2 if it has a controller, else version 1.

    `process` holds the kernel's `mountinfo` and `cgroup`. With version 2 the processes in this
    process's group are moved into one below it, as no group may have both processes and groups with
    limits. Blocks for a moment.
    """
    try:
        mounts = _read_mounts((process / "mountinfo").read_text())
        own = dict(_read_own_groups((process / "cgroup").read_text()))
    except OSError:  # not Linux
        return ControlGroups(_GroupV1, {})
    if parent := _place(mounts.get(""), own.get("")):
        if parent.name == _OURSELVES:
            parent = parent.parent
        if usable := _delegate(parent):
            return ControlGroups(_GroupV2, usable)
    places = {
        controller: place
        for controller, name in _NAMES_V1.items()
        if (place := _place(mounts.get(name), own.get(name)))
    }
    return ControlGroups(_GroupV1, places)


_NAMES_V1 = {
    Controller.MEMORY: "memory",
    Controller.PROCESSES: "pids",
    Controller.CPU: "cpu",
    Controller.FREEZER: "freezer",
    Controller.PROCESSORS: "cpuset",
    Controller.ACCOUNTING: "cpuacct",
}


def _read_mounts(text: str) -> dict[str, tuple[Path, PurePosixPath]]:
    """Return mount point and mounted root by controller of version 1, or "" for version 2."""
    found: dict[str, tuple[Path, PurePosixPath]] = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            _, _, _, root, point, *_ = before.split(" ")
            place = Path(point), PurePosixPath(root)
            for name in options.split(",") if kind == "cgroup" else [""]:
                found.setdefault(name, place)
    return found


def _read_own_groups(text: str) -> Iterator[tuple[str, PurePosixPath]]:
    for line in text.splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            yield name, PurePosixPath(path)


def _place(mount: tuple[Path, PurePosixPath] | None, own: PurePosixPath | None) -> Path | None:
    """Return the folder of a group, from the path that the kernel gives."""
    if mount is None or own is None:
        return None
    point, root = mount
    if not own.is_relative_to(root):
        return None
    place = point / own.relative_to(root)
    return place if place.is_dir() else None


def _delegate(parent: Path) -> dict[Controller, Path]:
    """Return the abilities of groups below `parent` in version 2, after allowing them all."""
    wanted = {
        Controller.MEMORY: "memory",
        Controller.PROCESSES: "pids",
        Controller.CPU: "cpu",
        Controller.PROCESSORS: "cpuset",
    }
    try:
        there = (parent / "cgroup.controllers").read_text().split()
        names = {name for name in wanted.values() if name in there}
        missing = names - set((parent / "cgroup.subtree_control").read_text().split())
        if missing:
            _allow(parent, missing)
    except OSError:
        return {}
    usable = {which: parent for which, name in wanted.items() if name in names}
    if not usable:
        return {}
    return usable | {Controller.FREEZER: parent, Controller.ACCOUNTING: parent}


def _allow(parent: Path, names: Iterable[str]) -> None:
    enabled = _join_names(names)
    try:
        _write(parent / "cgroup.subtree_control", enabled)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        leaf = parent / _OURSELVES
        leaf.mkdir(exist_ok=True)
        for _ in range(_ROUNDS):
            for pid in (parent / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    _write(leaf / "cgroup.procs", pid)
        _write(parent / "cgroup.subtree_control", enabled)


def _join_names(names: Iterable[str]) -> str:
    return " ".join(f"+{name}" for name in sorted(names))


def _make_locked(parent: Path, close: contextlib.ExitStack) -> Path:
    """Create a folder that is ours until `close`; raise OSError."""
    while True:
        folder = parent / f"{_PREFIX}{secrets.token_hex(8)}"
        folder.mkdir()
        # Another platform may take it for a dead one's, and remove it before it is locked.
        with contextlib.suppress(FileNotFoundError, BlockingIOError), _lock_folder(folder) as lock:
            if folder.exists():
                close.enter_context(lock.pop_all())
                close.callback(_clear_all, folder)
                return folder


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Iterator[contextlib.ExitStack]:
    """Lock a folder; raise BlockingIOError if it is locked. The kernel unlocks for the dead."""
    with contextlib.ExitStack() as lock:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        lock.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock


def _clear_dead(parent: Path) -> None:
    # Also in the groups beside ours: every login and every scope may have a group of its own.
    for folder in parent.parent.glob(f"*/{_PREFIX}*"):
        with contextlib.suppress(OSError), _lock_folder(folder):
            _clear_all(folder)


def _clear_all(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        for group in folder.iterdir():
            if group.is_dir():
                _clear(group)
    _clear(folder)


def _clear(folder: Path) -> None:
    """Kill all processes in a group and remove it; it may vanish meanwhile."""
    until = time.monotonic() + _EMPTY_SECONDS
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                return
            _kill(folder)
            time.sleep(0.001)
        else:
            return


def _kill(folder: Path) -> None:
    with contextlib.suppress(OSError):
        _set_frozen(folder, frozen=False)
        for pid in map(int, (folder / "cgroup.procs").read_text().split()):
            if pid:  # 0: in another namespace, out of sight
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _inherit(folder: Path) -> None:
    """Let a group use what its parent may use; in version 1 it may use nothing at first."""
    for name in (_ON, "cpuset.mems"):
        _write(folder / name, (folder.parent / name).read_text().strip())


def _bind_to(folder: Path, processors: Sequence[int]) -> None:
    """Bind a group to some processors, for what joins it may run on all that the group may use."""
    if processors:
        _write(folder / _ON, ",".join(map(str, processors)))


def has_group_access() -> bool:
    """Tell whether this process may write to the control groups of others."""
    try:
        mounts = _read_mounts(Path("/proc/self/mountinfo").read_text())
    except OSError:
        return False
    return any(os.access(mounts[name][0], os.W_OK) for name in ("freezer", "") if name in mounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class BorrowedGroup:
    """A process's control groups that somebody else created and will remove.

    Its methods block for a moment, and do nothing to groups that are gone.
    """

    freezer: Path
    processors: Path | None  # None: it runs on any processor

    def set_frozen(self, *, frozen: bool) -> None:
        """Freeze every process in the group, or let them run again."""
        with _ignore_gone():
            _set_frozen(self.freezer, frozen=frozen)

    def run_on(self, processor: int) -> None:
        """Restrict the processes to one processor, by its number."""
        if self.processors is not None:
            with _ignore_gone():
                _write(self.processors / _ON, str(processor))


def find_group(pid: int) -> BorrowedGroup | None:
    """Return the control groups by which we may freeze that process; None if we may not."""
    try:
        mounts = _read_mounts(Path("/proc/self/mountinfo").read_text())
        groups = dict(_read_own_groups(Path(f"/proc/{pid}/cgroup").read_text()))
    except OSError:
        return None

    def writable(*candidates: tuple[str, str]) -> Path | None:
        for name, file in candidates:
            place = _place(mounts.get(name), groups.get(name))
            if place is not None and os.access(place / file, os.W_OK):
                return place
        return None

    freezer = writable(("freezer", "freezer.state"), ("", "cgroup.freeze"))
    if freezer is None:
        return None
    return BorrowedGroup(freezer=freezer, processors=writable(("cpuset", _ON), ("", _ON)))


def _set_frozen(folder: Path, *, frozen: bool) -> None:
    """Freeze the processes in the group `folder`, or let them run again. Raises OSError."""
    if (folder / "freezer.state").exists():
        _write(folder / "freezer.state", "FROZEN" if frozen else "THAWED")
    elif (folder / "cgroup.freeze").exists():
        _write(folder / "cgroup.freeze", "1" if frozen else "0")


@contextlib.contextmanager
def _ignore_gone() -> Iterator[None]:
    """Ignore the errors of a group that is gone, or that goes between opening and writing."""
    try:
        yield
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno != errno.ENODEV:
            raise


def _write(file: Path, text: str) -> None:
    """Write to a file of the kernel; never create it."""
    descriptor = os.open(file, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _read_counts(file: Path) -> dict[str, int]:
    """Return the names and numbers of a file, one of each per line."""
    lines = (line.split() for line in file.read_text().splitlines())
    return {name: int(value) for name, value in lines}
