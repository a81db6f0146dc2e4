"""Draws the faces and the back of cards as symbols of SVG, coloured by the classes of a page.

A page has the symbols of the cards that it shows, and of no others: what it does not show, its
source does not tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

from mazzo.cards import Card, Pack
from mazzo_server.results.commentary import name_card
from mazzo_server.serving.web.cards.figures import CHEST, draw_figure
from mazzo_server.serving.web.cards.suits import draw_sign, name_suit_class

__all__ = ["draw_back", "draw_card", "draw_chip", "draw_symbols"]

_BOX: Final = 'viewBox="0 0 60 92"'
_PAPER: Final = '<rect class="card-paper" x=".75" y=".75" width="58.5" height="90.5" rx="5.25"/>'
_LEFT, _RIGHT, _CENTRE = 22.0, 38.5, 30.25
_TOP, _MIDDLE, _BOTTOM = 19.0, 46.0, 73.0
_COLUMN = (_TOP, 37.0, 55.0, _BOTTOM)  # of four pips
# The places of pips by their number; a pip in the lower half stands on its head.
_PIPS: Final[dict[int, list[tuple[float, float]]]] = {
    2: [(_CENTRE, _TOP), (_CENTRE, _BOTTOM)],
    3: [(_CENTRE, _TOP), (_CENTRE, _MIDDLE), (_CENTRE, _BOTTOM)],
    4: [(x, y) for y in (_TOP, _BOTTOM) for x in (_LEFT, _RIGHT)],
    5: [*((x, y) for y in (_TOP, _BOTTOM) for x in (_LEFT, _RIGHT)), (_CENTRE, _MIDDLE)],
    6: [(x, y) for y in (_TOP, _MIDDLE, _BOTTOM) for x in (_LEFT, _RIGHT)],
    7: [
        *((x, y) for y in (_TOP, _MIDDLE, _BOTTOM) for x in (_LEFT, _RIGHT)),
        (_CENTRE, 32.5),
    ],
    8: [
        *((x, y) for y in (_TOP, _MIDDLE, _BOTTOM) for x in (_LEFT, _RIGHT)),
        *((_CENTRE, y) for y in (32.5, 59.5)),
    ],
    9: [*((x, y) for y in _COLUMN for x in (_LEFT, _RIGHT)), (_CENTRE, _MIDDLE)],
    10: [
        *((x, y) for y in _COLUMN for x in (_LEFT, _RIGHT)),
        *((_CENTRE, y) for y in (28.0, 64.0)),
    ],
}
_BACK: Final = (
    f'<symbol id="card-back" {_BOX}>{_PAPER}'
    '<rect class="card-back" x="4.5" y="4.5" width="51" height="83" rx="3"/>'
    '<path class="card-weave" d="M4.5 25 25 4.5M4.5 46 46 4.5M4.5 67 55.5 16M4.5 87.5 55.5 36.5'
    "M24 87.5 55.5 56M45 87.5 55.5 77M55.5 25 35 4.5M55.5 46 14 4.5M55.5 67 4.5 16"
    'M55.5 87.5 4.5 36.5M36 87.5 4.5 56M15 87.5 4.5 77"/></symbol>'
)


def draw_symbols(pack: Pack, cards: Iterable[Card], *, with_back: bool = False) -> Markup:
    """Return what a page needs, once, before it draws cards and chips of one pack."""
    symbols = [_draw_symbol(card) for card in sorted(set(cards))]
    symbols += [_BACK] if with_back else []
    for suit in (name_suit_class(pack, suit) for suit in pack.suits):
        symbols.append(
            f'<symbol id="suit-{suit}" viewBox="-10 -10 20 20">{draw_sign(suit)}</symbol>'
        )
    return Markup(f'<svg class="symbols" aria-hidden="true">{"".join(symbols)}</svg>')  # noqa: S704


def draw_card(card: Card, kind: str = "") -> Markup:
    """Return a card, with its name for those who do not see it; `kind` is a further class."""
    shown = f"card-face {kind}".rstrip()
    return Markup(  # noqa: S704 - no text of a stranger is in it
        f'<svg class="{shown}" {_BOX} role="img" aria-label="{name_card(card)}">'
        f'<use href="#card-{card.code}"/></svg>'
    )


def draw_chip(card: Card) -> Markup:
    """Return a card as it stands in a line of text: its rank and the sign of its suit."""
    suit, name = name_suit_class(card.pack, card.suit), name_card(card)
    return Markup(  # noqa: S704
        f'<span class="chip suit {suit}" role="img" aria-label="{name}">{_write_index(card)}'
        f'<svg aria-hidden="true"><use href="#suit-{suit}"/></svg></span>'
    )


def draw_back() -> Markup:
    """Return the back of a card; its page has to say in words how many there are."""
    return Markup(  # noqa: S704
        f'<svg class="card-face" {_BOX} aria-hidden="true"><use href="#card-back"/></svg>'
    )


def _draw_symbol(card: Card) -> str:
    suit = name_suit_class(card.pack, card.suit)
    index = f'<text class="card-index" x="4" y="15.5">{_write_index(card)}</text>'
    corner = index + draw_sign(suit, 8.2, 22.5, 0.44)
    turned = f'<g transform="rotate(180 30 46)">{corner}</g>'
    return (
        f'<symbol id="card-{card.code}" {_BOX}>{_PAPER}'
        f'<g class="suit {suit}">{corner}{turned}{_draw_middle(card, suit)}</g></symbol>'
    )


def _write_index(card: Card) -> str:
    return "10" if card.rank == "T" else card.rank


def _draw_middle(card: Card, suit: str) -> str:
    if card.rank == "A":
        return draw_sign(suit, _CENTRE, _MIDDLE, 1.9)
    if card.rank in CHEST:
        x, y = CHEST[card.rank]
        sign = draw_sign(suit, x, y, 0.72)
        return f'{draw_figure(card.rank)}<g class="card-inlay">{sign}</g>'
    count = 10 if card.rank == "T" else int(card.rank)
    size = 0.74 if count < 8 else 0.66
    signs = (draw_sign(suit, x, y, size, turned=y > _MIDDLE) for x, y in _PIPS[count])
    return "".join(signs)
