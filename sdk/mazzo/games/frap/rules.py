"""What a variant of Frap comes to, and the numbers and tables that its modules share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mazzo.cards import FRENCH, Card, mask_of
from mazzo.errors import BadRecordError, quote_value
from mazzo.game import Variant
from mazzo.tricks import beats_table, strength_table

__all__ = [
    "ASK_ANSWER",
    "ASK_CALL",
    "ASK_LOOK",
    "BEATS",
    "BIT",
    "BLIND",
    "CALL",
    "DECLINE",
    "DISCARD",
    "FROM_STOCK",
    "HAND",
    "LOOK",
    "MAY_STAND",
    "PASS",
    "PLAYERS",
    "RANK_ORDER",
    "STAND",
    "STRENGTH",
    "WHIST",
    "WITH_TRUMP",
    "WORDS",
    "FrapRules",
    "deck_of",
    "make_frap_rules",
    "read_start",
]

RANK_ORDER = "AKQJT98765432"
PLAYERS = tuple(range(2, 13))
HAND = 4  # cards, and tricks in a deal
_MOST_START_POT = 10**2000  # chips; far above what any match can leave

WORDS = (
    "look",
    "blind",
    "frap",
    "pass",
    "whist",
    "stand",
    "undercut:stock",
    "undercut:trump",
    "decline",
)
LOOK, BLIND, CALL, PASS, WHIST, STAND, FROM_STOCK, WITH_TRUMP, DECLINE = range(
    len(FRENCH), len(FRENCH) + len(WORDS)
)
DISCARD = DECLINE + 1  # number of the action that discards the card with id 0
ASK_LOOK = mask_of([LOOK, BLIND])
ASK_CALL = mask_of([CALL, PASS])
ASK_ANSWER = mask_of([WHIST, PASS])
MAY_STAND = 1 << STAND

BIT = tuple(1 << card for card in FRENCH.cards)
BEATS = {suit: beats_table(FRENCH, RANK_ORDER, suit) for suit in FRENCH.suits}
STRENGTH = {suit: strength_table(FRENCH, RANK_ORDER, suit) for suit in FRENCH.suits}
_BLIND_UNITS = {"seed": (2, 4), "graded": (4, 2)}


@dataclass(frozen=True, slots=True)
class FrapRules:
    """What a variant comes to."""

    cards: tuple[Card, ...]
    ids: tuple[int, ...]  # of the cards
    ante: int  # chips a seat
    cap: int | None  # chips
    limit: int  # the most cards that a seat may exchange
    undercut: bool
    reante: bool
    blind_draws: bool
    blind_units: tuple[int, int]  # what a blind frapper pays with no trick and with one


@lru_cache(maxsize=256)
def make_frap_rules(variant: Variant) -> FrapRules:
    """Return the same object for equal variants, worked out once."""
    players, option = variant.players, dict(variant.options)
    deck = option.get("deck", "auto")
    if deck == "auto":
        deck = "32" if players <= 4 else "36" if players == 5 else "52"
    ranks = FRENCH.ranks[-(int(deck) // len(FRENCH.suits)) :]
    cards = tuple(card for card in FRENCH.cards if card.rank in ranks)
    ante, cap, limit = int(option["ante"]), option["pot-cap"], option["draw-limit"]
    if limit == "auto":
        stock = len(cards) - HAND * players - 1
        limit = "4" if stock >= 4 * players else "3"
    return FrapRules(
        cards=cards,
        ids=tuple(int(card) for card in cards),
        ante=ante,
        cap=None if cap == "none" else 16 * players * ante if cap == "auto" else int(cap),
        limit=int(limit),
        undercut=option["undercut"] == "on",
        reante=option["reante"] == "on",
        blind_draws=option["blind-draws"] == "on",
        blind_units=_BLIND_UNITS[option["blind-penalty"]],
    )


def deck_of(variant: Variant) -> tuple[Card, ...]:
    """Return the cards that a variant is played with, in ascending id."""
    return make_frap_rules(variant).cards


def read_start(start: Mapping[str, Any], players: int) -> tuple[int, bool]:
    """Return the pot that a deal inherits and whether antes are paid; raises `BadRecordError`."""
    unknown = [key for key in start if key not in ("pot", "ante")]
    if unknown:
        raise BadRecordError(f"start: expected pot or ante, got {quote_value(unknown[0])}")
    pot, ante_paid = start.get("pot", 0), start.get("ante", True)
    if type(pot) is not int:
        raise BadRecordError(
            f"start: pot: expected a whole number of chips, got {quote_value(pot)}"
        )
    if not 0 <= pot <= _MOST_START_POT:
        raise BadRecordError(f"start: pot: expected 0 to 10**2000 chips, got {quote_value(pot)}")
    if pot % (4 * players):
        raise BadRecordError(
            f"start: pot: expected a multiple of {4 * players}, got {quote_value(pot)}"
        )
    if type(ante_paid) is not bool:
        raise BadRecordError(f"start: ante: expected true or false, got {quote_value(ante_paid)}")
    return pot, ante_paid
