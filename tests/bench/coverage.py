"""How often the 95 % interval of a score per deal holds the truth, by simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.simulated import Field, definition, play_scores, true_score
from mazzo_server.director import schedule_of
from mazzo_server.pairing import all_groups
from mazzo_server.statistics import Sums, score_per_deal

__all__ = ["FIELDS", "Kind", "covered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of field; skills are drawn from a normal distribution, in points of the deal score."""

    name: str
    spread: float  # standard deviation of the skills
    entrants: int = 16
    groups: int = 5  # of a table


FIELDS = (Kind(name="narrow", spread=0.5), Kind(name="wide", spread=10.0))


def covered(kind: Kind, number: int) -> int:
    """Of how many entrants the interval holds the truth in tournament `number`."""
    random = np.random.default_rng(number)
    skills = tuple(float(skill) for skill in random.normal(0, kind.spread, kind.entrants))
    field = Field(skills=skills, seed=number)
    tables: dict[tuple[int, ...], Sums] = {}
    for group in all_groups(schedule_of(definition(field, groups=kind.groups))):
        scores = play_scores(field, group)
        sums = tables.setdefault(group.table, Sums(len(group.table)))
        own = [scores[entrant] for entrant in group.table]
        sums.add([cluster.score for cluster in own], deals=own[0].deals)
    found = 0
    for entrant in range(kind.entrants):
        interval = score_per_deal(tables, entrant)
        assert interval.low is not None
        assert interval.high is not None
        truth = true_score(field, entrant, [table for table in tables if entrant in table])
        found += interval.low <= truth <= interval.high
    return found
