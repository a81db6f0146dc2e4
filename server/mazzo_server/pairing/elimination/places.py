"""The places of a bracket: a strict order of all entrants.

The entrant whose last round is later comes first. In the same round the final comes before the
match for the third place, and a bout of the unbeaten before one of the beaten. In the same kind of
bout the order is by place at the table, by score per deal in that bout, and by seed. Those who did
not go on from pools come last, by their place there, then by score per deal, then by seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mazzo_server.pairing.bracket import Bout, BoutStage
from mazzo_server.pairing.elimination.pools import list_pools, rank_classes

__all__ = ["rank_places"]

_LATER = (BoutStage.THIRD_PLACE, BoutStage.LOSERS)


def rank_places(rounds: Sequence[Sequence[Bout]], seeds: Sequence[int]) -> tuple[int, ...]:
    """Return all entrants, the first place first; before the end as if it were now."""
    found: dict[int, None] = {}  # ordered
    pools = list_pools(rounds, seeds)
    for bouts in reversed(rounds[1:] if pools else rounds):
        here = [(bout, entrant) for bout in bouts for entrant in bout.table if entrant not in found]

        def merit(row: tuple[Bout, int]) -> tuple[bool, int, bool, Fraction, int]:
            bout, entrant = row
            place = bout.order.index(entrant) if bout.order else 0
            score = None if bout.is_bye else bout.find_score(entrant)
            later = bout.stage in _LATER
            return later, place, score is None, -(score or Fraction(0)), seeds.index(entrant)

        found |= dict.fromkeys(entrant for _, entrant in sorted(here, key=merit))
    longest = max((len(pool.rows) for pool in pools), default=0)
    classes = rank_classes(pools, seeds, longest)
    others = [entrant for own in classes for entrant in own]
    return tuple(dict.fromkeys([*found, *others, *seeds]))
