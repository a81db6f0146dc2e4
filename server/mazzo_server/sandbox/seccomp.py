"""The filter of system calls that every bot runs under: it denies calls to the kernel.

It lists the denied calls, each group with its reason; libseccomp compiles it. A bot whose call is
denied gets an error; a bot that calls the kernel as another architecture is killed.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

from mazzo_server.errors import IsolationError

__all__ = ["compile_filter"]

_LIBRARY = "libseccomp.so.2"

# Each reason with its calls.
_DENIED = {
    "a second way to make system calls, which no filter sees": (
        "io_uring_setup io_uring_enter io_uring_register"
    ),
    "looking into other processes, or telling the kernel how to treat them": (
        "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise "
        "process_mrelease"
    ),
    "keys, which are not divided by namespaces": "add_key request_key keyctl",
    "programs for the kernel, and measuring it": (
        "bpf perf_event_open lookup_dcookie fanotify_init fanotify_mark syslog"
    ),
    "stopping the kernel in the middle of its work": "userfaultfd",
    "memory that the kernel cannot see, or that is placed on purpose": (
        "memfd_secret mbind set_mempolicy set_mempolicy_home_node migrate_pages move_pages"
    ),
    "the tree of files": (
        "mount umount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount "
        "fspick mount_setattr"
    ),
    "telling what another process does with a file that both see, or did: locks, watches, and "
    "what of it is in memory": (
        "flock inotify_init inotify_init1 inotify_add_watch mincore fadvise64 readahead"
    ),
    "files by a number, past the folders around them": "name_to_handle_at open_by_handle_at",
    "namespaces": "unshare setns",
    "the machine as a whole": (
        "kexec_load kexec_file_load init_module finit_module delete_module create_module "
        "query_module get_kernel_syms reboot swapon swapoff acct quotactl quotactl_fd "
        "nfsservctl vhangup sethostname setdomainname"
    ),
    "clocks": "settimeofday clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex "
    "stime",
    "the hardware's ports, and what is obsolete": (
        "iopl ioperm modify_ldt vm86 vm86old uselib ustat sysfs _sysctl afs_syscall tuxcall "
        "security vserver getpmsg putpmsg pciconfig_read pciconfig_write pciconfig_iobase"
    ),
}
# The calls that Linux got after 6.4, which the list above cannot know. Every runtime is prepared
# for the answer "no such call". The numbers are the same on every architecture.
_FIRST_UNKNOWN = 451
_NAMESPACES = {  # flags of clone, which has none for time namespaces
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
_AF_UNIX = 1
_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX type on other users' terminals
# F_GETLK, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY: like flock. F_SETLK is
# left, for databases: nobody can tell who holds such a lock on a file that cannot be written.
_FILE_LOCKS = (5, 36, 37, 38, 1024, 1026)
_RWF_NOWAIT = 8  # read only what is in memory
_LOW = 0xFFFFFFFF  # the part of an argument that the kernel reads as an int

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
_BAD_ARCHITECTURE = 2  # attribute of a filter: the action for calls of another architecture
_NE, _MASKED_EQ = 1, 7


class _Comparison(ctypes.Structure):
    """`struct scmp_arg_cmp`."""

    _fields_ = [
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    ]


class _Rule(NamedTuple):
    """A call that does nothing and gives `error`; if there are conditions, only when all hold."""

    call: str
    error: int
    conditions: tuple[tuple[int, int, int, int], ...] = ()  # argument, operator, mask, value


def _list_rules() -> Iterator[_Rule]:
    for calls in _DENIED.values():
        for call in calls.split():
            yield _Rule(call, errno.EPERM)
    # Its flags are in memory, where a filter cannot look; libraries fall back on clone.
    yield _Rule("clone3", errno.ENOSYS)
    for flag in _NAMESPACES.values():
        yield _Rule("clone", errno.EPERM, ((0, _MASKED_EQ, flag, flag),))
    # The only kind of socket that is allowed.
    for call in ("socket", "socketpair"):
        yield _Rule(call, errno.EAFNOSUPPORT, ((0, _NE, _AF_UNIX, 0),))
    # Other values take protections of memory away.
    yield _Rule("personality", errno.EPERM, ((0, _NE, 0, 0),))
    for command in _FILE_LOCKS:
        yield _Rule("fcntl", errno.EPERM, ((1, _MASKED_EQ, _LOW, command),))
    yield _Rule("preadv2", errno.EPERM, ((5, _MASKED_EQ, _RWF_NOWAIT, _RWF_NOWAIT),))
    # Dates stay as they are, which harms nobody: /dev/null is the host's, and one instance could
    # write a date there that the next one reads.
    for call in ("utime", "utimes", "futimesat", "utimensat", "utimensat_time64"):
        yield _Rule(call, 0)
    for command in _TERMINAL:
        yield _Rule("ioctl", errno.EPERM, ((1, _MASKED_EQ, _LOW, command),))


@functools.cache
def compile_filter() -> bytes:
    """Return the filter as a program for the kernel (`struct sock_filter[]`).

    Raises IsolationError where libseccomp is missing or too old.
    """
    try:
        library = ctypes.CDLL(_LIBRARY, use_errno=True)
    except OSError as error:
        raise IsolationError(
            f"system calls cannot be filtered on this machine: {error}; install libseccomp "
            "(libseccomp2 on Debian and Ubuntu, libseccomp on Fedora, Arch and Alpine)"
        ) from error
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_ALLOW))
    try:
        _check(library.seccomp_attr_set(context, _BAD_ARCHITECTURE, ctypes.c_uint(_KILL_PROCESS)))
        for rule in _list_rules():
            _add(library, context, rule)
        return _refuse_newest(library) + _export(library, context)
    finally:
        library.seccomp_release(context)


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, rule: _Rule) -> None:
    number = library.seccomp_syscall_resolve_name(rule.call.encode())
    if number == -1:
        raise IsolationError(
            f"system calls cannot be filtered on this machine: expected a {_LIBRARY} that knows "
            f"{rule.call}, got an older one; install libseccomp 2.5.4 or later"
        )
    conditions = (_Comparison * len(rule.conditions))(
        *(_Comparison(*condition) for condition in rule.conditions)
    )
    _check(
        library.seccomp_rule_add_array(
            context,
            ctypes.c_uint32(_ERRNO | rule.error),
            ctypes.c_int(number),  # negative for a call that this architecture lacks: no rule
            ctypes.c_uint(len(conditions)),
            conditions,
        )
    )


def _refuse_newest(library: ctypes.CDLL) -> bytes:
    """Return code that loads the call's number and refuses it, if too high, as "no such call"."""
    known = library.seccomp_syscall_resolve_name(b"set_mempolicy_home_node")
    if known != _FIRST_UNKNOWN - 1:
        raise IsolationError(
            "system calls cannot be filtered on this machine: expected the numbers of x86-64 or "
            f"aarch64, got {known} for set_mempolicy_home_node"
        )
    return b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (0x20, 0, 0, 0),  # BPF_LD | BPF_W | BPF_ABS, of the call's number
            (0x35, 0, 1, _FIRST_UNKNOWN),  # BPF_JMP | BPF_JGE | BPF_K
            (0x06, 0, 0, _ERRNO | errno.ENOSYS),  # BPF_RET | BPF_K
        )
    )


def _export(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    descriptor = os.memfd_create("filter")
    try:
        _check(library.seccomp_export_bpf(context, descriptor))
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


def _check(result: int) -> None:
    if result < 0:
        raise IsolationError(
            f"system calls cannot be filtered on this machine: libseccomp says "
            f"{os.strerror(-result)}"
        )
