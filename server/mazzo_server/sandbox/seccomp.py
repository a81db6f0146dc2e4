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
    "telling what another process does with a file that both see, or did: watches, and what of "
    "it is in memory": "inotify_init inotify_init1 inotify_add_watch mincore fadvise64 readahead",
    "what the kernel counts for the whole machine: processes and memory, blocks of a disk, and "
    "calls that it still works on, of which it has few": (
        "sysinfo statfs statfs64 fstatfs fstatfs64 "
        "io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents"
    ),
    "a number of each process, counted since the machine started": "pidfd_open",
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
_CLONE_PIDFD = 0x00001000
_STATX_MOUNT = (0x1000, 0x4000)  # the number of a mount, and one that is never used again
_RLIMIT_CORE = 4
_SOL_SOCKET = 1
# A number of each socket, counted since the machine started; handles of processes, like above.
_SOCKET_NUMBERS = {"getsockopt": (57, 77), "setsockopt": (76,)}
_AF_UNIX = 1
# What may be asked of a descriptor. Other commands leave a mark at the file, which outlives the
# instance and which others see (F_SET_RW_HINT, EXT4_IOC_PRECACHE_EXTENTS), tell of such a mark
# (EXT4_IOC_GET_ES_CACHE), type on other users' terminals (TIOCSTI), or take of what the machine
# has few of.
_COMMANDS = {
    "fcntl": {
        "F_DUPFD": 0,
        "F_GETFD": 1,
        "F_SETFD": 2,
        "F_GETFL": 3,
        "F_SETFL": 4,
        "F_SETLK": 6,
        "F_SETLKW": 7,
        "F_SETOWN": 8,
        "F_GETOWN": 9,
        "F_OFD_SETLK": 37,
        "F_OFD_SETLKW": 38,
        "F_DUPFD_QUERY": 1027,
        "F_DUPFD_CLOEXEC": 1030,
        "F_GETPIPE_SZ": 1032,
        "F_ADD_SEALS": 1033,
        "F_GET_SEALS": 1034,
    },
    "ioctl": {
        "TCGETS": 0x5401,
        "TIOCOUTQ": 0x5411,
        "TIOCGWINSZ": 0x5413,
        "FIONREAD": 0x541B,
        "FIONBIO": 0x5421,
        "FIONCLEX": 0x5450,
        "FIOCLEX": 0x5451,
        "FIOASYNC": 0x5452,
        "TCGETS2": 0x802C542A,
    },
}
_REFUSED_COMMAND = {"fcntl": errno.EPERM, "ioctl": errno.ENOTTY}
# Locks on files succeed and do nothing: whoever may see a file may lock it, and others see that.
# A database works on files that nobody else has. To ask for a lock is refused.
_LOCKS = ("F_SETLK", "F_SETLKW", "F_OFD_SETLK", "F_OFD_SETLKW")
_RWF_NOWAIT = 8  # read only what is in memory
# The first process inside is ours. With a limit on its processor time a bot could end it, which
# would look like a failure of the platform. By call: the argument that names the process.
_FIRST_PROCESS = 1
_TREATS_PROCESS = {
    "prlimit64": 0,
    "sched_setaffinity": 0,
    "sched_setattr": 0,
    "sched_setparam": 0,
    "sched_setscheduler": 0,
    "setpriority": 1,
    "ioprio_set": 1,
}
_LOW = 0xFFFFFFFF  # the part of an argument that the kernel reads as an int

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
# Instructions of the kernel's filters, and where they find the call (`struct seccomp_data`) on a
# machine that stores the low half first.
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _SECOND_ARGUMENT = 0, 24
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
    yield _Rule("flock", 0)
    for lock in _LOCKS:
        yield _Rule("fcntl", 0, ((1, _MASKED_EQ, _LOW, _COMMANDS["fcntl"][lock]),))
    for call, argument in _TREATS_PROCESS.items():
        yield _Rule(call, errno.EPERM, ((argument, _MASKED_EQ, _LOW, _FIRST_PROCESS),))
    # All processes of a group or a user, our first one with them.
    yield _Rule("setpriority", errno.EPERM, ((0, _NE, 0, 0),))
    yield _Rule("clone", errno.EPERM, ((0, _MASKED_EQ, _CLONE_PIDFD, _CLONE_PIDFD),))
    for wish in _STATX_MOUNT:
        yield _Rule("statx", errno.EPERM, ((3, _MASKED_EQ, wish, wish),))
    for call, options in _SOCKET_NUMBERS.items():
        for option in options:
            level = (1, _MASKED_EQ, _LOW, _SOL_SOCKET)
            yield _Rule(call, errno.ENOPROTOOPT, (level, (2, _MASKED_EQ, _LOW, option)))
    yield _Rule("preadv2", errno.EPERM, ((5, _MASKED_EQ, _RWF_NOWAIT, _RWF_NOWAIT),))
    # See CORE_BYTES.
    yield _Rule("setrlimit", errno.EPERM, ((0, _MASKED_EQ, _LOW, _RLIMIT_CORE),))
    core = (1, _MASKED_EQ, _LOW, _RLIMIT_CORE)
    yield _Rule("prlimit64", errno.EPERM, (core, (2, _NE, 0, 0)))
    # Writing to disk whatever all programs of the machine have written: nobody's, and slow for all.
    for call in ("sync", "syncfs"):
        yield _Rule(call, 0)
    # Dates stay as they are, which harms nobody: /dev/null is the host's, and one instance could
    # write a date there that the next one reads.
    for call in ("utime", "utimes", "futimesat", "utimensat", "utimensat_time64"):
        yield _Rule(call, 0)


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
        return (
            _refuse_newest(library)
            + b"".join(_allow_only(library, call) for call in _COMMANDS)
            + _export(library, context)
        )
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
    """Return code that refuses a call whose number is too high, as "no such call"."""
    known = library.seccomp_syscall_resolve_name(b"set_mempolicy_home_node")
    if known != _FIRST_UNKNOWN - 1:
        raise IsolationError(
            "system calls cannot be filtered on this machine: expected the numbers of x86-64 or "
            f"aarch64, got {known} for set_mempolicy_home_node"
        )
    return _write_instructions(
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_IF_AT_LEAST, 0, 1, _FIRST_UNKNOWN),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    )


def _allow_only(library: ctypes.CDLL, call: str) -> bytes:
    """Return code that refuses every command of a call that `_COMMANDS` does not have.

    Of the second argument it reads the low half, as the kernel does. libseccomp has no rule for
    "none of these".
    """
    number = library.seccomp_syscall_resolve_name(call.encode())
    commands = _COMMANDS[call].values()
    return _write_instructions(
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_IF_EQUAL, 0, len(commands) + 2, number),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        *(
            (_JUMP_IF_EQUAL, len(commands) - place, 0, command)
            for place, command in enumerate(commands)
        ),
        (_RETURN, 0, 0, _ERRNO | _REFUSED_COMMAND[call]),
    )


def _write_instructions(*instructions: tuple[int, int, int, int]) -> bytes:
    """Each has its operation, how many instructions to skip if true and if false, its number."""
    return b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)


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
