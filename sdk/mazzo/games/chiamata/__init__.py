"""Briscola chiamata, "Bastard Briscola", for 5.

Eight cards each; the highest bidder names trumps and a card, and whoever holds that card is
secretly his partner. Tricks as in Briscola, without drawing. `RANK_ORDER` and `POINTS` are those
of Briscola.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mazzo.cards import ITALIAN
from mazzo.game import Action, Game, Setting, Variant, View
from mazzo.games.chiamata.deal import (
    FIRST_BID,
    FIRST_CALL,
    FIRST_TRUMP,
    MOST,
    PASS,
    PLAYERS,
    POINTS,
    RANK_ORDER,
    ChiamataDeal,
    ChiamataView,
)
from mazzo.games.chiamata.worlds import layouts
from mazzo.layout import Layout
from mazzo.options import Numbers, Option
from mazzo.shuffle import Shuffles
from mazzo.worlds import Sampler

__all__ = ["CHIAMATA", "POINTS", "RANK_ORDER", "ChiamataDeal", "ChiamataView"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Chiamata(Game):
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(players))

    def default_match_format(self, variant: Variant) -> str:
        return "target:10"

    def layouts(self, view: View) -> list[Layout]:
        return layouts(cast(ChiamataView, view))

    def worlds(self, view: View) -> Sampler:
        return Sampler(view)

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> ChiamataDeal:
        return ChiamataDeal(setting, shuffles)


CHIAMATA = _Chiamata(
    id="briscola-chiamata",
    title="Briscola chiamata (Bastard Briscola)",
    summary=(
        "Bid for how many points your side will take; the caller names trumps and a card, and "
        "whoever holds it is secretly his partner."
    ),
    pack=ITALIAN,
    players=(PLAYERS,),
    options=(
        Option(
            name="called",
            values=("any", "trump-only"),
            default="any",
            players=(PLAYERS,),
            meaning="which cards may be called: any of the 40, or the ten of the trump suit",
        ),
        Option(
            name="lead",
            values=("first-seat", "caller"),
            default="first-seat",
            players=(PLAYERS,),
            meaning="who leads the first trick",
        ),
        Option(
            name="min-bid",
            numbers=Numbers(first=1, last=MOST),
            default="61",
            players=(PLAYERS,),
            meaning="the lowest bid that may open the auction",
        ),
    ),
    actions=(
        *(Action(int(card), card.code, card) for card in ITALIAN.cards),
        *(Action(FIRST_BID + n, f"bid:{n + 1}") for n in range(MOST)),
        Action(PASS, "pass"),
        *(Action(FIRST_TRUMP + n, f"trump:{suit}") for n, suit in enumerate(ITALIAN.suits)),
        *(Action(FIRST_CALL + int(card), f"call:{card.code}") for card in ITALIAN.cards),
    ),
    draw_modes=("top",),
    counts_wins=False,
)
