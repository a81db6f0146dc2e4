"""The surroundings of a Python bot: its environment variables and its packages."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import Launch

__all__ = [
    "INNER_PACKAGES",
    "INNER_SCRATCH",
    "INNER_SOCKET",
    "find_package",
    "list_bot_packages",
    "list_import_folders",
    "make_bot_environment",
    "make_inner_environment",
]

# Where a bot finds things in a file system of its own.
INNER_SOCKET = Path("/run/mazzo.sock")
INNER_PACKAGES = Path("/mazzo/packages")  # its own, if it brings any
INNER_SCRATCH = "/tmp"  # noqa: S108

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
