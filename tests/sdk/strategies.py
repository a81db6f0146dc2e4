"""Hypothesis strategies, one per noun, and play at random.

A `Start` is all that a test needs to lay out one random deal: small, printable, and the
same cards and choices every time it is asked. The choices come from a generator of their
own rather than from Hypothesis, which would spend most of its time on drawing them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mazzo.cards import bits, nth_bit
from mazzo.game import Deal, Game, Variant
from mazzo.games import GAMES
from mazzo.shuffle import SeededShuffles

__all__ = [
    "CASES",
    "Start",
    "all_variants",
    "choose",
    "deal_numbers",
    "draw_modes",
    "examine",
    "games",
    "legal_codes",
    "play",
    "seeds",
    "starts",
    "variants",
]


def all_variants(game: Game) -> Iterator[Variant]:
    """Every variant of a game: its numbers of players times the values of live options."""
    for players in game.players:
        live = [option for option in game.options if players in option.players]
        for values in product(*(option.values for option in live)):
            names = [option.name for option in live]
            yield Variant.of(game, players, dict(zip(names, values, strict=True)))


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
        deal = self.deal()
        play(deal, self.random())
        return deal

    def position(self) -> Deal:
        """The same deal after a number of its actions, all numbers equally likely."""
        actions = self.finished().actions
        steps = self.random("position").randrange(len(actions) + 1)
        deal = self.deal()
        for action in actions[:steps]:
            deal.apply(action)
        return deal


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


def variants() -> st.SearchStrategy[Variant]:
    """Any variant of any game."""
    return games().flatmap(lambda game: st.sampled_from(list(all_variants(game))))


def draw_modes(game: Game) -> st.SearchStrategy[str]:
    """A drawing mode of the game."""
    return st.sampled_from(game.draw_modes)


def seeds() -> st.SearchStrategy[bytes]:
    """A match seed."""
    return st.binary(min_size=32, max_size=32)


def deal_numbers() -> st.SearchStrategy[int]:
    """The number of a deal in its match."""
    return st.integers(min_value=0, max_value=10_000)


def starts(variant: Variant | None = None, draws: str | None = None) -> st.SearchStrategy[Start]:
    """A random deal, of this variant and mode where they are given."""

    def of(chosen: Variant) -> st.SearchStrategy[Start]:
        return st.builds(
            Start,
            variant=st.just(chosen),
            draws=st.just(draws) if draws else draw_modes(chosen.game),
            dealer=st.integers(min_value=0, max_value=chosen.players - 1),
            seed=seeds(),
            number=deal_numbers(),
            choices=st.integers(min_value=0, max_value=2**63 - 1),
        )

    return of(variant) if variant else variants().flatmap(of)


def examine(check: Callable[[Start], None], variant: Variant, draws: str, *, examples: int) -> None:
    """Check this many random deals of a variant.

    A failing start is printed but not shrunk: it is small already, and a shorter seed does
    not make a simpler deal.
    """
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    settings(max_examples=examples, phases=phases)(given(starts(variant, draws))(check))()
