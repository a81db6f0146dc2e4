"""The rules engine in process: random legal play through the public contract."""

from __future__ import annotations

import random
import time

from mazzo.cards import nth_bit
from mazzo.codec import decode_view, encode_view
from mazzo.game import Deal
from mazzo.games import parse_variant
from mazzo.shuffle import SeededShuffles
from mazzo.v1 import view_pb2

__all__ = ["decisions_per_second", "view_microseconds"]

_SEED = bytes(32)


def decisions_per_second(variant_text: str, *, deals: int) -> float:
    """Deals from a seed, played out at random; shuffling and dealing are in the figure."""
    variant = parse_variant(variant_text)
    draws = variant.game.draw_modes[-1]
    draw = random.Random(1).random
    decisions = 0
    start = time.perf_counter()
    for number in range(deals):
        deal = variant.game.deal(
            variant, SeededShuffles(_SEED, number), dealer=number % variant.players, draws=draws
        )
        while legal := deal.legal:
            deal.apply(nth_bit(legal, int(draw() * legal.bit_count())))
        decisions += len(deal.actions)
    return decisions / (time.perf_counter() - start)


def view_microseconds(variant_text: str, *, deals: int) -> tuple[float, float]:
    """Mean time to make a view and its wire bytes, and to read them back, at every decision."""
    positions = _positions(variant_text, deals)
    start = time.perf_counter()
    data = [encode_view(deal.view(deal.seat or 0)).SerializeToString() for deal in positions]
    made = time.perf_counter()
    for message in data:
        decode_view(view_pb2.View.FromString(message))
    end = time.perf_counter()
    return (made - start) / len(data) * 1e6, (end - made) / len(data) * 1e6


def _positions(variant_text: str, deals: int) -> list[Deal]:
    variant = parse_variant(variant_text)
    draw = random.Random(2).random
    positions = []
    for number in range(deals):
        deal = variant.game.deal(variant, SeededShuffles(_SEED, number), dealer=0)
        while legal := deal.legal:
            positions.append(deal.copy())
            deal.apply(nth_bit(legal, int(draw() * legal.bit_count())))
    return positions
