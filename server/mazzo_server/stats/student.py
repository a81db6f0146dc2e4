"""Student's t distribution."""

from __future__ import annotations

__all__ = [
    "compute_probability_above_zero",
    "compute_student_quantile",
    "compute_student_shift",
]


def compute_probability_above_zero(estimate: float, error: float, freedom: float) -> float:
    """Return the probability by Student's t that the truth is above 0; ½ for an estimate of 0."""
    if error == 0:
        return 0.5 if estimate == 0 else float(estimate > 0)
    # SciPy takes a third of a second to import, and most commands compute no interval.
    from scipy.special import stdtr

    return float(stdtr(freedom, estimate / error))


def compute_student_quantile(freedom: float, probability: float) -> float:
    """Return the point below which Student's t lies with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def compute_student_shift(freedom: float, limit: float, power: float) -> float:
    """Return how many standard errors from 0 a truth is that is seen beyond a limit so often."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(freedom, 1 - power, limit))
