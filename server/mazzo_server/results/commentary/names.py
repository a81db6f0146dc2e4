"""Cleans the names of strangers: harmless for a terminal, and all different in a match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["clean", "make_distinct_names"]


def clean(text: str, *, lines: bool = False) -> str:
    """Return the text of a stranger without control characters, which a terminal would obey."""
    if text.isprintable():  # as nearly all are, and a page has thousands
        return text
    kept = "\n\t" if lines else ""
    return "".join(c if c.isprintable() or c in kept else "\ufffd" for c in text)


def make_distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each seat: all different, and harmless on a terminal."""
    plain = [clean(name) for name in names]
    count = Counter(plain)
    numbered = tuple(f"{name}#{seat}" for seat, name in enumerate(plain))
    mixed = tuple(
        name if count[name] == 1 else other for name, other in zip(plain, numbered, strict=True)
    )
    # A bot's own name may look like a numbered one.
    return mixed if len(set(mixed)) == len(mixed) else numbered
