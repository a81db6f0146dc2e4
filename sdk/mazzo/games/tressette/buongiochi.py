"""What both games share: the cards, the buongiochi, and the common part of views and deals.

A buongioco is three or four honours of a rank, or the 3, 2 and A of a suit (napoletana),
held in the hand. Its action stands for it, so a set of buongiochi is a bit mask of actions.

`RANK_ORDER` has the ranks from high to low, and `THIRDS` by a card's number the thirds of a point
that it is worth.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from mazzo.cards import ITALIAN, Card, mask_of
from mazzo.game import Action, Deal, Game, Setting, Variant, View
from mazzo.options import Option
from mazzo.shuffle import Shuffles
from mazzo.tricks import beats_table, follow_tables, strength_table

__all__ = [
    "BEATS",
    "BIT",
    "COMBINATIONS",
    "FIRST_DECLARE",
    "HONOURS",
    "LAST_TRICK",
    "OPTIONS",
    "RANK_ORDER",
    "SHARED_ACTIONS",
    "SUIT_OF",
    "THIRDS",
    "Declaration",
    "TressetteDeal",
    "TressetteGame",
    "TressetteView",
    "offers_in",
    "offers_with",
]

RANK_ORDER = "32AKHJ7654"  # from high to low
_HONOUR_RANKS = "32A"
_POINT = 3  # thirds
_RANK_THIRDS = {"A": _POINT, "3": 1, "2": 1, "K": 1, "H": 1, "J": 1}
THIRDS = tuple(_RANK_THIRDS.get(card.rank, 0) for card in ITALIAN.cards)  # by card id
LAST_TRICK = _POINT  # thirds for winning it

BIT = tuple(1 << card for card in ITALIAN.cards)
BEATS = beats_table(ITALIAN, RANK_ORDER, None)  # by card id, the cards that beat it
_STRENGTH = strength_table(ITALIAN, RANK_ORDER, None)
SUIT_OF = follow_tables(ITALIAN)  # by card id, the cards of its suit
HONOURS = mask_of(card for card in ITALIAN.cards if card.rank in _HONOUR_RANKS)

FIRST_DECLARE = len(ITALIAN)  # action number
_LEAST = 3  # cards of a combination
_OF_RANK = {
    rank: mask_of(card for card in ITALIAN.cards if card.rank == rank) for rank in _HONOUR_RANKS
}
_OF_SUIT = {suit: SUIT_OF[ITALIAN.parse(f"A{suit}")] & HONOURS for suit in ITALIAN.suits}
COMBINATIONS = (*_OF_RANK.values(), *_OF_SUIT.values())  # honours, by action - FIRST_DECLARE
_DECLARES = tuple(
    (honours, 1 << FIRST_DECLARE + number) for number, honours in enumerate(COMBINATIONS)
)
_WITH = tuple(  # by card id, the two that show this honour
    tuple(declare for declare in _DECLARES if declare[0] >> card & 1) for card in ITALIAN.cards
)

SHARED_ACTIONS = (
    *(Action(int(card), card.code, card) for card in ITALIAN.cards),
    *(
        Action(FIRST_DECLARE + number, f"declare:{name}")
        for number, name in enumerate([*_OF_RANK, *(f"napoletana-{suit}" for suit in _OF_SUIT)])
    ),
)
OPTIONS = (
    Option(
        name="buongiochi",
        values=("on", "off"),
        default="on",
        players=(2,),
        meaning="whether combinations of honours can be declared for points",
    ),
    Option(
        name="declare-scope",
        values=("all", "dealt"),
        default="all",
        players=(2,),
        meaning="which combinations count: all of them, or only those of the dealt hand",
    ),
)


def offers_in(hand: int) -> int:
    """Return the declarations that a hand is good for, as a mask of actions."""
    hand &= HONOURS
    if hand.bit_count() < _LEAST:
        return 0
    offers = 0
    for honours, declare in _DECLARES:
        if (hand & honours).bit_count() >= _LEAST:
            offers |= declare
    return offers


def offers_with(hand: int, card: int) -> int:
    """Return those of them that show this honour, which the hand holds."""
    (of_rank, declare_rank), (of_suit, declare_suit) = _WITH[card]
    offers = declare_suit if hand & of_suit == of_suit else 0
    return offers | declare_rank if (hand & of_rank).bit_count() >= _LEAST else offers


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A buongioco that a seat declared."""

    seat: int
    action: int  # the number of the action that declared it
    mask: int  # the cards that were shown
    points: int  # 3, or 4 for four of a rank

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that were shown, in ascending id; a set of three tells which suit lacks."""
        return ITALIAN.of(self.mask)

    @property
    def code(self) -> str:
        """The action's code, such as "declare:A"."""
        return SHARED_ACTIONS[self.action].code


@dataclass(slots=True, kw_only=True)
class TressetteView(View):
    """What the views of both games tell."""

    known_masks: tuple[int, ...]  # by seat, the cards in its hand that everybody has seen
    declarations: tuple[Declaration, ...]  # in order
    thirds: bytes  # of card points taken by each seat; in the end the last trick's three too
    buongiochi: bytes  # points declared by each seat

    @property
    def first_leader(self) -> int:
        """The non-dealer."""
        return 1 - self.dealer

    @property
    def points(self) -> tuple[int, ...]:
        """What each seat has so far: whole card points, and its buongiochi."""
        return tuple(
            thirds // _POINT + declared
            for thirds, declared in zip(self.thirds, self.buongiochi, strict=True)
        )

    def known(self, seat: int) -> tuple[Card, ...]:
        """Return the cards in a seat's hand that everybody has seen, in ascending id."""
        return ITALIAN.of(self.known_masks[seat])

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards whose place this seat does not know, in ascending id."""
        seen = self._seen_mask()
        return tuple([card for card in ITALIAN.cards if not seen >> card & 1])

    def _seen_mask(self) -> int:
        seen = self.hand_mask | self.known_masks[1 - self.seat]
        return seen | mask_of(self.past_cards) | mask_of(self.trick_cards)

    def card_thirds(self, card: int) -> int:
        """Return what the card is worth, 0 to 3 thirds of a point."""
        return THIRDS[card]

    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, laid after `other`, takes the trick from it."""
        return bool(BEATS[other] >> card & 1)

    def strength(self, card: int) -> int:
        """Return how high a card stands by rank; there are no trumps."""
        return _STRENGTH[card]

    def lacks(self, led: Card, answer: Card) -> str:
        """Return the suit led, which has to be followed."""
        return "" if answer.suit == led.suit else led.suit

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(TressetteView, self).to_json()  # slots=True makes the class anew
        return base | {
            "declarations": [
                {
                    "seat": declaration.seat,
                    "action": declaration.code,
                    "cards": [card.code for card in declaration.cards],
                    "points": declaration.points,
                }
                for declaration in self.declarations
            ],
            "thirds": list(self.thirds),
            "buongiochi": list(self.buongiochi),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TressetteGame(Game):
    """What the two games have in common as games."""

    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        """Return a side for each seat: each plays for himself."""
        return ((0,), (1,))

    def default_match_format(self, variant: Variant) -> str:
        """Return a target of 51 points, or 31 without buongiochi, which make up much of a score."""
        return "target:51" if variant.option("buongiochi") == "on" else "target:31"

    def forfeit_score(self, variant: Variant) -> int:
        """Return the card points of a deal."""
        return 11


class TressetteDeal(Deal):
    """The common part of a deal: the hands, the tricks, and what counts."""

    __slots__ = (
        "_buongiochi",
        "_deck",
        "_declarations",
        "_known",
        "_later_count",
        "_led",
        "_offer",
        "_thirds",
    )

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin both games: with a shuffled pack, and nothing dealt yet."""
        deck = shuffles.draw("deck", 0, range(len(ITALIAN)))
        super().__init__(setting, deck)
        variant, dealer = setting.variant, setting.dealer
        self._deck = bytes(deck)  # never changes, so that copies can share it
        self._hands = [0, 0]
        self._received = [b"", b""]
        self._known = [0, 0]  # of the hands, what everybody has seen
        self._thirds = bytearray(2)
        self._buongiochi = bytearray(2)  # points
        self._declarations: tuple[Declaration, ...] = ()
        # Whether a combination counts that a drawn or plucked card makes.
        self._later_count = (
            variant.option("buongiochi") == "on" and variant.option("declare-scope") == "all"
        )
        self._offer = 0  # what the dealer can declare when he first follows
        self._leader = 1 - dealer
        self._led = -1  # the card led, -1 before

    def _offer_dealt(self) -> int:
        """Return what the non-dealer can declare from his dealt hand; the dealer's is put aside."""
        if self.variant.option("buongiochi") == "off":
            return 0
        self._offer = offers_in(self._hands[self.dealer])
        return offers_in(self._hands[1 - self.dealer])

    def _declare(self, seat: int, action: int) -> None:
        """Score a buongioco and show its cards; it is not offered again at this decision."""
        mask = self._hands[seat] & COMBINATIONS[action - FIRST_DECLARE]
        points = mask.bit_count()  # a napoletana has three cards too
        self._declarations += (Declaration(seat=seat, action=action, mask=mask, points=points),)
        self._buongiochi[seat] += points
        self._known[seat] |= mask
        self.legal ^= 1 << action

    def _begin_copy(self) -> Self:
        """Return a deal with copies of what both games have; `copy` adds the rest."""
        copied = super()._begin_copy()
        copied._deck = self._deck
        copied._known = self._known[:]
        copied._thirds = self._thirds[:]
        copied._buongiochi = self._buongiochi[:]
        copied._declarations = self._declarations
        copied._later_count = self._later_count
        copied._offer = self._offer
        copied._led = self._led
        return copied

    @abstractmethod
    def view(self, seat: int) -> TressetteView:
        """Return what the seat may know."""

    def hand(self, seat: int) -> tuple[Card, ...]:
        """Return a seat's hand; for dealers and tests, not for players."""
        return ITALIAN.of(self._hands[seat])

    @property
    def scores(self) -> tuple[int, ...] | None:
        """Card points, rounded down for each seat, and buongiochi: 11 card points in all."""
        if self.seat is not None:
            return None
        return tuple(
            thirds // _POINT + points
            for thirds, points in zip(self._thirds, self._buongiochi, strict=True)
        )

    @property
    def result(self) -> dict[str, Any] | None:
        """`thirds` by seat, the last trick's three included; `buongiochi`: points by seat."""
        if self.seat is not None:
            return None
        return {"thirds": list(self._thirds), "buongiochi": list(self._buongiochi)}
