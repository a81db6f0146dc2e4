"""Tressette, both games: declares and plucks all it can, and keeps what may still combine."""

from math import comb

from play_frusta import best

from mazzo import Action, Card
from mazzo.cards import ITALIAN, mask_of
from mazzo.games.tressette import RANK_ORDER, THIRDS, MetaMazzoView, PizzichinoView
from mazzo.games.tressette.buongiochi import COMBINATIONS

# What a card brings later, in thirds of a point; found by play against itself and `greedy`.
HOLD = dict(zip(RANK_ORDER, (4.0, 3.0, 3.5, 1.0, 0.7, 0.4, 0.2, 0.1, 0.0, 0.0), strict=True))


def act(view: MetaMazzoView | PizzichinoView) -> Action | Card:
    """A declaration, a pluck, or the card to play; which packets it takes cannot matter."""
    for action in view.legal:
        if action.code.startswith(("declare:", "pluck:")) or not view.playable:
            return action
    other = 1 - view.seat
    own, shown, unseen = view.hand_mask, [*view.known(other)], mask_of(view.unseen)
    hidden = (view.hand_counts[other] - len(shown)) / max(1, unseen.bit_count())
    scope = view.variant.option("buongiochi"), view.variant.option("declare-scope")
    chance = (1 - hidden) / 2 if scope == ("on", "all") else 0.0  # that an unseen card still counts
    if isinstance(view, PizzichinoView):
        own |= mask_of(view.tops_of(view.seat).values())
        shown += view.tops_of(other).values()

    def hope(hand: int) -> float:  # thirds, nine a combination that may still come
        lacks = [(honours, max(1, 3 - (hand & honours).bit_count())) for honours in COMBINATIONS]
        return sum(9 * comb((unseen & honours).bit_count(), n) * chance**n for honours, n in lacks)

    worth = {c: HOLD[c.rank] + hope(own) - hope(own & ~(1 << c)) for c in ITALIAN.cards}
    return best(view, worth, dict(zip(ITALIAN.cards, map(float, THIRDS), strict=True)), *shown)
