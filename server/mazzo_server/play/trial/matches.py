"""The first part of a trial: a match of two deals in every form of the bot's games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mazzo.game import Variant
from mazzo.match import Match
from mazzo.shuffle import Stream
from mazzo_server.model import Termination, TrialFailure, TrialMatch
from mazzo_server.play.trial.advice import BUSY, Adviser, advise_on
from mazzo_server.play.trial.findings import Findings
from mazzo_server.play.trial.positions import encode_position
from mazzo_server.play.trial.session import TrialSession
from mazzo_server.play.trial.situations import MATCH_FORMAT
from mazzo_server.play.trial.table import TrialTable

__all__ = ["MatchPart", "blame_death"]


class MatchPart:
    """Plays the matches, one after another."""

    def __init__(
        self,
        session: TrialSession,
        findings: Findings,
        adviser: Adviser,
        *,
        seed: bytes,
        seconds: float,
        slow_share: float,
        on_progress: Callable[[str], None],
    ) -> None:
        """Begin no match after so many `seconds`.

        It is the bot's own fault if it thought for more than `slow_share` of them.
        """
        self._session = session
        self._findings = findings
        self._adviser = adviser
        self._seed = seed
        self._seconds = seconds
        self._slow_share = slow_share
        self._on_progress = on_progress
        self._thought = 0.0  # seconds, in all matches together

    async def play(self) -> None:
        """Play them all, or until the bot does not start."""
        deadline = asyncio.get_running_loop().time() + self._seconds
        forms = self._findings.forms
        for number, form in enumerate(forms):
            if asyncio.get_running_loop().time() > deadline:
                blame = self._blame_time()
                self._findings.add_match(
                    TrialMatch(
                        variant=form.text,
                        passed=False,
                        reason=f"not begun: {blame.reason}",
                        advice=blame.advice,
                    )
                )
                continue
            self._on_progress(f"match {number + 1} of {len(forms)}: {form.text}")
            self._findings.add_match(await self._play_match(number, form, deadline))
            if self._session.dead:
                break
        self._findings.start_up_seconds = self._session.start_up_seconds

    async def _play_match(self, number: int, form: Variant, deadline: float) -> TrialMatch:
        match = Match(form, Stream(self._seed, f"trial/{form.text}/match").digest(), MATCH_FORMAT)
        table = TrialTable(match, Stream(match.seed, "trial").below(form.players))
        live = self._session.begin_match(table, number=number)
        await self._session.wait_for_end(deadline)
        self._thought += table.thought
        blame: TrialFailure | None = None
        decisions = 0
        if not live.is_over:
            self._session.drop(live)
            blame = self._blame_unfinished()
        else:
            decisions = table.outcome(group=0, seating=0, entrants=()).decisions[table.seat]
            if table.faults:
                self._findings.keep_fault_log(table.faults[0])
                blame = self._adviser.blame_fault(table.faults[0])
        told = blame or TrialFailure()
        return TrialMatch(
            variant=form.text,
            passed=blame is None,
            reason=told.reason,
            advice=told.advice,
            termination=told.termination,
            error=told.error,
            log=told.log,
            seat=table.seat,
            record=encode_position(live, table),
            decisions=decisions,
            decision_seconds=table.thought / decisions if decisions else 0.0,
            longest_seconds=table.longest,
        )

    def _blame_unfinished(self) -> TrialFailure:
        if not self._session.dead:
            return self._blame_time()
        return blame_death(self._session, self._findings, self._adviser)

    def _blame_time(self) -> TrialFailure:
        is_slow = self._thought > self._seconds * self._slow_share
        return TrialFailure(
            reason=f"the matches of the trial were not over after {self._seconds / 60:g} "
            f"minutes, in which the bot thought for {self._thought:.0f} s",
            advice=advise_on(Termination.OUT_OF_TIME) if is_slow else BUSY,
        )


def blame_death(session: TrialSession, findings: Findings, adviser: Adviser) -> TrialFailure:
    """Return what to tell the author of a bot that starts no more, and keep its log."""
    findings.keep_log(session.player.read_log().text)
    loss = session.last_loss
    assert loss is not None  # the loss that ended it
    return adviser.blame_death(session.dead, loss)
