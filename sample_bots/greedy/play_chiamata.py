"""Briscola chiamata: bids what its best suit promises, then plays as in Briscola."""

from mazzo import Action, Card
from mazzo.games.chiamata import RANK_ORDER, ChiamataView

SUITS = "dcsb"
# What a side takes in the mean, in card points; found by play of this bot against itself.
START = 50  # without a trump in the caller's hand
TRUMP = 4  # more for each trump, and what the trump counts besides
MOST = 85  # the highest bid, however good the hand looks


def act(view: ChiamataView) -> Action | Card:
    """A bid or pass, the trump suit, the called card, or the card to play."""
    legal = {action.code: action for action in view.legal}
    if view.caller is None:
        return auction(view)
    suit = max(SUITS, key=lambda suit: promise(view, suit))
    if view.trump is None:
        return legal[f"trump:{suit}"]
    if view.called is None:
        # Eight cards cannot hold all ten trumps: the highest that is missing always exists.
        trumps = (f"{rank}{view.trump}" for rank in RANK_ORDER)
        held = [card.code for card in view.hand]
        return legal[f"call:{next(code for code in trumps if code not in held)}"]
    return play(view)


def promise(view: ChiamataView, trump: str) -> int:
    """The card points that a side with this hand may hope for."""
    trumps = [card for card in view.hand if card.suit == trump]
    return START + sum(TRUMP + view.card_points(card) for card in trumps)


def auction(view: ChiamataView) -> Action:
    """The lowest bid that is left, while the hand promises as much."""
    *bids, last = view.legal  # `pass` is the last one
    hope = min(MOST, max(promise(view, suit) for suit in SUITS))
    return bids[0] if bids and int(bids[0].code.removeprefix("bid:")) <= hope else last


def friends(view: ChiamataView) -> set[int]:
    """The seats that get this seat's points.

    Against the caller two others in three are friends, so until the called card shows up
    they are all taken for that.
    """
    if view.seat in (view.caller, view.holder):
        return set() if view.known_partner is None else {view.known_partner}
    return set(range(view.players)) - {view.seat, view.caller, view.holder}


def play(view: ChiamataView) -> Card:
    """The card to play, by the trick on the table."""

    def price(card: Card) -> tuple[bool, int, int]:
        """What it costs to play the card: trumps most, then points, then rank."""
        return card.suit == view.trump, view.card_points(card), -RANK_ORDER.index(card.rank)

    cheapest = min(view.hand, key=price)
    winning = view.winner_so_far
    if winning is None:
        return cheapest
    seat, best = winning
    table = view.trick.cards
    if len(table) == view.players - 1 and seat in friends(view):
        gifts = [card for card in view.hand if card.suit != view.trump]
        return max(gifts, key=view.card_points, default=cheapest)
    takers = [card for card in view.hand if view.beats(card, best)]
    if takers:
        taker = min(takers, key=price)
        if taker.suit != view.trump or any(map(view.card_points, table)):
            return taker
    return cheapest
