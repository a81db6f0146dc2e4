"""Tressette, both games: declares and plucks all it can, and keeps what may still combine."""

from math import comb

from two_hands import best, solved

from mazzo import Action, Card
from mazzo.cards import mask_of
from mazzo.games.tressette import RANK_ORDER, MetaMazzoView, PizzichinoView
from mazzo.games.tressette.buongiochi import COMBINATIONS

# What a card brings later, in thirds of a point; found by play against itself and `greedy`.
HOLD = dict(zip(RANK_ORDER, (4.0, 3.0, 3.5, 1.0, 0.7, 0.4, 0.2, 0.1, 0.0, 0.0), strict=True))
END = 4  # tricks that are solved


def act(view: MetaMazzoView | PizzichinoView) -> Action | Card:
    """A declaration, a pluck, or the card to play; which packets it takes cannot matter."""
    for action in view.legal:
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
        """Thirds for combinations to come, each missing card being drawn with the same chance."""
        total = 0.0
        for honours in COMBINATIONS if hidden else ():
            out, lack = (unseen & honours).bit_count(), max(1, 3 - (hand & honours).bit_count())
            total += 9 * comb(out, lack) * (hidden / 2 / unseen.bit_count()) ** lack
        return total

    cards = view.variant.game.pack.cards
    worth = {card: HOLD[card.rank] + hope(own) - hope(own & ~(1 << card)) for card in cards}

    def gain(led: Card, answer: Card) -> float:
        points = view.card_thirds(led) + view.card_thirds(answer)
        return (-points if view.beats(answer, led) else points) + worth[answer] - worth[led]

    return best(view, shown, gain)
