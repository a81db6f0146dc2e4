"""Which page becomes which file."""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import sha256
from posixpath import relpath
from typing import Final
from urllib.parse import unquote, urlsplit

__all__ = ["FOLDERS", "find_file", "find_source", "is_record", "make_relative"]

FOLDERS: Final = ("bots", "ladders", "rankings", "replays", "rules", "static", "tournaments")
"""Where the files lie, beside the first page."""
_LISTS: Final = {
    "/tournaments": "tournaments",
    "/bots": "bots",
    "/ladders": "ladders",
    "/rankings": "rankings",
    "/rules": "rules",
}
_MATCHES: Final = "/matches"
_REPLAY: Final = re.compile(r"/matches/(\d+)/(\d+)/(\d+)")

_RECORD: Final = re.compile(r"/matches/(\d+)/(\d+)/(\d+)/record\.jsonl")
_STANDINGS: Final = re.compile(r"/tournaments/(\d+)/standings\.(csv|json)")
# There may be more results than a host takes, and a list of them needs a server anyway.
_RESULTS: Final = re.compile(r"/tournaments/\d+/results\.csv")


def find_file(address: str, *, replays: Collection[str]) -> str | None:
    """Return the path of an address's file; None for what needs a server.

    Of matches there are the `replays` that are named, such as "1/0/0", and the first pages of the
    list.
    """
    parts = urlsplit(address)
    path = unquote(parts.path)
    if path == "/":
        return "index.html"
    if path.startswith("/static/"):
        return path.removeprefix("/")
    if replay := _REPLAY.fullmatch(path):
        is_there = "/".join(replay.groups()) in replays
        return f"replays/{'-'.join(replay.groups())}.html" if is_there else None
    if record := _RECORD.fullmatch(path):
        is_there = "/".join(record.groups()) in replays
        return f"replays/{'-'.join(record.groups())}.jsonl" if is_there else None
    if standings := _STANDINGS.fullmatch(path):
        return f"tournaments/{standings[1]}-standings.{standings[2]}"
    if path == _MATCHES or path in _LISTS:
        name = _LISTS.get(path, "replays")  # beside the folder, where no bot can have it
        if not parts.query:
            return f"{name}.html"
        place = re.fullmatch("from=([^&]*)", parts.query)
        return f"{name}-{sha256(place[1].encode()).hexdigest()[:12]}.html" if place else None
    if _RESULTS.fullmatch(path):
        return None
    for root, folder in _LISTS.items():
        if path.startswith(f"{root}/") and not parts.query:
            rest = path.removeprefix(f"{root}/")
            # Of copies the number comes after a star, which not every file system takes.
            return f"{folder}/{re.sub('[^a-z0-9~-]', '_', rest.replace('*', '~'))}.html"
    return None


def is_record(address: str) -> bool:
    """Tell whether this is the address of a match record."""
    return _RECORD.fullmatch(address) is not None


def find_source(address: str) -> str:
    """Return the address of what is written for it: a replay is a page that steps by itself."""
    return f"{address}/whole" if _REPLAY.fullmatch(address) else address


def make_relative(target: str, *, source: str) -> str:
    """Return how the file at `source` refers to another one."""
    return relpath(target, start=source.rpartition("/")[0] or ".")
