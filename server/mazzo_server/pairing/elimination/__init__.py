"""Knock-out and double elimination: brackets, and the bouts that decide who goes on."""

from mazzo_server.pairing.elimination.double_elimination import DoubleElimination
from mazzo_server.pairing.elimination.duels import DuelRule
from mazzo_server.pairing.elimination.knock_out import KnockOut
from mazzo_server.pairing.elimination.pairing import BracketScheme, Elimination, LookSums
from mazzo_server.pairing.elimination.places import rank_places
from mazzo_server.pairing.elimination.pooled_knock_out import PooledKnockOut
from mazzo_server.pairing.elimination.pools import list_pools, rank_qualified
from mazzo_server.pairing.elimination.table_knock_out import TableKnockOut

__all__ = [
    "BracketScheme",
    "DoubleElimination",
    "DuelRule",
    "Elimination",
    "KnockOut",
    "LookSums",
    "PooledKnockOut",
    "TableKnockOut",
    "list_pools",
    "rank_places",
    "rank_qualified",
]
