"""Turns a table with all its people into a tournament with one match."""

from __future__ import annotations

import secrets
from typing import Final

from mazzo.shuffle import SEED_BYTES
from mazzo_server.model import (
    Definition,
    InstanceLimits,
    Mirror,
    TimeControl,
    TournamentKind,
)
from mazzo_server.pairing import list_groups, make_pairing
from mazzo_server.tournaments.tables.table import OpenTable

__all__ = ["define_match", "list_players"]

# People think for longer than bots. Both have the same clock.
_TIME: Final = TimeControl(bank=600.0, increment=15.0, limit=180.0, start_up=60.0, grace=300.0)


def define_match(table: OpenTable, limits: InstanceLimits) -> Definition:
    """Return what is played at a table of which every seat is taken; who sits where is drawn."""
    entrants = (*table.plan.bots, *(person.entrant for person in table.people))
    return Definition(
        name=f"Table {table.id}",
        kind=TournamentKind.TABLE,
        variant=table.plan.variant.text,
        entrants=tuple(sorted(entrants, key=lambda entrant: entrant.name)),
        match_format=str(table.plan.match_format),
        mirror=Mirror.OFF,
        groups=1,
        draws=table.plan.variant.game.fair_draws,
        time=_TIME,
        isolation=table.plan.isolation,
        limits=limits,
        seed=secrets.token_bytes(SEED_BYTES),
        seed_chosen=False,
    )


def list_players(definition: Definition) -> tuple[str, ...]:
    """Return who sits where, by seat."""
    group = next(iter(list_groups(make_pairing(definition))))
    seats = group.by_seat(0, definition.sides)
    return tuple(definition.entrants[index].name for index in seats)
