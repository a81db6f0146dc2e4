"""The public door of the SDK, pinned."""

from __future__ import annotations

import mazzo

NAMES = """
GAMES Action Bot Card Clock Event MatchEnded MatchStarted MazzoError Trick Variant View
parse_variant run
"""


def test_public_names_are_pinned_and_sorted() -> None:
    """What `import mazzo` offers changes on purpose only; constants, classes, functions."""
    order = sorted(mazzo.__all__, key=lambda name: (not name.isupper(), name))
    assert mazzo.__all__ == NAMES.split() == order
    assert all(hasattr(mazzo, name) for name in mazzo.__all__)
