"""The course of a trial.

First come matches, then odd situations. Everything follows from the trial's seed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from functools import partial

from mazzo.game import Variant
from mazzo.shuffle import SEED_BYTES
from mazzo_server.clock import LoopMonitor
from mazzo_server.metrics import Metrics
from mazzo_server.model import TrialReport
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.play.trial.checks import SituationPart, cut_short
from mazzo_server.play.trial.findings import Findings
from mazzo_server.play.trial.matches import MatchPart
from mazzo_server.play.trial.session import TrialSession
from mazzo_server.play.trial.situations import Kind, Situation, find_situations

__all__ = ["play_trial"]


async def play_trial(
    spec: InstanceSpec,
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

    `on_progress` is called with what is tried next, in a few words. After `matches_seconds` no
    match is begun; it is the bot's own fault if it thought for more than `slow_share` of them.
    Situations for which `situations_seconds` are not enough are left out.

    A bot that does not start ends the trial, nothing else. Raises `IsolationError` when the
    sandbox itself cannot be started, or the platform fails later: there is no report then.
    """
    seed = seed or secrets.token_bytes(SEED_BYTES)
    findings = Findings(forms)
    found = asyncio.create_task(asyncio.to_thread(_find_situations, forms, seed))
    try:
        async with LoopMonitor() as monitor:
            begin = partial(TrialSession, spec, monitor, metrics or Metrics())
            session = begin()
            try:
                await MatchPart(
                    session,
                    findings,
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
            finally:
                await session.close()
            session = begin()
            try:
                part = SituationPart(
                    session, findings, seconds=situations_seconds, on_progress=on_progress
                )
                await part.play(wanted)
            finally:
                await session.close()
    finally:
        found.cancel()
        await asyncio.gather(found, return_exceptions=True)
    return findings.report(seed)


def _find_situations(forms: Sequence[Variant], seed: bytes) -> list[Situation]:
    """Return one of each form after the other, so that a slow bot is tried in all of them."""
    kinds = list(Kind)
    every = [situation for form in forms for situation in find_situations(form, seed)]
    return sorted(every, key=lambda situation: kinds.index(situation.kind))
