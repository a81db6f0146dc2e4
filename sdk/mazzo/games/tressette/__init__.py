"""Tressette in due: a Metà Mazzo, where half the pack is drawn, and a Pizzichino, with packets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mazzo.cards import ITALIAN
from mazzo.game import Action, Setting, View
from mazzo.games.tressette.buongiochi import (
    OPTIONS,
    RANK_ORDER,
    SHARED_ACTIONS,
    THIRDS,
    Declaration,
    TressetteGame,
    TressetteView,
)
from mazzo.games.tressette.meta_mazzo import SKIP, MetaMazzoDeal, MetaMazzoView
from mazzo.games.tressette.pizzichino import (
    FIRST_PACKET,
    FIRST_PLUCK,
    FIRST_UP,
    PACKETS,
    PizzichinoDeal,
    PizzichinoView,
)
from mazzo.games.tressette.worlds import meta_mazzo_layouts, pizzichino_layouts
from mazzo.layout import Layout
from mazzo.options import Option
from mazzo.shuffle import Shuffles
from mazzo.worlds import Sampler

__all__ = [
    "META_MAZZO",
    "PIZZICHINO",
    "RANK_ORDER",
    "THIRDS",
    "Declaration",
    "MetaMazzoDeal",
    "MetaMazzoView",
    "PizzichinoDeal",
    "PizzichinoView",
    "TressetteView",
]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _MetaMazzo(TressetteGame):
    def layouts(self, view: View) -> list[Layout]:
        return meta_mazzo_layouts(cast(MetaMazzoView, view))

    def worlds(self, view: View) -> Sampler:
        return Sampler(view)

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> MetaMazzoDeal:
        return MetaMazzoDeal(setting, shuffles)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Pizzichino(TressetteGame):
    def layouts(self, view: View) -> list[Layout]:
        return pizzichino_layouts(cast(PizzichinoView, view))

    def worlds(self, view: View) -> Sampler:
        return Sampler(view)

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> PizzichinoDeal:
        return PizzichinoDeal(setting, shuffles)


META_MAZZO = _MetaMazzo(
    id="tressette-meta-mazzo",
    title="Tressette in due a Metà Mazzo",
    summary=(
        "Follow suit and win the points; half the pack is drawn, every drawn card is shown, "
        "and combinations of honours are declared for more."
    ),
    pack=ITALIAN,
    players=(2,),
    options=OPTIONS,
    actions=(*SHARED_ACTIONS, Action(SKIP, "skip")),
    draw_modes=("top", "seats"),
    counts_wins=False,
)


PIZZICHINO = _Pizzichino(
    id="tressette-pizzichino",
    title="Tressette in due a Pizzichino",
    summary=(
        "Follow suit and win the points, from the hand and from two open packets each; an "
        "honour on top may be plucked into the hand, where combinations are declared."
    ),
    pack=ITALIAN,
    players=(2,),
    options=(
        *OPTIONS,
        Option(
            name="packets",
            values=("ask", "peek", "auto"),
            default="ask",
            players=(2,),
            meaning=(
                "how packets are taken and turned up: by choice, by choice after a look at the "
                "cards that would show, or by number"
            ),
        ),
        Option(
            name="reuse",
            values=("off", "on"),
            default="off",
            players=(2,),
            meaning="whether a plucked card lets a player score a rank again that he has scored",
        ),
    ),
    actions=(
        *SHARED_ACTIONS,
        *(Action(FIRST_PACKET + n, f"packet:{n}") for n in range(PACKETS)),
        *(Action(FIRST_UP + n, f"up:{n}") for n in range(PACKETS)),
        *(Action(FIRST_PLUCK + n, f"pluck:{n}") for n in range(PACKETS)),
    ),
    draw_modes=("top",),
    counts_wins=False,
)
