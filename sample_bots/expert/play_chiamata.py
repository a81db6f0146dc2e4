"""Briscola chiamata: bids what the hand promises, and finds the partner by who gives what."""

from play_briscola import best, worths

from mazzo import Action, Card
from mazzo.games.chiamata import ChiamataView

# What a side takes, in card points, found by regression on deals that were called: so much, so
# much for each trump of the caller's, and for each card point in trumps and in other suits.
START, TRUMP, TRUMP_POINT, POINT = 46, 5.5, 0.85, 0.3
# What trumps bring later, as in Briscola, to the caller's side and to the others; and plain cards.
ATTACK, DEFENCE, PLAIN = (57, 43, 31, 25, 19, 9), (14, 11, 7, 5, 4, 3), (7, 6, 2, 1.5, 1, 0)
TELL = 1.13  # how many times likelier a partner is a seat for each point given to the caller


def act(view: ChiamataView) -> Action | Card:
    """A bid or pass, the trump suit, the called card, or the card to play."""
    hope, suit = max((promise(view, suit), suit) for suit in "dcsb")
    if view.caller is None:
        *bids, last = view.legal  # `pass` is the last one
        return bids[0] if bids and int(bids[0].code.removeprefix("bid:")) <= hope else last
    if view.trump is None:
        return view.action(f"trump:{suit}")
    if view.called is None:  # the highest trump that is missing: no hand holds all ten
        return view.action(f"call:{max(view.unseen, key=view.strength)}")
    return play(view, view.caller, view.trump, view.called)


def promise(view: ChiamataView, trump: str) -> float:
    """The card points that a side with this hand may hope for."""
    trumps = [view.card_points(card) for card in view.hand if card.suit == trump]
    others = sum(map(view.card_points, view.hand)) - sum(trumps)
    return START + TRUMP * len(trumps) + TRUMP_POINT * sum(trumps) + POINT * others


def play(view: ChiamataView, caller: int, trump: str, called: Card) -> Card:
    """The best card over all who may be the partner, the more so the more they gave the caller."""
    others = [s for s in range(5) if view.hand_counts[s] and s not in (view.seat, caller)]
    given = dict.fromkeys((others or [caller]) if view.holder is None else [view.holder], 0)
    for trick in view.tricks:
        for seat, card in trick.plays:
            if seat in given and seat != trick.winner:
                given[seat] += view.card_points(card) * (1 if trick.winner == caller else -1)
    held, worlds = {called}.intersection(view.unseen), []
    worth = [worths(view, trump, trumps, PLAIN) for trumps in (DEFENCE, ATTACK)]
    for holder, points in given.items():
        sides = [int(seat in (caller, holder)) for seat in range(5)]
        worlds.append((TELL**points, sides, worth, {holder: held}))
    # No trump is led while there is another card: it would only draw out rubbish.
    cards = [card for card in view.hand if view.trick_cards or card.suit != trump]
    return best(view, cards or view.hand, 0, worlds)
