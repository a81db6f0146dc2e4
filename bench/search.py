"""The sample bot that searches: whole playouts a second of a core, from an opening position.

A playout is all that one takes: a world (drawn once for all actions that are compared in it),
the way down the tree, the deal played to its end, and the way back.
"""

from __future__ import annotations

import importlib
import random
import sys
import time
from pathlib import Path

from mazzo.games import parse_variant
from mazzo.shuffle import SeededShuffles

__all__ = ["playouts_per_second"]

_BOT = Path(__file__).parents[1] / "sample_bots" / "ismcts"
_SEED = bytes(32)


def playouts_per_second(variant_text: str, *, seconds: float) -> float:
    """Of the first decision with a choice of the first deal of a seed."""
    sys.path.insert(0, str(_BOT))
    try:
        bot = importlib.import_module("bot")
    finally:
        sys.path.remove(str(_BOT))
    variant = parse_variant(variant_text)
    deal = variant.game.deal(variant, SeededShuffles(_SEED, 0), dealer=0)
    assert deal.seat is not None
    search = bot.Search(deal.view(deal.seat), random.Random(1))
    start = time.process_time()
    while (took := time.process_time() - start) < seconds:
        search.iterate()
    return float(search.playouts / took)
