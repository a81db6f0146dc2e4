"""What the vectors have of each game beside what all games have.

Each function is given a view, and gives the same names and sizes for every view of a variant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mazzo.cards import Card, bits, mask_of
from mazzo.game import Variant, View
from mazzo.games.briscola import BRISCOLA, TOKENS, BriscolaView
from mazzo.games.chiamata import CHIAMATA, ChiamataView
from mazzo.games.frap import FRAP, FrapView
from mazzo.games.frusta import FRUSTA, FrustaView
from mazzo.games.tressette import META_MAZZO, PIZZICHINO, MetaMazzoView, PizzichinoView
from mazzo.pettingzoo.parts import (
    VectorParts,
    by_seat,
    chips,
    flags,
    grid,
    one_hot,
    one_seat,
    seats,
    shares,
)

__all__ = ["FEATURES", "Features"]

_NOBODY = 255  # no seat, or no card


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the vectors and the environment need to know of a game."""

    parts: Callable[[Any], VectorParts]  # of a view of the game
    most_cards: int  # in one hand
    tricks: Callable[[Variant], int]  # in a deal at most
    worst: Callable[[Variant], float]  # the least reward of a deal, or less


def _trump(view: View, card: Card) -> VectorParts:
    yield "trump", one_hot(card.pack.suits.index(card.suit), len(card.pack.suits))
    yield "trump_card", one_hot(card, len(card.pack))


def _briscola(view: BriscolaView) -> VectorParts:
    yield from _trump(view, view.trump_card)
    yield "stock", shares([view.stock_count], len(view.variant.game.pack))
    yield "points", shares(by_seat(view, view.points), _CARD_POINTS)
    options = dict(view.variant.options)
    if options.get("talk", "off") == "off":
        return
    trick, now, before = len(view.trick_winners), [0] * view.players, [0] * view.players
    for talk in view.talk:
        said = now if talk.trick == trick else before
        said[talk.seat] |= 1 << TOKENS.index(talk.token)
    yield "said_now", grid(view, len(TOKENS), now.__getitem__)
    yield "said_before", grid(view, len(TOKENS), before.__getitem__)


_CARD_POINTS = 120  # in the pack


def _chiamata(view: ChiamataView) -> VectorParts:
    pack = view.variant.game.pack
    yield "bid", shares([view.bid], _CARD_POINTS)
    yield "bidder", one_seat(view, view.bidder)
    yield "passed", seats(view, bits(view.passed))
    yield "auction_over", flags(view.caller is not None, 1)
    trump = None if view.trump is None else pack.suits.index(view.trump)
    yield "trump", one_hot(trump, len(pack.suits))
    yield "called", one_hot(view.called, len(pack))
    yield "holder", one_seat(view, view.holder)
    yield "points", shares(by_seat(view, view.points), _CARD_POINTS)


def _frusta(view: FrustaView) -> VectorParts:
    yield from _trump(view, view.trump_card)
    yield "stock", shares([view.stock_count], 20)
    yield "prize", one_hot(view.prize, len(view.variant.game.pack))
    yield "stage_2", flags(view.stage == 2, 1)
    yield "tricks_taken", shares(by_seat(view, view.tricks_taken), 11)


_FIRST_DECLARE = 40  # action number
_DECLARES = 7  # 3, 2, A, and the napoletana of each suit
_THIRDS = 35  # in a deal
_BUONGIOCHI = 33  # points at most


def _tressette(view: MetaMazzoView | PizzichinoView) -> VectorParts:
    declared, shown = [0, 0], [0, 0]
    for declaration in view.declarations:
        declared[declaration.seat] |= 1 << declaration.action - _FIRST_DECLARE
        shown[declaration.seat] |= mask_of(declaration.cards)
    yield "declared", grid(view, _DECLARES, declared.__getitem__)
    yield "declared_cards", grid(view, len(view.variant.game.pack), shown.__getitem__)
    yield "thirds", shares(by_seat(view, view.thirds), _THIRDS)
    yield "buongiochi", shares(by_seat(view, view.buongiochi), _BUONGIOCHI)


def _meta_mazzo(view: MetaMazzoView) -> VectorParts:
    yield "stock", shares([view.stock_count], 20)
    yield from _tressette(view)


def _pizzichino(view: PizzichinoView) -> VectorParts:
    packets, size = range(len(view.packet_owners)), len(view.variant.game.pack)
    places, tops, peeked = 0, 0, 0
    for packet in packets:
        owner = view.packet_owners[packet]
        if owner != _NOBODY:
            places |= 1 << 2 * packet + (owner != view.seat)
        if view.peeked and view.peeked[packet] != _NOBODY:
            peeked |= 1 << size * packet + view.peeked[packet]
    for packet, card in view.tops.items():
        tops |= 1 << size * packet + card
    yield "packet_owners", flags(places, 2 * len(packets))
    yield "packets_up", flags(view.packets_up, len(packets))
    yield "packet_counts", shares(view.packet_counts, 5)
    yield "packet_tops", flags(tops, size * len(packets))
    if view.variant.option("packets") == "peek":
        yield "peeked", flags(peeked, size * len(packets))
    yield from _tressette(view)


def _frap(view: FrapView) -> VectorParts:
    size, ante = len(view.variant.game.pack), _ante(view.variant)
    yield from _trump(view, view.trump_card)
    yield "dead_trumps", flags(mask_of(view.dead_trumps), size)
    yield "trump_taker", one_seat(view, view.trump_taker)
    yield "stock", shares([view.stock_count], size)
    yield "first_pot", chips(view.first_pot, ante)
    yield "pot", chips(view.pot, ante)
    yield "cap", flags(1, 1) if view.cap is None else chips(view.cap, ante)
    yield "round", one_hot(view.round - 1, 3)
    yield "looked", seats(view, bits(view.looked))
    yield "frapper", one_seat(view, view.frapper)
    yield "blind", flags(view.blind, 1)
    yield "whisters", seats(view, bits(view.whisters))
    yield "undercutters", seats(view, view.undercutters)
    yield "exchanged", shares(by_seat(view, view.exchanged), 4)
    yield "discards", flags(mask_of(view.discards), size)
    yield "thrown_in", flags(view.thrown_in, size)


def _ante(variant: Variant) -> int:
    return int(variant.option("ante"))


def _all_cards(variant: Variant) -> int:
    return len(variant.game.pack) // variant.players


FEATURES: dict[str, Features] = {
    BRISCOLA.id: Features(
        parts=_briscola, most_cards=3, tricks=_all_cards, worst=lambda variant: -60
    ),
    CHIAMATA.id: Features(
        parts=_chiamata, most_cards=8, tricks=_all_cards, worst=lambda variant: -4
    ),
    FRUSTA.id: Features(parts=_frusta, most_cards=10, tricks=_all_cards, worst=lambda variant: -5),
    META_MAZZO.id: Features(
        parts=_meta_mazzo, most_cards=10, tricks=_all_cards, worst=lambda variant: -22
    ),
    PIZZICHINO.id: Features(
        parts=_pizzichino, most_cards=20, tricks=_all_cards, worst=lambda variant: -22
    ),
    # Ante, two payments, and twice the pot that all three rounds have filled.
    FRAP.id: Features(
        parts=_frap,
        most_cards=5,
        tricks=lambda variant: 4,
        worst=lambda variant: -_ante(variant) * (3 + 6 * variant.players),
    ),
}
