"""Creates the pairing for the definition of a tournament."""

from __future__ import annotations

from mazzo.games import parse_variant
from mazzo_server.model import Definition, PairingScheme
from mazzo_server.pairing.base import Pairing
from mazzo_server.pairing.round_robin import RoundRobin
from mazzo_server.pairing.seatings import count_group_seatings
from mazzo_server.pairing.seats import Seats
from mazzo_server.pairing.swiss import Swiss
from mazzo_server.pairing.until_separated import SeparationRule, UntilSeparated

__all__ = ["count_seatings", "make_pairing"]


def make_pairing(definition: Definition) -> Pairing:
    """Return the pairing for a definition."""
    sides = len(parse_variant(definition.variant).sides)
    if definition.until_separated is not None:
        seats = Seats(
            variant=definition.variant,
            entrants=definition.entrants,
            sides=sides,
            mirror=definition.mirror,
            seed=definition.seed,
        )
        rule = SeparationRule.of(definition, sides=sides)
        return UntilSeparated(seats, rule=rule, changes=definition.changes)
    if definition.pairing is PairingScheme.SWISS:
        return Swiss(
            variant=definition.variant,
            entrants=definition.entrants,
            sides=sides,
            groups_per_table=definition.groups,
            mirror=definition.mirror,
            seed=definition.seed,
            rounds=definition.rounds,
            changes=definition.changes,
        )
    return RoundRobin(
        variant=definition.variant,
        entrants=definition.entrants,
        sides=sides,
        groups_per_table=definition.groups,
        mirror=definition.mirror,
        seed=definition.seed,
        tables=definition.tables,
        hero=definition.hero,
        changes=definition.changes,
    )


def count_seatings(definition: Definition) -> int:
    """Return the number of seatings in which each mirror group is played."""
    return count_group_seatings(definition.mirror, len(parse_variant(definition.variant).sides))
