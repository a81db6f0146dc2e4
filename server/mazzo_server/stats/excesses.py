"""Which pairs of entrants do not fit what the results of all others explain.

Honest bots differ in style, so no pair's terms (see `pair_terms`) are 0 in truth, however many
groups are played. A pair stands out where its term lies far from what the other pairs' terms
predict. Strengths θ and styles explain much of them: two weak entrants may lose less together than
each alone, and one entrant may live on weak opponents more than another. So the prediction is

    joint term of (a, b)    s_a θ_b + s_b θ_a + c (θ_a θ_b)²
    lead of a over b        s_a θ_b − s_b θ_a

by weighted least squares over the other pairs, with a slope s for each entrant; with fewer pairs
c θ_a θ_b and c θ_a θ_b (θ_a − θ_b), the first terms of any smooth function of two strengths that
are no sum of one for each. In both the strengths are estimated once more. What is left over has
three parts: the luck of the groups, the variance τ² of the other pairs' terms beyond luck and
prediction, and the error of the prediction. Divided by its standard error it has Student's
distribution, with the degrees of freedom that the other pairs leave: the externally studentised
residual of regression.

Several pairs may stand out, and each would widen the spread with which the others are compared. So
the farthest pair is set apart, with terms of its own, and all others are compared anew, and so on:
Rosner's procedure (Technometrics 25, 1983), with Bonferroni's correction for the comparisons that
are left. All up to the last one that is beyond its limit stand out, at most a quarter of the pairs.
A pair that stands out only behind others that do not alone is held to a tenth of the level, for
the farthest pairs are missing from the spread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING

from mazzo_server.stats.clusters import Tables
from mazzo_server.stats.pair_terms import PairKey, PairTerms, TableFit
from mazzo_server.stats.student import (
    compute_probability_above_zero,
    compute_student_quantile,
    compute_student_shift,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Excess", "PairAudit", "audit_pairs"]

LEVEL = 0.05
"""The most that is the probability that any honest pair stands out in any of the comparisons."""
POWER = 0.95

_LEAST_GROUPS = 10  # with both, fewer of which may be alike by chance
# Of the spread, from which on a prediction is made: with slopes, with one term, with none.
_LEAST_FREEDOM = (8, 5, 4)
_LATER = 4.0
_NOTHING = 1e-9  # of the largest part of a prediction, one that is none
# Of the level, for the pair that is farthest, and for those behind it: three bots are three pairs.
_SHARES = (0.7, 0.1, 0.1, 0.1)
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
    last = _SHARES[0] * LEVEL / (len(kinds) * (len(terms) - len(apart)))

    def judge(pair: PairKey, kind: bool) -> Excess:
        residual = residuals[pair][kind]
        limit = limits[apart.index(pair)] if pair in apart else last
        error = residual.compute_error()
        p_value = residual.compute_p_value(is_joint=kind)
        reach = compute_student_quantile(residual.freedom, 1 - limit / 2)
        far = compute_student_shift(residual.freedom, reach, POWER)
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
        if not rest or len(apart) >= min(standing + len(_SHARES), len(terms) // _MOST_APART):
            return apart[:standing], limits[:standing]
        p_values = {
            pair: min(residuals[pair][kind].compute_p_value(is_joint=kind) for kind in kinds)
            for pair in rest
        }
        farthest = min(rest, key=p_values.__getitem__)
        apart.append(farthest)
        share = _SHARES[len(apart) - 1 - standing]
        limits.append(share * LEVEL / (len(kinds) * len(rest)))
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
    if not pairs:
        return {}
    apart_rows = np.array([pair in apart for pair in pairs])
    found: _Residuals = {pair: {} for pair in pairs}
    for kind in kinds:
        own = [one.joint if kind else one.lead for one in terms.values()]
        value = np.array([one.value for one in own if one is not None])
        luck = np.array([one.variance for one in own if one is not None])
        main, designs = _make_designs(np, pairs, strengths, is_joint=kind)
        for index, pair in enumerate(pairs):
            residual = _judge_term(np, index, ~apart_rows, value, luck, main, designs)
            if residual is None:
                return {}
            found[pair][kind] = residual
    return found


def _make_designs(
    np: ModuleType,
    pairs: Sequence[PairKey],
    strengths: Mapping[int, float],
    *,
    is_joint: bool,
) -> tuple[Array, list[Array]]:
    """Return where strengths stand, and what predicts the terms, the most first: a row a pair."""
    scale = math.sqrt(math.fsum(one * one for one in strengths.values()) / len(strengths)) or 1.0
    a, b = (np.array([strengths[pair[side]] for pair in pairs]) / scale for side in (0, 1))
    sign = 1.0 if is_joint else -1.0
    first, second = (
        np.array([[pair[side] == entrant for entrant in strengths] for pair in pairs], dtype=float)
        for side in (0, 1)
    )
    main: Array = first + sign * second
    slopes = first * b[:, None] + sign * second * a[:, None]
    product = a * b if is_joint else a * b * (a - b)
    bend = [(a * b)[:, None] ** 2] if is_joint else []
    return main, [
        np.concatenate([main, slopes, *bend], axis=1),
        np.concatenate([main, product[:, None]], axis=1),
        main,
    ]


def _judge_term(
    np: ModuleType,
    index: int,
    rows: Array,
    value: Array,
    luck: Array,
    main: Array,
    designs: Sequence[Array],
) -> _Residual | None:
    """Compare one term with what the others in the rows say that it is; None: they are too few."""
    # Strengths followed a part of what a pair has in truth, which was made up for by estimating its
    # own terms. Here they are estimated once more, so all terms are taken as strengths left them.
    # Strengths did not follow a pair that is apart.
    inner = main[rows]
    inverse, _ = _compute_inverse(np, inner.T @ inner)
    left = 1 - np.einsum("pa,ab,pb->p", inner, inverse, inner)
    value, luck = value * 1.0, luck * 1.0
    value[rows] *= left
    luck[rows] *= left
    if not rows[index]:
        luck[index] /= 1 + float(main[index] @ inverse @ main[index])
    others = rows.copy()
    others[index] = False
    for design, least in zip(designs, _LEAST_FREEDOM, strict=True):
        known = design[others]
        plain, terms = _compute_inverse(np, known.T @ known)
        freedom = len(known) - terms
        if freedom >= least:
            break
    else:
        return None
    own = design[index]
    rest = value[others] - known @ (plain @ (known.T @ value[others]))
    spread = max(0.0, float(rest @ rest) / freedom - float(luck[others].mean()))
    weights = 1 / np.maximum(spread + luck[others], np.finfo(float).tiny)
    inverse, _ = _compute_inverse(np, known.T @ (known * weights[:, None]))
    slopes = inverse @ (known.T @ (weights * value[others]))
    return _Residual(
        value=float(value[index] - own @ slopes),
        luck=float(luck[index]),
        spread=spread,
        prediction=float(own @ inverse @ own),
        freedom=float(freedom),
    )


def _compute_inverse(np: ModuleType, products: Array) -> tuple[Array, int]:
    """Return the inverse where there is one, else 0, and how many dimensions have one."""
    sizes, directions = np.linalg.eigh(products)
    told = sizes > _NOTHING * max(sizes[-1], 0.0)
    inverse: Array = (directions[:, told] / sizes[told]) @ directions[:, told].T
    return inverse, int(told.sum())
