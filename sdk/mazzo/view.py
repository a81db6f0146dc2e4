"""What one seat sees of the table: the values that a `View` is made of, and its base."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from mazzo.cards import Card, Pack
from mazzo.lazy import Lazy
from mazzo.receipts import Receipt, read_receipts

__all__ = ["Clock", "Receipt", "TableView", "Trick"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A seat's own clock at a decision, in seconds."""

    bank: float  # left for the rest of the deal
    increment: float  # added to the bank after each decision
    limit: float  # for this one decision
    latency: float  # the measured round trip between game master and bot, coarse


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """Cards laid in turn; `winner` is None while it is not complete."""

    seats: tuple[int, ...]  # everybody who lays a card, in turn, the leader first
    cards: tuple[Card, ...]
    winner: int | None = None
    winner_so_far: tuple[int, Card] | None = None  # who wins it with which card; None if empty

    @property
    def leader(self) -> int:
        """The seat that lays, or is to lay, the first card."""
        return self.seats[0]

    @property
    def plays(self) -> tuple[tuple[int, Card], ...]:
        """Who laid which card, in order."""
        return tuple(zip(self.seats, self.cards, strict=False))


@dataclass(slots=True, kw_only=True)
class TableView(Lazy):
    """What one seat sees of the cards, in every game; `View` knows the variant too.

    Fields are compact (bit masks, and bytes with one number each); properties are typed.
    """

    seat: int
    dealer: int
    hand_mask: int
    legal_mask: int  # 0 unless the seat is to move
    actions: bytes  # every action that the seat knows of, in order, by number
    actors: bytes  # the seat that took each of them
    received_bytes: bytes  # what `received` tells, as `mazzo.receipts` packs it
    hand_counts: bytes  # cards that each seat holds
    trick_leader: int
    trick_cards: bytes  # of the trick on the table, in order of play
    trick_winners: bytes  # of the finished tricks
    past_cards: bytes  # of the finished tricks in order of play

    @property
    @abstractmethod
    def players(self) -> int:
        """How many seats the table has."""

    @property
    @abstractmethod
    def pack(self) -> Pack:
        """The cards that the game is played with."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """The seat's own cards, in ascending id."""
        return self.pack.of(self.hand_mask)

    @property
    def seats_in_play(self) -> tuple[int, ...]:
        """The seats that play to the tricks, ascending."""
        return tuple(range(self.players))

    @property
    @abstractmethod
    def first_leader(self) -> int:
        """The seat that leads, or led, the first trick."""

    @abstractmethod
    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, laid after `other`, takes the trick from it."""

    @abstractmethod
    def strength(self, card: int) -> int:
        """Return how high a card stands: by rank in its suit, a trump above all others.

        Of two cards of which one is of the suit led or a trump, the stronger wins. Counted
        from 0.
        """

    @property
    @abstractmethod
    def unseen(self) -> tuple[Card, ...]:
        """The cards whose place this seat does not know, in ascending id."""

    def known(self, seat: int) -> tuple[Card, ...]:
        """Return the cards in a seat's hand that everybody knows to be there, in ascending id."""
        return ()

    def lacks(self, led: Card, answer: Card) -> str:
        """Return the suits that a seat must lack if it answers the card led with this one."""
        return ""

    @property
    def voids_shown(self) -> tuple[tuple[int, int, str], ...]:
        """Where play proved a void: the trick, from 0, the seat, and the suits it lacked then.

        Cards that the seat drew afterwards may be of these suits.
        """
        laid = self.past_cards + self.trick_cards
        if not laid or type(self).lacks is TableView.lacks:
            return ()
        cards = self.pack.cards
        leaders = [self.first_leader, *self.trick_winners]
        leaders[-1] = self.trick_leader
        seats = self.seats_in_play
        size = len(seats)
        voids = []
        for number, start in enumerate(range(0, len(laid), size)):
            led, *answers = [cards[card] for card in laid[start : start + size]]
            for place, answer in enumerate(answers, 1):
                if answer.suit != led.suit and (suits := self.lacks(led, answer)):
                    seat = seats[(seats.index(leaders[number]) + place) % size]
                    voids.append((number, seat, suits))
        return tuple(voids)

    def void_in(self, seat: int) -> str:
        """Return the suits of which play has proved that the seat's hand holds no card now.

        Empty in games in which nobody has to follow suit. What follows from counting the
        cards of a suit is not in it.
        """
        shown = self.voids_shown
        if not shown:
            return ""
        since = self._hidden_since(seat)
        void = {
            suit
            for number, who, suits in shown
            if who == seat and number >= since
            for suit in suits
        }
        void -= {card.suit for card in self.known(seat)}
        return "".join([suit for suit in self.pack.suits if suit in void])

    def _hidden_since(self, seat: int) -> int:
        """Return the first trick, from 0, since which the seat has got no card that is hidden."""
        return 0

    @property
    def trick(self) -> Trick:
        """The trick on the table; without cards when the seat to move leads."""
        cards = self.pack.cards
        return Trick(
            seats=self._seats_from(self.trick_leader),
            cards=tuple([cards[number] for number in self.trick_cards]),
            winner_so_far=self.winner_so_far,
        )

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The finished tricks in order."""
        cards, tricks = self.pack.cards, []
        leader, size = self.first_leader, len(self.seats_in_play)
        for number, winner in enumerate(self.trick_winners):
            laid = self.past_cards[number * size : (number + 1) * size]
            laid_cards = tuple([cards[card] for card in laid])
            seats = self._seats_from(leader)
            best = winner, laid_cards[seats.index(winner)]
            tricks.append(Trick(seats=seats, cards=laid_cards, winner=winner, winner_so_far=best))
            leader = winner
        return tuple(tricks)

    @property
    def plays(self) -> tuple[tuple[int, Card], ...]:
        """Who laid which card, in order, from the first trick to the one on the table."""
        return tuple([play for trick in (*self.tricks, self.trick) for play in trick.plays])

    @property
    def winner_so_far(self) -> tuple[int, Card] | None:
        """The seat and card that are winning the trick on the table; None when it is empty."""
        laid = self.trick_cards
        if not laid:
            return None
        best = 0
        for index in range(1, len(laid)):
            if self.beats(laid[index], laid[best]):
                best = index
        seat = self._seats_from(self.trick_leader)[best]
        return seat, self.pack.cards[laid[best]]

    @property
    def later_seats(self) -> tuple[int, ...]:
        """The seats that are still to play to the trick on the table after this one, in turn."""
        seats = self._seats_from(self.trick_leader)
        if self.seat not in seats:
            return ()
        return seats[max(seats.index(self.seat) + 1, len(self.trick_cards)) :]

    def _seats_from(self, leader: int) -> tuple[int, ...]:
        """Return who plays to a trick, in turn."""
        seats = self.seats_in_play
        if leader not in seats:
            return (leader,)
        first = seats.index(leader)
        return seats[first:] + seats[:first]

    @property
    def received(self) -> tuple[Receipt, ...]:
        """The cards that the seat got into its hand, and when, in the order in which they came.

        The hand as it was dealt comes first, at the moment when the seat sees it; then follows
        each card that it drew, took or got in an exchange, whether others saw it or not. A
        card that was turned up for this seat alone stands there too.
        """
        return read_receipts(self.received_bytes, self.pack)
