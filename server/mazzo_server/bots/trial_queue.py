"""The trials of versions: a few at a time, the others wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from mazzo_server.bots.launcher import Launcher
from mazzo_server.bots.qualification import list_forms
from mazzo_server.clock import wall_clock
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.model import TimeControl, TrialReport
from mazzo_server.play.trial import play_trial
from mazzo_server.sandbox import Sandbox
from mazzo_server.storage import Announcement, Store, TrialFailed, TrialPassed, VersionRow

__all__ = ["PlayTrial", "TrialQueue"]

PlayTrial: TypeAlias = Callable[..., Awaitable[TrialReport]]
"""`play_trial`, or what stands in for it."""

_LOG = logging.getLogger(__name__)

_MOST_TRIALS = 4  # at a time


class TrialQueue:
    """Plays the trials of a store's versions, and stores their reports."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        *,
        metrics: Metrics,
        most_trials: int = _MOST_TRIALS,
        play: PlayTrial = play_trial,
    ) -> None:
        self._store = store
        self._launcher = launcher
        self._metrics = metrics
        self._places = asyncio.Semaphore(most_trials)
        self._play = play
        self._doing: dict[tuple[str, int], str] = {}  # what is done in a trial, by its version

    def find_progress(self, bot: str, number: int) -> str:
        """Return what the trial of a version does now; "" where none is played or waits."""
        return self._doing.get((bot, number), "")

    def list_progress(self) -> list[tuple[str, int, str]]:
        """Return bot, version and what is done now of each trial, the oldest first."""
        return [(*version, doing) for version, doing in self._doing.items()]

    async def play(
        self,
        version: VersionRow,
        sandbox: Sandbox,
        *,
        seed: bytes | None = None,
        on_progress: Callable[[str], None] = lambda doing: None,
    ) -> VersionRow:
        """Play the trial of an uploaded version, and return the version with its report.

        `seed` is that of an earlier trial; for `on_progress` see `play_trial`. Raises
        `IsolationError`, and keeps the report that there was, when the platform fails.
        """
        spec = self._launcher.make_spec(version, sandbox, start_up=TimeControl().start_up)
        forms = list_forms(version.manifest)
        key = version.bot, version.number

        def note_progress(doing: str) -> None:
            self._doing[key] = doing
            on_progress(doing)

        note_progress("waits for other trials")
        try:
            async with self._places:
                note_progress("begins")
                report = await self._play(
                    spec, forms, seed=seed, metrics=self._metrics, on_progress=note_progress
                )
        finally:
            self._doing.pop(key, None)
        if not report.passed:
            _LOG.info(
                "%s version %d fails its trial",
                *(version.bot, version.number),
                extra={
                    "action": LogAction.TRIAL_FAILED,
                    "bot": version.bot,
                    "version": version.number,
                },
            )
        await asyncio.to_thread(
            self._store.set_trial,
            version.bot,
            version.number,
            trial=report,
            tried=version.content_hash,
            announcement=_announce(version, report),
        )
        return await asyncio.to_thread(self._store.version, version.bot, version.number)


def _announce(version: VersionRow, report: TrialReport) -> Announcement:
    event = TrialPassed if report.passed else TrialFailed
    told = event(bot=version.bot, version=version.number, qualified=report.qualified)
    return Announcement.of(told, time=wall_clock())
