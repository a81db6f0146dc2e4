"""Calls the kernel for what no bot needs.

Each call is made so that it does no harm where it is allowed: the kernel then complains of an
argument, which tells as much.
"""

from __future__ import annotations

import ctypes
import os
import platform
import stat
import struct
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from attacks.bots.attempt import PLAN, apart, play, say

# By name: the number on x86_64 and on aarch64.
NUMBERS = {
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "prlimit64": (302, 261),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
MACHINE = {"x86_64": 0, "aarch64": 1}[platform.machine()]
NEW_NAMESPACES = {
    "user": 0x10000000,
    "mount": 0x00020000,
    "process": 0x20000000,
    "network": 0x40000000,
    "ipc": 0x08000000,
    "cgroup": 0x02000000,
    "time": 0x00000080,
}
SIGCHLD = 17
SESSION_KEYRING = -3
NOWHERE = -1
AT_FDCWD = -100
LIBC = ctypes.CDLL(None, use_errno=True)
HERE = os.environ["TMPDIR"].encode()


def call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """What the kernel answers; raises OSError."""
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    answer = int(LIBC.syscall(ctypes.c_long(NUMBERS[name][MACHINE]), *given))
    if answer < 0:
        raise OSError(ctypes.get_errno(), name)
    return answer


def clone(flags: int) -> int:
    """A child in new namespaces, which ends at once."""
    child = call("clone", flags | SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1]


def clone3(flags: int) -> int:
    asked = struct.pack("<11Q", flags, 0, 0, 0, SIGCHLD, *(0,) * 6)
    child = call("clone3", ctypes.create_string_buffer(asked), len(asked))
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1]


def measure_itself() -> int:
    """A counter of the processor for this process alone, which the kernel tends to allow."""
    software, size, cpu_clock, exclude_kernel = 1, 128, 0, 1 << 5 | 1 << 6
    asked = struct.pack("<IIQQQQQ", software, size, cpu_clock, 0, 0, 0, exclude_kernel)
    return call("perf_event_open", ctypes.create_string_buffer(asked, size), 0, -1, -1, 0)


def enter(kind: str) -> int:
    """A namespace of another process; this is none, of which only who may enter one is told."""
    return call("setns", os.open("/bot", os.O_RDONLY), NEW_NAMESPACES[kind])


def trace_a_child() -> int:
    """As a debugger does: its own child, which it may."""
    child = os.fork()
    if child == 0:
        time.sleep(5)
        os._exit(0)
    try:
        return call("ptrace", 0x4206, child, 0, 0)  # PTRACE_SEIZE
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def read_memory(pid: int) -> int:
    """Eight bytes of another process, where this one has them."""
    here, there = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
    local = struct.pack("<QQ", ctypes.addressof(here), 8)
    remote = struct.pack("<QQ", ctypes.addressof(there), 8)
    return call("process_vm_readv", pid, local, 1, remote, 1, 0)


def read_a_child() -> int:
    """The memory of its own child."""
    child = os.fork()
    if child == 0:
        time.sleep(5)
        os._exit(0)
    try:
        return read_memory(child)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def open_by_handle() -> int:
    """A folder by its number on the disk, past every mount: how containers were left once."""
    handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0), 136)
    call("name_to_handle_at", AT_FDCWD, b"/bot", handle, ctypes.create_string_buffer(8), 0)
    return call("open_by_handle_at", os.open("/bot", os.O_RDONLY), handle, 0)


def now() -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(struct.pack("<qq", int(time.clock_gettime(0)), 0))


CALLS: dict[str, Callable[[], object]] = {
    "io_uring_setup": lambda: call("io_uring_setup", 1, None),
    "keyctl: its session": lambda: call("keyctl", 0, SESSION_KEYRING, 0),
    "keyctl: a new session": lambda: call("keyctl", 1, None),
    "add_key": lambda: call("add_key", b"user", PLAN["mark"].encode(), b"x", 1, SESSION_KEYRING),
    "request_key": lambda: call("request_key", b"user", b"mazzo", None, 0),
    "bpf: a map": lambda: call("bpf", 0, ctypes.create_string_buffer(128), 128),
    "bpf: a program": lambda: call("bpf", 5, ctypes.create_string_buffer(128), 128),
    "perf_event_open": measure_itself,
    "userfaultfd": lambda: call("userfaultfd", 1),
    "ptrace: a child": trace_a_child,
    "ptrace: be traced": lambda: call("ptrace", 0, 0, 0, 0),
    "ptrace: the first process": lambda: call("ptrace", 0x4206, 1, 0, 0),
    "process_vm_readv": read_a_child,
    "init_module": lambda: call("init_module", None, 0, None),
    "finit_module": lambda: call("finit_module", NOWHERE, None, 0),
    "delete_module": lambda: call("delete_module", None, 0),
    "kexec_load": lambda: call("kexec_load", 0, 0, None, 0),
    "reboot": lambda: call("reboot", 0, 0, 0, None),
    "mount": lambda: call("mount", b"none", HERE, b"tmpfs", 0, None),
    "mount: bind": lambda: call("mount", b"/usr", HERE, None, 4096, None),
    "mount: /bot for writing": lambda: call("mount", None, b"/bot", None, 32 | 4096, None),
    "mount: proc": lambda: call("mount", b"proc", HERE, b"proc", 0, None),
    "umount2": lambda: call("umount2", b"/bot", 2),
    "fsopen": lambda: call("fsopen", b"tmpfs", 0),
    "fspick": lambda: call("fspick", NOWHERE, HERE, 0),
    "open_tree": lambda: call("open_tree", NOWHERE, b"/", 1),
    "mount_setattr": lambda: call(
        "mount_setattr", NOWHERE, b"/bot", 0, ctypes.create_string_buffer(32), 32
    ),
    "pivot_root": lambda: call("pivot_root", HERE, HERE),
    "chroot": lambda: call("chroot", HERE),
    "swapon": lambda: call("swapon", HERE, 0),
    "syslog": lambda: call("syslog", 5, None, 0),
    "sethostname": lambda: call("sethostname", b"mazzo", 5),
    "fanotify_init": lambda: call("fanotify_init", 0, 0),
    "open_by_handle_at": open_by_handle,
    "setns: network": lambda: enter("network"),
    "setns: mounts": lambda: enter("mount"),
    "clock_settime": lambda: call("clock_settime", 0, now()),
    "settimeofday": lambda: call("settimeofday", now(), None),
    "adjtimex": lambda: call("adjtimex", ctypes.create_string_buffer(b"\x01", 256)),
    "clock_adjtime": lambda: call("clock_adjtime", 0, ctypes.create_string_buffer(b"\x01", 256)),
    "setuid": lambda: os.setuid(0),
    "setgid": lambda: os.setgid(0),
    "setgroups": lambda: os.setgroups([0]),
    "setresuid": lambda: os.setresuid(-1, 0, -1),
    "a device": lambda: os.mknod(f"{os.environ['TMPDIR']}/sda", 0o60666, os.makedev(8, 0)),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
    "real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "more open files": lambda: call("prlimit64", 0, 7, struct.pack("<QQ", 2**20, 2**20), None),
    "any processor's counter": lambda: os.close(os.open("/dev/cpu/0/msr", os.O_RDONLY)),
}


def privileged_programs() -> list[str]:
    """The setuid and setgid files that can be seen, and those with capabilities."""
    found = []
    for folder, folders, files in os.walk("/"):
        folders[:] = [
            name
            for name in folders
            if os.path.join(folder, name) not in ("/proc", "/sys", "/dev", *PLAN["python"])
            and (folder != "/usr" or name in ("bin", "sbin", "lib", "libexec", "local"))
        ]
        for path in (Path(folder, name) for name in files):
            try:
                mode = path.lstat().st_mode
                if not stat.S_ISREG(mode) or not mode & 0o111:
                    continue
                if mode & 0o6000 or "security.capability" in os.listxattr(path):
                    found.append(str(path))
            except OSError:
                continue
    return found


def run_privileged() -> None:
    """Whether any of them runs with more rights than this process."""
    own = rights()
    found = privileged_programs()
    gained = []
    for path in found:
        try:
            program = subprocess.Popen(
                [path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except PermissionError:  # for others than its group
            continue
        with program:
            if rights(program.pid) != own:  # it is there until it is waited for
                gained.append(path)
            program.kill()
    say("setuid programs tried", str(len(found)))
    say("setuid programs that gave rights", str(sorted(set(gained))))


def rights(pid: int = 0) -> list[int]:
    """The capabilities of a process, or of this one: effective, permitted and inheritable."""
    header, found = struct.pack("<Ii", 0x20080522, pid), ctypes.create_string_buffer(24)
    if LIBC.capget(header, found) < 0:
        raise OSError(ctypes.get_errno(), "capget")
    return list(struct.unpack("<6I", found.raw))


def main() -> None:
    for name, action in CALLS.items():
        apart(name, action)
    for name, flag in NEW_NAMESPACES.items():
        apart(f"unshare {name}", partial(call, "unshare", flag))
        if flag > 255:  # where the signal stands in the older call
            apart(f"clone {name}", partial(clone, flag))
        apart(f"clone3 {name}", partial(clone3, flag))
    run_privileged()
    say("rights", str(rights()))
    say("no new rights", str(LIBC.prctl(39, 0, 0, 0, 0)))  # PR_GET_NO_NEW_PRIVS
    say("identities", str([*os.getresuid(), *os.getresgid()]))
    play()


if __name__ == "__main__":
    main()
