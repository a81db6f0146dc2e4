"""The course of a trial, and its report.

First a match of two deals in every form of the bot's games, then, to a fresh instance that has
seen nothing of these, one decision in each of many odd situations, as many at a time as the bot
wants. Everything follows from the trial's seed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mazzo.game import Variant
from mazzo.match import Match
from mazzo.shuffle import SEED_BYTES, Stream
from mazzo_server.clock import ArrivalClock, run_arrival_clock
from mazzo_server.metrics import Metrics
from mazzo_server.model.outcome import Fault, Owner, Termination
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.play.live import LiveMatch
from mazzo_server.play.trial.advice import AT_ONCE, BUSY, advice_for, advice_for_loss
from mazzo_server.play.trial.session import Session
from mazzo_server.play.trial.situations import MATCH_FORMAT, Kind, Situation, situations
from mazzo_server.play.trial.table import TrialTable

__all__ = ["play_trial"]

_MATCHES_SECONDS = 900.0  # for all matches; after that none is begun
_SLOW = 0.5  # of that, from which it is the bot's own fault
_SITUATIONS_SECONDS = 120.0  # for all of them; what is left is left out
_HASTE = 2.0  # seconds in the bank where little is left; above it bots that look at no clock
_CUT_SHORT = 8  # decisions to which the bot is not given the time to answer
_NEW_START = "a new start in the middle of matches"
_TOGETHER = "several decisions at once"


async def play_trial(
    spec: InstanceSpec,
    forms: Sequence[Variant],
    *,
    seed: bytes | None = None,
    metrics: Metrics | None = None,
    tell: Callable[[str], None] = lambda doing: None,
) -> dict[str, Any]:
    """The report as JSON values, in the shape of the message `Trial`, and what it qualifies for.

    `tell` gets what is being tried, in a few words, for whoever waits for the report.
    A bot that does not start ends it, nothing else. Raises `IsolationError` when the sandbox
    itself cannot be started, or the platform fails later: there is no report then.
    """
    seed = seed or secrets.token_bytes(SEED_BYTES)
    found = asyncio.create_task(asyncio.to_thread(_find, forms, seed))
    try:
        with run_arrival_clock() as clock:
            trial = _Trial(spec, forms, seed, clock, metrics or Metrics(), tell)
            await trial.play_matches()
            await trial.play_situations(found)
    finally:
        found.cancel()
        await asyncio.gather(found, return_exceptions=True)
    return trial.report()


def _find(forms: Sequence[Variant], seed: bytes) -> list[Situation]:
    """One of each form after the other, so that a slow bot is tried in all of them."""
    kinds = list(Kind)
    every = [situation for form in forms for situation in situations(form, seed)]
    return sorted(every, key=lambda situation: kinds.index(situation.kind))


@dataclass(slots=True)
class _Check:
    tried: int = 0
    left_out: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)


class _Trial:
    def __init__(
        self,
        spec: InstanceSpec,
        forms: Sequence[Variant],
        seed: bytes,
        clock: ArrivalClock,
        metrics: Metrics,
        tell: Callable[[str], None],
    ) -> None:
        self._spec = spec
        self._forms = forms
        self._seed = seed
        self._clock = clock
        self._metrics = metrics
        self._tell = tell
        self._matches: list[dict[str, Any]] = []
        self._checks: dict[str, _Check] = {}
        self._failed: set[str] = set()  # forms
        self._start_up = 0.0
        self._thought = 0.0  # seconds, in the matches
        self._log = ""
        self._session = self._begin()

    def _begin(self) -> Session:
        return Session(self._spec, self._clock, self._metrics)

    def report(self) -> dict[str, Any]:
        """Once all is over."""
        passed = [match["variant"] for match in self._matches if match["passed"]]
        qualified = [form for form in passed if form not in self._failed]
        is_good = len(qualified) == len(self._forms)
        return {
            "passed": is_good,
            "start_up_seconds": self._start_up,
            "matches": self._matches,
            "checks": [
                {
                    "name": name,
                    "tried": check.tried,
                    "left_out": check.left_out,
                    "failures": check.failures,
                }
                for name, check in self._checks.items()
            ],
            "seed": self._seed.hex(),
            "qualified": qualified,
            "log": "" if is_good else self._log,
        }

    # Matches

    async def play_matches(self) -> None:
        """One in each form, until the bot does not start."""
        session, deadline = self._session, _now() + _MATCHES_SECONDS
        try:
            for number, form in enumerate(self._forms):
                if _now() > deadline:
                    why = self._not_over()
                    why["reason"] = f"not begun: {why['reason']}"
                    self._matches.append(_unplayed(form) | why)
                    continue
                self._tell(f"match {number + 1} of {len(self._forms)}: {form.text}")
                self._matches.append(await self._play(session, number, form, deadline))
                if session.dead:
                    break
        except BaseException:
            await session.close()
            raise
        self._start_up = session.player.runner.starts.seconds

    async def _play(
        self, session: Session, number: int, form: Variant, deadline: float
    ) -> dict[str, Any]:
        match = Match(form, Stream(self._seed, f"trial/{form.text}/match").digest(), MATCH_FORMAT)
        table = TrialTable(match, Stream(match.seed, "trial").below(form.players))
        live = session.sit(table, number=number)
        await session.settle(deadline)
        report = _unplayed(form) | {"seat": table.seat, "record": table.position}
        self._thought += table.thought
        if not live.over:
            session.drop(live)
            return report | self._broken_off(session)
        decisions = table.outcome(group=0, seating=0, entrants=()).decisions[table.seat]
        report["decisions"] = decisions
        report["decision_seconds"] = table.thought / decisions if decisions else 0.0
        if table.faults:
            return report | self._blamed(table.faults[0])
        return report | {"passed": True}

    def _blamed(self, fault: Fault) -> dict[str, str]:
        self._log = self._log or fault.log
        return {
            "reason": f"{fault.termination}: {fault.reason}",
            "advice": advice_for(fault.termination),
        }

    def _broken_off(self, session: Session) -> dict[str, str]:
        """Why a match did not end."""
        if not session.dead:
            return self._not_over()
        self._log = self._log or session.player.log
        loss = session.player.runner.last_loss
        assert loss is not None  # which was the death of it
        return {"reason": session.dead, "advice": advice_for_loss(loss)}

    def _not_over(self) -> dict[str, str]:
        is_slow = self._thought > _MATCHES_SECONDS * _SLOW
        return {
            "reason": f"the matches of the trial were not over after {_MATCHES_SECONDS / 60:g} "
            f"minutes, in which the bot thought for {self._thought:.0f} s",
            "advice": advice_for(Termination.OUT_OF_TIME) if is_slow else BUSY,
        }

    # Situations

    async def play_situations(self, found: asyncio.Task[list[Situation]]) -> None:
        """Of the forms whose match was played well."""
        session = self._session
        try:
            passed = {match["variant"] for match in self._matches if match["passed"]}
            if session.dead or not passed:
                return
            wanted = [situation for situation in await found if situation.form in passed]
            await self._cut_short(session, wanted[:_CUT_SHORT])
        finally:
            await session.close()
        session = self._begin()
        try:
            session.announce()
            deadline = _now() + _SITUATIONS_SECONDS
            unhurried = [one for one in wanted if one.kind is not Kind.HASTE]
            self._tell(f"{len(unhurried)} odd situations")
            await self._try(session, unhurried, deadline)
            for number, situation in enumerate(wanted[len(unhurried) :], len(unhurried)):
                self._tell(f"{situation.kind}: {situation.form}")
                await self._try(session, [situation], deadline, first=number)
            self._judge(session)
        finally:
            await session.close()

    async def _cut_short(self, session: Session, wanted: Sequence[Situation]) -> None:
        """Ask, and say goodbye instead of waiting for answers: a fresh instance is asked again."""
        for number, match in enumerate(await _matches(wanted)):
            session.sit(_table(match, wanted[number]), number=len(self._forms) + number)
        await session.offered()
        self._checks[_NEW_START] = _Check(tried=len(wanted))

    async def _try(
        self,
        session: Session,
        wanted: Sequence[Situation],
        deadline: float,
        *,
        first: int = 0,
    ) -> None:
        """Ask for a decision in each; where the bot fails, nothing more of that form is asked."""
        lives: dict[LiveMatch, Situation] = {}

        def ended(live: LiveMatch) -> None:
            table, situation = live.table, lives.pop(live)
            assert isinstance(table, TrialTable)
            if not table.faults:
                return
            self._fail(
                situation.kind,
                self._blamed(table.faults[0]),
                variant=situation.variant.text,
                seat=table.seat,
                record=table.position,
            )
            self._failed.add(situation.form)
            for other in [one for one, what in lives.items() if what.form == situation.form]:
                del lives[other]
                session.drop(other)

        for number, match in enumerate(await _matches(wanted), first):
            situation = wanted[number - first]
            if situation.form in self._failed:
                continue
            check = self._checks.setdefault(situation.kind, _Check())
            if session.dead or _now() > deadline:
                check.left_out += 1
                continue
            check.tried += 1
            lives[
                session.sit(
                    _table(match, situation), number=len(self._forms) + number, on_end=ended
                )
            ] = situation
        await session.settle(deadline)
        for live, situation in list(lives.items()):
            session.drop(live)
            self._checks[situation.kind].tried -= 1
            self._checks[situation.kind].left_out += 1

    def _judge(self, session: Session) -> None:
        """What shows only in the end, and is held against every form."""
        player, every = session.player, {form.text for form in self._forms}
        if session.dead:
            self._fail(_NEW_START, self._broken_off(session))
            self._failed |= every
        if session.most_at_once > 1:
            check = self._checks.setdefault(_TOGETHER, _Check())
            check.tried = session.most_at_once
            loss = player.runner.last_loss
            if player.queue.unexplained and loss is not None and loss.owner is Owner.BOT:
                self._log = self._log or loss.log
                self._fail(
                    _TOGETHER,
                    {
                        "reason": f"{loss.termination}: {loss.reason}, with several decisions "
                        "before it, though it took each of them alone",
                        "advice": AT_ONCE,
                    },
                )
                self._failed |= every

    def _fail(
        self, name: str, why: dict[str, str], *, variant: str = "", seat: int = 0, record: str = ""
    ) -> None:
        self._checks.setdefault(name, _Check()).failures.append(
            {"variant": variant, "seat": seat, "record": record} | why
        )


def _unplayed(form: Variant) -> dict[str, Any]:
    return {
        "variant": form.text,
        "passed": False,
        "reason": "",
        "advice": "",
        "seat": 0,
        "record": "",
        "decisions": 0,
        "decision_seconds": 0.0,
    }


def _table(match: Match, situation: Situation) -> TrialTable:
    seat = match.deal.seat
    assert seat is not None
    bank = _HASTE if situation.kind is Kind.HASTE else None
    return TrialTable(match, seat, bank=bank, once=True)


async def _matches(wanted: Sequence[Situation]) -> list[Match]:
    """Their matches, made in a thread: others are played on the event loop."""
    return await asyncio.to_thread(lambda: [situation.match() for situation in wanted])


def _now() -> float:
    return asyncio.get_running_loop().time()
