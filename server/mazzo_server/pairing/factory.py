"""Creates the pairing for the definition of a tournament."""

from __future__ import annotations

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Definition, PairingScheme
from mazzo_server.pairing.base import Pairing
from mazzo_server.pairing.elimination import (
    BracketScheme,
    DoubleElimination,
    DuelRule,
    Elimination,
    KnockOut,
    PooledKnockOut,
    TableKnockOut,
)
from mazzo_server.pairing.ladder import Ladder
from mazzo_server.pairing.round_robin import RoundRobin
from mazzo_server.pairing.seats import Seats
from mazzo_server.pairing.swiss import Swiss
from mazzo_server.pairing.until_separated import SeparationRule, UntilSeparated
from mazzo_server.stats import Rating

__all__ = ["make_elimination", "make_pairing"]

# Entrants. The beaten of a double elimination are matched anew in each round: 64 take a second.
_MOST_IN_KNOCK_OUT, _MOST_IN_DOUBLE_ELIMINATION = 256, 64


_MOST_POOL_BOUTS = 2016  # of 64 entrants in one pool; all of them are in the bracket


def make_pairing(definition: Definition) -> Pairing:
    """Return the pairing for a definition."""
    sides = len(definition.sides)
    if definition.pairing.has_bracket:
        return make_elimination(definition)
    if definition.pairing is PairingScheme.LADDER:
        return _make_ladder(definition)
    if definition.until_separated is not None:
        seats = _make_seats(definition)
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


def make_elimination(definition: Definition) -> Elimination:
    """Return the pairing for the definition of a knock-out or a double elimination.

    Raises `InvalidInputError` for what no bracket can be made of.
    """
    assert definition.confidence is not None
    sides, number = len(definition.sides), len(definition.entrants)
    is_double = definition.pairing is PairingScheme.DOUBLE_ELIMINATION
    most = _MOST_IN_DOUBLE_ELIMINATION if is_double else _MOST_IN_KNOCK_OUT
    if number > most:
        raise InvalidInputError(
            f"expected at most {most} bots in a {definition.pairing}, got {number}"
        )
    if sorted(definition.seeds) != list(range(number)):
        raise InvalidInputError(f"seeds: expected every bot once, got {definition.seeds}")
    if any(change.joins for change in definition.changes):
        raise InvalidInputError(f"expected nobody to join a {definition.pairing}")
    return Elimination(
        _make_seats(definition),
        scheme=_make_scheme(definition, sides),
        rule=DuelRule(confidence=definition.confidence, sides=sides, most=definition.groups),
        changes=definition.changes,
    )


def _make_scheme(definition: Definition, sides: int) -> BracketScheme:
    if definition.pairing is PairingScheme.DOUBLE_ELIMINATION:
        if definition.pools is not None:
            raise InvalidInputError("pools: expected only in a knock-out")
        if sides > 2:
            raise InvalidInputError(
                f"a double elimination is for two sides, and {definition.variant} has {sides}: "
                "choose a knock-out (--pairing knock-out)"
            )
        return DoubleElimination(definition.seeds)
    if sides == 2:
        if definition.advance not in (None, 1):
            raise InvalidInputError(
                f"advance: expected 1 of the two sides of {definition.variant}, got "
                f"{definition.advance}"
            )
        return _make_pooled(definition, sides, 1) or KnockOut(definition.seeds)
    advance = definition.advance
    if advance is None or not 0 < advance < sides:
        raise InvalidInputError(
            f"advance: expected 1 to {sides - 1} of the {sides} sides of {definition.variant}, "
            f"got {advance}"
        )
    tables = TableKnockOut(definition.seeds, sides=sides, advance=advance)
    return _make_pooled(definition, sides, advance) or tables


def _make_pooled(definition: Definition, sides: int, advance: int) -> PooledKnockOut | None:
    """Return the scheme of a knock-out after pools; None: it has none."""
    pools, qualify = definition.pools, definition.qualify
    if pools is None or qualify is None:
        return None
    number = len(definition.entrants)
    least = max(sides, qualify)
    if number < pools * least:
        raise InvalidInputError(
            f"pools: expected {least} bots or more in each of {pools} pools, got {number} bots"
        )
    if pools * qualify < sides:
        raise InvalidInputError(
            f"qualify: expected so many of each of {pools} pools that {sides} or more go on, got "
            f"{qualify}"
        )
    scheme = PooledKnockOut(
        definition.seeds, pools=pools, qualify=qualify, sides=sides, advance=advance
    )
    if scheme.pool_bouts > _MOST_POOL_BOUTS:
        raise InvalidInputError(
            f"pools: expected at most {_MOST_POOL_BOUTS} tables in all pools, got "
            f"{scheme.pool_bouts}: make more pools"
        )
    return scheme


def _make_ladder(definition: Definition) -> Ladder:
    """Return the pairing for the definition of a season of a ladder."""
    assert definition.confidence is not None
    inherited: dict[int, Rating] = {}
    for change in definition.changes:
        if change.inherited is not None:
            mu, sigma = change.inherited
            inherited.setdefault(change.entrant, Rating(mu=mu, sigma=sigma))
    return Ladder(
        _make_seats(definition, least=0),
        entrants=definition.entrants,
        sides=len(definition.sides),
        most_groups=definition.groups,
        confidence=definition.confidence,
        draw_probability=definition.draw_probability,
        inherited=inherited,
        changes=definition.changes,
    )


def _make_seats(definition: Definition, *, least: int | None = None) -> Seats:
    return Seats(
        variant=definition.variant,
        entrants=definition.entrants,
        sides=len(definition.sides),
        mirror=definition.mirror,
        seed=definition.seed,
        least=least,
    )
