"""Rules of thumb for whatever is no card: bids, calls, exchanges, declarations, packets."""

from functools import cache

from mazzo.cards import FRENCH, ITALIAN, bits
from mazzo.game import View
from mazzo.games import chiamata, frap

CARDS = (1 << len(ITALIAN)) - 1
DECLARE = 0b1111111 << len(ITALIAN)
PACKET = 0b11111111 << 47
# Briscola chiamata: what a side may hope for, without a trump and more for each, and at most.
PASS, TRUMP, CALL = 160, 161, 165
HOPE, EACH, MOST = 50, 4, 85
# Frap: likely tricks that are enough to promise two, or one for each player who is in, and a
# chance of a trick that is worth keeping.
LOOK, STAND, DISCARD = 1 << 52, 1 << 57, 61
TWO, ONE, KEEP = 1.9, 0.55, 0.25
CODES = {action.code: int(action) for action in frap.FRAP.actions}


def lowest(mask: int) -> int:
    """The number of the lowest bit."""
    return (mask & -mask).bit_length() - 1


def options(view: View) -> int:
    """The legal actions between which a search is to choose; the others are not worth a thought."""
    legal = view.legal_mask
    match view.variant.game.id:
        case "briscola":
            return legal & CARDS
        case "briscola-chiamata" if legal >> PASS & 1:
            return 1 << PASS | legal & -legal
        case "briscola-chiamata" if legal >> CALL:
            return 1 << say(view)
        case "frap":
            return legal & LOOK or legal
        case "tressette-meta-mazzo" | "tressette-pizzichino" as game:
            sure = legal & DECLARE or (legal & PACKET if game == "tressette-pizzichino" else 0)
            return sure & -sure or legal
    return legal


def say(view: View) -> int:
    """What a playout takes where there is more to choose from than cards."""
    legal = view.legal_mask
    if isinstance(view, chiamata.ChiamataView):
        promises = {suit: promise(view.hand_mask, suit) for suit in ITALIAN.suits}
        best = max(promises, key=promises.__getitem__)
        if legal >> PASS & 1:
            bid = lowest(legal)
            return bid if bid - 39 <= min(MOST, promises[best]) else PASS
        if legal >> TRUMP & 1:
            return TRUMP + ITALIAN.suits.index(best)
        trumps = [ITALIAN.parse(rank + str(view.trump)) for rank in chiamata.RANK_ORDER]
        return CALL + next(card for card in trumps if not view.hand_mask >> card & 1)
    if isinstance(view, frap.FrapView):
        return say_frap(view)
    return lowest(legal & ~CARDS)


@cache
def promise(hand: int, trump: str) -> int:
    """The card points that a caller's side may hope for."""
    held = [
        chiamata.POINTS[card] + EACH for card in bits(hand) if ITALIAN.cards[card].suit == trump
    ]
    return HOPE + sum(held)


def say_frap(view: frap.FrapView) -> int:
    """By the tricks that the cards are likely to take."""
    chances = chances_of(view.trump)
    hand = list(bits(view.hand_mask))
    tricks = sum(chances[card] for card in hand)
    match view.asked:
        case "look":
            word = "look"
        case "call":
            word = "frap" if tricks >= TWO else "pass"
        case "answer":
            word = "whist" if tricks >= ONE * len(view.seats_in_play) else "pass"
        case "undercut":
            sure = view.legal_mask >> CODES["undercut:trump"] & 1 and view.trump_card.rank == "A"
            word = "undercut:trump" if sure else "decline"
        case _:
            worst = min(hand, key=chances.__getitem__)
            if view.asked == "discard" or chances[worst] < KEEP:
                return DISCARD + worst
            word = "stand"
    return CODES[word]


@cache
def chances_of(trump: str) -> list[float]:
    """By card, the chance that it takes a trick in Frap; less by a little for a lower rank."""
    plain = (0.6, 0.3, 0.1, *(0.01 - n / 1000 for n in range(10)))
    trumps = (1, 0.9, 0.8, 0.7, 0.6, *(0.5 - n / 1000 for n in range(8)))
    place = frap.RANK_ORDER.index
    return [(trumps if c.suit == trump else plain)[place(c.rank)] for c in FRENCH.cards]
