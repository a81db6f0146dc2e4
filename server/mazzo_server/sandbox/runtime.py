"""What a bot in Python finds around it: its environment variables and its packages."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from mazzo_server.errors import IsolationError

__all__ = ["bot_environment", "bot_packages", "import_folders", "package_path"]

# The SDK, what it needs, and NumPy; not what the platform needs: each is bound in on its own.
_MODULES = ("mazzo", "grpc", "google.protobuf", "google._upb", "typing_extensions", "numpy")


def bot_environment(
    *, socket: Path, token: str, scratch: str, path: Sequence[str], python_path: Sequence[str]
) -> dict[str, str]:
    """Every environment variable that a bot gets."""
    return {
        "HOME": scratch,
        "LANG": "C.UTF-8",
        "MAZZO_ADDRESS": f"unix:{socket}",
        "MAZZO_TOKEN": token,
        # NumPy would start a thread for each processor, and meet the limits on a large machine.
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": ":".join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": ":".join(python_path),
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": scratch,
    }


@functools.cache
def bot_packages() -> dict[PurePosixPath, Path]:
    """Where the bot's packages are: path below a folder to import from, and place here.

    Raises IsolationError if one is missing.
    """
    found = {}
    for module in _MODULES:
        place = package_path(module)
        if place is None:
            raise IsolationError(
                f"expected the Python package {module} to be installed, got none; "
                "install `mazzo[server]` again"
            )
        relative = PurePosixPath(*module.split("."))
        found[relative.with_suffix(place.suffix)] = place
        # Wheels of compiled packages keep the libraries that they bring in a folder beside.
        libraries = place.with_name(f"{place.name}.libs")
        if libraries.is_dir():
            found[PurePosixPath(libraries.name)] = libraries
    return found


def import_folders() -> list[str]:
    """The folders that would have to be on PYTHONPATH for the bot's packages."""
    packages = bot_packages().items()
    return sorted({str(place.parents[len(inner.parts) - 1]) for inner, place in packages})


def package_path(module: str) -> Path | None:
    """The folder of a package, or the file of a module, without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin).resolve() if spec.origin else None
