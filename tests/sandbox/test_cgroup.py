"""Control groups, over a tree of files that behaves as the kernel's, and over the kernel's."""

from __future__ import annotations

import errno
import os
import selectors
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mazzo_server.sandbox import Limits, cgroup
from mazzo_server.sandbox.cgroup import (
    ControlGroup,
    ControlGroups,
    Controller,
    OutOfMemory,
    find_control_groups,
)
from mazzo_server.settings import list_usable_processors

MIB = 1024 * 1024
NOBODY = 2**30  # more than any process's number, as what is left in a group is killed
LIMITS = Limits(memory_bytes=100 * MIB, scratch_bytes=20 * MIB, processes=7, cores=1.5)

_V1 = {
    "memory": {
        "memory.limit_in_bytes": "",
        "memory.memsw.limit_in_bytes": "",
        "memory.max_usage_in_bytes": "0\n",
        "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n",
    },
    "pids": {"pids.max": "max\n"},
    "cpu": {"cpu.cfs_period_us": "", "cpu.cfs_quota_us": "-1\n", "cpu.shares": "1024\n"},
    "cpuacct": {"cpuacct.usage": "1500000000\n"},
    "freezer": {"freezer.state": "THAWED\n"},
    "cpuset": {"cpuset.cpus": "\n", "cpuset.mems": "\n"},
}
_V2 = {  # where the group above allows them
    "memory": {
        "memory.max": "max\n",
        "memory.swap.max": "max\n",
        "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n",
    },
    "pids": {"pids.max": "max\n"},
    "cpu": {"cpu.max": "max 100000\n", "cpu.weight": "100\n"},
    "cpuset": {"cpuset.cpus": "\n"},
}
_V2_ALWAYS = {
    "cgroup.procs": "",
    "cgroup.subtree_control": "",
    "cpu.stat": "usage_usec 1500000\nuser_usec 1000000\n",
    "cgroup.freeze": "0\n",
}


class Kernel:
    """Folders that come with files, and go with them; processes that are in one at a time."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.missing: set[str] = set()  # files that no group has
        self._mkdir, self._write = Path.mkdir, cgroup._write
        root.mkdir()
        (root / "proc").mkdir()
        monkeypatch.setattr(Path, "mkdir", lambda path, **options: self.mkdir(path, **options))
        monkeypatch.setattr(Path, "rmdir", lambda path: self.rmdir(path))
        monkeypatch.setattr(cgroup, "_write", self.write)

    def mount(self, text: str, own: str) -> None:
        (self.root / "proc" / "mountinfo").write_text(text)
        (self.root / "proc" / "cgroup").write_text(own)

    def version1(self, *names: str) -> None:
        """A hierarchy for each name, in which this process is in /here."""
        for name in names:
            os.makedirs(self.root / name / "here")
            if name == "cpuset":
                for folder in (self.root / name, self.root / name / "here"):
                    (folder / "cpuset.cpus").write_text("0-3\n")
                    (folder / "cpuset.mems").write_text("0\n")
        self.mount(
            "20 1 0:5 / / rw - ext4 /dev/vda rw\n"
            + "".join(
                f"3{n} 31 0:2{n} / {self.root / name} rw - cgroup cgroup rw,{name}\n"
                for n, name in enumerate(names)
            ),
            "".join(f"{n}:{name}:/here\n" for n, name in enumerate(names)) + "0::/\n",
        )

    def version2(self, controllers: str, *, own: str = "/a.scope") -> Path:
        """One hierarchy, in which this process and another are in `own`."""
        os.mkdir(self.root / "unified")
        (self.root / "unified" / "cgroup.subtree_control").write_text("")
        folder = self.root / "unified" / own.lstrip("/")
        self.mkdir(folder)
        (folder / "cgroup.controllers").write_text(controllers)
        (folder / "cgroup.subtree_control").write_text("")
        (folder / "cgroup.procs").write_text(f"{NOBODY}\n{NOBODY + 1}\n")
        self.mount(f"30 1 0:9 / {self.root / 'unified'} rw - cgroup2 cgroup2 rw\n", f"0::{own}\n")
        return folder

    def mkdir(self, path: Path, *, exist_ok: bool = False) -> None:
        self._mkdir(path, exist_ok=exist_ok)
        hierarchy = path.relative_to(self.root).parts[0]
        if hierarchy == "unified":
            allowed = (path.parent / "cgroup.subtree_control").read_text()
            files = _V2_ALWAYS | {"cgroup.controllers": allowed}
            for name in allowed.split():
                files |= _V2.get(name, {})
        else:
            files = {"cgroup.procs": ""} | _V1[hierarchy]
        for name, text in files.items():
            if name not in self.missing:
                (path / name).write_text(text)

    def rmdir(self, path: Path) -> None:
        if not path.exists():
            raise FileNotFoundError(path)
        if any(int(pid) < NOBODY for pid in (path / "cgroup.procs").read_text().split()) or any(
            item.is_dir() for item in path.iterdir()
        ):
            raise OSError(errno.EBUSY, "busy")
        shutil.rmtree(path)

    def write(self, file: Path, text: str) -> None:
        if file.name == "cgroup.procs":
            hierarchy = self.root / file.relative_to(self.root).parts[0]
            for other in hierarchy.rglob("cgroup.procs"):
                left = [pid for pid in other.read_text().split() if pid != text]
                other.write_text("".join(f"{pid}\n" for pid in left))
            text = file.read_text() + f"{text}\n"
        if file.name == "cgroup.subtree_control":
            if (file.parent / "cgroup.procs").read_text():
                raise OSError(errno.EBUSY, "busy")
            text = text.replace("+", "")
        if not file.exists():
            raise FileNotFoundError(file)
        file.write_text(text)

    def groups(self) -> ControlGroups:
        return find_control_groups(self.root / "proc")

    def made(self) -> list[str]:
        """Every folder of a platform or an instance, without the random part of its name."""
        found = (path.relative_to(self.root) for path in self.root.rglob("mazzo-*"))
        return sorted(str(path.parent) for path in found)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    return Kernel(tmp_path / "cgroup", monkeypatch)


def files(group: ControlGroup, controller: Controller) -> dict[str, str]:
    folder = group._folders[controller]
    return {path.name: path.read_text().strip() for path in folder.iterdir()}


def test_version_1_binds_in_every_hierarchy(kernel: Kernel) -> None:
    """Memory without swap, processes, and a share of the processors."""
    kernel.version1(*_V1)
    groups = kernel.groups()
    assert groups.controllers == set(Controller)
    group = groups.make(LIMITS)
    group.add(NOBODY)
    memory = files(group, Controller.MEMORY)
    assert memory["memory.limit_in_bytes"] == str(120 * MIB)
    assert memory["memory.memsw.limit_in_bytes"] == str(120 * MIB)
    assert files(group, Controller.PROCESSES)["pids.max"] == "7"
    assert files(group, Controller.CPU)["cpu.cfs_quota_us"] == "150000"
    assert all(files(group, which)["cgroup.procs"] == str(NOBODY) for which in Controller)
    assert group.read_cpu_seconds() == 1.5
    processors = files(group, Controller.PROCESSORS)
    assert (processors["cpuset.cpus"], processors["cpuset.mems"]) == ("0-3", "0")
    group.run_on(2)
    assert files(group, Controller.PROCESSORS)["cpuset.cpus"] == "2"
    group.freeze()
    assert files(group, Controller.FREEZER)["freezer.state"] == "FROZEN"
    group.thaw()
    assert files(group, Controller.FREEZER)["freezer.state"] == "THAWED"


def test_version_2_binds_in_one_folder(kernel: Kernel) -> None:
    """The processes that were there make room, as the kernel wants it; a second one finds it so."""
    scope = kernel.version2("cpu cpuset io memory pids")
    groups = kernel.groups()
    assert groups.controllers == set(Controller)
    moved = (scope / "platform.mazzo" / "cgroup.procs").read_text()
    assert moved == f"{NOBODY}\n{NOBODY + 1}\n"
    assert (scope / "cgroup.subtree_control").read_text() == "cpu cpuset memory pids"
    group = groups.make(LIMITS)
    group.add(NOBODY)
    group.freeze()
    group.run_on(1)
    found = files(group, Controller.MEMORY)
    assert found["memory.max"] == str(120 * MIB)
    assert found["memory.swap.max"] == "0"
    assert found["pids.max"] == "7"
    assert found["cpu.max"] == "150000 100000"
    assert found["cgroup.freeze"] == "1"
    assert found["cpuset.cpus"] == "1"
    assert found["cgroup.procs"] == str(NOBODY)
    assert group.read_cpu_seconds() == 1.5
    (kernel.root / "proc" / "cgroup").write_text("0::/a.scope/platform.mazzo\n")
    assert kernel.groups().controllers == set(Controller)
    assert not (scope / "platform.mazzo" / "platform.mazzo").exists()


@pytest.mark.parametrize("version", [1, 2])
def test_no_bound_on_processors_is_none(kernel: Kernel, version: int) -> None:
    """Limits without cores leave the quota open."""
    kernel.version1(*_V1) if version == 1 else kernel.version2("cpu memory pids")
    found = files(kernel.groups().make(Limits()), Controller.CPU)
    assert found.get("cpu.cfs_quota_us", found.get("cpu.max")) in ("-1", "max 100000")


@pytest.mark.parametrize("version", [1, 2])
def test_a_share_is_some_of_the_processors(
    kernel: Kernel, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What joins a group could run on all of the group's, whatever it was bound to before."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    kernel.version1(*_V1) if version == 1 else kernel.version2("cpu cpuset memory pids")
    found = files(kernel.groups().make(Limits(processor_share=0.5)), Controller.PROCESSORS)
    first, second = list_usable_processors(0.5)
    assert found["cpuset.cpus"] == f"{first},{second}"


@pytest.mark.parametrize(("version", "each"), [(1, 1024), (2, 100)])
def test_an_instance_weighs_as_much_as_any_process(kernel: Kernel, version: int, each: int) -> None:
    """Else all of them together would; those that stand still or are over weigh nothing."""
    kernel.version1(*_V1) if version == 1 else kernel.version2("cpu memory pids")
    groups = kernel.groups()
    made = [groups.make(LIMITS) for _ in range(3)]
    folder = groups._parents[Controller.CPU]

    def weight() -> int:
        return int((folder / ("cpu.shares" if version == 1 else "cpu.weight")).read_text())

    assert weight() == 3 * each
    made[0].freeze()
    made[0].freeze()
    assert weight() == 2 * each
    made[1].remove()
    made[1].thaw()
    assert weight() == each
    made[0].thaw()
    made[0].thaw()
    assert weight() == 2 * each
    made[0].freeze()
    made[2].freeze()
    assert weight() == each


def test_a_group_that_ends_meanwhile_weighs_nothing(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread removes it while the platform lets it go: the weight would be kept for ever."""
    kernel.version1(*_V1)
    groups = kernel.groups()
    group, other = groups.make(LIMITS), groups.make(LIMITS)
    weigh = groups.weigh

    def late(which: ControlGroup, *, active: bool) -> None:
        weigh(which, active=active)
        if not active:
            group.thaw()

    monkeypatch.setattr(groups, "weigh", late)
    group.remove()
    folder = groups._parents[Controller.CPU]
    assert (folder / "cpu.shares").read_text() == "1024"
    other.remove()


@pytest.mark.parametrize("error", [errno.ENOENT, errno.ENODEV, errno.EMFILE])
def test_a_group_that_is_removed_while_it_is_written_to_is_no_error(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    """The kernel says so if it goes after its file was opened; all else is one."""
    kernel.version1(*_V1)
    group = kernel.groups().make(LIMITS)

    def gone(file: Path, text: str) -> None:
        raise OSError(error, "no such device", str(file))

    with monkeypatch.context() as patch:
        patch.setattr(cgroup, "_write", gone)
        for call in (group.freeze, group.thaw, lambda: group.run_on(1)):
            if error == errno.EMFILE:
                with pytest.raises(OSError, match="no such device"):
                    call()
            else:
                call()
        group.remove()
    assert not group._folders[Controller.MEMORY].exists()


def test_only_what_is_there_is_promised(kernel: Kernel) -> None:
    """A controller that is not mounted, or whose limit the kernel does not know, is missing."""
    kernel.version1("memory", "cpu", "freezer")
    kernel.missing.add("cpu.cfs_quota_us")
    groups = kernel.groups()
    assert groups.controllers == {Controller.MEMORY, Controller.FREEZER}
    group = groups.make(LIMITS)
    assert group.read_cpu_seconds() is None


def test_controllers_of_version_2_that_are_not_delegated_are_missing(kernel: Kernel) -> None:
    """What the scope was not given it cannot pass on; without any, nothing is promised."""
    kernel.version2("pids")
    assert kernel.groups().controllers == {
        Controller.PROCESSES,
        Controller.FREEZER,
        Controller.ACCOUNTING,
    }


def test_a_kernel_without_control_groups_gives_groups_that_do_nothing(tmp_path: Path) -> None:
    """So that no caller has to ask first."""
    groups = find_control_groups(tmp_path)
    group = groups.make(LIMITS)
    group.add(1)
    group.freeze()
    group.thaw()
    group.remove()
    assert groups.controllers == set()
    assert group.read_cpu_seconds() is None
    assert group.explain_out_of_memory() is None


def test_nothing_may_be_made_here(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group that is somebody else's is no error, and no control group."""
    kernel.version1(*_V1)

    def refused(path: Path, **_: object) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(Path, "mkdir", refused)
    assert kernel.groups().controllers == set()


def test_a_mount_of_another_part_of_the_tree_is_not_ours(kernel: Kernel) -> None:
    """In a container, the own group may lie outside of what is mounted."""
    kernel.version1(*_V1)
    mounts = (kernel.root / "proc" / "mountinfo").read_text()
    (kernel.root / "proc" / "mountinfo").write_text(mounts.replace(" / /", " /there /"))
    assert kernel.groups().controllers == set()
    (kernel.root / "proc" / "mountinfo").write_text(mounts.replace(" / /", " /here /"))
    assert kernel.groups().controllers == set(Controller)
    assert kernel.made() == []


@pytest.mark.parametrize("version", [1, 2])
def test_groups_go_with_their_instance_and_their_platform(kernel: Kernel, version: int) -> None:
    """No folder is left, as often as it is asked for."""
    kernel.version1(*_V1) if version == 1 else kernel.version2("cpu memory pids")
    groups = kernel.groups()
    assert kernel.made() == (
        sorted(f"{name}/here" for name in _V1) if version == 1 else ["unified/a.scope"]
    )
    group = groups.make(LIMITS)
    folder = group._folders[Controller.MEMORY]
    assert folder.exists()
    for _ in range(2):
        group.remove()
        assert not folder.exists()
    del group, groups
    assert kernel.made() == []


def test_the_next_platform_clears_what_a_dead_one_left(kernel: Kernel) -> None:
    """A folder that nobody locks is cleared with its groups; one of the living is left alone."""
    kernel.version1(*_V1)
    living = kernel.groups()
    group = living.make(LIMITS)
    for name in _V1:
        dead = kernel.root / name / "here" / "mazzo-dead"
        kernel.mkdir(dead)
        kernel.mkdir(dead / "instance")
    os.mkdir(kernel.root / "memory" / "beside")
    kernel.mkdir(kernel.root / "memory" / "beside" / "mazzo-dead")
    # In the dead one's freezer a process stands still, and it dies once it is let go.
    with subprocess.Popen(["sleep", "600"]) as frozen:
        inside = kernel.root / "freezer" / "here" / "mazzo-dead" / "instance"
        (inside / "freezer.state").write_text("FROZEN\n")
        (inside / "cgroup.procs").write_text(f"0\n{frozen.pid}\n")
        original, seen = cgroup._kill, []

        def kill(folder: Path) -> None:
            original(folder)
            seen.append((folder / "freezer.state").read_text())
            (folder / "cgroup.procs").write_text("")

        killed: list[int] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cgroup, "_kill", kill)
            patch.setattr(os, "kill", lambda pid, _: killed.append(pid))
            another = kernel.groups()
        frozen.kill()
    assert killed == [frozen.pid]  # and not 0, which is every process of our own group
    assert seen == ["THAWED"]
    assert not list(kernel.root.rglob("mazzo-dead"))
    assert group._folders[Controller.MEMORY].exists()
    assert another.controllers == living.controllers


_V1_EVENTS = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"
_V2_EVENTS = "low 0\nhigh 0\nmax 3\noom {1}\noom_kill {0}\n"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("killed", "reached", "expected"),
    [
        (0, 0, None),
        (0, 3, None),
        (1, 3, OutOfMemory.LIMIT),
        (1, 0, OutOfMemory.MACHINE),
        (2, 0, OutOfMemory.MACHINE),
    ],
)
def test_whose_memory_ran_out_is_known(
    kernel: Kernel, version: int, killed: int, reached: int, expected: OutOfMemory | None
) -> None:
    """Within its limit an instance is killed only where the machine has no memory left."""
    kernel.version1(*_V1) if version == 1 else kernel.version2("cpu memory pids")
    group = kernel.groups().make(LIMITS)
    folder = group._folders[Controller.MEMORY]
    if version == 1:
        (folder / "memory.oom_control").write_text(_V1_EVENTS.format(killed))
        (folder / "memory.max_usage_in_bytes").write_text(f"{reached * 40 * MIB - 4096}\n")
    else:
        (folder / "memory.events").write_text(_V2_EVENTS.format(killed, reached))
    assert group.explain_out_of_memory() is expected


# Over the kernel's own


@pytest.fixture
def real() -> ControlGroups:
    groups = find_control_groups()
    assert groups.controllers == set(Controller), "these tests need writable control groups"
    return groups


def left() -> list[Path]:
    return [path for path in Path("/sys/fs/cgroup").rglob("mazzo-*") if path.is_dir()]


@pytest.mark.prove
def test_a_frozen_process_uses_no_time_and_is_killed_with_its_group(real: ControlGroups) -> None:
    """Freezing stops it, removing the group ends it, frozen as it is."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        group = real.make(LIMITS)
        group.add(process.pid)
        group.freeze()
        before = group.read_cpu_seconds()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.3)
        after = group.read_cpu_seconds()
        assert before is not None
        assert after is not None
        assert after - before < 0.05
        group.remove()
        assert process.wait(timeout=10) == -9


@pytest.mark.prove
def test_memory_over_the_limit_is_the_group_s_own(real: ControlGroups) -> None:
    """The kernel kills at the limit of the whole, and says that it was that."""
    hog = "import sys; sys.stdin.read(1); held = [bytearray(2**20) for _ in range(500)]"
    with subprocess.Popen([sys.executable, "-c", hog], stdin=subprocess.PIPE) as process:
        group = real.make(LIMITS)
        group.add(process.pid)
        process.communicate(b"x", timeout=60)
        assert process.returncode == -9
    assert group.explain_out_of_memory() is OutOfMemory.LIMIT
    group.remove()


@pytest.mark.prove
def test_a_killed_platform_s_groups_are_cleared(real: ControlGroups) -> None:
    """Its processes too, though frozen."""
    before = set(left())
    code = (
        "import os, subprocess, time\n"
        "from mazzo_server.sandbox import Limits\n"
        "from mazzo_server.sandbox.cgroup import find_control_groups\n"
        "groups = find_control_groups()\n"
        "group = groups.make(Limits())\n"
        "sleeper = subprocess.Popen(['sleep', '600'], stdout=subprocess.DEVNULL)\n"
        "group.add(sleeper.pid)\n"
        "group.freeze()\n"
        "print(sleeper.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as platform:
        assert platform.stdout is not None
        sleeper = os.pidfd_open(int(platform.stdout.readline()))
        platform.kill()
    assert set(left()) > before
    del real
    groups = find_control_groups()
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(sleeper, selectors.EVENT_READ)
            assert selector.select(timeout=10), "it still lives"
    finally:
        os.close(sleeper)
    del groups
    assert set(left()) <= before
