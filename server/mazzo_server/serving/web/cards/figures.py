"""The figures of court cards, within 60 by 92 units; the sign of the suit is on the chest."""

from __future__ import annotations

from typing import Final

__all__ = ["CHEST", "draw_figure"]

CHEST: Final = {"J": (30.0, 64.0), "H": (33.0, 66.0), "Q": (30.0, 66.0), "K": (30.0, 65.0)}
"""Where the sign of the suit is to stand, by rank."""

_FACE: Final = '<circle class="card-skin" cx="30" cy="38.5" r="7.6"/>'
_EYES: Final = '<circle cx="27.3" cy="37.8" r="1"/><circle cx="32.7" cy="37.8" r="1"/>'
_FIGURES: Final = {
    # A foot soldier with a feather at his cap.
    "J": (
        '<path d="M17 78 20 55C22 48 38 48 40 55L43 78z"/>'
        f"{_FACE}{_EYES}"
        '<path d="M21 35C21 24 39 24 39 35c-6-2.6-12-2.6-18 0z"/>'
        '<path d="M36 27C37 20 42 15 47 14 47 20 44 26 38.6 29z"/>'
    ),
    # The head of a horse with its bridle.
    "H": (
        '<path d="M18 78H47C48 64 45 58 44 49 43 36 37 27 28 24.5L26.4 17 22 25.5'
        'C17 30 14.5 38 11 45 9.6 48.6 13 52.6 17.4 51L26 46.4C27 54 19 62 18 78z"/>'
        '<circle class="card-cut" cx="24" cy="34" r="1.8"/>'
        '<path class="card-line" d="M17 38.5 22 48.4M33 28.5C39 34 40 42 40.4 50"/>'
    ),
    # A lady with long hair and a diadem.
    "Q": (
        '<path d="M13 78C16 60 22 52 30 52s14 8 17 26z"/>'
        '<path d="M20 52C17 40 19 28 30 28s13 12 10 24c-2-3-3-7-3-11H23c0 4-1 8-3 11z"/>'
        f"{_FACE}{_EYES}"
        '<path d="M22 31 24 23 27.4 27 30 20.6 32.6 27 36 23 38 31C33 28.6 27 28.6 22 31z"/>'
        '<path class="card-line" d="M27.6 42.4c1.4 1.4 3.4 1.4 4.8 0"/>'
    ),
    # A king with his crown and beard.
    "K": (
        '<path d="M12 78C13 60 20 51 30 51s17 9 18 27z"/>'
        f"{_FACE}{_EYES}"
        '<path d="M22.4 39.5C22 48 26 53.4 30 55.6 34 53.4 38 48 37.6 39.5 35 43 33 43.4 30 43.4'
        's-5-.4-7.6-3.9z"/>'
        '<path d="M20 33V18.6L25.4 25 30 15.4 34.6 25 40 18.6V33z"/>'
    ),
}


def draw_figure(rank: str) -> str:
    """Return the figure of a rank."""
    return _FIGURES[rank]
