"""Creates the pairing for the definition of a tournament."""

from __future__ import annotations

from mazzo_server.model import Definition, PairingScheme
from mazzo_server.pairing.base import Pairing
from mazzo_server.pairing.round_robin import RoundRobin
from mazzo_server.pairing.seats import Seats
from mazzo_server.pairing.swiss import Swiss
from mazzo_server.pairing.until_separated import SeparationRule, UntilSeparated

__all__ = ["make_pairing"]


def make_pairing(definition: Definition) -> Pairing:
    """Return the pairing for a definition."""
    sides = len(definition.sides)
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
