"""What playouts know of a game: a few numbers by card, and rules of thumb for all that is said.

The numbers are guesses, bettered by play of the bot against itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from mazzo.cards import FRENCH, ITALIAN, mask_of
from mazzo.tricks import beats_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """A game's ranks from high to low, with numbers by rank; trumps have numbers of their own."""

    order: str
    points: Sequence[float]  # what a card brings to whoever wins the trick
    keep: tuple[Sequence[float], Sequence[float]]  # what it is worth in the hand: plain, trump
    lead: tuple[Sequence[float], Sequence[float]]  # from -1, the trick is lost, to 1, it is won
    stake: float = 0  # what each trick brings beside its cards
    noise: float  # by how much a playout misjudges a card
    win: float  # how much of the reward is for winning the deal
    span: float  # the lead in the scores that is worth the rest of the reward


_BRISCOLA = Ranks(
    order="A3KHJ76542",
    points=(11, 10, 4, 3, 2, 0, 0, 0, 0, 0),
    keep=((5, 5, 2, 1.5, 1, 0, 0, 0, 0, 0), (14, 11, 7, 5, 3.5, 2.2, 2.1, 2, 1.9, 1.8)),
    lead=((-0.4, -0.5, -0.5, -0.5, -0.5, 0, 0, 0, 0, 0), (1, 0.6, 0.2, 0, 0, 0, 0, 0, 0, 0)),
    noise=4,
    win=0.5,
    span=120,
)
_TRESSETTE = Ranks(
    order="32AKHJ7654",
    points=(1, 1, 3, 1, 1, 1, 0, 0, 0, 0),
    keep=((2.5, 2, 2, 0.9, 0.7, 0.5, 0.2, 0.1, 0, 0), ()),
    lead=((1, 0.6, 0.3, 0, -0.1, -0.2, -0.3, -0.4, -0.5, -0.6), ()),
    stake=0.7,
    noise=1.5,
    win=0,
    span=20,
)
_RANKS = {
    "briscola": _BRISCOLA,
    "briscola-chiamata": replace(_BRISCOLA, win=0, span=8),
    "frusta": Ranks(
        order="A3KHJ76542",
        points=(0,) * 10,
        keep=(range(9, -1, -1), range(19, 9, -1)),
        lead=(
            (0.5, 0.3, 0.1, 0, -0.1, -0.3, -0.5, -0.6, -0.7, -0.8),
            (1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.4, 0.4, 0.3),
        ),
        stake=20,
        noise=4,
        win=0.7,
        span=11,
    ),
    "tressette-meta-mazzo": _TRESSETTE,
    "tressette-pizzichino": _TRESSETTE,
    "frap": Ranks(
        order="AKQJT98765432",
        points=(0,) * 13,
        keep=(range(12, -1, -1), range(25, 12, -1)),
        lead=(
            (0.6, 0.2, -0.2, -0.4, *[-0.6] * 9),
            (1, 0.9, 0.8, 0.7, 0.6, *[0.5] * 8),
        ),
        stake=40,
        noise=5,
        win=0,
        span=0,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The numbers of a game by card, with this trump suit."""

    ranks: Ranks
    beats: Sequence[int]  # the set of the cards that beat it
    points: Sequence[float]
    keep: Sequence[float]
    lead: Sequence[float]
    repeats: int  # the cards that do what the card with the number before does


@cache
def policy_of(game: str, trump: str | None) -> Policy:
    """The policy of a game; without a trump suit where it has none, or none yet."""
    ranks = _RANKS[game]
    pack = FRENCH if game == "frap" else ITALIAN
    place = [(ranks.order.index(card.rank), card.suit == trump) for card in pack.cards]
    points = [ranks.points[rank] for rank, _ in place]
    keep = [ranks.keep[is_trump][rank] for rank, is_trump in place]
    lead = [ranks.lead[is_trump][rank] for rank, is_trump in place]
    repeats = mask_of(
        card
        for card in pack.cards[1:]
        if card.suit == pack.cards[card - 1].suit
        and place[card - 1][0] - place[card][0] == 1
        and points[card] == points[card - 1]
    )
    beats = beats_table(pack, ranks.order, trump)
    return Policy(ranks=ranks, beats=beats, points=points, keep=keep, lead=lead, repeats=repeats)
