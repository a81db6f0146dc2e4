"""The report of a trial: what a submitted bot was tried with, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["TrialCheck", "TrialFailure", "TrialMatch", "TrialReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMatch:
    """One match of a trial."""

    variant: str  # canonical text
    passed: bool  # played to its end without a fault of the bot
    reason: str = ""  # why it did not pass, for a person
    advice: str = ""  # what to mend, for a person
    seat: int = 0  # the one that the bot filled
    record: str = ""  # JSON of the deal record where the bot failed
    decisions: int = 0  # that the bot took
    decision_seconds: float = 0.0  # mean time of a decision


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFailure:
    """Where a bot failed in an odd situation, or against all variants at once."""

    variant: str = ""  # canonical text; "": every variant
    reason: str  # for a person
    advice: str  # what to mend, for a person
    seat: int = 0  # the one that the bot filled
    record: str = ""  # JSON of the deal record; "" where the bot was not asked anything


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCheck:
    """One kind of odd situations in a trial."""

    name: str  # what is odd about them, for a person
    tried: int  # situations
    left_out: int  # situations for which there was no time
    failures: tuple[TrialFailure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """The result of a trial."""

    passed: bool  # every match and every check
    start_up_seconds: float  # until the bot had joined; 0: it never did
    matches: tuple[TrialMatch, ...]  # in the order in which they were played
    checks: tuple[TrialCheck, ...]  # in the order in which they were tried
    seed: str  # 64 hex digits; the deals follow from it
    qualified: tuple[str, ...]  # the variants, without options, that the bot may enter
    log: str  # the end of what the bot wrote; "" when it passed

    def to_json(self) -> dict[str, object]:
        """Return JSON values, for `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TrialReport:
        """Return the report that `to_json` wrote; the data are the platform's own."""
        checks = (
            TrialCheck(
                **dict(check)
                | {"failures": tuple(TrialFailure(**failure) for failure in check["failures"])}
            )
            for check in data["checks"]
        )
        return cls(
            **dict(data)
            | {
                "matches": tuple(TrialMatch(**match) for match in data["matches"]),
                "checks": tuple(checks),
                "qualified": tuple(data["qualified"]),
            }
        )
