"""Frap: knows how many tricks its cards bring, and plays for a pot only when that pays."""

from mazzo import Action, Card
from mazzo.games.frap import RANK_ORDER, FrapView

# The tricks that a card brings. Like all numbers here, the mean of many deals against `greedy`.
TRUMP = dict(zip(RANK_ORDER, (1.35, 0.8, 0.6, 0.5, 0.4, *[0.3] * 8), strict=True))
SIDE = {"A": 0.2, "K": 0.03, "Q": 0.02}
FRAP = 0.65  # the tricks that leading and exchanging bring the frapper
WHIST = (0.4, 0.3, 0.1)  # and a whister, by how many are in already
STOCK = 0.3  # what an undercutter's cards from the stock bring
PATIENCE = 0.1  # the part of the pot that a pass is worth: others pay for what they promise
KEEP = 0.15  # cards that bring less are exchanged


def act(view: FrapView) -> Action | Card:
    """A call, an answer, an exchange, or the card to play."""
    codes = [action.code for action in view.legal]
    tricks = sum(worth(view, card) for card in view.hand)
    company = WHIST[min(len(view.seats_in_play), len(WHIST)) - 1]
    match view.asked:
        case "look":
            return view.action("look")
        case "call":
            gain = (tricks + FRAP) / 4 - fee(view) * (1.84 - 0.63 * (tricks + FRAP))
            return view.action("frap" if gain > PATIENCE else "pass")
        case "answer":
            return view.action("whist" if pays(view, tricks + company) else "pass")
        case "undercut":
            tricks = worth(view, view.trump_card) + STOCK + company
            cuts = "undercut:trump" in codes and pays(view, tricks)
            return view.action("undercut:trump" if cuts else "decline")
        case "exchange" | "discard":
            worst = min(view.hand, key=lambda card: price(view, card))
            stands = "stand" in codes and worth(view, worst) >= KEEP
            return view.action("stand" if stands else f"discard:{worst}")
    return play(view)


def fee(view: FrapView) -> float:
    """What one payment is of the pot: all of it, until the pot has outgrown the cap."""
    return 1.0 if view.cap is None else min(1.0, view.cap / view.pot)


def pays(view: FrapView, tricks: float) -> bool:
    """Whether so many likely tricks bring more than the payment for taking none."""
    return tricks / 4 > fee(view) * max(0.0, 0.9 - 0.5 * tricks)


def worth(view: FrapView, card: Card) -> float:
    """The tricks that the card brings."""
    return TRUMP[card.rank] if card.suit == view.trump else SIDE.get(card.rank, 0.0)


def price(view: FrapView, card: Card) -> tuple[float, int]:
    """What it costs to part with the card: its tricks, then its rank."""
    return worth(view, card), view.strength(card)


def play(view: FrapView) -> Card:
    """Leads a trump that nobody can beat, else another suit; takes what it can, cheaply."""

    def lead(card: Card) -> tuple[int, tuple[float, int]]:
        beaten = any(view.beats(other, card) for other in view.unseen)
        return (1 if card.suit != view.trump else 0 if beaten else 2), price(view, card)

    winning = view.winner_so_far
    if winning is None:
        return max(view.playable, key=lead)
    takers = [card for card in view.playable if view.beats(card, winning[1])]
    return min(takers or view.playable, key=lambda card: price(view, card))
