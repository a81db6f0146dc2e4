"""Rewrites the list of mutants and the baseline by a table of names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["rename_all", "rename_text"]

_KEPT = ("id",)
_PATHS = re.compile(r"^(sdk|server|tests|bench)/[\w/.-]*\.py")
_ROOTS = ("sdk/", "server/", "")


def rename_all(value: Any, table: Mapping[str, str]) -> Any:
    """A JSON value with all paths, dotted names and words renamed."""
    if isinstance(value, dict):
        return {
            rename_text(key, table): item if key in _KEPT else rename_all(item, table)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [rename_all(item, table) for item in value]
    return rename_text(value, table) if isinstance(value, str) else value


def rename_text(text: str, table: Mapping[str, str]) -> str:
    """A text renamed by a table of paths, dotted names of modules and words, longest first.

    In a path, only paths and dotted names of modules are looked up: `a.b` is the module
    `a/b.py` or the folder `a/b` below `sdk`, `server` or the root.
    """
    path = _PATHS.match(text)
    if path is None:
        return _rename_words(text, table)
    rest = text[path.end() :]
    return _rename_path(path.group(), table) + (_rename_words(rest, table) if rest else "")


def _rename_path(path: str, table: Mapping[str, str]) -> str:
    for old in sorted(table, key=len, reverse=True):
        if old == path:
            return table[old]
        for root in _ROOTS if "/" not in old and "." in old else ():
            start = root + old.replace(".", "/")
            if path == f"{start}.py" or path.startswith(f"{start}/"):
                return root + table[old].replace(".", "/") + path.removeprefix(start)
    return path


def _rename_words(text: str, table: Mapping[str, str]) -> str:
    words = sorted((old for old in table if "/" not in old), key=len, reverse=True)
    if not words:
        return text
    pattern = "|".join(
        rf"(?<![\w.]){re.escape(old)}(?!\w)" if "." in old else rf"(?<!\w){re.escape(old)}(?!\w)"
        for old in words
    )
    return re.sub(pattern, lambda found: table[found.group()], text)


def read_table(path: Path) -> dict[str, str]:
    """The table of a JSON file: an object of old and new names."""
    table: dict[str, str] = json.loads(path.read_text())
    return table
