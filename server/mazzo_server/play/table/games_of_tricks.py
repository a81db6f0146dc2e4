"""How the simple player plays where tricks or what they bring count: Frusta and Frap."""

from __future__ import annotations

from mazzo.actions import Action
from mazzo.cards import Card
from mazzo.games.frap import RANK_ORDER as FRAP_RANKS
from mazzo.games.frap import FrapView
from mazzo.games.frusta import RANK_ORDER as FRUSTA_RANKS
from mazzo.games.frusta import FrustaView
from mazzo_server.play.table.takers import find_cheapest_taker

__all__ = ["choose_in_frap", "choose_in_frusta"]

# Frusta: what an unknown card is worth, in ranks: the middle one, and all ten if it is a trump.
_UNKNOWN_WORTH = 7
# Frap: the chance that a card wins a trick, by rank from the ace down.
_TRUMP_CHANCES = (1.0, 0.9, 0.8, 0.7, 0.6)
_LOWER_TRUMP_CHANCE = 0.5
_PLAIN_CHANCES = (0.6, 0.3, 0.1)
_TRICKS_TO_CALL = 2.0  # likely tricks, since the exchange adds to them
_TRICKS_TO_WHIST = 0.6  # for each player who is in already
_CHANCE_TO_KEEP = 0.2  # a card with less is exchanged


def choose_in_frusta(view: FrustaView) -> Card:
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
    taker = find_cheapest_taker(view, cards, winning[1], worth)
    if taker is None or prize is None:
        return taker or cheapest
    won, lost = worth(prize) - worth(taker), _UNKNOWN_WORTH - worth(cheapest)
    return taker if won > lost else cheapest


def choose_in_frap(view: FrapView) -> Action | Card:
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
    taker = find_cheapest_taker(view, view.playable, winning[1], price)
    return taker or min(view.playable, key=price)
