"""Tressette, both games: declares and plucks all it can, and keeps what may still combine."""

from math import comb

from mazzo import Action, Card
from mazzo.cards import mask_of
from mazzo.games.tressette import RANK_ORDER, MetaMazzoView, PizzichinoView
from mazzo.games.tressette.buongiochi import COMBINATIONS
from two_hands import best, solved

# What a card brings later, in thirds of a point; found by play against itself and `greedy`.
HOLD = dict(zip(RANK_ORDER, (4.0, 3.0, 3.5, 1.0, 0.7, 0.4, 0.2, 0.1, 0.0, 0.0), strict=True))
COMBINED = 9  # thirds
END = 5  # tricks, from which on the deal is solved


def act(view: MetaMazzoView | PizzichinoView) -> Action | Card:
    """A declaration, a pluck, or the card to play; whatever else is asked matters little."""
    for action in view.legal:  # an honour plucked is never lost, and shows one more card
        if action.code.startswith(("declare:", "pluck:")) or not view.playable:
            return action
    mine, shown = set(view.hand), set(view.known(1 - view.seat))
    if isinstance(view, PizzichinoView):
        mine |= set(view.tops_of(view.seat).values())
        shown |= set(view.tops_of(1 - view.seat).values())
        hidden = sum(view.packet_counts) - len(view.tops)
    else:
        hidden = view.stock_count
    if not hidden and len(mine) <= END:
        return solved(view)
    unseen, own = mask_of(view.unseen), mask_of(mine)

    def hope(hand: int) -> float:
        """Combinations that the hand may make by cards that it still gets, about."""
        total = 0.0
        for honours in COMBINATIONS if hidden else ():
            out, lack = (unseen & honours).bit_count(), max(1, 3 - (hand & honours).bit_count())
            total += comb(out, lack) * (hidden / 2 / unseen.bit_count()) ** lack
        return total

    worth = {
        card: HOLD[card.rank] + COMBINED * (hope(own) - hope(own & ~(1 << card)))
        for card in view.variant.game.pack.cards
    }
    return best(view, worth, shown, lambda a, b: view.card_thirds(a) + view.card_thirds(b))
