"""Briscola for 2, 3, 4 (two pairs) and 6 (two teams of three).

Nobody has to follow suit; the highest trump, else the highest card of the suit led, wins
the trick; everybody draws after each trick while there is stock; 120 card points in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mazzo.cards import ITALIAN, Card, mask_of
from mazzo.errors import VariantError
from mazzo.game import Action, Deal, Game, MatchProgress, Option, Trick, Variant, View
from mazzo.shuffle import Shuffles
from mazzo.tricks import beats_table

__all__ = ["BRISCOLA", "POINTS", "RANK_ORDER", "TOKENS", "BriscolaDeal", "BriscolaView", "Talk"]

RANK_ORDER = "A3KHJ76542"  # high to low
_RANK_POINTS = {"A": 11, "3": 10, "K": 4, "H": 3, "J": 2}
POINTS = tuple(_RANK_POINTS.get(card.rank, 0) for card in ITALIAN.cards)  # by card id

TOKENS = (
    "trump-ace",
    "trump-three",
    "trump-king",
    "trump-horse",
    "trump-jack",
    "low-trump",
    "no-trump",
    "carico",
    "no-carico",
    "play-trump",
    "play-high-trump",
    "play-points",
    "play-low",
    "leave-it",
    "mine",
    "strong",
)
_HAND = 3  # cards
_FIRST_SAY = len(ITALIAN)  # action number of the first token
_ALL_SAYS = mask_of(range(_FIRST_SAY, _FIRST_SAY + len(TOKENS)))
_SAYS_A_TURN = 3

_BEATS = {suit: beats_table(ITALIAN, RANK_ORDER, suit) for suit in ITALIAN.suits}
_BIT = tuple(1 << card for card in ITALIAN.cards)
_LEFT_OUT = {2: (), 3: ("2d",), 4: (), 6: ("2d", "2c", "2s", "2b")}
_PACKS = {
    players: tuple(card for card in ITALIAN.cards if card.code not in left_out)
    for players, left_out in _LEFT_OUT.items()
}
_SIDES: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((0,), (1,)),
    3: ((0,), (1,), (2,)),
    4: ((0, 2), (1, 3)),
    6: ((0, 2, 4), (1, 3, 5)),
}
_ALONE = MatchProgress()  # a deal that belongs to no match
_NEXT = {players: (*range(1, players), 0) for players in _SIDES}
_ORDER_FROM = {
    players: tuple(
        tuple((first + step) % players for step in range(players)) for first in range(players)
    )
    for players in _SIDES
}


@dataclass(frozen=True, slots=True)
class Talk:
    """A token that a seat said before it played to a trick (numbered from 0)."""

    trick: int
    seat: int
    token: str


@dataclass(slots=True, kw_only=True)
class BriscolaView(View):
    """What a seat may know of a deal of Briscola."""

    trump_card: Card  # laid under the stock at the deal; its suit is trump
    trump_holder: int | None  # who holds the drawn trump card; None before, and once played
    stock_count: int  # the trump card under the stock included
    hand_counts: bytes  # by seat
    points: tuple[int, ...]  # card points taken, by seat
    trick_winners: bytes  # of the finished tricks
    past_cards: bytes  # of the finished tricks in order of play, `players` cards a trick

    @property
    def trump(self) -> str:
        """The trump suit."""
        return self.trump_card.suit

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The finished tricks in order."""
        players, cards, tricks = self.players, ITALIAN.cards, []
        leader = (self.dealer + 1) % players
        for number, winner in enumerate(self.trick_winners):
            laid = self.past_cards[number * players : (number + 1) * players]
            laid_cards = tuple([cards[card] for card in laid])
            tricks.append(Trick(leader=leader, players=players, cards=laid_cards, winner=winner))
            leader = winner
        return tuple(tricks)

    @property
    def talk(self) -> tuple[Talk, ...]:
        """The tokens that this seat heard, its own included, in order."""
        said, plays = [], 0
        for seat, action in zip(self.actors, self.actions, strict=True):
            if action < _FIRST_SAY:
                plays += 1
            else:
                said.append(Talk(plays // self.players, seat, TOKENS[action - _FIRST_SAY]))
        return tuple(said)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards whose place this seat does not know: in other hands or in the stock."""
        seen = self.hand_mask | mask_of(self.past_cards) | mask_of(self.trick_cards)
        seen |= 1 << self.trump_card
        return tuple([card for card in _PACKS[self.players] if not seen >> card & 1])

    def card_points(self, card: int) -> int:
        """What the card is worth, 0 to 11."""
        return POINTS[card]

    def beats(self, card: int, other: int) -> bool:
        """Whether `card`, laid after `other`, takes the trick from it."""
        return bool(_BEATS[self.trump_card.suit][other] >> card & 1)

    @property
    def winner_so_far(self) -> tuple[int, Card] | None:
        """The seat and card that are winning the trick on the table; None when it is empty."""
        best: tuple[int, Card] | None = None
        for seat, card in self.trick.plays:
            if best is None or self.beats(card, best[1]):
                best = seat, card
        return best

    def to_json(self) -> dict[str, Any]:
        """The view in words."""
        base = super(BriscolaView, self).to_json()  # slots=True makes the class anew
        return base | {
            "trump_card": self.trump_card.code,
            "trump_holder": self.trump_holder,
            "stock_count": self.stock_count,
            "hand_counts": list(self.hand_counts),
            "points": list(self.points),
            "tricks": [
                {
                    "leader": trick.leader,
                    "cards": [card.code for card in trick.cards],
                    "winner": trick.winner,
                }
                for trick in self.tricks
            ],
            "talk": [[talk.trick, talk.seat, talk.token] for talk in self.talk],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Briscola(Game):
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        return _SIDES[players]

    def default_match_format(self, variant: Variant) -> str:
        return "deals:3" if variant.players == 3 else "best-of:3"

    def deal(
        self,
        variant: Variant,
        shuffles: Shuffles,
        *,
        dealer: int,
        draws: str | None = None,
        start: Mapping[str, Any] | None = None,
        match: MatchProgress | None = None,
    ) -> BriscolaDeal:
        if start:
            raise VariantError(f"a deal of {self.id} inherits nothing, got start {dict(start)!r}")
        deck = shuffles.draw("deck", _PACKS[variant.players])
        return BriscolaDeal(
            variant, deck, dealer=dealer, draws=draws or "top", match=match or _ALONE
        )

    def deal_winners(self, deal: Deal) -> tuple[int, ...]:
        scores, result = deal.scores, deal.result
        if scores is None or result is None:
            raise ValueError("the deal is not over")
        sides = deal.variant.sides
        best = max(scores)
        winners = tuple(index for index, side in enumerate(sides) if scores[side[0]] == best)
        if len(sides) == 2 and len(winners) == 2 and deal.variant.option("tie") == "last-trick":
            return tuple(index for index in winners if result["last"] in sides[index])
        return winners


class BriscolaDeal(Deal):
    """A deal of Briscola."""

    __slots__ = (
        "_actors",
        "_beats",
        "_best",
        "_hands",
        "_laid",
        "_leader",
        "_next",
        "_order",
        "_plays",
        "_points",
        "_position",
        "_said",
        "_stock",
        "_taker",
        "_talk",
        "_winners",
        "_worth",
        "actions",
        "dealer",
        "draws",
        "legal",
        "match",
        "seat",
        "shuffles",
        "start",
        "variant",
    )

    def __init__(
        self, variant: Variant, deck: list[int], *, dealer: int, draws: str, match: MatchProgress
    ) -> None:
        """A deal from a shuffled pack, top first, before the first lead."""
        players = variant.players
        first = (dealer + 1) % players
        self.variant = variant
        self.dealer = dealer
        self.draws = draws
        self.start: dict[str, Any] = {}
        self.match = match
        self.shuffles = [deck]
        self.actions = bytearray()
        self._actors = bytearray()
        self._order = _ORDER_FROM[players]
        self._next = _NEXT[players]
        hands = [0] * players
        for place, seat in enumerate(self._order[first]):
            one, two, three = deck[_HAND * place : _HAND * (place + 1)]
            hands[seat] = _BIT[one] | _BIT[two] | _BIT[three]
        self._hands = hands
        dealt = _HAND * players
        trump_card = deck[dealt]
        self._stock = [*deck[dealt + 1 :], trump_card]
        self._position = 0  # index in the stock of the next card to draw
        self._beats = _BEATS[ITALIAN.cards[trump_card].suit]
        self._points = [0] * players
        self._plays = bytearray()  # every card played, in order
        self._winners = bytearray()  # of the finished tricks
        self._laid = 0  # cards of the trick on the table
        self._worth = 0  # their points
        self._leader = first
        self._best = 0  # the card that wins the trick so far
        self._taker = first  # who laid it
        talks = players in (4, 6) and variant.option("talk") == "public"
        self._talk = _ALL_SAYS if talks else 0
        self._said = 0
        self.seat: int | None = first
        self.legal = hands[first] | self._talk

    def apply(self, action: int) -> None:
        """Say a token or play a card for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        self.actions.append(action)
        self._actors.append(seat)
        if action >= _FIRST_SAY:
            self._said |= 1 << action
            self.legal = self._hands[seat]
            if self._said.bit_count() < _SAYS_A_TURN:
                self.legal |= self._talk & ~self._said
            return
        self._said = 0
        hands = self._hands
        hands[seat] ^= _BIT[action]
        self._plays.append(action)
        self._worth += POINTS[action]
        laid = self._laid
        if not laid or self._beats[self._best] >> action & 1:
            self._best = action
            self._taker = seat
        laid += 1
        if laid < len(hands):
            self._laid = laid
            self.seat = seat = self._next[seat]
            self.legal = hands[seat] | self._talk
        else:
            self._finish_trick(self._taker)

    def _finish_trick(self, winner: int) -> None:
        """Give the trick to its winner, who leads next, and let everybody draw."""
        self._points[winner] += self._worth
        self._worth = 0
        self._laid = 0
        self._winners.append(winner)
        self._leader = winner
        hands = self._hands
        position = self._position
        stock = self._stock
        if position < len(stock):
            order = self._order[winner]
            end = position + len(hands)
            if self.draws == "seats":
                order = self._bound_order(order, last_round=end == len(stock))
            for seat in order:
                hands[seat] |= _BIT[stock[position]]
                position += 1
            self._position = end
        if hands[winner]:
            self.seat = winner
            self.legal = hands[winner] | self._talk
        else:
            self.seat = None
            self.legal = 0

    def _bound_order(self, order: tuple[int, ...], *, last_round: bool) -> tuple[int, ...]:
        """Mode `seats`: who gets the round's cards, from the dealer's next seat on.

        In the last round the trump card, the last of the stock, still goes to the last in
        drawing order.
        """
        bound = self._order[(self.dealer + 1) % len(order)]
        if not last_round:
            return bound
        return (*(seat for seat in bound if seat != order[-1]), order[-1])

    def view(self, seat: int) -> BriscolaView:
        """What the seat may know: its hand, everything played and said, the trump card."""
        hands = self._hands
        stock = self._stock
        trump_card = stock[-1]
        finished = len(hands) * len(self._winners)
        holder = None
        if self._position == len(stock):
            holder = next((s for s, hand in enumerate(hands) if hand >> trump_card & 1), None)
        return BriscolaView(
            variant=self.variant,
            seat=seat,
            dealer=self.dealer,
            match=self.match,
            hand_mask=hands[seat],
            legal_mask=self.legal if seat == self.seat else 0,
            actions=bytes(self.actions),
            actors=bytes(self._actors),
            trick_leader=self._leader,
            trick_cards=bytes(self._plays[finished:]),
            trump_card=ITALIAN.cards[trump_card],
            trump_holder=holder,
            stock_count=len(stock) - self._position,
            hand_counts=bytes([hand.bit_count() for hand in hands]),
            points=tuple(self._points),
            trick_winners=bytes(self._winners),
            past_cards=bytes(self._plays[:finished]),
        )

    def copy(self) -> BriscolaDeal:
        """An independent deal in the same position."""
        twin = BriscolaDeal.__new__(BriscolaDeal)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.shuffles = [list(shuffle) for shuffle in self.shuffles]
        twin.start = dict(self.start)
        twin.actions = bytearray(self.actions)
        twin._actors = bytearray(self._actors)
        twin._hands = list(self._hands)
        twin._points = list(self._points)
        twin._plays = bytearray(self._plays)
        twin._winners = bytearray(self._winners)
        return twin

    def hand(self, seat: int) -> tuple[Card, ...]:
        """A seat's cards; for dealers and tests, not for players."""
        return ITALIAN.of(self._hands[seat])

    def stock(self) -> tuple[Card, ...]:
        """The cards still to be drawn, top first, the trump card last."""
        return tuple(ITALIAN.cards[card] for card in self._stock[self._position :])

    @property
    def scores(self) -> tuple[int, ...] | None:
        """Card points by seat; with teams every member has the team's points."""
        if self.seat is not None:
            return None
        scores = [0] * self.variant.players
        for side in self.variant.sides:
            for seat in side:
                scores[seat] = sum(self._points[member] for member in side)
        return tuple(scores)

    @property
    def result(self) -> dict[str, Any] | None:
        """`points`: what each seat took; `last`: who won the last trick."""
        if self.seat is not None:
            return None
        return {"points": list(self._points), "last": self._winners[-1]}


BRISCOLA = _Briscola(
    id="briscola",
    title="Briscola",
    summary=(
        "Three cards in the hand and one turned up for trumps; play what you like, win the "
        "points. With four or six it is played in two teams that may talk across the table."
    ),
    pack=ITALIAN,
    players=(2, 3, 4, 6),
    options=(
        Option(
            name="talk",
            values=("public", "off"),
            default="public",
            players=(4, 6),
            meaning="whether a seat may say tokens, which everybody hears, before it plays",
        ),
        Option(
            name="tie",
            values=("replay", "last-trick"),
            default="replay",
            players=(2, 4, 6),
            meaning="a 60-60 deal: drawn, or won by the side that won the last trick",
        ),
    ),
    actions=(
        *(Action(int(card), card.code, card) for card in ITALIAN.cards),
        *(Action(_FIRST_SAY + n, f"say:{token}") for n, token in enumerate(TOKENS)),
    ),
    draw_modes=("top", "seats"),
    counts_wins=True,
)
