"""Briscola for 2, 3, 4 (two pairs) and 6 (two teams of three).

Nobody has to follow suit; the highest trump, else the highest card of the suit led, wins
the trick; everybody draws after each trick while there is stock; 120 card points in all.

`RANK_ORDER` has the ranks from high to low, `POINTS` by a card's number the points that it is
worth, and `TOKENS` the words of the talk, in the order of their actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mazzo.cards import ITALIAN
from mazzo.game import Action, Deal, Game, Setting, Variant, View
from mazzo.games.briscola.deal import (
    FIRST_SAY,
    PACKS,
    POINTS,
    RANK_ORDER,
    SIDES,
    TOKENS,
    BriscolaDeal,
    BriscolaView,
    Talk,
)
from mazzo.games.briscola.worlds import layouts
from mazzo.layout import Layout
from mazzo.options import Numbers, Option
from mazzo.shuffle import Shuffles
from mazzo.worlds import Sampler

__all__ = [
    "BRISCOLA",
    "PACKS",
    "POINTS",
    "RANK_ORDER",
    "TOKENS",
    "BriscolaDeal",
    "BriscolaView",
    "Talk",
]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Briscola(Game):
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        return SIDES[players]

    def default_match_format(self, variant: Variant) -> str:
        return "deals:3" if variant.players == 3 else "best-of:3"

    def layouts(self, view: View) -> list[Layout]:
        return layouts(cast(BriscolaView, view))

    def worlds(self, view: View) -> Sampler:
        return Sampler(view)

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> BriscolaDeal:
        return BriscolaDeal(setting, shuffles)

    def deal_winners(self, deal: Deal) -> tuple[int, ...]:
        # The class is made anew by slots=True, which super() without arguments misses.
        winners = super(_Briscola, self).deal_winners(deal)
        sides, result = deal.variant.sides, deal.result
        if len(sides) == len(winners) == 2 and deal.variant.option("tie") == "last-trick":
            assert result is not None
            return tuple(index for index in winners if result["last"] in sides[index])
        return winners


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
            values=("public", "signal", "off"),
            default="public",
            players=(4, 6),
            meaning=(
                "whether a seat may say tokens before it plays: heard by everybody, or by the "
                "partners and, by chance, by opponents"
            ),
        ),
        Option(
            name="leak",
            numbers=Numbers(first=0, last=1000, scale=1000),
            default="0.25",
            players=(4, 6),
            meaning="the probability that an opponent overhears what is said with talk=signal",
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
        *(Action(FIRST_SAY + n, f"say:{token}") for n, token in enumerate(TOKENS)),
    ),
    draw_modes=("top", "seats"),
    counts_wins=True,
)
