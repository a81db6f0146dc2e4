"""Hypothesis strategies, one per noun, and play at random.

A `Start` is all that a test needs to lay out one random deal: small, printable, and the
same cards and choices every time it is asked. The choices come from a generator of their
own rather than from Hypothesis, which would spend most of its time on drawing them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mazzo.cards import bits, nth_bit
from mazzo.game import Deal, Game, Variant
from mazzo.games import GAMES
from mazzo.options import Option
from mazzo.shuffle import SeededShuffles

__all__ = [
    "CASES",
    "Start",
    "all_variants",
    "choose",
    "deal_numbers",
    "examine",
    "games",
    "legal_codes",
    "play",
    "seeds",
    "start_of",
    "starts",
    "values",
    "variants",
    "variants_of",
]


NEEDS = {"leak": {"talk": "signal"}, "blind-draws": {"draw-limit": "3"}}
"""Options that show only beside a value of another one."""


def values(option: Option, players: int) -> list[str]:
    """The words that an option takes, and the ends and a middle of its numbers."""
    found = list(option.values)
    if option.numbers is not None:
        numbers = option.numbers
        times = players if numbers.per_player else 1
        steps = (numbers.last - numbers.first) // numbers.step
        for number in (0, steps // 2, steps):
            units = Fraction((numbers.first + number * numbers.step) * times, numbers.scale)
            found.append(f"{float(units):.12g}" if units.denominator > 1 else str(units))
    return list(dict.fromkeys(found))


def all_variants(game: Game) -> Iterator[Variant]:
    """Every number of players with the defaults, and with every value of every option."""
    for players in game.players:
        found = {Variant.of(game, players)}
        yield from found
        for option in game.options:
            if players in option.players:
                for value in values(option, players):
                    chosen = {**NEEDS.get(option.name, {}), option.name: value}
                    variant = Variant.of(game, players, chosen)
                    if variant not in found:
                        found.add(variant)
                        yield variant


CASES: tuple[tuple[Variant, str], ...] = tuple(
    (variant, draws)
    for game in GAMES.values()
    for variant in all_variants(game)
    for draws in game.draw_modes
)
"""Every variant of every game in every drawing mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A random deal and the random choices of its players."""

    variant: Variant
    draws: str
    dealer: int
    seed: bytes
    number: int
    choices: int  # seed of the players' choices

    def deal(self) -> Deal:
        """The deal before its first action."""
        return self.variant.game.deal(
            self.variant,
            SeededShuffles(self.seed, self.number),
            dealer=self.dealer,
            draws=self.draws,
        )

    def random(self, purpose: object = "") -> random.Random:
        """A generator that gives the same for this start and purpose every time."""
        return random.Random(f"{self.choices} {purpose}")

    def finished(self) -> Deal:
        """The deal, played out."""
        return self._after(_actions_of(self))

    def position(self) -> Deal:
        """The same deal after a number of its actions, all numbers equally likely."""
        actions = _actions_of(self)
        return self._after(actions[: self.random("position").randrange(len(actions) + 1)])

    def _after(self, actions: bytes) -> Deal:
        deal = self.deal()
        for action in actions:
            deal.apply(action)
        return deal


@lru_cache(maxsize=8)
def _actions_of(start: Start) -> bytes:
    """The start's random choices; every law asks for them anew."""
    deal = start.deal()
    play(deal, start.random())
    return bytes(deal.actions)


def choose(deal: Deal, generator: random.Random) -> int:
    """A legal action: a card two times out of three, whatever else there is."""
    cards = deal.legal & (1 << len(deal.variant.game.pack)) - 1
    others = deal.legal ^ cards
    mask = cards if cards and (not others or generator.random() < 2 / 3) else others
    return nth_bit(mask, int(generator.random() * mask.bit_count()))


def play(deal: Deal, generator: random.Random, *, most: int | None = None) -> int:
    """Play at random, to the end or for `most` actions; how many were played."""
    played = 0
    while deal.seat is not None and played != most:
        deal.apply(choose(deal, generator))
        played += 1
    return played


def legal_codes(deal: Deal) -> list[str]:
    """The codes of the legal actions, in ascending number."""
    return [deal.variant.game.actions[number].code for number in bits(deal.legal)]


def games() -> st.SearchStrategy[Game]:
    """Any game."""
    return st.sampled_from(list(GAMES.values()))


def variants_of(game: Game) -> st.SearchStrategy[Variant]:
    """A number of players, and any values of the options together."""

    def of(players: int) -> st.SearchStrategy[Variant]:
        choices = {
            option.name: st.sampled_from(values(option, players))
            for option in game.options
            if players in option.players
        }
        return st.fixed_dictionaries(choices).map(
            lambda options: Variant.of(game, players, options)
        )

    return st.sampled_from(game.players).flatmap(of)


def variants() -> st.SearchStrategy[Variant]:
    """Any variant of any game."""
    return games().flatmap(variants_of)


def seeds() -> st.SearchStrategy[bytes]:
    """A match seed."""
    return st.binary(min_size=32, max_size=32)


def deal_numbers() -> st.SearchStrategy[int]:
    """The number of a deal in its match."""
    return st.integers(min_value=0, max_value=10_000)


def starts(variant: Variant | None = None, draws: str | None = None) -> st.SearchStrategy[Start]:
    """A random deal, of this variant and mode where they are given.

    Hypothesis draws one number for everything but the variant: to draw each part would take
    longer than to play the deal.
    """

    def of(chosen: Variant) -> st.SearchStrategy[Start]:
        return st.integers(min_value=0, max_value=2**63 - 1).map(
            lambda number: start_of(chosen, number, draws=draws)
        )

    return of(variant) if variant else variants().flatmap(of)


def start_of(variant: Variant, number: int, *, draws: str | None = None) -> Start:
    """The start that a number stands for."""
    generator = random.Random(number)
    return Start(
        variant=variant,
        draws=draws or generator.choice(variant.game.draw_modes),
        dealer=generator.randrange(variant.players),
        seed=generator.randbytes(32),
        number=generator.randrange(10_000),
        choices=number,
    )


def examine(check: Callable[[Start], None], variant: Variant, draws: str, *, examples: int) -> None:
    """Check this many random deals of a variant.

    A failing start is printed but not shrunk: it is small already, and a shorter seed does
    not make a simpler deal.
    """
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    settings(max_examples=examples, phases=phases)(given(starts(variant, draws))(check))()
