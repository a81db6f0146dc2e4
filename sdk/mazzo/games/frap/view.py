"""What one seat may know of a deal of Frap.

`mazzo.games.frap` has it as well, and `RANK_ORDER`, the ranks from high to low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazzo.cards import FRENCH, Card, bits, mask_of
from mazzo.game import View
from mazzo.games.frap.rules import (
    ASK_LOOK,
    BEATS,
    CALL,
    DISCARD,
    HAND,
    LOOK,
    MAY_STAND,
    PASS,
    STRENGTH,
    deck_of,
)

__all__ = ["FrapView"]


@dataclass(slots=True, kw_only=True)
class FrapView(View):
    """What a seat may know of a deal of Frap. Pots and scores are in chips.

    The hand is empty until the seat has looked, and after it was thrown in. What others
    discard is not in the history; how many cards they hold and exchange is public.
    """

    start_pot: int  # left by the last deal
    ante_paid: bool
    first_pot: int  # after the antes
    pot: int  # the tricks are paid out of it only when all of them were played
    cap: int | None  # the most that one payment counts
    round: int  # of the auction, 1 to 3; the last one once it is over
    trump_card: Card  # the one that counts, also after somebody took it; its suit is trump
    dead_trumps: bytes  # the trump cards of the earlier rounds
    trump_taker: int | None  # who took the trump card into the hand
    stock_count: int  # the trump card is not counted
    looked: int  # the set of the seats that have seen their hands
    frapper: int | None
    blind: bool  # whether the frapper called without looking
    whisters: int  # a set of seats
    undercutters: bytes  # seats, in order
    exchanged: bytes  # by seat, cards laid down to be replaced from the stock
    discards: bytes  # of this seat, whatever for, in order
    thrown_in: int  # the set of the cards that this seat threw in when it passed on the frap
    scores: tuple[int, ...]  # empty until the deal is over

    @property
    def trump(self) -> str:
        """The trump suit."""
        return self.trump_card.suit

    @property
    def asked(self) -> str | None:
        """What the seat is to choose, None if it is not to move.

        "look" (or call blind), "call", "answer" (the frap), "exchange", "discard" (one of
        five cards), "undercut" or "play".
        """
        legal = self.legal_mask
        if not legal:
            return None
        if legal < 1 << LOOK:
            return "play"
        if legal >> DISCARD:
            return "exchange" if legal & MAY_STAND else "discard"
        if legal & ASK_LOOK:
            return "look"
        if legal >> PASS & 1:
            return "call" if legal >> CALL & 1 else "answer"
        return "undercut"

    @property
    def seats_in_play(self) -> tuple[int, ...]:
        """Frapper, whisters and undercutters, ascending; those who are so far."""
        mask = self.whisters | mask_of(self.undercutters)
        return tuple(bits(mask if self.frapper is None else mask | 1 << self.frapper))

    @property
    def first_leader(self) -> int:
        """The first undercutter, else the frapper, else the dealer's next seat."""
        if self.undercutters:
            return self.undercutters[0]
        return (self.dealer + 1) % self.players if self.frapper is None else self.frapper

    @property
    def tricks_taken(self) -> tuple[int, ...]:
        """Tricks by seat; a frapper whom nobody opposed has all four."""
        taken = [self.trick_winners.count(seat) for seat in range(self.players)]
        if self.frapper is not None and self.scores and not self.trick_winners:
            taken[self.frapper] = HAND
        return tuple(taken)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards whose place this seat does not know, its own hand too until it looks.

        The trump card is one of them when another seat took it and may have discarded it.
        """
        seen = self.hand_mask | self.thrown_in | mask_of(self.discards)
        seen |= mask_of(self.past_cards) | mask_of(self.trick_cards) | mask_of(self.dead_trumps)
        taker = self.trump_taker
        if taker is None or self.hand_counts[taker] > HAND:
            seen |= 1 << self.trump_card
        return tuple([card for card in deck_of(self.variant) if not seen >> card & 1])

    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, laid after `other`, takes the trick from it."""
        return bool(BEATS[self.trump_card.suit][other] >> card & 1)

    def strength(self, card: int) -> int:
        """Return how high a card stands: by rank in its suit, a trump above all others."""
        return STRENGTH[self.trump_card.suit][card]

    def lacks(self, led: Card, answer: Card) -> str:
        """Return the suit led, which has to be followed, and trumps where none was laid instead."""
        if answer.suit == led.suit:
            return ""
        return led.suit if self.trump in (led.suit, answer.suit) else led.suit + self.trump

    def known(self, seat: int) -> tuple[Card, ...]:
        """Return the trump card, while the seat that took it has not discarded."""
        holds = seat == self.trump_taker and self.hand_counts[seat] > HAND
        return (self.trump_card,) if holds else ()

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(FrapView, self).to_json()  # slots=True makes the class anew
        cards = FRENCH.cards
        return base | {
            "start_pot": self.start_pot,
            "ante_paid": self.ante_paid,
            "first_pot": self.first_pot,
            "pot": self.pot,
            "cap": self.cap,
            "round": self.round,
            "trump_card": self.trump_card.code,
            "dead_trumps": [cards[card].code for card in self.dead_trumps],
            "trump_taker": self.trump_taker,
            "stock_count": self.stock_count,
            "looked": list(bits(self.looked)),
            "frapper": self.frapper,
            "blind": self.blind,
            "whisters": list(bits(self.whisters)),
            "undercutters": list(self.undercutters),
            "exchanged": list(self.exchanged),
            "discards": [cards[card].code for card in self.discards],
            "thrown_in": [card.code for card in FRENCH.of(self.thrown_in)],
            "tricks_taken": list(self.tricks_taken),
            "scores": list(self.scores) or None,
        }
