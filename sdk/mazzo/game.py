"""The contract that every game keeps: `Game`, `Variant`, `Deal` and `View`.

A `Game` holds immutable facts, a `Variant` is a game with its players and options, a
`Deal` is one shuffle played out, and a `View` is what one seat may know of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol, Self, TypeVar

from mazzo.actions import Action, Event
from mazzo.cards import Card, Pack
from mazzo.errors import BadRecordError, BotError, IllegalActionError, VariantError, quote_value
from mazzo.layout import Layout
from mazzo.options import Option, join_alternatives, read_option_value
from mazzo.shuffle import Shuffles, StreamRandom
from mazzo.view import Clock, Receipt, TableView, Trick

__all__ = [
    "Action",
    "Clock",
    "Deal",
    "Event",
    "Game",
    "MatchProgress",
    "Receipt",
    "Setting",
    "Trick",
    "Variant",
    "View",
    "WorldSource",
]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
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
    inherits: bool = False  # a deal may inherit something from the last one of the match

    @property
    def fair_draws(self) -> str:
        """The drawing mode of matches that are compared: cards bound to seats, where it has it."""
        return "seats" if "seats" in self.draw_modes else self.draw_modes[0]

    @abstractmethod
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each side, the side of seat 0 first; sides are all of one size."""

    @abstractmethod
    def default_match_format(self, variant: Variant) -> str:
        """Return the text of the match format that players use by default."""

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
        """Return a new deal.

        `draws` is one of `draw_modes` (None: the default), `start` what the deal inherits
        from the match, `match` what the views tell of the match so far. Raises
        `BadRecordError` for a drawing mode or a start that the game has not.
        """
        draws = draws or self.draw_modes[0]
        if draws not in self.draw_modes:
            raise BadRecordError(
                f"draws: expected {join_alternatives(self.draw_modes)}, got {quote_value(draws)}"
            )
        if start and not self.inherits:
            raise BadRecordError(
                f"start: a deal of {self.id} inherits nothing, got {quote_value(dict(start))}"
            )
        setting = Setting(
            variant=variant,
            dealer=dealer,
            draws=draws,
            start=start or {},
            match=match or _ALONE,
        )
        return self.new_deal(setting, shuffles)

    @abstractmethod
    def new_deal(self, setting: Setting, shuffles: Shuffles) -> Deal:
        """Return the deal, with everything settled that `deal` leaves open."""

    @abstractmethod
    def layouts(self, view: View) -> list[Layout]:
        """Return what a view of the game leaves open, for `worlds`."""

    @abstractmethod
    def worlds(self, view: View) -> WorldSource:
        """Return what draws deals that agree with a view of the game."""

    def deal_winners(self, deal: Deal) -> tuple[int, ...]:
        """Return the sides, by index, that are level at the top of a finished deal."""
        scores = deal.scores
        if scores is None:
            raise ValueError("the deal is not over")
        best = max(scores)
        return tuple(
            index for index, side in enumerate(deal.variant.sides) if scores[side[0]] == best
        )

    def forfeit_score(self, variant: Variant) -> int:
        """Return what a deal adds to the match score of a side whose only opponent forfeits it."""
        return 1

    def most_deals(self, variant: Variant) -> int:
        """Return how many deals a match may be planned to have at most."""
        return 1000

    def __repr__(self) -> str:
        return f"find_game({self.id!r})"

    def parse_action(self, code: str) -> Action:
        """Return the action with this code, compared exactly; raises `IllegalActionError`."""
        for action in self.actions:
            if action.code == code:
                return action
        raise IllegalActionError(f"expected an action of {self.id}, got {quote_value(code)}")

    def actions_of(self, mask: int) -> tuple[Action, ...]:
        """Return the actions of a bit mask, in ascending number."""
        actions, found = self.actions, []
        while mask:
            low = mask & -mask
            found.append(actions[low.bit_length() - 1])
            mask ^= low
        return tuple(found)


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
            possible = join_alternatives([str(number) for number in game.players])
            raise VariantError(
                f"{game.id} is played by {possible} players, got {quote_value(players)}"
            )
        given = {name: read_option_value(name, value) for name, value in (options or {}).items()}
        known = {option.name: option for option in game.options}
        values = {}
        for name, text in given.items():
            if name not in known:
                raise VariantError(
                    f"{game.id} has no option {quote_value(name)}; "
                    f"its options are {join_alternatives(tuple(known)) if known else 'none'}"
                )
            value = known[name].parse(text, players)
            if value is None:
                raise VariantError(
                    f"option {name} of {game.id}: expected {known[name].possible(players)}, "
                    f"got {quote_value(text)}"
                )
            values[name] = value
        live = sorted(
            (option for option in game.options if players in option.players),
            key=lambda option: option.name,
        )
        chosen = tuple((option.name, values.get(option.name, option.default)) for option in live)
        differing = "&".join(
            f"{option.name}={value}"
            for option, (_, value) in zip(live, chosen, strict=True)
            if value != option.default
        )
        text = f"{game.id}/{players}" + (f"?{differing}" if differing else "")
        return cls(game, players, chosen, text)

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def option(self, name: str) -> str:
        """Return the value of an option that has an effect here."""
        return dict(self.options)[name]

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side, the side of seat 0 first."""
        return self.game.sides(self.players)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchProgress:
    """What a match has come to when a deal begins; public."""

    format: str = "deals:1"  # as text
    deal: int = 0  # number of the deal in the match, from 0
    scores: tuple[float, ...] = ()  # match score of each seat so far


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a deal is given beside its shuffles."""

    variant: Variant
    dealer: int
    draws: str
    start: Mapping[str, Any]
    match: MatchProgress


class WorldSource(Protocol):
    """Draws deals that agree with one view."""

    def sample(self, rng: Random) -> Deal:
        """Return one of them."""


@dataclass(slots=True, kw_only=True)
class View(TableView):
    """What one seat may know of a deal, and its legal actions when it is to move.

    Laws: positions that differ only in cards hidden from the seat give equal views, and two
    courses of a deal that the seat can tell apart give different ones (perfect recall).
    A view is a value, never changed once made. (It is not a frozen dataclass only because
    freezing would double the cost of making one, and the game master makes one a decision.
    One that came over the wire is read when it is looked at.)
    What it tells of the cards, in every game, is described at its base, `TableView`.
    Beside the position stand the seat's own clock, the number of the decision (counted
    for this seat alone, from 1) and the seed of the bot's own randomness: a view that was
    not offered as a decision has none of these.
    """

    variant: Variant
    match: MatchProgress
    clock: Clock | None = field(default=None, compare=False)  # None without one
    number: int = field(default=0, compare=False)  # of the decision
    seed: bytes = field(default=b"", compare=False, repr=False)  # the same all match long

    @property
    def players(self) -> int:
        """How many seats the table has."""
        return self.variant.players

    @property
    def pack(self) -> Pack:
        """The cards that the game is played with."""
        return self.variant.game.pack

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
        """Return the legal action with this code; raise `BotError`, which lists them, for none."""
        legal = self.legal
        for action in legal:
            if action.code == code:
                return action
        codes = " ".join(action.code for action in legal) or "nothing, the seat is not to move"
        raise BotError(f"view.action: expected a legal action ({codes}), got {quote_value(code)}")

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
    def random(self) -> Random:
        """A generator for the bot, made anew at each access from its seed and this decision.

        A bot that draws only from it answers the same view of the same match in the same
        way, whatever else it plays at the time.
        """
        return StreamRandom(self.seed, f"decision/{self.number}")

    def worlds(self, number: int, rng: Random | None = None) -> Iterator[Deal]:
        """Return so many deals that agree with the view, drawn as `mazzo.worlds` says.

        With `random`, where no generator is given: then the same view gives the same worlds.
        """
        source = self.variant.game.worlds(self)
        rng = self.random if rng is None else rng
        for _ in range(number):
            yield source.sample(rng)

    def to_json(self) -> dict[str, Any]:
        """Return the view in words.

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


def _trick_to_json(trick: Trick) -> dict[str, Any]:
    return {"leader": trick.leader, "cards": [card.code for card in trick.cards]}


_ALONE = MatchProgress()  # a deal that belongs to no match
_AnyView = TypeVar("_AnyView", bound=View)


class Deal(ABC):
    """One shuffle played out: a small mutable object.

    Laws:

    - `legal` is a bit mask of actions, not 0 until the deal is over, and belongs to the one
      seat `seat`; afterwards `seat` is None and `legal` 0;
    - `apply` checks, then applies; on an error nothing has changed;
    - a deal is exactly its shuffles, what was overheard, its start and its actions: the same
      give the same;
    - `copy()` plays on independently;
    - every card is in exactly one place at every step.
    """

    __slots__ = (
        "_actors",
        "_hands",
        "_leader",
        "_plays",
        "_received",
        "_winners",
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

    seat: int | None  # to move
    legal: int
    _hands: list[int]  # by seat, as sets of cards
    _leader: int  # of the trick on the table
    _received: list[bytes]  # by seat, what its view tells of the cards that it received

    def __init__(self, setting: Setting, deck: list[int]) -> None:
        """Begin a deal; the pack is shuffled, top first."""
        self.variant = setting.variant
        self.dealer = setting.dealer
        self.draws = setting.draws
        self.start = dict(setting.start)
        self.match = setting.match
        self.shuffles = [deck]  # in the order in which they were used, the pack first
        self.actions = bytearray()  # all actions in order, whoever was to move
        self._actors = bytearray()  # who took each of them
        self._plays = bytearray()  # every card played, in order
        self._winners = bytearray()  # of the finished tricks

    def _begin_copy(self) -> Self:
        """Return a deal with copies of what every deal has; `copy` adds what its game has."""
        copied = object.__new__(type(self))
        copied.variant = self.variant
        copied.dealer = self.dealer
        copied.draws = self.draws
        copied.start = self.start.copy()
        copied.match = self.match
        copied.shuffles = [shuffle[:] for shuffle in self.shuffles]
        copied.actions = self.actions[:]
        copied.seat = self.seat
        copied.legal = self.legal
        copied._actors = self._actors[:]
        copied._hands = self._hands[:]
        copied._leader = self._leader
        copied._plays = self._plays[:]
        copied._received = self._received[:]
        copied._winners = self._winners[:]
        return copied

    @abstractmethod
    def apply(self, action: int) -> None:
        """Take an action for the seat to move; raises `IllegalActionError`."""

    @abstractmethod
    def view(self, seat: int) -> View:
        """Return what the seat may know."""

    def _begin_view(self, view_class: type[_AnyView], seat: int, finished: int) -> _AnyView:
        """Return a view with what every game shows; its game sets the rest.

        `finished` is how many cards lie in finished tricks. One field is set after the other,
        since a call of the class takes twice as long and the game master makes a view a
        decision; that none is forgotten is a law of every game.
        """
        view = view_class.__new__(view_class)
        plays = bytes(self._plays)
        view.variant = self.variant
        view.seat = seat
        view.dealer = self.dealer
        view.match = self.match
        view.hand_mask = self._hands[seat]
        view.legal_mask = self.legal if seat == self.seat else 0
        view.actions = bytes(self.actions)
        view.actors = bytes(self._actors)
        view.received_bytes = self._received[seat]
        view.hand_counts = bytes([hand.bit_count() for hand in self._hands])
        view.trick_leader = self._leader
        view.trick_cards = plays[finished:]
        view.trick_winners = bytes(self._winners)
        view.past_cards = plays[:finished]
        view.clock = None
        view.number = 0
        view.seed = b""
        return view

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent deal in the same position."""

    @property
    @abstractmethod
    def scores(self) -> tuple[int, ...] | None:
        """What the deal is worth to each seat; None until it is over."""

    @property
    @abstractmethod
    def result(self) -> dict[str, Any] | None:
        """Further facts that the rules name, as JSON values; None until it is over."""

    @property
    def overheard(self) -> list[tuple[int, int, int]] | None:
        """Who overheard what: (trick, speaker, opponent); None where nothing can be."""
        return None

    @property
    def next_start(self) -> dict[str, Any]:
        """What the next deal of a match inherits from this one, which is over: its `start`."""
        return {}

    @property
    def dealt_again(self) -> bool:
        """Whether the rules have the same dealer deal again; the deal counts all the same."""
        return False

    @property
    def leftover(self) -> tuple[int, ...]:
        """What each seat gets on top of its scores if the match ends with this deal."""
        return (0,) * self.variant.players

    @property
    def worst_score(self) -> int:
        """The lowest score that any course of this deal, from its start, could give a seat."""
        return 0

    @property
    def hands(self) -> Sequence[int]:
        """By seat, the set of the cards it holds; for dealers, and in worlds of a search."""
        return self._hands

    def refusal(self, action: int) -> IllegalActionError:
        """Return the error for an action that is not legal."""
        actions = self.variant.game.actions
        known = isinstance(action, int) and 0 <= action < len(actions)
        got = repr(actions[action].code) if known else f"action number {quote_value(action)}"
        if self.seat is None:
            return IllegalActionError(f"expected no action, the deal is over, got {got}")
        legal = " ".join(code.code for code in self.variant.game.actions_of(self.legal))
        return IllegalActionError(f"seat {self.seat}: expected one of {legal}, got {got}")
