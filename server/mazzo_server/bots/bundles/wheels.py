"""Wheels: the Python packages that a bot brings in its folder `wheels/`.

The platform unpacks them as any installer does
(https://packaging.python.org/specifications/binary-distribution-format/); it runs and compiles
nothing of them.
"""

from __future__ import annotations

import platform
import sysconfig
from email.message import Message
from email.parser import BytesHeaderParser
from functools import cache
from math import prod
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, sys_tags
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from mazzo_server.bots.bundles.archives import is_zip, unpack
from mazzo_server.bots.bundles.limits import Count
from mazzo_server.bots.bundles.paths import SeenPaths
from mazzo_server.errors import BundleError

__all__ = ["WHEELS_NAME", "unpack_wheels"]

WHEELS_NAME = "wheels"

# Of METADATA so much is read: the headers that count stand first.
_MOST_METADATA_BYTES = 256 * 1024
_MOST_METADATA_LINES = 2000
_MOST_HEADER = 200  # characters of a name, a version, or the rule which Python is needed
_MOST_TAGS = 64  # of a name, in which each Python goes with each ABI and each platform
# What the platform's Python has already, and finds before any wheel.
_PROVIDED = ("grpcio", "mazzo", "numpy", "protobuf", "typing-extensions")


def unpack_wheels(wheels: Path, packages: Path, *, count: Count) -> None:
    """Make the folder `packages` and unpack every file of the folder `wheels` there.

    Raises a BundleError that names the wheel, and leaves what is written by then to the caller.
    """
    packages.mkdir()
    names = SeenPaths(advice="another wheel has it too; leave one out")
    for wheel in sorted(wheels.iterdir()):
        try:
            _unpack_wheel(wheel, packages, count, names)
        except BundleError as error:
            raise BundleError(f"{WHEELS_NAME}/{wheel.name}: {error}") from error


def _unpack_wheel(wheel: Path, packages: Path, count: Count, names: SeenPaths) -> None:
    name, version = _check_name(wheel)
    described: list[str] = []

    def place(path: str) -> str | None:
        top, _, rest = path.partition("/")
        if top.endswith(".data"):
            # Programs, headers and files for elsewhere are of no use to a bot.
            kind, _, rest = rest.partition("/")
            return rest or None if kind in ("purelib", "platlib") else None
        if top.endswith(".dist-info") and rest == "METADATA":
            described.append(path)
        return path

    with wheel.open("rb") as archive:
        if not is_zip(archive.read(4)):
            raise BundleError(
                "expected a wheel, which is a zip archive, got none; download it again"
            )
        unpack(archive, packages, count=count, names=names, place=place)
    described = [path for path in described if (packages / path).is_file()]
    if len(described) != 1:
        raise BundleError(
            f"expected one file METADATA in a folder .dist-info, got {len(described)}; "
            "download it again"
        )
    with (packages / described[0]).open("rb") as file:
        lines = file.read(_MOST_METADATA_BYTES).splitlines(keepends=True)
        metadata = BytesHeaderParser().parsebytes(b"".join(lines[:_MOST_METADATA_LINES]))
    _check_metadata(metadata, name, version)


def _check_name(wheel: Path) -> tuple[str, Version]:
    """Return name and version; raise BundleError unless the file's name fits our Python."""
    if not wheel.is_file():
        raise BundleError("expected wheels alone in this folder, got a folder; move it elsewhere")
    combinations = prod(part.count(".") + 1 for part in wheel.stem.split("-")[-3:])
    if combinations > _MOST_TAGS:
        raise BundleError(
            f"expected a wheel for at most {_MOST_TAGS} combinations of Python, ABI and platform, "
            f"got one for {combinations:,}; name it by those that it needs"
        )
    try:
        name, version, _, tags = parse_wheel_filename(wheel.name)
    except ValueError as error:
        raise BundleError(
            "expected wheels alone in this folder, named NAME-VERSION-PYTHON-ABI-PLATFORM.whl; "
            "move it elsewhere, or build a wheel of it with `pip wheel`"
        ) from error
    if name in _PROVIDED:
        raise BundleError(
            f"expected packages that the platform lacks, got {name}, which it brings itself; "
            "leave it out"
        )
    if tags.isdisjoint(_find_tags()):
        python = ".".join(platform.python_version_tuple()[:2])
        raise BundleError(
            f"expected a wheel for Python {python} on {sysconfig.get_platform()}, got one for "
            f"{', '.join(sorted(map(str, tags))[:3])}; fetch one that fits with `pip download "
            f"--only-binary=:all: --python-version {python} --dest {WHEELS_NAME} {name}`"
        )
    return name, version


@cache
def _find_tags() -> frozenset[Tag]:
    """Return the tags of the wheels that the platform's Python can import; it takes 2 ms."""
    return frozenset(sys_tags())


def _check_metadata(metadata: Message, name: str, version: Version) -> None:
    """Raise BundleError for the metadata of another package or for another Python."""
    found = f"{metadata['Name']} {metadata['Version']}"
    try:
        for key in ("Name", "Version", "Requires-Python"):
            length = len(str(metadata[key] or ""))
            if length > _MOST_HEADER:
                raise ValueError(f"a {key} of {length:,} characters")
        same = canonicalize_name(str(metadata["Name"])) == name
        same = same and Version(str(metadata["Version"])) == version
        wanted = str(metadata["Requires-Python"] or "")
        fits = SpecifierSet(wanted).contains(platform.python_version(), prereleases=True)
    except ValueError as error:
        why = f"{error}"[:200]
        raise BundleError(f"expected METADATA of a wheel, got {why!a}; build it again") from error
    if not same:
        raise BundleError(
            f"expected METADATA of {name} {version}, got that of {found[:80]!a}; "
            "give the file its own name again"
        )
    if not fits:
        raise BundleError(
            f"expected a wheel for Python {platform.python_version()}, got one that requires "
            f"{wanted[:80]!a}; take another version"
        )
