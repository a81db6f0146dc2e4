"""The first line of a tournament's file, which says what it is, and the last one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mazzo.errors import BadRecordError, quote_value
from mazzo.fields import read_int, read_list, read_object, read_text
from mazzo.version import VERSION
from mazzo_server.model import (
    KNOWN_GAMES,
    Definition,
    Entrant,
    InstanceLog,
    TournamentRequest,
    read_manifest,
)
from mazzo_server.pairing import make_pairing
from mazzo_server.results.standings import Standings
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, VersionRow
from mazzo_server.tournaments.stored.definitions import read_definition
from mazzo_server.tournaments.stored.matches import (
    read_any,
    read_log,
    read_short_text,
    read_time,
)

__all__ = ["TournamentLine", "format_standings", "make_end_line", "make_first_line", "read_end"]

_FORMAT: Final = "mazzo-tournament/1"
_END_FORMAT: Final = "mazzo-tournament-end/1"
_FORMATS = re.compile(r"mazzo-tournament/[0-9]+")
_OVER = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
# Mirror groups that may be in a schedule, which has to be listed to its end: so many, and so many
# more for each match, since those of a withdrawn entrant may have none.
_SPARE_GROUPS, _GROUPS_A_MATCH = 100_000, 20


def make_first_line(store: Store, row: TournamentRow) -> str:
    """Return the line about a tournament; `TournamentLine.from_json` takes it back."""
    versions = []
    for entrant in row.definition.entrants:
        version = store.version(entrant.bot, entrant.version)
        versions.append(
            {
                "bot": version.bot,
                "version": version.number,
                "create_time": version.create_time,
                "manifest": version.manifest.to_json(),
            }
        )
    value = {
        "format": _FORMAT,
        "mazzo": VERSION,
        "tournament": row.id,
        "status": row.status,
        "create_time": row.create_time,
        "end_time": row.end_time,
        "run_seconds": row.run_seconds,
        "concurrency": row.concurrency,
        "matches": row.matches_played,
        "definition": row.definition.to_json(),
        "versions": versions,
        "withdrawals": [
            {
                "entrant": withdrawal.entrant,
                "reason": withdrawal.reason,
                "log": withdrawal.log and asdict(withdrawal.log),
            }
            for withdrawal in store.withdrawals(row.id)
        ],
    }
    return json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalLine:
    entrant: int
    reason: str
    log: InstanceLog | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentLine:
    """The first line of a file."""

    status: TournamentStatus
    create_time: float
    end_time: float
    run_seconds: float
    concurrency: int
    matches: int
    definition: Definition
    versions: tuple[VersionRow, ...]  # by entrant
    withdrawals: tuple[WithdrawalLine, ...]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TournamentLine:
        """Return the header of a line's JSON."""
        name = value.get("format")
        if name != _FORMAT:
            newer = isinstance(name, str) and _FORMATS.fullmatch(name)
            advice = ": use a newer version of Mazzo" if newer else ""
            raise BadRecordError(
                f"format: expected {_FORMAT!r}, which `mazzo tournament export` writes, got "
                f"{quote_value(name)}{advice}"
            )
        status = read_text(value, "status")
        if status not in _OVER:
            raise BadRecordError(f"status: expected {' or '.join(_OVER)}, got {status[:40]!r}")
        definition = read_definition(value, "definition")
        entrants = definition.entrants
        versions = read_list(value, "versions", read_any, length=len(entrants))
        withdrawals = read_list(value, "withdrawals", _read_withdrawal)
        gone = [withdrawal.entrant for withdrawal in withdrawals]
        if len(set(gone)) < len(gone) or max(gone, default=0) >= len(entrants):
            raise BadRecordError(f"withdrawals: expected entrants, each once, got {gone[:40]}")
        concurrency = read_int(value, "concurrency", least=1)
        TournamentRequest.check_option("concurrency", concurrency)
        matches = read_int(value, "matches", least=0)
        pairing, most = make_pairing(definition), _SPARE_GROUPS + _GROUPS_A_MATCH * matches
        is_listed = status == TournamentStatus.FINISHED and not pairing.is_adaptive
        if is_listed and pairing.total() > most:
            raise BadRecordError(
                f"definition: expected at most {most:,} mirror groups with {matches:,} matches, "
                f"got {pairing.total():,}"
            )
        return cls(
            status=TournamentStatus(status),
            create_time=read_time(value, "create_time"),
            end_time=read_time(value, "end_time"),
            run_seconds=read_time(value, "run_seconds"),
            concurrency=concurrency,
            matches=matches,
            definition=definition,
            versions=_read_versions(versions, entrants),
            withdrawals=withdrawals,
        )


def _read_versions(values: Sequence[object], entrants: Sequence[Entrant]) -> tuple[VersionRow, ...]:
    """Return the version of each entrant; copies of a bot must have the same."""
    versions = tuple(map(_read_version, values, entrants))
    first = {version.bot: version for version in reversed(versions)}
    for version in versions:
        if version != first[version.bot]:
            raise BadRecordError(
                f"versions: expected the same version for all copies of {version.bot}, got others"
            )
    return versions


def _read_version(value: object, entrant: Entrant) -> VersionRow:
    fields = read_object(value, "versions")
    named = (read_text(fields, "bot"), read_int(fields, "version", least=1))
    if named != (entrant.bot, entrant.version):
        raise BadRecordError(
            f"versions: expected {entrant.bot} version {entrant.version}, got "
            f"{quote_value(named[0])} version {named[1]}"
        )
    manifest = read_manifest(
        read_object(fields.get("manifest"), "manifest"),
        remote=entrant.remote,
        known_games=KNOWN_GAMES,
    )
    if manifest.name != entrant.bot:
        raise BadRecordError(
            f"manifest: expected the one of {entrant.bot}, got that of {manifest.name}"
        )
    return VersionRow(
        bot=entrant.bot,
        number=entrant.version,
        content_hash=entrant.content_hash,
        manifest=manifest,
        trial=None,
        create_time=read_time(fields, "create_time"),
    )


def _read_withdrawal(record: Mapping[str, Any], key: str) -> WithdrawalLine:
    fields = read_object(record[key], key)
    return WithdrawalLine(
        entrant=read_int(fields, "entrant", least=0),
        reason=read_short_text(fields, "reason"),
        log=read_log(fields, "log"),
    )


def make_end_line(matches: int, standings: Standings) -> str:
    """Return the line after the last match."""
    format_, text = json.dumps(_END_FORMAT), format_standings(standings)
    return f'{{"format":{format_},"matches":{matches},"standings":{text}}}'


def read_end(value: Mapping[str, Any]) -> str:
    """Return the standings of the line after the last match, as `format_standings` does."""
    if value.get("format") != _END_FORMAT:
        raise BadRecordError(
            f"format: expected {_END_FORMAT!r} after the last match, got "
            f"{quote_value(value.get('format'))}"
        )
    return _encode(value.get("standings"))


def format_standings(standings: Standings) -> str:
    """Return standings as JSON, the same text for the same standings; fractions are texts."""
    return _encode(asdict(standings))


def _encode(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
