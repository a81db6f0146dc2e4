"""OpenSpiel's card games, driven from Python by random legal moves, where it is installed."""

from __future__ import annotations

import random
import time
from typing import Any

__all__ = ["GAMES", "decisions_per_second"]

GAMES = ("euchre", "hearts")


def decisions_per_second(game_name: str, *, deals: int) -> float | None:
    """Players' decisions, dealing included; None without `open_spiel`."""
    try:
        import pyspiel
    except ImportError:
        return None
    game: Any = pyspiel.load_game(game_name)
    draw = random.Random(1).random
    decisions = 0
    start = time.perf_counter()
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(draw() * len(outcomes))][0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(draw() * len(legal))])
                decisions += 1
    return decisions / (time.perf_counter() - start)
