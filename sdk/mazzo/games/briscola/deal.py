"""Briscola for 2, 3, 4 (two pairs) and 6 (two teams of three).

Nobody has to follow suit; the highest trump, else the highest card of the suit led, wins
the trick; everybody draws after each trick while there is stock; 120 card points in all.

`RANK_ORDER` has the ranks from high to low, `POINTS` by a card's number the points that it is
worth, and `TOKENS` the words of the talk, in the order of their actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mazzo.cards import ITALIAN, Card, bits, mask_of
from mazzo.game import Deal, Setting, View
from mazzo.receipts import ONE_CARD, make_row, pack_receipt
from mazzo.shuffle import Shuffles
from mazzo.tricks import BRISCOLA_ORDER as RANK_ORDER
from mazzo.tricks import BRISCOLA_POINTS as POINTS
from mazzo.tricks import NEXT_SEAT, TURNS_FROM, beats_table, strength_table

__all__ = [
    "FIRST_SAY",
    "PACKS",
    "POINTS",
    "RANK_ORDER",
    "SIDES",
    "TOKENS",
    "BriscolaDeal",
    "BriscolaView",
    "Talk",
]

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
FIRST_SAY = len(ITALIAN)  # action number of the first token
_ALL_SAYS = mask_of(range(FIRST_SAY, FIRST_SAY + len(TOKENS)))
_SAYS_A_TURN = 3

_BEATS = {suit: beats_table(ITALIAN, RANK_ORDER, suit) for suit in ITALIAN.suits}
_STRENGTH = {suit: strength_table(ITALIAN, RANK_ORDER, suit) for suit in ITALIAN.suits}
_BIT = tuple(1 << card for card in ITALIAN.cards)
_LEFT_OUT = {2: (), 3: ("2d",), 4: (), 6: ("2d", "2c", "2s", "2b")}
PACKS = {
    players: tuple(card for card in ITALIAN.cards if card.code not in left_out)
    for players, left_out in _LEFT_OUT.items()
}
_IDS = {players: tuple([int(card) for card in pack]) for players, pack in PACKS.items()}
SIDES: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((0,), (1,)),
    3: ((0,), (1,), (2,)),
    4: ((0, 2), (1, 3)),
    6: ((0, 2, 4), (1, 3, 5)),
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
    points: tuple[int, ...]  # card points taken, by seat

    @property
    def trump(self) -> str:
        """The trump suit."""
        return self.trump_card.suit

    @property
    def first_leader(self) -> int:
        """The dealer's next seat."""
        return (self.dealer + 1) % self.players

    @property
    def talk(self) -> tuple[Talk, ...]:
        """The tokens that this seat heard, its own included, in order."""
        said, plays = [], 0
        for seat, action in zip(self.actors, self.actions, strict=True):
            if action < FIRST_SAY:
                plays += 1
            else:
                said.append(Talk(plays // self.players, seat, TOKENS[action - FIRST_SAY]))
        return tuple(said)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards whose place this seat does not know: in other hands or in the stock."""
        seen = self.hand_mask | mask_of(self.past_cards) | mask_of(self.trick_cards)
        seen |= 1 << self.trump_card
        return tuple([card for card in PACKS[self.players] if not seen >> card & 1])

    @property
    def hidden(self) -> tuple[Card, ...]:
        """Every card that another seat may hold: `unseen`, and the trump card once one drew it."""
        if self.trump_holder in (None, self.seat):
            return self.unseen
        return tuple(sorted((*self.unseen, self.trump_card)))

    def card_points(self, card: int) -> int:
        """Return what the card is worth, 0 to 11."""
        return POINTS[card]

    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, laid after `other`, takes the trick from it."""
        return bool(_BEATS[self.trump_card.suit][other] >> card & 1)

    def strength(self, card: int) -> int:
        """Return how high a card stands: by rank in its suit, a trump above all others."""
        return _STRENGTH[self.trump_card.suit][card]

    def known(self, seat: int) -> tuple[Card, ...]:
        """Return the trump card, in the hand that drew it, until it is played."""
        return (self.trump_card,) if seat == self.trump_holder else ()

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(BriscolaView, self).to_json()  # slots=True makes the class anew
        return base | {
            "trump_card": self.trump_card.code,
            "trump_holder": self.trump_holder,
            "stock_count": self.stock_count,
            "points": list(self.points),
            "talk": [[talk.trick, talk.seat, talk.token] for talk in self.talk],
        }


class BriscolaDeal(Deal):
    """A deal of Briscola."""

    __slots__ = (
        "_beats",
        "_best",
        "_bound",
        "_heard",
        "_laid",
        "_leak",
        "_next",
        "_order",
        "_points",
        "_position",
        "_said",
        "_shuffles",
        "_stock",
        "_taker",
        "_talk",
        "_unheard",
        "_worth",
    )

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin a deal before the first lead."""
        variant = setting.variant
        players = variant.players
        deck = shuffles.draw("deck", 0, _IDS[players])
        super().__init__(setting, deck)
        first = (setting.dealer + 1) % players
        self._shuffles = shuffles
        self._order = TURNS_FROM[players]
        self._next = NEXT_SEAT[players]
        # Mode `seats`: who gets a round's cards, from the dealer's next seat on.
        self._bound = self._order[first]
        hands, received = [0] * players, [b""] * players
        for place, seat in enumerate(self._order[first]):
            one, two, three = cards = deck[_HAND * place : _HAND * (place + 1)]
            hands[seat] = _BIT[one] | _BIT[two] | _BIT[three]
            received[seat] = pack_receipt(0, cards)
        self._hands = hands
        self._received = received
        dealt = _HAND * players
        trump_card = deck[dealt]
        self._stock = [*deck[dealt + 1 :], trump_card]
        self._position = 0  # index in the stock of the next card to draw
        self._beats = _BEATS[ITALIAN.cards[trump_card].suit]
        self._points = [0] * players
        self._laid = 0  # cards of the trick on the table
        self._worth = 0  # their points
        self._leader = first
        self._best = 0  # the card that wins the trick so far
        self._taker = first  # who laid it
        talk = variant.option("talk") if players in (4, 6) else "off"
        self._talk = 0 if talk == "off" else _ALL_SAYS
        self._said = 0  # the tokens of this turn
        # Who hears what is said at each turn with talk, where it is not everybody.
        self._heard: dict[int, int] | None = {} if talk == "signal" else None
        self._unheard = [0] * players  # by seat, how many tokens it has not heard
        self._leak = int(Fraction(variant.option("leak")) * 1000) if talk == "signal" else 0
        self.seat = first
        self.legal = hands[first] | self._talk

    def apply(self, action: int) -> None:
        """Say a token or play a card for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        self.actions.append(action)
        self._actors.append(seat)
        if action >= FIRST_SAY:
            if self._heard is not None:
                self._whisper(seat, self._heard)
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

    def _whisper(self, speaker: int, heard: dict[int, int]) -> None:
        """Let a token be heard by those who hear the speaker at this turn."""
        turn = len(self._plays)
        if not self._said:
            heard[turn] = self._hearers(speaker)
        for seat in range(len(self._unheard)):
            self._unheard[seat] += not heard[turn] >> seat & 1

    def _hearers(self, speaker: int) -> int:
        """The set of the seats that hear what the speaker says at this turn, his own included."""
        trick = len(self._winners)
        side = next(side for side in self.variant.sides if speaker in side)
        hearers = mask_of(side)
        for opponent in range(self.variant.players):
            if opponent not in side and self._shuffles.overhears(
                trick, speaker, opponent, self._leak
            ):
                hearers |= 1 << opponent
        return hearers

    @property
    def overheard(self) -> list[tuple[int, int, int]] | None:
        """What of the talk so far was overheard; None where everybody hears everything."""
        if self._heard is None:
            return None
        players = self.variant.players
        events = []
        for plays, hearers in self._heard.items():
            trick, speaker = plays // players, self._speaker(plays)
            side = next(side for side in self.variant.sides if speaker in side)
            events += [(trick, speaker, seat) for seat in bits(hearers) if seat not in side]
        return events

    def _speaker(self, plays: int) -> int:
        """Return the seat whose turn it is after so many cards were played."""
        trick, laid = divmod(plays, self.variant.players)
        leader = self._winners[trick - 1] if trick else (self.dealer + 1) % self.variant.players
        return self._order[leader][laid]

    def _heard_actions(self, seat: int, heard: Mapping[int, int]) -> tuple[bytes, bytes]:
        """Return what the seat knows of what was done, and by whom."""
        actions, actors, plays = bytearray(), bytearray(), 0
        for action, actor in zip(self.actions, self._actors, strict=True):
            if action < FIRST_SAY:
                plays += 1
            elif not heard[plays] >> seat & 1:
                continue
            actions.append(action)
            actors.append(actor)
        return bytes(actions), bytes(actors)

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
                order = self._bound if end < len(stock) else self._last_draws(order)
            received, after = self._received, len(self.actions)
            row = ONE_CARD[after] or make_row(after)
            for seat in order:
                card = stock[position]
                hands[seat] |= _BIT[card]
                if self._heard:
                    known = after - self._unheard[seat]
                    row = ONE_CARD[known] or make_row(known)
                received[seat] += row[card]
                position += 1
            self._position = end
        if hands[winner]:
            self.seat = winner
            self.legal = hands[winner] | self._talk
        else:
            self.seat = None
            self.legal = 0

    def _last_draws(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """Mode `seats`: who gets the last round's cards.

        The trump card, the last of the stock, still goes to the last in drawing order.
        """
        return (*(seat for seat in self._bound if seat != order[-1]), order[-1])

    def view(self, seat: int) -> BriscolaView:
        """Return what the seat may know: its hand, everything played and said, the trump card."""
        stock = self._stock
        trump_card = stock[-1]
        stock_count = len(stock) - self._position
        holder = None
        if not stock_count:
            bit = _BIT[trump_card]
            holder = next((s for s, hand in enumerate(self._hands) if hand & bit), None)
        finished = len(self._hands) * len(self._winners)
        view = self._begin_view(BriscolaView, seat, finished)
        if self._heard:
            view.actions, view.actors = self._heard_actions(seat, self._heard)
        view.trump_card = ITALIAN.cards[trump_card]
        view.trump_holder = holder
        view.stock_count = stock_count
        view.points = tuple(self._points)
        return view

    def copy(self) -> BriscolaDeal:
        """Return an independent deal in the same position."""
        copied = self._begin_copy()
        for name in self.__slots__:
            setattr(copied, name, getattr(self, name))
        copied._heard = None if self._heard is None else dict(self._heard)
        copied._points = list(self._points)
        copied._unheard = list(self._unheard)
        return copied

    def hand(self, seat: int) -> tuple[Card, ...]:
        """Return a seat's cards; for dealers and tests, not for players."""
        return ITALIAN.of(self._hands[seat])

    def stock(self) -> tuple[Card, ...]:
        """Return the cards still to be drawn, top first, the trump card last."""
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
