"""Tressette in due: a Metà Mazzo, where half the pack is drawn, and a Pizzichino, with packets."""

from mazzo.games.tressette.buongiochi import RANK_ORDER, THIRDS, Declaration, TressetteView
from mazzo.games.tressette.meta_mazzo import META_MAZZO, MetaMazzoDeal, MetaMazzoView
from mazzo.games.tressette.pizzichino import PIZZICHINO, PizzichinoDeal, PizzichinoView

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
