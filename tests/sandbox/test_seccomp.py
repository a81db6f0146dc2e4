"""The filter of system calls, asked by a bot under bubblewrap, call by call."""

from __future__ import annotations

import ctypes
import errno
import platform
import signal
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Sandbox, open_sandbox, seccomp
from mazzo_server.settings import Isolation
from support.sandboxed_runs import reported, run

ALLOW_ALL = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
QUERY = 0xFFFFFFFF
_SIGCHLD = int(signal.SIGCHLD)

# Each call is made with these arguments, in a process of its own.
_TRY = """
import ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
def tried(number, *arguments):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_ulong, arguments))
        if number == CLONE and result == 0:
            os._exit(0)
        os.write(write, str(ctypes.get_errno() if result == -1 else 0).encode())
        os._exit(0)
    os.close(write)
    said = os.read(read, 10)
    os.close(read)
    status = os.waitpid(child, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else int(said)
"""


def number(call: str) -> int:
    """Of this architecture; negative if it has no such call."""
    library = ctypes.CDLL("libseccomp.so.2")
    return int(library.seccomp_syscall_resolve_name(call.encode()))


def answers(way: Sandbox, launch: Launch, calls: Sequence[tuple[str, tuple[int, ...]]]) -> Any:
    """The error of each call, 0 for none; negative if a signal ended it."""
    numbers = [(number(call), *arguments) for call, arguments in calls]
    code = (
        f"CLONE = {number('clone')}\n{_TRY}\n"
        f"print(json.dumps([tried(*call) for call in {numbers!r}]))\n"
    )
    return reported(way, launch, code)


# What no bot may ever be given, whoever mends the list.
_NEVER = """
io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev
pidfd_getfd kcmp keyctl add_key request_key bpf perf_event_open userfaultfd mount umount2
pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr unshare setns
kexec_load kexec_file_load init_module finit_module delete_module settimeofday clock_settime
clock_adjtime adjtimex reboot swapon swapoff quotactl quotactl_fd acct nfsservctl
name_to_handle_at open_by_handle_at vhangup syslog lookup_dcookie set_mempolicy mbind
set_mempolicy_home_node migrate_pages move_pages memfd_secret
"""


def test_what_is_denied_fails(bubblewrap: Sandbox, launch: Launch) -> None:
    """Every call of the list that this architecture has, whatever its arguments."""
    denied = [call for calls in seccomp._DENIED.values() for call in calls.split()]
    assert len(denied) == len(set(denied))
    assert set(_NEVER.split()) <= set(denied)
    there = [(call, (0, 0, 0, 0, 0, 0)) for call in denied if number(call) >= 0]
    assert len(there) > 50
    found = answers(bubblewrap, launch, there)
    assert [call for call, error in zip(there, found, strict=True) if error != errno.EPERM] == []


# What fails only with some arguments, and what does not.
_CONDITIONS = [
    ("socket", (1, 1, 0), 0),
    ("socket", (2, 1, 0), errno.EAFNOSUPPORT),
    ("socket", (10, 2, 0), errno.EAFNOSUPPORT),
    ("socket", (16, 3, 0), errno.EAFNOSUPPORT),  # netlink
    ("socket", (38, 5, 0), errno.EAFNOSUPPORT),  # the kernel's cryptography
    ("socket", (40, 1, 0), errno.EAFNOSUPPORT),  # the host of a virtual machine
    ("socket", ((1 << 32) + 2, 1, 0), errno.EAFNOSUPPORT),  # the kernel reads an int
    ("socketpair", (2, 1, 0, 0), errno.EAFNOSUPPORT),
    ("socketpair", (1, 1, 0, 0), errno.EFAULT),
    ("personality", (0,), 0),
    ("personality", (0x0040000,), errno.EPERM),
    ("personality", (QUERY,), errno.EPERM),
    ("clone", (_SIGCHLD, 0, 0, 0, 0), 0),
    ("clone3", (0, 0), errno.ENOSYS),
    # Standard input is /dev/null, of which the kernel would tell the size of a block.
    ("ioctl", (0, 2, 0), errno.ENOTTY),
    ("ioctl", (0, (1 << 32) + 2, 0), errno.ENOTTY),
    ("ioctl", (0, 0x5450, 0), 0),  # FIONCLEX
    ("fcntl", (0, 3, 0), 0),  # F_GETFL
    ("fcntl", (0, 5, 0), errno.EPERM),  # F_GETLK
    ("fcntl", (0, (1 << 32) + 1036, 0), errno.EPERM),  # F_SET_RW_HINT
    *(("fcntl", (0, lock, 0), 0) for lock in (6, 7, 37, 38)),  # the kernel would miss an argument
    ("flock", (999, 0), 0),  # no such descriptor
    ("sync", (), 0),
    ("statx", (0, 0, 0, 0xFFF, 0), errno.EFAULT),
    ("statx", (0, 0, 0, 0x1FFF, 0), errno.EPERM),
    ("statx", (0, 0, 0, 0x4000, 0), errno.EPERM),
    ("getsockopt", (0, 1, 57, 0, 0), errno.ENOPROTOOPT),
    ("getsockopt", (0, 1, 3, 0, 0), errno.ENOTSOCK),
    ("setpriority", (0, 0, 19), 0),
    ("setpriority", (0, 1, 0), errno.EPERM),
    ("setpriority", (2, 0, 0), errno.EPERM),
    ("prlimit64", (1, 0, 0, 0), errno.EPERM),
    ("prlimit64", (0, 0, 0, 0), 0),
    ("sched_setaffinity", (1, 0, 0), errno.EPERM),
    *(
        ("clone", (flag | _SIGCHLD, 0, 0, 0, 0), errno.EPERM)
        for flag in (1 << 12, 1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)
    ),
]


def test_what_depends_on_arguments(bubblewrap: Sandbox, launch: Launch) -> None:
    """Unix sockets alone; processes but no namespaces; few commands, and locks do nothing."""
    found = answers(bubblewrap, launch, [(call, with_) for call, with_, _ in _CONDITIONS])
    assert found == [error for *_, error in _CONDITIONS]


def test_the_filter_makes_the_difference(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the same calls get as far as to their arguments, or succeed."""
    monkeypatch.setattr(bubblewrap, "_filter", ALLOW_ALL)
    calls = [
        ("socket", (2, 1, 0)),
        ("personality", (0x0040000,)),
        ("ptrace", (0, 0, 0, 0)),
        ("name_to_handle_at", (0, 0, 0, 0, 0)),
        ("add_key", (0, 0, 0, 0, 0)),
        ("clone3", (0, 0)),
        ("process_vm_readv", (0, 0, 1, 0, 1, 0)),
    ]
    found = answers(bubblewrap, launch, calls)
    assert not {errno.EPERM, errno.EAFNOSUPPORT} & set(found), found
    assert found[:3] == [0, 0, 0]


def test_calls_that_were_not_known_are_no_calls(bubblewrap: Sandbox, launch: Launch) -> None:
    """What a newer kernel can do is refused like something that it cannot."""
    numbers = [451, 452, 470, 600, 0x40000000 + 39]  # the last is getpid of x32
    code = f"CLONE = 0\n{_TRY}\nprint(json.dumps([tried(n, 0, 0, 0) for n in {numbers}]))\n"
    assert reported(bubblewrap, launch, code) == [errno.ENOSYS] * len(numbers)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the other architecture is i386")
def test_another_architecture_s_calls_are_the_end(bubblewrap: Sandbox, launch: Launch) -> None:
    """i386 has numbers of its own, which the list does not mean."""
    code = """
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
        place = ctypes.addressof(ctypes.c_char.from_buffer(page))
        print(ctypes.CFUNCTYPE(ctypes.c_int)(place)())
        """
    assert run(bubblewrap, launch, code)[0] == Exit(code=None, signal=signal.SIGSYS)


def test_every_reason_is_kept_short() -> None:
    """Filters run at each call that they cannot decide by its number."""
    assert len(seccomp.compile_filter()) // 8 < 300


@pytest.fixture
def _afresh() -> Iterator[None]:
    seccomp.compile_filter.cache_clear()
    yield
    seccomp.compile_filter.cache_clear()


@pytest.mark.usefixtures("_afresh")
def test_no_bot_runs_unfiltered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the library is told what to install."""
    monkeypatch.setattr(seccomp, "_LIBRARY", "libno-such.so.2")
    with pytest.raises(IsolationError, match=r"libno-such.so.2.*install libseccomp"):
        open_sandbox(Isolation.BUBBLEWRAP)


@pytest.mark.usefixtures("_afresh")
def test_a_library_that_does_not_know_all_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that it left out would be a hole."""
    monkeypatch.setattr(seccomp, "_DENIED", {"none": "no_such_call"})
    with pytest.raises(IsolationError, match="knows no_such_call, got an older one"):
        seccomp.compile_filter()
