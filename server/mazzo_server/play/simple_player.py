"""The simple player, which settles deals after a forfeit: rules of thumb, from a view to an action.

It knows what its seat may know and draws nothing at random, so a settlement follows from the
position alone. How good it is matters little, but how it plays does: a lead is worth to its side
about what it is worth among bots that think (`docs/fairness.md`, "Quitting"), and more among
players at random, who also pass declarations by. Standings depend on every rule here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from mazzo.actions import Action
from mazzo.cards import Card
from mazzo.game import View
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frap import RANK_ORDER as FRAP_RANKS
from mazzo.games.frap import FrapView
from mazzo.games.frusta import RANK_ORDER as FRUSTA_RANKS
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView

__all__ = ["choose_action"]

# Briscola chiamata: the card points that a caller hopes for without a trump, and for each trump.
_HOPE, _HOPE_FOR_TRUMP = 50, 4
_HIGHEST_BID = 85
# Frap: the chance that a card wins a trick, by rank from the ace down.
_TRUMP_CHANCES = (1.0, 0.9, 0.8, 0.7, 0.6)
_LOWER_TRUMP_CHANCE = 0.5
_PLAIN_CHANCES = (0.6, 0.3, 0.1)
_TRICKS_TO_CALL = 2.0  # likely tricks, since the exchange adds to them
_TRICKS_TO_WHIST = 0.6  # for each player who is in already
_CHANCE_TO_KEEP = 0.2  # a card with less is exchanged
# Frusta: what an unknown card is worth, in ranks: the middle one, and all ten if it is a trump.
_UNKNOWN_WORTH = 7

Price = Callable[[Card], Any]  # what it costs to part with a card; prices of one view compare


def choose_action(view: View) -> Action | Card:
    """Return the action of the seat to move."""
    return _CHOICES[view.variant.game.id](view)


def _choose_in_briscola(view: BriscolaView) -> Card:
    return _play_for_points(view, view.partners)


def _choose_in_chiamata(view: ChiamataView) -> Action | Card:
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
    taker = _find_taker(view, view.hand, winning[1], price)
    if taker is None:
        return cheapest
    pays = taker.suit != view.trump or any(map(view.card_points, view.trick.cards))
    return taker if pays else cheapest


def _choose_in_tressette(view: MetaMazzoView | PizzichinoView) -> Action | Card:
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
    return _find_taker(view, view.playable, winning[1], price) or cheapest


def _choose_in_frusta(view: FrustaView) -> Card:
    """Take a trick where the card that it brings is worth more than the card that it costs."""

    def worth(card: Card) -> int:
        from_below = len(FRUSTA_RANKS) - 1 - FRUSTA_RANKS.index(card.rank)
        return from_below + len(FRUSTA_RANKS) * (card.suit == view.trump)

    cards, prize, winning = view.playable, view.prize, view.winner_so_far
    cheapest = min(cards, key=worth)
    if winning is None:
        if prize is None or worth(prize) <= _UNKNOWN_WORTH:
            return cheapest
        plain = [card for card in cards if card.suit != view.trump]  # trumps are for later
        return max(plain or cards, key=worth)
    taker = _find_taker(view, cards, winning[1], worth)
    if taker is None or prize is None:
        return taker or cheapest
    won, lost = worth(prize) - worth(taker), _UNKNOWN_WORTH - worth(cheapest)
    return taker if won > lost else cheapest


def _choose_in_frap(view: FrapView) -> Action | Card:
    """Promise as many tricks as the hand is likely to win."""

    def chance(card: Card) -> float:
        place = FRAP_RANKS.index(card.rank)
        if card.suit == view.trump:
            return _TRUMP_CHANCES[place] if place < len(_TRUMP_CHANCES) else _LOWER_TRUMP_CHANCE
        return _PLAIN_CHANCES[place] if place < len(_PLAIN_CHANCES) else 0.0

    def price(card: Card) -> tuple[float, int]:
        return chance(card), view.strength(card)

    tricks = sum(map(chance, view.hand))
    match view.asked:
        case "look":
            return view.action("look")
        case "call":
            return view.action("frap" if tricks >= _TRICKS_TO_CALL else "pass")
        case "answer":
            enough = _TRICKS_TO_WHIST * len(view.seats_in_play)
            return view.action("whist" if tricks >= enough else "pass")
        case "exchange" | "discard":
            worst = min(view.hand, key=price)
            stands = view.asked == "exchange" and chance(worst) >= _CHANCE_TO_KEEP
            return view.action("stand" if stands else f"discard:{worst}")
        case "undercut":
            # Unknown cards are a bad bet, but the ace of trumps is a sure trick.
            takes = view.trump_card.rank == "A" and "undercut:trump" in map(str, view.legal)
            return view.action("undercut:trump" if takes else "decline")
    winning = view.winner_so_far
    if winning is None:
        return max(view.playable, key=price)
    taker = _find_taker(view, view.playable, winning[1], price)
    return taker or min(view.playable, key=price)


def _find_taker(view: View, cards: Sequence[Card], best: Card, price: Price) -> Card | None:
    """Return the cheapest card that beats the best one on the table."""
    takers = [card for card in cards if view.beats(card, best)]
    return min(takers, key=price, default=None)


_CHOICES: Mapping[str, Callable[[Any], Action | Card]] = {
    "briscola": _choose_in_briscola,
    "briscola-chiamata": _choose_in_chiamata,
    "frap": _choose_in_frap,
    "frusta": _choose_in_frusta,
    "tressette-meta-mazzo": _choose_in_tressette,
    "tressette-pizzichino": _choose_in_tressette,
}
