"""The report of a trial: what a submitted bot was tried with, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

__all__ = [
    "ErrorFrame",
    "ProgramError",
    "TrialCheck",
    "TrialFailure",
    "TrialLimits",
    "TrialMatch",
    "TrialReport",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFrame:
    """A place in a bot's own files that an error passed."""

    file: str  # its path in the bot's folder
    line: int
    function: str = ""  # "": in none
    code: str = ""  # the line itself; "" where the program did not print it


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramError:
    """The error that a bot's program printed last."""

    text: str  # such as "KeyError: 'Ad'"
    frames: tuple[ErrorFrame, ...] = ()  # where it was raised comes first

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ProgramError:
        """Return the error of the data that `asdict` makes."""
        frames = tuple(ErrorFrame(**frame) for frame in data["frames"])
        return cls(text=data["text"], frames=frames)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """What a bot was tried with; all but the variant and the seat is about a failure."""

    variant: str = ""  # canonical text; "": every variant
    reason: str = ""  # for a person
    advice: str = ""  # what to mend, for a person
    seat: int = 0  # the one that the bot filled
    record: str = ""  # JSON of the deal record; "" where the bot was not asked anything
    termination: str = ""  # why, for a machine; "" where time was up
    error: ProgramError | None = None  # None: the program said nothing that can be read
    log: str = ""  # then the end of what it wrote

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the value of the data that `asdict` makes."""
        error = data.get("error")
        return cls(**dict(data) | {"error": error and ProgramError.from_json(error)})


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMatch(_Tried):
    """One match of a trial."""

    passed: bool  # played to its end without a fault of the bot
    decisions: int = 0  # that the bot took
    decision_seconds: float = 0.0  # mean time of a decision
    longest_seconds: float = 0.0  # of a decision


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFailure(_Tried):
    """Where a bot failed in an odd situation, or against all variants at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCheck:
    """One kind of odd situations in a trial."""

    name: str  # what is odd about them, for a person
    tried: int  # situations
    left_out: int  # situations for which there was no time
    failures: tuple[TrialFailure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLimits:
    """The limits that hold in a trial, and in tournaments unless they say otherwise."""

    start_up_seconds: float
    decision_seconds: float
    memory_bytes: int  # of what `TrialReport.memory_bytes` counts; 0: nothing bounds it


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
    memory_bytes: int = 0  # that an instance held at most; 0: it was not measured
    limits: TrialLimits | None = None  # None: an older Mazzo played it

    def to_json(self) -> dict[str, object]:
        """Return JSON values, for `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TrialReport:
        """Return the report that `to_json` wrote; the data are the platform's own."""
        checks = (
            TrialCheck(
                **dict(check) | {"failures": tuple(map(TrialFailure.from_json, check["failures"]))}
            )
            for check in data["checks"]
        )
        limits = data.get("limits")
        return cls(
            **dict(data)
            | {
                "matches": tuple(map(TrialMatch.from_json, data["matches"])),
                "checks": tuple(checks),
                "qualified": tuple(data["qualified"]),
                "limits": limits and TrialLimits(**limits),
            }
        )
