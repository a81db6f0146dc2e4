"""Student's t distribution."""

from __future__ import annotations

__all__ = ["student", "student_quantile"]


def student(estimate: float, error: float, freedom: float) -> float:
    """The probability that the truth is above 0: Student's t; ½ for an estimate of exactly 0."""
    if error == 0:
        return 0.5 if estimate == 0 else float(estimate > 0)
    # SciPy takes a third of a second to import, and most commands compute no interval.
    from scipy.special import stdtr

    return float(stdtr(freedom, estimate / error))


def student_quantile(freedom: float, probability: float) -> float:
    """Below which point Student's t lies with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))
