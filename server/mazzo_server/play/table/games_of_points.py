"""How the simple player plays where cards have points: Briscola, Briscola chiamata, Tressette."""

from __future__ import annotations

from collections.abc import Collection

from mazzo.actions import Action
from mazzo.cards import Card
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView
from mazzo_server.play.table.takers import find_cheapest_taker

__all__ = ["choose_in_briscola", "choose_in_chiamata", "choose_in_tressette"]

# Briscola chiamata: the card points that a caller hopes for without a trump, and for each trump.
_HOPE, _HOPE_FOR_TRUMP = 50, 4
_HIGHEST_BID = 85


def choose_in_briscola(view: BriscolaView) -> Card:
    """Play for points, and never talk."""
    return _play_for_points(view, view.partners)


def choose_in_chiamata(view: ChiamataView) -> Action | Card:
    """Bid what the best suit promises, and call the highest trump that is missing."""

    def hope(suit: str) -> int:
        trumps = [card for card in view.hand if card.suit == suit]
        return _HOPE + sum(_HOPE_FOR_TRUMP + view.card_points(card) for card in trumps)

    suit = max(view.pack.suits, key=hope)
    if view.caller is None:
        *bids, last = view.legal  # `pass` is the last one
        limit = min(_HIGHEST_BID, hope(suit))
        return bids[0] if bids and int(bids[0].code.removeprefix("bid:")) <= limit else last
    if view.trump is None:
        return view.action(f"trump:{suit}")
    if view.called is None:
        lacking = [card for card in view.unseen if card.suit == view.trump]
        return view.action(f"call:{max(lacking, key=view.strength)}")
    if view.seat in (view.caller, view.holder):
        partner = view.known_partner
        return _play_for_points(view, () if partner is None else (partner,))
    # Until the called card is laid everybody but the caller looks like a friend.
    others = set(range(view.players)) - {view.seat, view.caller, view.holder}
    return _play_for_points(view, others)


def _play_for_points(view: BriscolaView | ChiamataView, friends: Collection[int]) -> Card:
    """Lead the least; take cheaply, with a trump only points; give points to a friend's trick."""

    def price(card: Card) -> tuple[bool, int, int]:
        return card.suit == view.trump, view.card_points(card), view.strength(card)

    cheapest, winning = min(view.hand, key=price), view.winner_so_far
    if winning is None:
        return cheapest
    if not view.later_seats and winning[0] in friends:
        plain = [card for card in view.hand if card.suit != view.trump]
        return max(plain, key=view.card_points, default=cheapest)
    taker = find_cheapest_taker(view, view.hand, winning[1], price)
    if taker is None:
        return cheapest
    pays = taker.suit != view.trump or any(map(view.card_points, view.trick.cards))
    return taker if pays else cheapest


def choose_in_tressette(view: MetaMazzoView | PizzichinoView) -> Action | Card:
    """Declare and pluck all that can be had; lead the least, and take cheaply."""
    for word in ("declare:", "pluck:"):
        for action in view.legal:
            if action.code.startswith(word):
                return action
    if not view.playable:
        return view.legal[0]  # `skip`, or one of several packets that look alike

    def price(card: Card) -> tuple[int, int]:
        return view.card_thirds(card), view.strength(card)

    cheapest, winning = min(view.playable, key=price), view.winner_so_far
    if winning is None:
        return cheapest
    return find_cheapest_taker(view, view.playable, winning[1], price) or cheapest
