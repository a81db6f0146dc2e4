"""How often `--until-separated` puts neighbours in the wrong order, and what it saves.

Tournaments of simulated entrants: the score per deal of a mirror group is normal around what
the entrant expects at this table, with a standard deviation of 1 and, like in a card game, the
same sum at every table. The real pairing says what is played and the real statistics what comes
of it; only the luck of all groups of a tournament is drawn at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from mazzo_server.model import Entrant, Mirror
from mazzo_server.pairing.seats import Seats
from mazzo_server.pairing.until_separated import Played, SeparationRule, UntilSeparated
from mazzo_server.stats.clusters import Sums
from mazzo_server.stats.comparisons import compute_probability_better
from mazzo_server.stats.intervals import compute_mean_score

__all__ = ["TRIALS", "Found", "Trial", "flat", "flat_size", "sequential"]

_UNIT = 1000  # of a score, which is a whole number, to a standard deviation

Random = np.random.Generator
Luck = dict[tuple[int, ...], npt.NDArray[np.int64]]  # scores of each table by group and place


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A kind of field, and how it is played."""

    name: str
    entrants: int
    gap: float  # between neighbours' skills, in standard deviations: the mean
    even: bool = False  # a gap is half to one and a half of the mean; else exponential
    equal: int = 0  # of the neighbours, how many disjoint pairs are equal in truth
    sides: int = 2
    most: int = 256  # groups of a table

    @property
    def rule(self) -> SeparationRule:
        """For a confidence of 95 %."""
        return SeparationRule(
            confidence=0.95, sides=self.sides, entrants=self.entrants, most=self.most
        )

    def skills(self, random: Random) -> list[float]:
        """Of the entrants, best first; the equal pairs are any of them."""
        pairs = random.permutation(self.entrants // 2)[: self.equal]
        skills = [0.0]
        for upper in range(self.entrants - 1):
            spread = 0.5 + random.random() if self.even else random.standard_exponential()
            equal = upper % 2 == 0 and upper // 2 in pairs
            skills.append(skills[-1] - (0.0 if equal else self.gap * float(spread)))
        return skills


TRIALS = (
    Trial(name="wide", entrants=16, gap=1.5),
    Trial(name="narrow", entrants=16, gap=0.4, even=True),
    Trial(name="partly equal", entrants=16, gap=0.4, even=True, equal=4),
    Trial(name="all equal in pairs", entrants=16, gap=1.5, equal=8, most=64),
    Trial(name="wide", entrants=8, gap=1.5, most=512),
    Trial(name="narrow", entrants=8, gap=0.4, even=True, most=512),
    Trial(name="partly equal", entrants=8, gap=0.4, even=True, equal=2, most=512),
    Trial(name="partly equal", entrants=4, gap=0.4, even=True, equal=1, most=512),
    Trial(name="both equal", entrants=2, gap=0.0, equal=1, most=512),
    Trial(name="wide", entrants=8, gap=1.5, sides=3, most=128),
    Trial(name="narrow", entrants=8, gap=0.4, even=True, sides=3, most=128),
    Trial(name="partly equal", entrants=8, gap=0.4, even=True, sides=3, equal=2, most=128),
)
"""The gap between neighbours' scores per deal is about half of that between their skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of one simulated tournament; neighbours in its order."""

    groups: int
    right: int  # neighbours that were separated in the right order
    wrong: int  # in the wrong order
    split: int  # though they are equal
    doubtful: int  # not separated

    @property
    def failed(self) -> bool:
        """Whether it said something of neighbours that is not true."""
        return bool(self.wrong or self.split)


def sequential(trial: Trial, number: int) -> Found:
    """Play tournament `number` until separated; the same one every time."""
    random = np.random.default_rng([trial.entrants, trial.sides, number])
    skills = trial.skills(random)
    luck = _luck(trial, skills, random, trial.most)
    pairing = UntilSeparated(_seats(trial), rule=trial.rule)
    played = Played()
    while due := list(pairing.due(played)):
        played.looks += 1
        played.groups += len(due)
        for table, _ in due:
            played.of_table[table] += 1
        for table in {table for table, _ in due}:
            played.tables[table] = _sums(luck[table][: played.of_table[table]])
    return _judged(trial, skills, played, trial.rule.level(trial.entrants))


def flat(trial: Trial, number: int, *, groups: int) -> Found:
    """The same field in a plain round robin of so many groups a table, looked at once.

    Bonferroni's bound for it has the n ways in which one look can go wrong.
    """
    random = np.random.default_rng([trial.entrants, trial.sides, number])
    skills = trial.skills(random)
    luck = _luck(trial, skills, random, groups)
    played = Played(
        groups=groups * len(luck), tables={table: _sums(scores) for table, scores in luck.items()}
    )
    level = 1 - (1 - trial.rule.confidence) / trial.entrants
    return _judged(trial, skills, played, level)


def flat_size(
    trial: Trial, found: Sequence[Found], play: Callable[[int, int], Sequence[Found]]
) -> int:
    """The least size of the flat round robin that separates as many neighbours rightly as `found`.

    `play` has groups a table and a number of tournaments. The search sees the first 200.
    """
    tournaments = min(len(found), 200)
    right = sum(one.right for one in found[:tournaments])
    too_few, enough = 1, 2
    while enough < 4 * trial.most and sum(one.right for one in play(enough, tournaments)) < right:
        too_few, enough = enough, 2 * enough
    while enough - too_few > max(1, enough // 50):
        middle = (too_few + enough) // 2
        if sum(one.right for one in play(middle, tournaments)) < right:
            too_few = middle
        else:
            enough = middle
    return enough


def _luck(trial: Trial, skills: Sequence[float], random: Random, groups: int) -> Luck:
    found = {}
    for table in combinations(range(trial.entrants), trial.sides):
        own = np.array([skills[entrant] for entrant in table])
        noise = random.standard_normal((groups, trial.sides))
        # Less the mean, since what one wins the others lose; so scaled that each varies by 1.
        noise -= noise.mean(axis=1, keepdims=True)
        noise *= (trial.sides / (trial.sides - 1)) ** 0.5
        found[table] = np.rint((own - own.mean() + noise) * _UNIT).astype(np.int64)
    return found


def _sums(scores: npt.NDArray[np.int64]) -> Sums:
    """Those of groups of one deal each."""
    groups, places = scores.shape
    whole = scores.sum(axis=0).tolist()
    products = scores.T @ scores
    above = [int(products[a, b]) for a in range(places) for b in range(a, places)]
    return Sums.from_json(places, [groups, groups, groups, *whole, *whole, *above])


def _seats(trial: Trial) -> Seats:
    return Seats(
        variant=f"briscola/{trial.sides}",
        entrants=[
            Entrant(name=f"bot-{number:02}", version=1, content_hash="0" * 64)
            for number in range(trial.entrants)
        ],
        sides=trial.sides,
        mirror=Mirror.ROTATIONS,
        seed=bytes(32),
    )


def _judged(trial: Trial, skills: Sequence[float], played: Played, level: float) -> Found:
    def merit(entrant: int) -> float:
        mean = compute_mean_score(played.tables, entrant)
        assert mean is not None
        return mean

    counts: Counter[str] = Counter()
    for upper, lower in pairwise(sorted(range(trial.entrants), key=merit, reverse=True)):
        probability = compute_probability_better(played.tables, upper, lower)
        if probability is None or probability < level:
            counts["doubtful"] += 1
        elif skills[upper] == skills[lower]:
            counts["split"] += 1
        else:
            counts["right" if skills[upper] > skills[lower] else "wrong"] += 1
    return Found(
        groups=played.groups,
        right=counts["right"],
        wrong=counts["wrong"],
        split=counts["split"],
        doubtful=counts["doubtful"],
    )
