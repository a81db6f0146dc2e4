"""What one seat may know of a deal: `View`, and the values that it is made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from mazzo.cards import Card
from mazzo.errors import BotError, shown
from mazzo.late import Late
from mazzo.receipts import Receipt, read_receipts
from mazzo.shuffle import StreamRandom

if TYPE_CHECKING:  # a game names the views that its deals make, a view its game: one is first
    from mazzo.game import Action, Deal, MatchProgress, Variant

__all__ = ["Clock", "Event", "Receipt", "Trick", "View", "WorldSource", "draw_worlds_from"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A seat's own clock at a decision, in seconds."""

    bank: float  # left for the rest of the deal
    increment: float  # added to the bank after each decision
    limit: float  # for this one decision
    latency: float  # the measured round trip between game master and bot, coarse


@dataclass(frozen=True, slots=True)
class Event:
    """An action that a seat took."""

    seat: int
    action: Action


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
class View(Late):
    """What one seat may know of a deal, and its legal actions when it is to move.

    Laws: positions that differ only in cards hidden from the seat give equal views, and two
    courses of a deal that the seat can tell apart give different ones (perfect recall).
    A view is a value, never changed once made. (It is not a frozen dataclass only because
    freezing would double the cost of making one, and the game master makes one a decision.
    One that came over the wire is read when it is looked at.)
    Fields are compact (bit masks, and bytes with one number each); properties are typed.
    Beside the position stand the seat's own clock, the number of the decision (counted
    for this seat alone, from 1) and the seed of the bot's own randomness: a view that was
    not offered as a decision has none of these.
    """

    variant: Variant
    seat: int
    dealer: int
    match: MatchProgress
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
    clock: Clock | None = field(default=None, compare=False)  # None without one
    number: int = field(default=0, compare=False)  # of the decision
    seed: bytes = field(default=b"", compare=False, repr=False)  # the same all match long

    @property
    def players(self) -> int:
        """How many seats the table has."""
        return self.variant.players

    @property
    def hand(self) -> tuple[Card, ...]:
        """The seat's own cards, in ascending id."""
        return self.variant.game.pack.of(self.hand_mask)

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions, in ascending number; empty unless the seat is to move."""
        return self.variant.game.actions_of(self.legal_mask)

    @property
    def playable(self) -> tuple[Card, ...]:
        """The cards that may be played now, in ascending id; often all of `legal`."""
        pack = self.variant.game.pack
        return pack.of(self.legal_mask & (1 << len(pack)) - 1)

    def action(self, code: str) -> Action:
        """The legal action with this code; `BotError`, which lists them, if there is none."""
        legal = self.legal
        for action in legal:
            if action.code == code:
                return action
        codes = " ".join(action.code for action in legal) or "nothing, the seat is not to move"
        raise BotError(f"view.action: expected a legal action ({codes}), got {shown(code)}")

    @property
    def seats_in_play(self) -> tuple[int, ...]:
        """The seats that play to the tricks, ascending."""
        return tuple(range(self.variant.players))

    @property
    @abstractmethod
    def first_leader(self) -> int:
        """The seat that leads, or led, the first trick."""

    @abstractmethod
    def beats(self, card: int, other: int) -> bool:
        """Whether `card`, laid after `other`, takes the trick from it."""

    @abstractmethod
    def strength(self, card: int) -> int:
        """How high a card stands: by rank in its suit, a trump above all others.

        Of two cards of which one is of the suit led or a trump, the stronger wins. Counted
        from 0.
        """

    @property
    @abstractmethod
    def unseen(self) -> tuple[Card, ...]:
        """The cards whose place this seat does not know, in ascending id."""

    def known(self, seat: int) -> tuple[Card, ...]:
        """The cards in a seat's hand that everybody knows to be there, in ascending id."""
        return ()

    def lacks(self, led: Card, answer: Card) -> str:
        """The suits that a seat lacks, by the rules, if it answers the card led with this one."""
        return ""

    @property
    def voids_shown(self) -> tuple[tuple[int, int, str], ...]:
        """Where play proved a void: the trick, from 0, the seat, and the suits it lacked then.

        Cards that the seat drew afterwards may be of these suits.
        """
        laid = self.past_cards + self.trick_cards
        if not laid or type(self).lacks is View.lacks:
            return ()
        cards = self.variant.game.pack.cards
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
        """The suits of which play has proved that the seat's hand holds no card now.

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
        return "".join([suit for suit in self.variant.game.pack.suits if suit in void])

    def _hidden_since(self, seat: int) -> int:
        """The first trick, from 0, since which the seat has got no card that is hidden."""
        return 0

    @property
    def trick(self) -> Trick:
        """The trick on the table; without cards when the seat to move leads."""
        cards = self.variant.game.pack.cards
        return Trick(
            seats=self._seats_from(self.trick_leader),
            cards=tuple([cards[number] for number in self.trick_cards]),
            winner_so_far=self.winner_so_far,
        )

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The finished tricks in order."""
        cards, tricks = self.variant.game.pack.cards, []
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
        return seat, self.variant.game.pack.cards[laid[best]]

    @property
    def later_seats(self) -> tuple[int, ...]:
        """The seats that are still to play to the trick on the table after this one, in turn."""
        seats = self._seats_from(self.trick_leader)
        if self.seat not in seats:
            return ()
        return seats[max(seats.index(self.seat) + 1, len(self.trick_cards)) :]

    def _seats_from(self, leader: int) -> tuple[int, ...]:
        """Who plays to a trick, in turn."""
        seats = self.seats_in_play
        if leader not in seats:
            return (leader,)
        first = seats.index(leader)
        return seats[first:] + seats[:first]

    @property
    def history(self) -> tuple[Event, ...]:
        """Every action of the deal that the seat knows of, in order."""
        actions = self.variant.game.actions
        return tuple(
            Event(seat, actions[number])
            for seat, number in zip(self.actors, self.actions, strict=True)
        )

    @property
    def received(self) -> tuple[Receipt, ...]:
        """The cards that the seat got into its hand, and when, in the order in which they came.

        The hand as it was dealt comes first, at the moment when the seat sees it; then follows
        each card that it drew, took or got in an exchange, whether others saw it or not. A
        card that was turned up for this seat alone stands there too.
        """
        return read_receipts(self.received_bytes, self.variant.game.pack)

    @property
    def partners(self) -> tuple[int, ...]:
        """The other seats of the seat's own side."""
        side = next(side for side in self.variant.sides if self.seat in side)
        return tuple(seat for seat in side if seat != self.seat)

    @property
    def random(self) -> Random:
        """A generator for the bot, made anew at each access from its seed and this decision.

        A bot that draws only from it answers the same view of the same match in the same
        way, whatever else it plays at the time.
        """
        return StreamRandom(self.seed, f"decision/{self.number}")

    def worlds(self, number: int, rng: Random | None = None) -> Iterator[Deal]:
        """So many deals that agree with the view, drawn as `mazzo.worlds` says.

        With `random`, where no generator is given: then the same view gives the same worlds.
        """
        source = _source_of(self)
        rng = self.random if rng is None else rng
        for _ in range(number):
            yield source.sample(rng)

    def to_json(self) -> dict[str, Any]:
        """The view in words.

        For people, and for `mazzo deal run --views`.
        """
        actions = self.variant.game.actions
        return {
            "seat": self.seat,
            "dealer": self.dealer,
            "hand": [card.code for card in self.hand],
            "legal": [action.code for action in self.legal],
            "hand_counts": list(self.hand_counts),
            "known": [[card.code for card in self.known(seat)] for seat in range(self.players)],
            "trick": _trick_to_json(self.trick),
            "tricks": [_trick_to_json(trick) | {"winner": trick.winner} for trick in self.tricks],
            "history": [
                [seat, actions[number].code]
                for seat, number in zip(self.actors, self.actions, strict=True)
            ],
            "received": [
                [receipt.after, [card.code for card in receipt.cards]] for receipt in self.received
            ],
        }


class WorldSource(Protocol):
    """Draws deals that agree with one view."""

    def sample(self, rng: Random) -> Deal:
        """One of them."""


_source_of: Callable[[View], WorldSource]


def draw_worlds_from(source_of: Callable[[View], WorldSource]) -> None:
    """Let `View.worlds` draw from what this makes of a view.

    Worlds are made of games and games of views, so a view cannot know who draws its worlds:
    the package, which has both, tells it.
    """
    global _source_of
    _source_of = source_of


def _trick_to_json(trick: Trick) -> dict[str, Any]:
    return {"leader": trick.leader, "cards": [card.code for card in trick.cards]}
