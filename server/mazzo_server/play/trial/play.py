"""The course of a trial.

First come matches, then odd situations. Everything follows from the trial's seed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from mazzo.game import Variant
from mazzo.shuffle import SEED_BYTES
from mazzo_server.clock import ArrivalClock, run_arrival_clock
from mazzo_server.metrics import Metrics
from mazzo_server.model import TrialReport
from mazzo_server.play.instances import SandboxedSpec
from mazzo_server.play.trial.advice import Adviser
from mazzo_server.play.trial.checks import SituationPart, cut_short
from mazzo_server.play.trial.findings import Findings
from mazzo_server.play.trial.matches import MatchPart
from mazzo_server.play.trial.session import TrialSession
from mazzo_server.play.trial.situations import Kind, Situation, find_situations

__all__ = ["play_trial"]


async def play_trial(
    spec: SandboxedSpec,
    forms: Sequence[Variant],
    *,
    seed: bytes | None = None,
    metrics: Metrics | None = None,
    on_progress: Callable[[str], None] = lambda doing: None,
    matches_seconds: float = 900.0,
    slow_share: float = 0.5,
    situations_seconds: float = 120.0,
) -> TrialReport:
    """Play the trial of a bot in these forms, and return its report.

    `on_progress` is called with a few words on what is tried next. After `matches_seconds` no match
    is begun; it is the bot's own fault if it thought for more than `slow_share` of them. Situations
    that do not fit into `situations_seconds` are left out.

    Only a bot that does not start ends the trial. Raises `IsolationError`, and returns no report,
    when the sandbox itself cannot be started or the platform fails later.
    """
    seed = seed or secrets.token_bytes(SEED_BYTES)
    findings, adviser = Findings(forms, spec), Adviser(spec)
    found = asyncio.create_task(asyncio.to_thread(_find_situations, forms, seed))
    try:
        with run_arrival_clock() as clock:
            begin = partial(_begin_session, spec, clock, metrics or Metrics(), findings)
            async with begin() as session:
                await MatchPart(
                    session,
                    findings,
                    adviser,
                    seed=seed,
                    seconds=matches_seconds,
                    slow_share=slow_share,
                    on_progress=on_progress,
                ).play()
                passed = findings.passed_forms
                if session.dead or not passed:
                    return findings.report(seed)
                wanted = [situation for situation in await found if situation.form in passed]
                await cut_short(session, findings, wanted)
            async with begin() as session:
                await SituationPart(
                    session,
                    findings,
                    adviser,
                    seconds=situations_seconds,
                    on_progress=on_progress,
                ).play(wanted)
    finally:
        found.cancel()
        await asyncio.gather(found, return_exceptions=True)
    return findings.report(seed)


@asynccontextmanager
async def _begin_session(
    spec: SandboxedSpec, clock: ArrivalClock, metrics: Metrics, findings: Findings
) -> AsyncIterator[TrialSession]:
    """Start an instance; say goodbye to it at the end of the context."""
    session = TrialSession(spec, clock, metrics)
    try:
        yield session
    finally:
        findings.keep_memory(session.spec.read_memory_peak())
        await session.close()


def _find_situations(forms: Sequence[Variant], seed: bytes) -> list[Situation]:
    """Return situations of all forms in turn, so that a slow bot is tried in each form."""
    kinds = list(Kind)
    every = [situation for form in forms for situation in find_situations(form, seed)]
    return sorted(every, key=lambda situation: kinds.index(situation.kind))
