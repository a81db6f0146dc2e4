"""The contract that every game keeps: `Game`, `Variant`, `Deal` and `View`.

A `Game` holds immutable facts, a `Variant` is a game with its players and options, a
`Deal` is one shuffle played out, and a `View` is what one seat may know of it.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from mazzo.cards import Card, Pack, bits
from mazzo.errors import IllegalActionError, VariantError
from mazzo.shuffle import Shuffles, StreamRandom

__all__ = [
    "Action",
    "Clock",
    "Deal",
    "Event",
    "Game",
    "MatchProgress",
    "Option",
    "Trick",
    "Variant",
    "View",
]


class Action(int):
    """One of a game's actions: an int (its number) that knows its code.

    A card play has the card's id as its number, so a `Card` and the action that plays it
    are equal.
    """

    code: str
    card: Card | None  # the card that is played, None for every other action

    def __new__(cls, number: int, code: str, card: Card | None = None) -> Action:
        """An action of a game's list; games make each of theirs once."""
        self = super().__new__(cls, number)
        self.code = code
        self.card = card
        return self

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"Action({int(self)}, {self.code!r})"

    def __format__(self, spec: str) -> str:
        return format(self.code, spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of rules that a game offers."""

    name: str
    values: tuple[str, ...]
    default: str
    players: tuple[int, ...]  # with how many players it has an effect
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(ABC):
    """The immutable facts of one game."""

    id: str
    title: str
    summary: str
    pack: Pack
    players: tuple[int, ...]
    options: tuple[Option, ...]
    actions: tuple[Action, ...]  # by number, card plays first
    draw_modes: tuple[str, ...]  # the default first
    counts_wins: bool  # a match score is deals won, else the sum of the deal scores

    @abstractmethod
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        """The seats of each side, the side of seat 0 first; sides are all of one size."""

    @abstractmethod
    def default_match_format(self, variant: Variant) -> str:
        """The text of the match format that players use by default."""

    @abstractmethod
    def deal(
        self,
        variant: Variant,
        shuffles: Shuffles,
        *,
        dealer: int,
        draws: str | None = None,
        start: Mapping[str, Any] | None = None,
        match: MatchProgress | None = None,
    ) -> Deal:
        """A new deal.

        `draws` is one of `draw_modes` (None: the default), `start` what the deal inherits
        from the match, `match` what the views tell of the match so far.
        """

    @abstractmethod
    def deal_winners(self, deal: Deal) -> tuple[int, ...]:
        """The sides, by index, that are level at the top of a finished deal."""

    def parse_action(self, code: str) -> Action:
        """The action with this code, compared exactly; raises `IllegalActionError`."""
        for action in self.actions:
            if action.code == code:
                return action
        raise IllegalActionError(f"expected an action of {self.id}, got {code!r}")

    def actions_of(self, mask: int) -> tuple[Action, ...]:
        """The actions of a bit mask, in ascending number."""
        actions = self.actions
        return tuple([actions[number] for number in bits(mask)])


@dataclass(frozen=True, slots=True)
class Variant:
    """A game, a number of players, and a value for every option that has an effect.

    `str(variant)` is the canonical text, `mazzo.games.parse_variant` its inverse. Two
    variants are equal if their texts are.
    """

    game: Game = field(compare=False, repr=False)
    players: int
    options: tuple[tuple[str, str], ...]  # (name, value), sorted, defaults included
    text: str

    @classmethod
    def of(cls, game: Game, players: int, options: Mapping[str, object] | None = None) -> Self:
        """Check players and options, fill in defaults, drop what has no effect.

        Values are strings, or JSON numbers and booleans. Raises `VariantError`, whose text
        lists what is possible.
        """
        if isinstance(players, bool) or players not in game.players:
            raise VariantError(
                f"{game.id} is played by {_either(map(str, game.players))} players, got {players!r}"
            )
        given = {name: _option_text(name, value) for name, value in (options or {}).items()}
        known = {option.name: option for option in game.options}
        for name, value in given.items():
            if name not in known:
                raise VariantError(
                    f"{game.id} has no option {name!r}; "
                    f"its options are {_either(known) if known else 'none'}"
                )
            if value not in known[name].values:
                raise VariantError(
                    f"option {name} of {game.id}: expected {_either(known[name].values)}, "
                    f"got {value!r}"
                )
        live = sorted(
            (option for option in game.options if players in option.players),
            key=lambda option: option.name,
        )
        chosen = tuple((option.name, given.get(option.name, option.default)) for option in live)
        differing = "&".join(
            f"{option.name}={value}"
            for option, (_, value) in zip(live, chosen, strict=True)
            if value != option.default
        )
        text = f"{game.id}/{players}" + (f"?{differing}" if differing else "")
        return cls(game, players, chosen, text)

    def __str__(self) -> str:
        return self.text

    def option(self, name: str) -> str:
        """The value of an option that has an effect here."""
        return dict(self.options)[name]

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side, the side of seat 0 first."""
        return self.game.sides(self.players)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchProgress:
    """What a match has come to when a deal begins; public."""

    format: str = "deals:1"
    deal: int = 0  # number of the deal in the match, from 0
    scores: tuple[float, ...] = ()  # match score of each seat so far


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
    """Cards laid in turn, `leader` first; `winner` is None while it is not complete."""

    leader: int
    players: int
    cards: tuple[Card, ...]
    winner: int | None = None

    @property
    def plays(self) -> tuple[tuple[int, Card], ...]:
        """Who laid which card, in order."""
        return tuple(
            ((self.leader + index) % self.players, card) for index, card in enumerate(self.cards)
        )


@dataclass(slots=True, kw_only=True)
class View:
    """What one seat may know of a deal, and its legal actions when it is to move.

    Law: positions that differ only in cards hidden from the seat give equal views.
    A view is a value, never changed once made. (It is not a frozen dataclass only because
    freezing would double the cost of making one, and the game master makes one a decision.)
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
    trick_leader: int
    trick_cards: bytes  # of the trick on the table, in order of play
    clock: Clock | None = field(default=None, compare=False)
    number: int = field(default=0, compare=False)
    seed: bytes = field(default=b"", compare=False, repr=False)

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
    def trick(self) -> Trick:
        """The trick on the table; without cards when the seat to move leads."""
        cards = self.variant.game.pack.cards
        return Trick(
            leader=self.trick_leader,
            players=self.variant.players,
            cards=tuple([cards[number] for number in self.trick_cards]),
        )

    @property
    def history(self) -> tuple[Event, ...]:
        """Every action of the deal that the seat knows of, in order."""
        actions = self.variant.game.actions
        return tuple(
            Event(seat, actions[number])
            for seat, number in zip(self.actors, self.actions, strict=True)
        )

    @property
    def partners(self) -> tuple[int, ...]:
        """The other seats of the seat's own side."""
        side = next(side for side in self.variant.sides if self.seat in side)
        return tuple(seat for seat in side if seat != self.seat)

    @property
    def random(self) -> random.Random:
        """A generator for the bot, made anew at each access from its seed and this decision.

        A bot that draws only from it answers the same view of the same match in the same
        way, whatever else it plays at the time.
        """
        return StreamRandom(self.seed, f"decision/{self.number}")

    def to_json(self) -> dict[str, Any]:
        """The view in words, for people and for `mazzo deal run --views`."""
        pack, actions = self.variant.game.pack, self.variant.game.actions
        return {
            "seat": self.seat,
            "dealer": self.dealer,
            "hand": [card.code for card in self.hand],
            "legal": [action.code for action in self.legal],
            "trick": {
                "leader": self.trick_leader,
                "cards": [pack.cards[number].code for number in self.trick_cards],
            },
            "history": [
                [seat, actions[number].code]
                for seat, number in zip(self.actors, self.actions, strict=True)
            ],
        }


class Deal(ABC):
    """One shuffle played out: a small mutable object.

    Laws:

    - `legal` is a bit mask of actions, not 0 until the deal is over, and belongs to the one
      seat `seat`; afterwards `seat` is None and `legal` 0;
    - `apply` checks, then applies; on an error nothing has changed;
    - a deal is exactly its shuffles, its start and its actions: the same give the same;
    - `copy()` plays on independently;
    - every card is in exactly one place at every step.
    """

    __slots__ = ()

    variant: Variant
    dealer: int
    draws: str
    start: dict[str, Any]
    match: MatchProgress
    shuffles: list[list[int]]  # in the order in which they were used, the pack first, top first
    actions: bytearray  # all actions in order, whoever was to move
    seat: int | None  # to move
    legal: int

    @abstractmethod
    def apply(self, action: int) -> None:
        """Take an action for the seat to move; raises `IllegalActionError`."""

    @abstractmethod
    def view(self, seat: int) -> View:
        """What the seat may know."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent deal in the same position."""

    @property
    @abstractmethod
    def scores(self) -> tuple[int, ...] | None:
        """What the deal is worth to each seat; None until it is over."""

    @property
    @abstractmethod
    def result(self) -> dict[str, Any] | None:
        """Further facts that the rules name, as JSON values; None until it is over."""

    def refusal(self, action: int) -> IllegalActionError:
        """The error for an action that is not legal."""
        actions = self.variant.game.actions
        known = isinstance(action, int) and 0 <= action < len(actions)
        got = repr(actions[action].code) if known else f"action number {action!r}"
        if self.seat is None:
            return IllegalActionError(f"expected no action, the deal is over, got {got}")
        legal = " ".join(code.code for code in self.variant.game.actions_of(self.legal))
        return IllegalActionError(f"seat {self.seat}: expected one of {legal}, got {got}")


def _option_text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str | int | float):
        return str(value)
    raise VariantError(f"option {name}: expected a text, a number or a boolean, got {value!r}")


def _either(values: Sequence[str] | Mapping[str, object] | map[str]) -> str:
    *most, last = values
    return f"{', '.join(most)} or {last}" if most else last
