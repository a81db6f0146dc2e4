"""Reads the failures of a bot and its logs, for its author.

A match's log is shown only when its cards are no longer secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from mazzo_server.model import Fault, InstanceLog, MatchOutcome, TrialReport
from mazzo_server.results.disclosure import is_group_over
from mazzo_server.storage import Store, TournamentRow, VersionRow

__all__ = ["BotLog", "LogKind", "read_logs"]


class LogKind(StrEnum):
    """The subject of a log."""

    FORFEIT = "forfeit"
    WITHDRAWAL = "withdrawal"  # from a tournament in which the bot did not start
    TRIAL = "trial"  # a trial that the bot failed


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLog:
    """A failure of a bot."""

    kind: LogKind
    version: int
    reason: str
    log: str | None  # the end of what it wrote; None until the tournament is over
    life: InstanceLog | None = None  # whose log it is; None for a trial, and where `log` is None
    tournament: int = 0  # 0: none
    # Of a forfeit:
    group: int = 0
    seating: int = 0
    fault: Fault | None = None  # without its log


def read_logs(store: Store, name: str, tournament: int = 0) -> list[BotLog]:
    """Return the failed trials of a bot, and its withdrawals and forfeits in schedule order.

    They are those of one tournament, or (0) of all. Forfeits are shown only when their mirror group
    is over: before that, the reason could reveal cards of deals that are still to be played. A log
    can be about any match that the instance played, so it is shown when the whole tournament is
    over. A withdrawal and its reason are shown at once.
    """
    rows = [store.tournament(tournament)] if tournament else store.tournaments(every_kind=True)
    known = store.bot(name)
    trials: list[BotLog] = []
    if not tournament and known is not None and not known.remote:
        trials = [log for version in store.versions(name) for log in _list_trial_logs(version)]
    return trials + [log for row in rows for log in _list_tournament_logs(store, name, row)]


def _list_trial_logs(version: VersionRow) -> Iterator[BotLog]:
    trial = version.trial
    if trial is None or trial.passed:
        return
    yield BotLog(
        kind=LogKind.TRIAL,
        version=version.number,
        reason="; ".join(_list_reasons(trial)),
        log=trial.log,
    )


def _list_reasons(trial: TrialReport) -> Iterator[str]:
    for match in trial.matches:
        if not match.passed:
            yield f"{match.variant}: {match.reason}"
    for check in trial.checks:
        for failure in check.failures:
            where = f", {failure.variant}" if failure.variant else ""
            yield f"{check.name}{where}: {failure.reason}"


def _list_tournament_logs(store: Store, name: str, row: TournamentRow) -> list[BotLog]:
    entrants = row.definition.entrants
    copies = [index for index, entrant in enumerate(entrants) if entrant.bot == name]
    if not copies:
        return []

    def forfeits(match: MatchOutcome) -> list[Fault]:
        own = (fault for fault in match.faults if match.entrants[fault.seat] in copies)
        return sorted(own, key=lambda fault: fault.seat)

    is_over = row.status.is_over
    seatings = row.definition.seatings
    stored = Counter(group for group, _ in store.finished_matches(row.id))
    groups = {match.group for match in store.outcomes(row.id, with_deals=False) if forfeits(match)}
    version = entrants[copies[0]].version
    withdrawals = [
        BotLog(
            kind=LogKind.WITHDRAWAL,
            version=version,
            reason=withdrawal.reason,
            log=_read_text(withdrawal.log) if is_over else None,
            life=withdrawal.log if is_over else None,
            tournament=row.id,
        )
        for withdrawal in store.withdrawals(row.id)
        if withdrawal.entrant in copies
    ]
    return withdrawals + [
        BotLog(
            kind=LogKind.FORFEIT,
            tournament=row.id,
            version=version,
            reason=fault.reason,
            group=match.group,
            seating=match.seating,
            fault=replace(fault, log=None),
            log=_read_text(fault.log) if is_over else None,
            life=fault.log if is_over else None,
        )
        for group in sorted(groups)
        if is_group_over(row, stored=stored[group], seatings=seatings)
        for match in store.outcomes(row.id, with_deals=is_over, group=group)
        for fault in forfeits(match)
    ]


def _read_text(log: InstanceLog | None) -> str:
    """Return what an instance wrote; "" of a pruned tournament."""
    return "" if log is None else log.text
