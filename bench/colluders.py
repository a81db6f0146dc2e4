"""Bots that play honestly, well or badly, and bots that favour a partner at the table.

An entrant is a sample bot that now and then takes any legal action instead (`slips`), so that a
field has as many strengths as it has entrants. A colluder plays like that too, until its partner
sits at the table: then it takes no trick from it, and lays its richest card where the partner wins.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random

from mazzo import Action, Bot, Card, View
from mazzo.games import parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frap import FrapView
from mazzo.local import play_match

__all__ = ["Kind", "Player", "Scheme", "play_group"]

TrickView = BriscolaView | ChiamataView | FrapView

_SAMPLE_BOTS = Path(__file__).parents[1] / "sample_bots"


class Kind(StrEnum):
    """What two entrants do where both sit."""

    DUMP = "dump"  # the first makes the second score, at its own cost
    MUTUAL = "mutual"  # both spare each other, and give to each other what they need not
    THROW = "throw"  # the first plays without a thought, and so loses


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """An honest entrant."""

    bot: str  # a sample bot
    slips: float = 0.0  # probability that a decision is any legal action


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """What two entrants have agreed on."""

    kind: Kind
    giver: int
    taker: int
    share: float = 1.0  # of the matches that they play so


class _Seated(Bot):
    """An entrant in one match; `favours` is the seat for which it plays, None for its own."""

    def __init__(self, player: Player, kind: Kind, favours: int | None) -> None:
        self._bot = _make(player.bot)
        self._slips = player.slips
        self._kind = kind
        self._favours = favours

    def act(self, view: View) -> Action | Card | int:
        """Return what the sample bot does, or what serves the partner."""
        favoured = self._favours
        if favoured is not None and self._kind is Kind.THROW:
            return view.random.choice(view.legal)
        if favoured is not None and isinstance(view, TrickView):
            is_dump = self._kind is Kind.DUMP
            match view:
                case FrapView():
                    gift = _choose_chips(view, favoured, is_dump=is_dump)
                case ChiamataView():
                    gift = _choose_call(view, favoured, is_dump=is_dump)
                case BriscolaView():
                    gift = _choose_points(view, {favoured})
            if gift is not None:
                return gift
        if self._slips and view.random.random() < self._slips:
            return view.random.choice(view.legal)
        return self._bot.act(view)


def play_group(
    variant: str,
    players: Mapping[int, Player],
    table: Sequence[int],
    *,
    number: int,
    scheme: Scheme | None = None,
) -> list[int]:
    """Return what each entrant of a table scored in a mirror group of rotations.

    Each match has as many deals as there are seats. The order at the table is drawn anew for each
    group, and follows from its number alone, as the cards do.
    """
    game = parse_variant(variant)
    size = len(table)
    seed = hashlib.sha256(repr((variant, tuple(table), number)).encode()).digest()
    draw = Random(seed)
    order = draw.sample(table, size)
    sums = dict.fromkeys(table, 0)
    for turn in range(size):
        seated = order[turn:] + order[:turn]
        match = play_match(
            game,
            _seat(players, seated, scheme, draw),
            seed=seed,
            match_format=f"deals:{size}",
            draws=game.game.fair_draws,
            seating=turn,
        )
        for seat, entrant in enumerate(seated):
            sums[entrant] += sum(deal.scores[seat] for deal in match.deals if deal.scores)
    return list(sums.values())


def _seat(
    players: Mapping[int, Player], seated: Sequence[int], scheme: Scheme | None, draw: Random
) -> list[_Seated]:
    favours: dict[int, int] = {}
    if (
        scheme is not None
        and {scheme.giver, scheme.taker} <= {*seated}
        and draw.random() < scheme.share
    ):
        favours[scheme.giver] = scheme.taker
        if scheme.kind is Kind.MUTUAL:
            favours[scheme.taker] = scheme.giver
    kind = Kind.DUMP if scheme is None else scheme.kind
    return [
        _Seated(
            players[entrant],
            kind,
            seated.index(favours[entrant]) if entrant in favours else None,
        )
        for entrant in seated
    ]


def _choose_points(view: BriscolaView | ChiamataView, favoured: Set[int]) -> Card | None:
    """Return a card that leaves the trick to the partner; None where the partner has it not."""
    winning = view.winner_so_far
    if winning is None or winning[0] not in favoured:
        return None
    lower = [card for card in view.hand if not view.beats(card, winning[1])] or view.hand
    plain = [card for card in lower if card.suit != view.trump]
    if plain and (not view.later_seats or winning[1].suit == view.trump):
        return max(plain, key=view.card_points)
    return min(lower, key=lambda card: (view.card_points(card), view.strength(card)))


def _choose_call(view: ChiamataView, favoured: int, *, is_dump: bool) -> Action | Card | None:
    """Return what helps the partner's side, and what makes an own call fail that is dumped."""
    if view.caller is None:
        if is_dump:  # more than anybody bids, if need be
            return view.legal[0]
        return view.legal[-1] if view.bidder == favoured else None
    if view.trump is None or view.called is None:
        return None
    if view.caller == favoured:
        return _choose_points(view, {favoured, favoured if view.holder is None else view.holder})
    if is_dump and view.seat in (view.caller, view.holder):
        others = {*range(view.players)} - {view.seat, view.caller, view.holder}
        return _choose_points(view, others) or min(view.hand, key=view.strength)
    return None


def _choose_chips(view: FrapView, favoured: int, *, is_dump: bool) -> Action | Card | None:
    """Return a card that leaves the trick to the partner; where chips are dumped, go in as well."""
    if view.asked != "play":
        wanted = {"call": "frap", "answer": "whist", "exchange": "stand", "undercut": "decline"}
        code = wanted.get(view.asked or "") if is_dump else None
        return next((action for action in view.legal if action.code == code), None)
    winning = view.winner_so_far
    wins = winning is not None and winning[0] == favoured
    if not wins and not (is_dump and favoured in view.seats_in_play):
        return None
    lower = [card for card in view.playable if not winning or not view.beats(card, winning[1])]
    return min(lower or view.playable, key=view.strength)


@cache
def _make(name: str) -> Bot:
    path = _SAMPLE_BOTS / name / "bot.py"
    spec = importlib.util.spec_from_file_location(f"sample_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # as it is for `python bot.py`
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(path.parent))
        for beside in path.parent.glob("*.py"):  # other bots have modules of the same names
            sys.modules.pop(beside.stem, None)
    bot = getattr(loaded, f"{name.capitalize()}Bot")()
    assert isinstance(bot, Bot)
    return bot
