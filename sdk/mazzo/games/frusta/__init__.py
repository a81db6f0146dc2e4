"""Frusta for 2.

In the first stage ten tricks are played for the cards of the stock, in the second the ten
tricks with the hands so won decide the deal. `RANK_ORDER` has the ranks from high to low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mazzo.cards import ITALIAN
from mazzo.game import Action, Game, Setting, Variant, View
from mazzo.games.frusta.deal import RANK_ORDER, FrustaDeal, FrustaView
from mazzo.games.frusta.worlds import layouts
from mazzo.layout import Layout
from mazzo.options import Option
from mazzo.shuffle import Shuffles
from mazzo.worlds import Sampler

__all__ = ["FRUSTA", "RANK_ORDER", "FrustaDeal", "FrustaView"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Frusta(Game):
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        return ((0,), (1,))

    def default_match_format(self, variant: Variant) -> str:
        return "deals:2"

    def layouts(self, view: View) -> list[Layout]:
        return layouts(cast(FrustaView, view))

    def worlds(self, view: View) -> Sampler:
        return Sampler(view)

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> FrustaDeal:
        return FrustaDeal(setting, shuffles)


FRUSTA = _Frusta(
    id="frusta",
    title="Frusta",
    summary=(
        "Ten tricks to win good cards from the stock, then ten tricks that count: more than "
        "five of them win the deal."
    ),
    pack=ITALIAN,
    players=(2,),
    options=(
        Option(
            name="follow",
            values=("strict", "free-discard"),
            default="strict",
            players=(2,),
            meaning=(
                "what a follower who has the suit led may play: that suit alone, or also any "
                "card that is no trump"
            ),
        ),
    ),
    actions=tuple(Action(int(card), card.code, card) for card in ITALIAN.cards),
    draw_modes=("top",),
    counts_wins=True,
)
