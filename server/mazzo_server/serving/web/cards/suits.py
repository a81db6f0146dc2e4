"""The signs of the suits, each within 20 by 20 units around the origin."""

from __future__ import annotations

from typing import Final

from mazzo.cards import Pack

__all__ = ["draw_sign", "name_suit_class"]

# Each differs from the others by its outline alone, so that nobody needs to see colours.
_SIGNS: Final = {
    # Italian
    "coins": (
        '<circle r="9.5"/>'
        '<circle class="card-cut" r="6.6"/>'
        '<path d="M0-5 1.5-1.5 5 0 1.5 1.5 0 5-1.5 1.5-5 0-1.5-1.5z"/>'
    ),
    "cups": '<path d="M-8-9H8C8-1 5 2 1.8 3v3L6 9.5H-6L-1.8 6V3C-5 2-8-1-8-9z"/>',
    "swords": '<path d="M0-10 2.2-6V3.2H7V6H2.2v4H-2.2V6H-7V3.2H-2.2V-6z"/>',
    "batons": (
        '<path d="M-1.8 10-3.8-4.5C-4.6-8.5-2.4-10 0-10s4.6 1.5 3.8 5.5L1.8 10z"/>'
        '<path d="M-3.4-2.5-7.4-5.5-6.2-.4-3 1.4zM3-1 6.8-4 6.2 1.2 2.6 3.6z"/>'
    ),
    # French
    "clubs": (
        '<circle cy="-4.8" r="4.6"/><circle cx="-5" cy="2" r="4.6"/><circle cx="5" cy="2" r="4.6"/>'
        '<path d="M-1.2-2H1.2C1.2 4 2 7.5 4.2 9.6H-4.2C-2 7.5-1.2 4-1.2-2z"/>'
    ),
    "diamonds": '<path d="M0-10 7.2 0 0 10-7.2 0z"/>',
    "hearts": (
        '<path d="M0 9.6C-4 5-9.4 1.6-9.4-3.8-9.4-9.4-2-10.4 0-5.2 2-10.4 9.4-9.4 9.4-3.8'
        ' 9.4 1.6 4 5 0 9.6z"/>'
    ),
    "spades": (
        '<path d="M0-10C4-5.4 9.4-2.4 9.4 2.4 9.4 6.6 4 8 1.2 4.4 1.4 7 2.2 8.6 4 9.8H-4'
        'C-2.2 8.6-1.4 7-1.2 4.4-4 8-9.4 6.6-9.4 2.4-9.4-2.4-4-5.4 0-10z"/>'
    ),
}


def name_suit_class(pack: Pack, suit: str) -> str:
    """Return the class that colours a suit."""
    name = pack.suit_names[pack.suits.index(suit)]
    # Two packs have clubs: those of the Italian one are sticks.
    return "batons" if (pack.name, name) == ("ITALIAN", "clubs") else name


def draw_sign(
    suit: str, x: float = 0.0, y: float = 0.0, scale: float = 1.0, *, turned: bool = False
) -> str:
    """Return the sign of a suit class at a place, upright or on its head."""
    turn = " rotate(180)" if turned else ""
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g}){turn}">{_SIGNS[suit]}</g>'
