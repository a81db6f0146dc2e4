"""Frap for 2 to 12, a game for chips.

Four cards each and one turned up for trumps. One player, the frapper, undertakes to win two
of the four tricks, perhaps without looking at his hand; others may undertake to win one of
them. Who fails pays the pot over again, into the next pot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mazzo.cards import FRENCH
from mazzo.game import Action, Game, Setting, Variant, View
from mazzo.games.frap.deal import FrapDeal
from mazzo.games.frap.rules import (
    DISCARD,
    LOOK,
    PLAYERS,
    RANK_ORDER,
    WORDS,
    deck_of,
    make_frap_rules,
)
from mazzo.games.frap.view import FrapView
from mazzo.games.frap.worlds import layouts
from mazzo.layout import Layout
from mazzo.options import Numbers, Option
from mazzo.shuffle import Shuffles
from mazzo.worlds import Sampler

__all__ = ["FRAP", "RANK_ORDER", "FrapDeal", "FrapView", "deck_of"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Frap(Game):
    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(players))

    def default_match_format(self, variant: Variant) -> str:
        return f"deals:{2 * variant.players}"

    def forfeit_score(self, variant: Variant) -> int:
        return int(variant.option("ante"))

    def most_deals(self, variant: Variant) -> int:
        # Without a cap a deal can leave less than 64 times its first pot, and the squares of
        # a match's scores have to fit into a double.
        return 60 if make_frap_rules(variant).cap is None else 1000

    def layouts(self, view: View) -> list[Layout]:
        return layouts(cast(FrapView, view))

    def worlds(self, view: View) -> Sampler:
        return Sampler(view)

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> FrapDeal:
        return FrapDeal(setting, shuffles)


FRAP = _Frap(
    id="frap",
    title="Frap",
    summary=(
        "Four cards each, four tricks, and a pot that grows when somebody promises too much. "
        "Call for two tricks, seen or unseen, whist for one, or throw in and come back."
    ),
    pack=FRENCH,
    players=PLAYERS,
    options=(
        Option(
            name="ante",
            numbers=Numbers(first=4, last=1_000_000, step=4),
            default="4",
            players=PLAYERS,
            meaning="chips that each player pays into the pot before a deal",
        ),
        Option(
            name="blind-draws",
            values=("off", "on"),
            default="off",
            players=PLAYERS,
            meaning=(
                "whether a frapper who called blind may also exchange cards after he has taken "
                "the trump card"
            ),
        ),
        Option(
            name="blind-penalty",
            values=("seed", "graded"),
            default="seed",
            players=PLAYERS,
            meaning=(
                "what a frapper who called blind pays with no trick and with one trick: 2 and 4 "
                "pots (seed), or 4 and 2 (graded); 3 with one trick and an ace turned up"
            ),
        ),
        Option(
            name="deck",
            values=("auto", "36", "52"),
            default="auto",
            players=(5, 6),
            meaning="how many cards are used: auto is 36 with five players and 52 with six",
        ),
        Option(
            name="draw-limit",
            values=("auto", "3", "4"),
            default="auto",
            players=PLAYERS,
            meaning=(
                "how many cards a player may exchange: auto is 4 where the stock has four cards "
                "for each player after the deal, else 3"
            ),
        ),
        Option(
            name="pot-cap",
            values=("auto", "none"),
            numbers=Numbers(first=4, last=1_000_000_000, step=4, per_player=True),
            default="auto",
            players=PLAYERS,
            meaning=(
                "the most that a pot counts, in chips, when somebody has to pay it over again: "
                "auto is 16 antes of every player"
            ),
        ),
        Option(
            name="reante",
            values=("off", "on"),
            default="off",
            players=PLAYERS,
            meaning="whether antes are paid after a deal in which all passed three times",
        ),
        Option(
            name="undercut",
            values=("on", "off"),
            default="on",
            players=PLAYERS,
            meaning="whether players who passed may come back with five cards of the stock",
        ),
    ),
    actions=(
        *(Action(int(card), card.code, card) for card in FRENCH.cards),
        *(Action(LOOK + number, code) for number, code in enumerate(WORDS)),
        *(Action(DISCARD + card, f"discard:{card.code}") for card in FRENCH.cards),
    ),
    draw_modes=("top",),
    counts_wins=False,
    inherits=True,
)
