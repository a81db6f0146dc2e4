"""What two entrants score with each other at the table, beyond what each scores elsewhere.

At table p with N entrants let r_p be the scores per deal, each less their mean. Strengths alone
explain r_p = M θ, where M takes the mean of the table from the strengths θ of those who sit there.
For a pair (a, b) two terms are added, γ_a and γ_b, which a and b have where both sit; what they
gain the others lose. Weighted least squares with the number of mirror groups as the weight finds
all of them at once, so a pair's own tables do not move the strengths with which it is compared.

    joint = (1 − 2 / N) (γ_a + γ_b)    what both have more together, at the others' cost
    lead  = γ_a − γ_b                  what a has more in a comparison with b

Both are sums Σ c_p r_p with known c_p, so that mirror groups, which are independent of each other,
give them the variance Σ c_p' C_p c_p / n_p. C_p is the covariance of the scores in the groups of
table p (see `strata`), and pooled over all tables for one that has a single group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from types import ModuleType
from typing import TYPE_CHECKING

from mazzo_server.stats.clusters import Sums, Tables

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["PairKey", "PairTerms", "TableFit", "Term"]

PairKey = tuple[int, int]
"""Two entrants, the lower number first."""

_LEAST_OWN = 1e-6  # of a pair's term, the part that strengths and other terms leave over


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """An estimate in points of the deal score."""

    value: float
    variance: float  # by the luck of the groups


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTerms:
    """What was found for one pair."""

    groups: int  # with both
    lead: Term  # of the first over the second
    joint: Term | None  # None at tables of two


class TableFit:
    """The scores of a tournament's tables, of which strengths and pair terms are estimated."""

    def __init__(self, tables: Tables) -> None:
        """Every table has as many entrants as the others, and one of them has two groups."""
        # NumPy takes a tenth of a second to import, and most commands need no audit.
        import numpy as np

        self._np = np
        played = [(table, sums) for table, sums in tables.items() if sums.groups]
        self._groups = np.array([sums.groups for _, sums in played], dtype=float)
        self._scores = np.array([_compute_scores(np, sums) for _, sums in played])
        self._covariances = self._compute_covariances([sums for _, sums in played])
        self._entrants = sorted({entrant for table, _ in played for entrant in table})
        place = {entrant: column for column, entrant in enumerate(self._entrants)}
        self._sides = self._scores.shape[1]
        self._seats = np.array([[place[entrant] for entrant in table] for table, _ in played])
        seated = np.zeros((*self._seats.shape, len(place)))
        np.put_along_axis(seated, self._seats[:, :, None], 1.0, axis=2)
        self._strengths = _drop_mean(seated)

    def estimate(
        self, apart: Sequence[PairKey] = ()
    ) -> tuple[dict[int, float], dict[PairKey, PairTerms]]:
        """Return the strength of each entrant, and the terms of each pair that met.

        The terms of the pairs `apart` are estimated along with those of every other pair, so they
        move nothing else. A pair is left out whose terms cannot be told from the rest.
        """
        basis = self._make_basis(apart)
        strengths = (basis.inverse @ self._project(basis, self._scores[:, :, None]))[:, 0]
        found = {}
        for a, b in combinations(self._entrants, 2):
            rest = [pair for pair in apart if pair != (a, b)]
            own = basis if len(rest) == len(apart) else self._make_basis(rest)
            terms = self._estimate_pair((a, b), own)
            if terms is not None:
                found[a, b] = terms
        return dict(zip(self._entrants, strengths.tolist(), strict=False)), found

    def _make_basis(self, apart: Sequence[PairKey]) -> _Basis:
        columns = self._np.concatenate(
            [self._strengths, *(self._make_columns(pair) for pair in apart)], axis=2
        )
        gram = self._np.einsum("tpa,t,tpb->ab", columns, self._groups, columns)
        # Strengths are known but for what all have in common, so a direction of it has no length.
        inverse = self._np.linalg.pinv(gram, rcond=_LEAST_OWN, hermitian=True)
        return _Basis(columns=columns, inverse=inverse)

    def _project(self, basis: _Basis, columns: Array) -> Array:
        weighted = columns * self._groups[:, None, None]
        rows = basis.columns.reshape(-1, basis.columns.shape[2])
        product: Array = rows.T @ weighted.reshape(-1, columns.shape[2])
        return product

    def _make_columns(self, pair: PairKey) -> Array:
        """Return where the terms of a pair stand: two columns, or the lead alone for two sides."""
        np = self._np
        a, b = (self._seats == self._entrants.index(entrant) for entrant in pair)
        both = a.any(axis=1) & b.any(axis=1)
        columns = np.stack([a, b], axis=2) * both[:, None, None].astype(float)
        if self._sides == 2:
            lead: Array = (columns[:, :, :1] - columns[:, :, 1:]) / 2
            return lead
        return _drop_mean(columns)

    def _estimate_pair(self, pair: PairKey, basis: _Basis) -> PairTerms | None:
        np = self._np
        columns = self._make_columns(pair)
        met = columns.any(axis=(1, 2))
        if not met.any():
            return None
        own = columns - basis.columns @ (basis.inverse @ self._project(basis, columns))
        flat = own.reshape(-1, own.shape[2])
        weighted = (own * self._groups[:, None, None]).reshape(flat.shape)
        left, whole = flat.T @ weighted, self._groups[met].sum()
        if np.linalg.eigvalsh(left)[0] < _LEAST_OWN * whole:
            return None
        weights = np.linalg.solve(left, weighted.T).reshape(-1, *self._scores.shape)
        if self._sides > 2:
            share = 1 - 2 / self._sides
            weights = np.stack([share * (weights[0] + weights[1]), weights[0] - weights[1]])
        values = np.einsum("atp,tp->a", weights, self._scores)
        variances = np.einsum("atp,tpq,atq->a", weights, self._covariances, weights)
        found = [
            Term(value=float(value), variance=float(variance))
            for value, variance in zip(values, variances, strict=True)
        ]
        joint = found[0] if self._sides > 2 else None
        return PairTerms(groups=round(whole), lead=found[-1], joint=joint)

    def _compute_covariances(self, sums: Sequence[Sums]) -> Array:
        """Return the covariance of the mean scores of each table."""
        np = self._np
        single = np.array([_compute_covariance(np, one) for one in sums])
        repeated = self._groups > 1
        # Of a table with one group nobody knows who varies with whom: all alike.
        size = single.shape[1]
        free = self._groups[repeated] - 1
        pooled = float((free * np.trace(single[repeated], axis1=1, axis2=2)).sum() / free.sum())
        single[~repeated] = pooled / (size - 1) * (np.eye(size) - 1 / size)
        covariances: Array = single / self._groups[:, None, None]
        return covariances


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What explains the scores without a pair's own terms."""

    columns: Array
    inverse: Array  # of their products, weighted by groups


def _drop_mean(columns: Array) -> Array:
    centred: Array = columns - columns.mean(axis=1, keepdims=True)
    return centred


def _compute_scores(np: ModuleType, sums: Sums) -> Array:
    """Return the scores per deal at a table, less their mean."""
    scores = np.array(sums.scores, dtype=float) / sums.deals
    centred: Array = scores - scores.mean()
    return centred


def _compute_covariance(np: ModuleType, sums: Sums) -> Array:
    """Return the covariance of the scores per deal in one group, less the mean of the table."""
    size = len(sums.scores)
    products = np.zeros((size, size))
    upper = np.triu_indices(size)
    products[upper] = sums.products
    products = products + np.triu(products, 1).T
    scores = np.array(sums.scores, dtype=float) / sums.deals
    crossed = np.outer(scores, np.array(sums.score_deals, dtype=float))
    deviations = products - crossed - crossed.T + np.outer(scores, scores) * sums.deals_squared
    centre = np.eye(size) - 1 / size
    scale = sums.groups**2 / (sums.deals**2 * max(sums.groups - 1, 1))
    covariance: Array = centre @ deviations @ centre * scale
    return covariance
