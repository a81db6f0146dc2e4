"""The surroundings of a bot: its environment variables, its packages, and what `/proc` tells it."""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import Launch, Limits

__all__ = [
    "INNER_PACKAGES",
    "INNER_SCRATCH",
    "INNER_SOCKET",
    "find_package",
    "list_bot_packages",
    "list_import_folders",
    "list_proc_files",
    "make_bot_environment",
    "make_inner_environment",
]

# Where a bot finds things in a file system of its own.
INNER_SOCKET = Path("/run/mazzo.sock")
INNER_PACKAGES = Path("/mazzo/packages")  # its own, if it brings any
INNER_SCRATCH = "/tmp"  # noqa: S108

_KIB = 1024
# The SDK, its dependencies, and NumPy; not the platform's own: each is mounted on its own.
_MODULES = ("mazzo", "grpc", "google.protobuf", "google._upb", "typing_extensions", "numpy")


def make_bot_environment(
    *, socket: Path, token: str, scratch: str, path: Sequence[str], python_path: Sequence[str]
) -> dict[str, str]:
    """Return every environment variable that a bot gets."""
    return {
        "HOME": scratch,
        "LANG": "C.UTF-8",
        "MAZZO_ADDRESS": f"unix:{socket}",
        "MAZZO_TOKEN": token,
        # NumPy would start a thread for each processor, and exceed the limits on a large machine.
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": ":".join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": ":".join(python_path),
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": scratch,
    }


def make_inner_environment(launch: Launch) -> dict[str, str]:
    """Return every environment variable of a bot that has a file system of its own."""
    return make_bot_environment(
        socket=INNER_SOCKET,
        token=launch.token,
        scratch=INNER_SCRATCH,
        path=["/mazzo/bin", "/usr/local/bin", "/usr/bin", "/bin"],
        python_path=["/mazzo/lib", *([str(INNER_PACKAGES)] if launch.packages else [])],
    )


@functools.cache
def list_bot_packages() -> dict[PurePosixPath, Path]:
    """Return where the bot's packages are: path below an import folder, and place here.

    Raises IsolationError if one is missing.
    """
    found = {}
    for module in _MODULES:
        place = find_package(module)
        if place is None:
            raise IsolationError(
                f"expected the Python package {module} to be installed, got none; "
                "install `mazzo[server]` again"
            )
        relative = PurePosixPath(*module.split("."))
        found[relative.with_suffix(place.suffix)] = place
        # Wheels of compiled packages keep their libraries in a folder beside the package.
        libraries = place.with_name(f"{place.name}.libs")
        if libraries.is_dir():
            found[PurePosixPath(libraries.name)] = libraries
    return found


def list_import_folders() -> list[str]:
    """Return the folders that PYTHONPATH would need for the bot's packages."""
    packages = list_bot_packages().items()
    return sorted({str(place.parents[len(inner.parts) - 1]) for inner, place in packages})


def find_package(module: str) -> Path | None:
    """Return the folder of a package, or the file of a module, without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin).resolve() if spec.origin else None


def list_proc_files(limits: Limits) -> dict[str, bytes]:
    """Return the files of `/proc` that a bot finds, by their paths: fixed texts of the same form.

    The kernel's own `/proc` counts events, memory, locks and much more for the whole machine. A bot
    could change such a number, and another bot, or its own next instance, could read it. Runtimes
    choose the size of a heap and the number of threads by these.
    """
    return {
        "/proc/cpuinfo": _describe_processors(),
        "/proc/meminfo": _describe_memory(limits.memory_bytes),
        "/proc/stat": _count_processors(),
    }


@functools.cache
def _describe_processors() -> bytes:
    """Return the machine's description, without how fast each processor runs just now."""
    lines = Path("/proc/cpuinfo").read_bytes().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b"cpu MHz"))


def _describe_memory(memory_bytes: int) -> bytes:
    """Return the machine's whole memory, and as free what the instance may use of it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _KIB
    free = min(memory_bytes // _KIB, total)
    sizes = {
        "MemTotal": total,
        "MemFree": free,
        "MemAvailable": free,
        "Buffers": 0,
        "Cached": 0,
        "SwapCached": 0,
        "SwapTotal": 0,
        "SwapFree": 0,
    }
    return "".join(f"{name + ':':<16}{kib:8d} kB\n" for name, kib in sizes.items()).encode()


@functools.cache
def _count_processors() -> bytes:
    """Return a line for all processors and one for each, with no time spent."""
    names = ["cpu ", *(f"cpu{number}" for number in range(os.cpu_count() or 1))]
    return "".join(f"{name} {' '.join('0' * 10)}\n" for name in names).encode()
