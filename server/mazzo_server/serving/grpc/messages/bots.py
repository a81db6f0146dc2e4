"""Bots, their versions, trials and logs as messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from mazzo.v1 import bot_pb2
from mazzo_server.bots import active_version, qualified_forms
from mazzo_server.model import Manifest
from mazzo_server.results import BotLog, LogKind
from mazzo_server.serving.grpc.messages.timestamps import timestamp
from mazzo_server.storage import BotRow, VersionRow

__all__ = ["bot_log_message", "bot_message"]

_LOG_KINDS = {
    LogKind.FORFEIT: bot_pb2.BOT_LOG_KIND_FORFEIT,
    LogKind.WITHDRAWAL: bot_pb2.BOT_LOG_KIND_WITHDRAWAL,
    LogKind.TRIAL: bot_pb2.BOT_LOG_KIND_TRIAL,
}
_PRIVATE = frozenset({"log", "reason", "advice", "seat", "record"})  # of a trial
_LONG = frozenset({"log", "seat", "record"})


def bot_log_message(log: BotLog) -> bot_pb2.BotLog:
    """What went wrong, for the author."""
    message = bot_pb2.BotLog(
        kind=_LOG_KINDS[log.kind],
        tournament=log.tournament,
        version=log.version,
        group=log.group,
        seating=log.seating,
        reason=log.reason,
        log=log.log,
    )
    if log.fault is not None:
        message.seat = log.fault.seat
        message.deal = log.fault.deal
        message.decision = log.fault.decision
        message.termination = log.fault.termination
        message.owner = log.fault.owner
    return message


def bot_message(
    row: BotRow,
    versions: Sequence[VersionRow],
    *,
    private: bool,
    connected: bool,
    brief: bool = False,
    tried: int = 0,
) -> bot_pb2.Bot:
    """A bot with its versions; what its trials said only with `private`.

    A `brief` one has the newest version alone, and the one that enters tournaments, without what
    is long in their trials. Else the log is that of one trial: of the version `tried`, or (0) of
    the newest.
    """
    with_log = tried or versions[-1].number
    active = active_version(row, versions)
    if brief:
        versions = [version for version in versions[:-1] if version == active] + [versions[-1]]

    def left_out(version: VersionRow) -> frozenset[str]:
        secret = frozenset() if private else _PRIVATE
        if brief:
            return secret | _LONG
        return secret if version.number == with_log else secret | {"log"}

    return bot_pb2.Bot(
        name=row.name,
        retired=row.retired,
        create_time=timestamp(row.create_time),
        owner=row.owner,
        remote=row.remote,
        connected=connected,
        chosen_version=row.chosen or 0,
        active_version=0 if active is None else active.number,
        versions=[
            _version_message(row, version, left_out=left_out(version)) for version in versions
        ],
    )


def _version_message(
    row: BotRow, version: VersionRow, *, left_out: Collection[str]
) -> bot_pb2.BotVersion:
    manifest = Manifest.from_json(version.manifest)
    trial = version.trial
    return bot_pb2.BotVersion(
        version=version.number,
        content_hash=version.content_hash,
        create_time=timestamp(version.create_time),
        games=manifest.games,
        command=manifest.command,
        runtime=manifest.runtime if manifest.command else "",
        capacity=manifest.capacity,
        author=manifest.author,
        licence=manifest.licence,
        description=manifest.description,
        trial=None if trial is None else _trial_message(trial, left_out),
        qualified=qualified_forms(row, version),
    )


def _trial_message(trial: dict[str, Any], left_out: Collection[str]) -> bot_pb2.Trial:
    def kept(values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if name not in left_out}

    return bot_pb2.Trial(
        passed=trial["passed"],
        start_up_seconds=trial["start_up_seconds"],
        matches=[bot_pb2.TrialMatch(**kept(match)) for match in trial["matches"]],
        checks=[
            bot_pb2.TrialCheck(
                name=check["name"],
                tried=check["tried"],
                left_out=check["left_out"],
                failures=[bot_pb2.TrialFailure(**kept(failure)) for failure in check["failures"]],
            )
            for check in trial.get("checks", ())  # earlier releases had none
        ],
        seed=trial.get("seed", ""),
        log="" if "log" in left_out else trial["log"],
    )
