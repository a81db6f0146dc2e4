"""Who wins a trick, and what the cards of the Italian games are worth.

Every game here shares one shape: a later card takes over the trick when it beats the
card that is winning so far. `beats[card]` is the bit mask of the cards that do.
"""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.cards import ITALIAN, Pack, mask_of

__all__ = [
    "BRISCOLA_ORDER",
    "BRISCOLA_POINTS",
    "NEXT_SEAT",
    "TURNS_FROM",
    "beats_table",
    "follow_tables",
    "strength_table",
    "winning_index",
]

BRISCOLA_ORDER = "A3KHJ76542"  # ranks from high to low, in every game here that has trumps
_RANK_POINTS = {"A": 11, "3": 10, "K": 4, "H": 3, "J": 2}
BRISCOLA_POINTS = tuple(_RANK_POINTS.get(card.rank, 0) for card in ITALIAN.cards)  # by card id


_TABLES = range(2, 13)  # numbers of players
NEXT_SEAT = {players: (*range(1, players), 0) for players in _TABLES}
"""By number of players and seat, the seat that is next in turn."""
TURNS_FROM = {
    players: tuple(
        tuple((first + step) % players for step in range(players)) for first in range(players)
    )
    for players in _TABLES
}
"""By number of players and seat, all seats in turn from that one on."""


def beats_table(pack: Pack, order: str, trump: str | None) -> tuple[int, ...]:
    """Return for each card of the pack the bit mask of the cards that beat it.

    `order` has all ranks from high to low, `trump` the trump suit, or None without trumps.
    A card is beaten by a higher card of its own suit and, if it is no trump, by every trump.
    A card that is neither of the suit led nor a trump never beats the card that wins so far,
    so following the mask from card to card of a trick gives its winner.
    """
    trumps = mask_of(card for card in pack.cards if card.suit == trump)
    beats = [0] * len(pack)
    for suit in pack.suits:
        higher = 0 if suit == trump else trumps
        for rank in order:
            card = pack.parse(rank + suit)
            beats[card] = higher
            higher |= 1 << card
    return tuple(beats)


def strength_table(pack: Pack, order: str, trump: str | None) -> tuple[int, ...]:
    """Return how high each card of the pack stands: by `order` from 0, trumps above the rest.

    Of two cards of which one is of the suit led or a trump, the stronger wins.
    """
    ranks = {rank: place for place, rank in enumerate(reversed(order))}
    return tuple(
        ranks[card.rank] + (len(order) if card.suit == trump else 0) for card in pack.cards
    )


def follow_tables(pack: Pack) -> tuple[int, ...]:
    """Return for each card of the pack the bit mask of the cards of its suit."""
    of_suit = {
        suit: sum(1 << card for card in pack.cards if card.suit == suit) for suit in pack.suits
    }
    return tuple(of_suit[card.suit] for card in pack.cards)


def winning_index(cards: Sequence[int], beats: Sequence[int]) -> int:
    """Return the index of the winning card of `cards`, in order of play; there is at least one."""
    best = 0
    for index in range(1, len(cards)):
        if beats[cards[best]] >> cards[index] & 1:
            best = index
    return best
