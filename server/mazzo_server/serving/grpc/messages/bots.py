"""Bots, their versions, trials and logs as messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mazzo.v1 import bot_pb2
from mazzo_server.bots import find_active_version, list_qualified_forms
from mazzo_server.model import ProgramError, TrialFailure, TrialLimits, TrialReport
from mazzo_server.results import BotLog, LogKind
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.storage import BotRow, VersionRow

__all__ = ["encode_bot", "encode_bot_log"]

_LOG_KINDS = {
    LogKind.FORFEIT: bot_pb2.BOT_LOG_KIND_FORFEIT,
    LogKind.WITHDRAWAL: bot_pb2.BOT_LOG_KIND_WITHDRAWAL,
    LogKind.TRIAL: bot_pb2.BOT_LOG_KIND_TRIAL,
}


def encode_bot_log(log: BotLog) -> bot_pb2.BotLog:
    """Encode what went wrong with a bot, for its author."""
    message = bot_pb2.BotLog(
        kind=_LOG_KINDS[log.kind],
        tournament=log.tournament,
        version=log.version,
        group=log.group,
        seating=log.seating,
        reason=log.reason,
        log=log.log,
    )
    if log.life is not None:
        message.begin_time.CopyFrom(encode_time(log.life.begin_time))
        message.end_time.CopyFrom(encode_time(log.life.end_time))
        for group, seating in log.life.matches:
            message.open_matches.add(group=group, seating=seating)
    if log.fault is not None:
        message.seat = log.fault.seat
        message.deal = log.fault.deal
        message.decision = log.fault.decision
        message.termination = log.fault.termination
        message.owner = log.fault.owner
    return message


def encode_bot(
    row: BotRow,
    versions: Sequence[VersionRow],
    *,
    private: bool,
    connected: bool,
    brief: bool = False,
    tried: int = 0,
    find_progress: Callable[[int], str] = lambda number: "",
) -> bot_pb2.Bot:
    """Encode a bot with its versions; what its trials said only with `private`.

    A `brief` message has only the newest version and the one that enters tournaments, without
    what is long in their trials. Any other has the log of one trial: of the version `tried`, or
    (0) of the newest. `find_progress` returns what the trial of a version does now.
    """
    with_log = tried or versions[-1].number
    active = find_active_version(row, versions)
    if brief:
        versions = [version for version in versions[:-1] if version == active] + [versions[-1]]
    return bot_pb2.Bot(
        name=row.name,
        retired=row.retired,
        create_time=encode_time(row.create_time),
        owner=row.owner,
        remote=row.remote,
        connected=connected,
        chosen_version=row.chosen or 0,
        active_version=0 if active is None else active.number,
        versions=[
            _encode_version(
                row,
                version,
                _Shown(
                    reasons=private,
                    places=private and not brief,
                    log=private and not brief and version.number == with_log,
                ),
                find_progress(version.number),
            )
            for version in versions
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """How much of a trial is shown."""

    reasons: bool  # with what to mend
    places: bool  # seats, the deal records of failures, the errors, and what was written then
    log: bool


def _encode_version(
    row: BotRow, version: VersionRow, shown: _Shown, progress: str
) -> bot_pb2.BotVersion:
    manifest, trial = version.manifest, version.trial
    return bot_pb2.BotVersion(
        version=version.number,
        content_hash=version.content_hash,
        create_time=encode_time(version.create_time),
        games=manifest.games,
        command=manifest.command,
        runtime=manifest.runtime,
        capacity=manifest.capacity,
        author=manifest.author,
        licence=manifest.licence,
        description=manifest.description,
        trial=None if trial is None else _encode_trial(trial, shown),
        qualified=list_qualified_forms(row, version),
        memory_mib=manifest.memory_mib,
        processes=manifest.processes,
        disk_mib=manifest.disk_mib,
        trial_progress=progress,
    )


def _encode_trial(trial: TrialReport, shown: _Shown) -> bot_pb2.Trial:
    return bot_pb2.Trial(
        passed=trial.passed,
        start_up_seconds=trial.start_up_seconds,
        matches=[
            bot_pb2.TrialMatch(
                variant=match.variant,
                passed=match.passed,
                reason=match.reason if shown.reasons else "",
                advice=match.advice if shown.reasons else "",
                seat=match.seat if shown.places else 0,
                record=match.record if shown.places else "",
                decisions=match.decisions,
                decision_seconds=match.decision_seconds,
                longest_seconds=match.longest_seconds,
                termination=match.termination if shown.reasons else "",
                error=_encode_error(match.error, shown),
                log=match.log if shown.places else "",
            )
            for match in trial.matches
        ],
        checks=[
            bot_pb2.TrialCheck(
                name=check.name,
                tried=check.tried,
                left_out=check.left_out,
                failures=[_encode_failure(failure, shown) for failure in check.failures],
            )
            for check in trial.checks
        ],
        seed=trial.seed,
        log=trial.log if shown.log else "",
        memory_bytes=trial.memory_bytes,
        limits=None if trial.limits is None else _encode_limits(trial.limits),
    )


def _encode_limits(limits: TrialLimits) -> bot_pb2.TrialLimits:
    return bot_pb2.TrialLimits(
        start_up_seconds=limits.start_up_seconds,
        decision_seconds=limits.decision_seconds,
        memory_bytes=limits.memory_bytes,
    )


def _encode_error(error: ProgramError | None, shown: _Shown) -> bot_pb2.ProgramError | None:
    if error is None or not shown.places:
        return None
    return bot_pb2.ProgramError(
        text=error.text,
        frames=[
            bot_pb2.ErrorFrame(
                file=frame.file, line=frame.line, function=frame.function, code=frame.code
            )
            for frame in error.frames
        ],
    )


def _encode_failure(failure: TrialFailure, shown: _Shown) -> bot_pb2.TrialFailure:
    return bot_pb2.TrialFailure(
        variant=failure.variant,
        reason=failure.reason if shown.reasons else "",
        advice=failure.advice if shown.reasons else "",
        seat=failure.seat if shown.places else 0,
        record=failure.record if shown.places else "",
        termination=failure.termination if shown.reasons else "",
        error=_encode_error(failure.error, shown),
        log=failure.log if shown.places else "",
    )
