"""Plans a tournament without playing it: what it would play, and how long that would take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from mazzo.bot import Bot
from mazzo.game import Action, View
from mazzo.games import parse_variant
from mazzo.local import play_match
from mazzo.match import MatchFormat
from mazzo.shuffle import SEED_BYTES
from mazzo_server.model import Definition
from mazzo_server.pairing import Pairing, list_groups

__all__ = [
    "Estimate",
    "Plan",
    "Speed",
    "count_decisions_per_match",
    "estimate",
    "make_plan",
]

_ENOUGH = 10.0  # seconds of play that show a speed; in less, the start of the bots dominates
_SAMPLE = 20  # matches that are played at random, to count their decisions


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would be played; where results decide, the most that would be played."""

    groups: int
    matches: int
    deals: int | None  # None where a match has no fixed number of them
    is_adaptive: bool  # results decide what is played
    # The entrants that meet at each table, by index, with the number of groups; empty where results
    # decide.
    tables: Mapping[tuple[int, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """The speed that was measured in earlier play."""

    # Matches of finished tournaments of the variant and match format, played while they ran.
    matches: int
    seconds: float
    # Mean time of each entrant for a decision, by index; entrants without a measurement are
    # missing.
    decision_seconds: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimated time that a tournament would take."""

    seconds: float
    basis: str  # the source of the estimate, in words for people


def make_plan(definition: Definition, pairing: Pairing) -> Plan:
    """Return the plan that follows from a definition whose entrants have not changed yet."""
    assert not definition.changes
    seatings = definition.seatings
    groups = pairing.total()
    planned = MatchFormat.parse(definition.match_format).planned_deals
    return Plan(
        groups=groups,
        matches=groups * seatings,
        deals=None if planned is None else groups * seatings * planned,
        is_adaptive=pairing.is_adaptive,
        tables={} if pairing.is_adaptive else _count_tables(definition, pairing),
    )


def _count_tables(definition: Definition, pairing: Pairing) -> Mapping[tuple[int, ...], int]:
    # The first groups are those of every table; a million more of each may follow.
    first = takewhile(lambda group: group.number_at_table == 0, list_groups(pairing))
    return {group.table: definition.groups for group in first}


def estimate(definition: Definition, plan: Plan, speed: Speed) -> Estimate | None:
    """Return how long the plan would take, by measured speed; None without measurements.

    Finished tournaments of the same kind are the best source. Otherwise it multiplies the decisions
    of random matches by the entrants' time for a decision, shared among the cores.
    """
    if speed.matches and speed.seconds >= _ENOUGH:
        return Estimate(
            seconds=plan.matches * speed.seconds / speed.matches,
            basis=f"{speed.matches:,} matches of finished tournaments of {definition.variant}, "
            f"{speed.matches / speed.seconds:.0f} a second",
        )
    if len(speed.decision_seconds) < len(definition.entrants):
        return None
    cores = os.cpu_count() or 1
    decisions = count_decisions_per_match(definition) * plan.matches
    mean = sum(speed.decision_seconds.values()) / len(speed.decision_seconds)
    return Estimate(
        seconds=decisions * mean / cores,
        basis=f"{decisions:,.0f} decisions of {mean * 1000:.1f} ms, as in the bots' trials, on "
        f"{cores} cores",
    )


def count_decisions_per_match(definition: Definition) -> float:
    """Return the mean of some matches that are played at random."""
    variant = parse_variant(definition.variant)
    decisions = 0
    for number in range(_SAMPLE):
        match = play_match(
            variant,
            [_Random()] * variant.players,
            seed=number.to_bytes(SEED_BYTES),
            match_format=definition.match_format,
            draws=definition.draws,
        )
        decisions += sum(len(deal.actions) for deal in match.deals)
    return decisions / _SAMPLE


class _Random(Bot):
    def act(self, view: View) -> Action:
        return view.random.choice(view.legal)
