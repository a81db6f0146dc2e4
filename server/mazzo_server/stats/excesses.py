"""Which pairs of entrants do not fit what the results of all others explain.

Honest bots differ in style, so no pair's terms (see `pair_terms`) are 0 in truth, however many
groups are played. A pair stands out where its term lies far from what the other pairs' terms
predict. Strengths θ and styles explain much of them: two weak entrants may lose less together than
each alone, and one entrant may live on weak opponents more than another. So the prediction is

    joint term of (a, b)    m + s_a θ_b + s_b θ_a + c (θ_a θ_b)²
    lead of a over b        s_a θ_b − s_b θ_a

by weighted least squares over the other pairs, with a slope s for each entrant; with fewer pairs
m + c θ_a θ_b and c θ_a θ_b (θ_a − θ_b), the first terms of any smooth function of two strengths
that are no sum of one for each. What is left over has three parts: the luck of the groups, the
variance τ² of the other pairs' terms beyond luck and prediction, and the error of the prediction.
Divided by its standard error it has Student's distribution, with the degrees of freedom that the
other pairs leave: the externally studentised residual of regression.

Several pairs may stand out, and each would widen the spread with which the others are compared. So
the farthest pair is set apart, with terms of its own, and all others are compared anew, and so on:
Rosner's procedure (Technometrics 25, 1983), with Bonferroni's correction for the comparisons that
are left. All up to the last one that is beyond its limit stand out, at most a quarter of the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING

from mazzo_server.stats.clusters import Tables
from mazzo_server.stats.pair_terms import PairKey, PairTerms, TableFit
from mazzo_server.stats.student import compute_probability_above_zero, compute_student_quantile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Excess", "PairAudit", "audit_pairs"]

LEVEL = 0.05
"""The most that is the probability that any honest pair stands out in any of the comparisons."""
POWER = 0.95

_LEAST_GROUPS = 10  # with both, fewer of which may be alike by chance
_LEAST_FREEDOM = 5  # of the spread of the other pairs
_FEW_PAIRS = 9  # from which on strengths predict something
_MORE_PAIRS = 8  # than entrants, from which on each has a slope of its own
_LATER = 4.0
_NOTHING = 1e-6  # of the largest part of a prediction, one that is none
_LOOK_ON = 3  # pairs that are set apart after the last that stood out: three bots are three pairs
_MOST_APART = 4  # times fewer than the pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """What a pair has beyond what is explained, in points a deal."""

    value: float
    error: float  # standard error: luck, how much pairs differ, and the prediction
    low: float
    high: float
    confidence: float  # of the interval: so that all of them hold with 95 %
    p_value: float  # not corrected
    found: bool  # whether it stands out
    # What would be found with a probability of 95 %: now, with four times as many groups, and with
    # any number.
    detectable: float
    detectable_later: float
    detectable_ever: float

    def reverse(self) -> Excess:
        """Return the same of the other entrant's lead."""
        return replace(self, value=-self.value, low=-self.high, high=-self.low)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAudit:
    """What was found out about a pair."""

    a: int
    b: int
    groups: int  # mirror groups with both
    joint: Excess | None  # of both together, at the others' cost; None at tables of two
    lead: Excess  # of a over b


@dataclass(frozen=True, slots=True, kw_only=True)
class _Residual:
    """How far a term of a pair lies from what the other pairs' terms predict."""

    value: float
    luck: float  # variances
    spread: float  # τ²
    prediction: float
    freedom: float

    def compute_error(self, *, more: float = 1.0) -> float:
        """Return the standard error, or what it is with so many times the groups."""
        luck = self.luck / more
        shrunk = (luck + self.spread) / ((self.luck + self.spread) or 1.0)
        return math.sqrt(luck + self.spread + self.prediction * shrunk)

    def compute_p_value(self, *, is_joint: bool) -> float:
        """Return the probability of a term as far away; of a joint term, as high."""
        error = self.compute_error()
        if is_joint and self.value <= 0:
            return 1.0
        return 2 * compute_probability_above_zero(-abs(self.value), error, self.freedom)


_Residuals = dict[PairKey, dict[bool, _Residual]]  # of the lead, and of the joint term (True)


def audit_pairs(tables: Tables) -> list[PairAudit] | None:
    """Return what there is to say of each pair that met; None where there is too little to tell."""
    played = {table: sums for table, sums in tables.items() if sums.groups}
    if not any(sums.groups > 1 for sums in played.values()):
        return None
    fit = TableFit(played)
    kinds = (False, True) if len(next(iter(played))) > 2 else (False,)
    apart, limits = _set_apart(fit, kinds)
    strengths, terms = _estimate(fit, apart)
    residuals = _compare(strengths, terms, kinds, apart)
    if not residuals:
        return None
    last = LEVEL / (len(kinds) * (len(terms) - len(apart)))

    def judge(pair: PairKey, kind: bool) -> Excess:
        residual = residuals[pair][kind]
        limit = limits[apart.index(pair)] if pair in apart else last
        error = residual.compute_error()
        p_value = residual.compute_p_value(is_joint=kind)
        reach = compute_student_quantile(residual.freedom, 1 - limit / 2)
        far = reach + compute_student_quantile(residual.freedom, POWER)
        return Excess(
            value=residual.value,
            error=error,
            low=residual.value - reach * error,
            high=residual.value + reach * error,
            confidence=1 - limit,
            p_value=p_value,
            found=pair in apart and p_value <= limit,
            detectable=far * error,
            detectable_later=far * residual.compute_error(more=_LATER),
            detectable_ever=far * residual.compute_error(more=math.inf),
        )

    return [
        PairAudit(
            a=pair[0],
            b=pair[1],
            groups=terms[pair].groups,
            joint=judge(pair, True) if True in kinds else None,
            lead=judge(pair, False),
        )
        for pair in residuals
    ]


def _estimate(
    fit: TableFit, apart: Sequence[PairKey]
) -> tuple[dict[int, float], dict[PairKey, PairTerms]]:
    """Return strengths and terms of the pairs that met often enough."""
    strengths, terms = fit.estimate(apart)
    return strengths, {
        pair: found for pair, found in terms.items() if found.groups >= _LEAST_GROUPS
    }


def _set_apart(fit: TableFit, kinds: Sequence[bool]) -> tuple[list[PairKey], list[float]]:
    """Return the pairs that stand out, the farthest first, and the limit of each."""
    apart: list[PairKey] = []
    limits: list[float] = []
    standing = beyond = 0
    while True:
        strengths, terms = _estimate(fit, apart)
        residuals = _compare(strengths, terms, kinds, apart)
        rest = [pair for pair in residuals if pair not in apart]
        if rest:
            standing = beyond
        if not rest or len(apart) >= min(standing + _LOOK_ON, len(terms) // _MOST_APART):
            return apart[:standing], limits[:standing]
        p_values = {
            pair: min(residuals[pair][kind].compute_p_value(is_joint=kind) for kind in kinds)
            for pair in rest
        }
        farthest = min(rest, key=p_values.__getitem__)
        apart.append(farthest)
        limits.append(LEVEL / (len(kinds) * len(rest)))
        if p_values[farthest] <= limits[-1]:
            beyond = len(apart)


def _compare(
    strengths: Mapping[int, float],
    terms: Mapping[PairKey, PairTerms],
    kinds: Sequence[bool],
    apart: Sequence[PairKey],
) -> _Residuals:
    """Compare the terms of each pair with those of all others that are not apart."""
    import numpy as np

    pairs = list(terms)
    reference = np.array([pair not in apart for pair in pairs])
    found: _Residuals = {pair: {} for pair in pairs}
    for kind in kinds:
        own = [one.joint if kind else one.lead for one in terms.values()]
        value = np.array([one.value for one in own if one is not None])
        luck = np.array([one.variance for one in own if one is not None])
        design = _make_design(np, pairs, strengths, number=int(reference.sum()), is_joint=kind)
        for index, pair in enumerate(pairs):
            others = reference.copy()
            others[index] = False
            if others.sum() - _count_terms(np, design[others]) < _LEAST_FREEDOM:
                return {}
            found[pair][kind] = _predict(np, index, others, value, luck, design)
    return found


def _make_design(
    np: ModuleType,
    pairs: Sequence[PairKey],
    strengths: Mapping[int, float],
    *,
    number: int,
    is_joint: bool,
) -> Array:
    """Return what predicts the terms: one row a pair."""
    scale = math.sqrt(math.fsum(one * one for one in strengths.values()) / len(strengths)) or 1.0
    a, b = (np.array([strengths[pair[side]] for pair in pairs]) / scale for side in (0, 1))
    sign = 1.0 if is_joint else -1.0
    columns = [np.ones(len(pairs))] if is_joint else []
    if number >= len(strengths) + _MORE_PAIRS:
        for entrant in strengths:
            first, second = (np.array([pair[side] == entrant for pair in pairs]) for side in (0, 1))
            columns.append(first * b + sign * second * a)
        if is_joint:
            columns.append((a * b) ** 2)
    elif number >= _FEW_PAIRS:
        columns.append(a * b if is_joint else a * b * (a - b))
    design: Array = np.stack(columns, axis=1) if columns else np.zeros((len(pairs), 0))
    return design


def _predict(
    np: ModuleType, index: int, others: Array, value: Array, luck: Array, design: Array
) -> _Residual:
    """Compare one term with what the others, by weighted least squares, say that it is."""
    rows, known = design[others], value[others]
    freedom = len(known) - _count_terms(np, rows)
    left = known - rows @ (np.linalg.pinv(rows, rcond=_NOTHING) @ known)
    spread = max(0.0, float(left @ left) / freedom - float(luck[others].mean()))
    weights = 1 / np.maximum(spread + luck[others], np.finfo(float).tiny)
    inverse = np.linalg.pinv(rows.T @ (rows * weights[:, None]), rcond=_NOTHING**2, hermitian=True)
    slopes = inverse @ (rows.T @ (weights * known))
    return _Residual(
        value=float(value[index] - design[index] @ slopes),
        luck=float(luck[index]),
        spread=spread,
        prediction=float(design[index] @ inverse @ design[index]),
        freedom=float(freedom),
    )


def _count_terms(np: ModuleType, rows: Array) -> int:
    """Return how many terms of a prediction are told apart."""
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int((sizes > _NOTHING * max(sizes, default=0.0)).sum())
