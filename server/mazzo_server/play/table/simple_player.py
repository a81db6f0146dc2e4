"""The simple player, which settles deals after a forfeit: rules of thumb, from a view to an action.

It knows what its seat may know and draws nothing at random, so a settlement follows from the
position alone. How good it is matters little, but how it plays does: a lead is worth to its side
about what it is worth among bots that think (`docs/fairness.md`, "Quitting"), and more among
players at random, who also pass declarations by. Standings depend on every rule here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mazzo.actions import Action
from mazzo.cards import Card
from mazzo.game import View
from mazzo_server.play.table.games_of_points import (
    choose_in_briscola,
    choose_in_chiamata,
    choose_in_tressette,
)
from mazzo_server.play.table.games_of_tricks import choose_in_frap, choose_in_frusta

__all__ = ["choose_action"]

_CHOICES: Mapping[str, Callable[[Any], Action | Card]] = {
    "briscola": choose_in_briscola,
    "briscola-chiamata": choose_in_chiamata,
    "frap": choose_in_frap,
    "frusta": choose_in_frusta,
    "tressette-meta-mazzo": choose_in_tressette,
    "tressette-pizzichino": choose_in_tressette,
}


def choose_action(view: View) -> Action | Card:
    """Return the action of the seat to move."""
    return _CHOICES[view.variant.game.id](view)
