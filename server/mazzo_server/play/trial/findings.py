"""The findings of a trial so far, and its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mazzo.game import Variant
from mazzo_server.model import (
    Fault,
    TimeControl,
    TrialCheck,
    TrialFailure,
    TrialLimits,
    TrialMatch,
    TrialReport,
)
from mazzo_server.play.instances import SandboxedSpec
from mazzo_server.sandbox import MemoryPeak

__all__ = ["Findings"]


@dataclass(slots=True)
class _Check:
    tried: int = 0
    left_out: int = 0
    failures: list[TrialFailure] = field(default_factory=list)


class Findings:
    """Gathers matches, checks and failures, in the order in which they occur."""

    def __init__(self, forms: Sequence[Variant], spec: SandboxedSpec) -> None:
        """`forms` are the variants that the bot says it plays; `spec` has its limits."""
        self.forms = forms
        self._spec = spec
        self._memory = MemoryPeak()
        self.start_up_seconds = 0.0  # 0 until the bot has joined
        self._matches: list[TrialMatch] = []
        self._checks: dict[str, _Check] = {}
        self._failed: set[str] = set()  # forms
        self._log = ""

    @property
    def passed_forms(self) -> list[str]:
        """The forms whose match the bot passed."""
        return [match.variant for match in self._matches if match.passed]

    def add_match(self, match: TrialMatch) -> None:
        """Add the result of a match."""
        self._matches.append(match)

    def count(self, name: str, *, tried: int = 0, left_out: int = 0) -> None:
        """Count the situations of a kind that were tried, and those left out."""
        check = self._checks.setdefault(name, _Check())
        check.tried += tried
        check.left_out += left_out

    def add_failure(self, name: str, failure: TrialFailure, *, form: str | None = None) -> None:
        """Add a failure in a kind of situations; the bot is not qualified for that form.

        Without a form it is not qualified for any.
        """
        self._checks.setdefault(name, _Check()).failures.append(failure)
        self._failed |= {one.text for one in self.forms} if form is None else {form}

    def has_failed(self, form: str) -> bool:
        """Tell whether the bot failed in a situation of that form."""
        return form in self._failed

    def keep_log(self, log: str) -> None:
        """Keep the end of what an instance wrote; the first instance that wrote anything counts."""
        self._log = self._log or log

    def keep_fault_log(self, fault: Fault) -> None:
        """Keep what an instance wrote since the decision at which it failed."""
        if fault.log is not None:
            self.keep_log(fault.log.text)

    def keep_memory(self, peak: MemoryPeak) -> None:
        """Note how much memory an instance held at most; the most counts."""
        self._memory = max(self._memory, peak, key=lambda one: one.used_bytes)

    def report(self, seed: bytes) -> TrialReport:
        """Return the report, at the end of the trial."""
        qualified = tuple(form for form in self.passed_forms if form not in self._failed)
        is_good = len(qualified) == len(self.forms)
        return TrialReport(
            passed=is_good,
            start_up_seconds=self.start_up_seconds,
            matches=tuple(self._matches),
            checks=tuple(
                TrialCheck(
                    name=name,
                    tried=check.tried,
                    left_out=check.left_out,
                    failures=tuple(check.failures),
                )
                for name, check in self._checks.items()
            ),
            seed=seed.hex(),
            qualified=qualified,
            log="" if is_good else self._log,
            memory_bytes=self._memory.used_bytes,
            limits=TrialLimits(
                start_up_seconds=self._spec.start_up,
                decision_seconds=TimeControl().limit,
                memory_bytes=(
                    self._memory.compute_limit(self._spec.limits)
                    if self._spec.sandbox.has_limits
                    else 0
                ),
            ),
        )
