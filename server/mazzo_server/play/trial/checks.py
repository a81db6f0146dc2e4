"""The second part of a trial: one decision in each of many odd situations.

The session in which the bot played its matches is cut short. A fresh instance, which has seen none
of these situations, is asked; as many decisions at a time as the bot wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from mazzo.match import Match
from mazzo_server.model import Owner
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.trial.advice import AT_ONCE, Adviser
from mazzo_server.play.trial.findings import Findings
from mazzo_server.play.trial.matches import blame_death
from mazzo_server.play.trial.positions import encode_position
from mazzo_server.play.trial.session import TrialSession
from mazzo_server.play.trial.situations import Kind, Situation
from mazzo_server.play.trial.table import TrialTable

__all__ = ["SituationPart", "cut_short"]

_HASTE = 2.0  # seconds left in a scarce bank; enough for bots that look at no clock
_CUT_SHORT = 8  # decisions that are asked and then cut short
_NEW_START = "a new start in the middle of matches"
_TOGETHER = "several decisions at once"


async def cut_short(
    session: TrialSession, findings: Findings, situations: Sequence[Situation]
) -> None:
    """Ask for decisions; the caller then ends the session without an answer.

    A fresh instance is asked for the same decisions again.
    """
    wanted = situations[:_CUT_SHORT]
    for number, match in enumerate(await _bring_about(wanted), len(findings.forms)):
        session.begin_match(_make_table(match, wanted[number - len(findings.forms)]), number=number)
    await session.wait_for_decision()
    findings.count(_NEW_START, tried=len(wanted))


class SituationPart:
    """Asks the bot for decisions, and judges its answers."""

    def __init__(
        self,
        session: TrialSession,
        findings: Findings,
        adviser: Adviser,
        *,
        seconds: float,
        on_progress: Callable[[str], None],
    ) -> None:
        """Leave out what was not tried after so many `seconds`."""
        self._session = session
        self._findings = findings
        self._adviser = adviser
        self._seconds = seconds
        self._on_progress = on_progress
        self._open: dict[LiveMatch, Situation] = {}

    async def play(self, situations: Sequence[Situation]) -> None:
        """Try the situations; those with little time left come at the end, one by one."""
        self._session.announce()
        deadline = _read_no_clock() + self._seconds
        unhurried = [one for one in situations if one.kind is not Kind.HASTE]
        self._on_progress(f"{len(unhurried)} odd situations")
        await self._try(unhurried, deadline)
        for number, situation in enumerate(situations[len(unhurried) :], len(unhurried)):
            self._on_progress(f"{situation.kind}: {situation.form}")
            await self._try([situation], deadline, first=number)
        self._judge()

    async def _try(
        self, situations: Sequence[Situation], deadline: float, *, first: int = 0
    ) -> None:
        """Ask for a decision in each; when the bot fails, ask nothing more of that form."""
        offset = len(self._findings.forms) + first
        for number, match in enumerate(await _bring_about(situations)):
            situation = situations[number]
            if self._findings.has_failed(situation.form):
                continue
            if self._session.dead or _read_no_clock() > deadline:
                self._findings.count(situation.kind, left_out=1)
                continue
            self._findings.count(situation.kind, tried=1)
            live = self._session.begin_match(
                _make_table(match, situation), number=offset + number, on_end=self._on_end
            )
            self._open[live] = situation
        await self._session.wait_for_end(deadline)
        for live, situation in list(self._open.items()):
            self._session.drop(live)
            self._findings.count(situation.kind, tried=-1, left_out=1)
        self._open.clear()

    def _on_end(self, live: LiveMatch) -> None:
        table, situation = live.table, self._open.pop(live)
        assert isinstance(table, TrialTable)
        if not table.faults:
            return
        self._findings.keep_fault_log(table.faults[0])
        failure = replace(
            self._adviser.blame_fault(table.faults[0]),
            variant=situation.variant.text,
            seat=table.seat,
            record=encode_position(live, table),
        )
        self._findings.add_failure(situation.kind, failure, form=situation.form)
        for other in [one for one, what in self._open.items() if what.form == situation.form]:
            del self._open[other]
            self._session.drop(other)

    def _judge(self) -> None:
        """Add the failures that show only at the end, and count against every form."""
        session, findings = self._session, self._findings
        if session.dead:
            findings.add_failure(_NEW_START, blame_death(session, findings, self._adviser))
        if session.most_at_once > 1:
            findings.count(_TOGETHER, tried=session.most_at_once)
            loss = session.last_loss
            if session.player.queue.unexplained and loss is not None and loss.owner is Owner.BOT:
                findings.keep_log(loss.log)
                reason = (
                    f"{loss.termination}: {loss.reason}, with several decisions before it, though "
                    "it took each of them alone"
                )
                failure = self._adviser.blame_death(reason, loss)
                findings.add_failure(_TOGETHER, replace(failure, advice=AT_ONCE))


def _make_table(match: Match, situation: Situation) -> TrialTable:
    seat = match.deal.seat
    assert seat is not None
    bank = _HASTE if situation.kind is Kind.HASTE else None
    return TrialTable(match, seat, bank=bank, once=True)


async def _bring_about(situations: Sequence[Situation]) -> list[Match]:
    """Create the matches of situations, in a thread: the event loop plays other matches."""
    return await asyncio.to_thread(lambda: [situation.match() for situation in situations])


def _read_no_clock() -> float:
    return asyncio.get_running_loop().time()
