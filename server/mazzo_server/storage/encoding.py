"""Values to columns and back. JSON is compact with sorted keys: equal values give equal text."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from mazzo_server.errors import StoreError
from mazzo_server.model import (
    ChallengeTerms,
    Change,
    Cpu,
    DealPlay,
    Definition,
    Entrant,
    Fault,
    InstanceLimits,
    InstanceLog,
    Manifest,
    MatchOutcome,
    MatchResult,
    Mirror,
    Owner,
    PairingScheme,
    Seeding,
    Termination,
    TimeControl,
    TournamentKind,
    TournamentRequest,
    TrialReport,
)

__all__ = [
    "PlayColumns",
    "decode_definition",
    "decode_instance_log",
    "decode_json",
    "decode_manifest",
    "decode_outcome",
    "decode_request",
    "decode_trial",
    "encode_deals",
    "encode_definition",
    "encode_fault_logs",
    "encode_instance_log",
    "encode_json",
    "encode_manifest",
    "encode_match",
    "encode_match_result",
    "encode_request",
    "encode_trial",
    "report_damage",
]

_UINT32_MAX: Final = 2**32 - 1
PlayColumns: TypeAlias = tuple[bytes, bytes, bytes, str | None]
"""Actions, micros, substituted and notes of a deal."""
_Play: TypeAlias = tuple[bytes, tuple[int, ...], tuple[int, ...], tuple[tuple[int, str], ...]]
_NO_PLAY: Final[_Play] = (b"", (), (), ())

encode_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
decode_json = json.loads
# For tuples of whole numbers or of texts. Most of them are the same in many matches, and to encode
# one takes ten times as long as to find it here.
_encode_often = lru_cache(maxsize=4096)(encode_json)


@contextmanager
def report_damage(what: str) -> Iterator[None]:
    """Turn any error about damaged columns into a `StoreError` that says what was read."""
    try:
        yield
    except (ArithmeticError, KeyError, TypeError, ValueError, struct.error) as error:
        raise StoreError(f"the store is damaged: cannot read {what}: {error!r}") from error


def encode_definition(definition: Definition) -> str:
    """Return the definition as JSON, with its seed in hex."""
    return encode_json(definition.to_json())


@lru_cache(maxsize=16)
def decode_definition(text: str) -> Definition:
    """Return the definition that `encode_definition` wrote."""
    fields = decode_json(text)
    challenge = fields.get("challenge")
    return Definition(
        **fields
        | {
            "challenge": ChallengeTerms(**challenge) if challenge else None,
            "changes": tuple(_decode_change(**change) for change in fields["changes"]),
            "cpu": Cpu(fields["cpu"]),
            "entrants": tuple(Entrant(**entrant) for entrant in fields["entrants"]),
            "kind": TournamentKind(fields.get("kind", TournamentKind.TOURNAMENT)),  # the same
            "limits": InstanceLimits(**fields.get("limits", {})),  # older Mazzo had these alone
            "mirror": Mirror(fields["mirror"]),
            "pairing": PairingScheme(fields["pairing"]),
            "seeding": None if fields.get("seeding") is None else Seeding(fields["seeding"]),
            "seeds": tuple(fields.get("seeds", ())),  # older Mazzo had no brackets
            "seed": bytes.fromhex(fields["seed"]),
            "time": TimeControl(**fields["time"]),
        }
    )


def encode_request(request: TournamentRequest) -> str:
    """Return what was asked of a tournament as JSON."""
    return encode_json(asdict(request))


def decode_request(text: str) -> TournamentRequest:
    """Return the request that `encode_request` wrote."""
    fields = decode_json(text)
    return TournamentRequest(**fields | {"bots": tuple(fields["bots"])})


def _decode_change(
    entrant: int, first_group: int, joins: bool, inherited: Sequence[float] | None = None
) -> Change:
    mu_and_sigma = None if inherited is None else (inherited[0], inherited[1])
    return Change(entrant=entrant, first_group=first_group, joins=joins, inherited=mu_and_sigma)


def encode_manifest(manifest: Manifest) -> str:
    """Return the manifest as JSON."""
    return encode_json(manifest.to_json())


def decode_manifest(text: str) -> Manifest:
    """Return the manifest that `encode_manifest` wrote."""
    return Manifest.from_json(decode_json(text))


def encode_trial(report: TrialReport) -> str:
    """Return the report of a trial as JSON."""
    return encode_json(report.to_json())


def decode_trial(text: str) -> TrialReport:
    """Return the report that `encode_trial` wrote."""
    return TrialReport.from_json(decode_json(text))


def encode_match(tournament_id: int, outcome: MatchOutcome) -> dict[str, Any]:
    """Return the columns of `matches`."""
    return {
        "tournament": tournament_id,
        "mirror_group": outcome.group,
        "seating": outcome.seating,
        "entrants": _encode_often(outcome.entrants),
        "match_scores": _encode_often(tuple(map(str, outcome.match_scores))),
        "deals": encode_json(
            [
                {"dealer": deal.dealer, "forfeited": deal.forfeited, "scores": deal.scores}
                for deal in outcome.deals
            ]
        ),
        "faults": encode_json([*map(_encode_fault, outcome.faults)]) if outcome.faults else "[]",
        "late": _encode_often(outcome.late),
        "decisions": _encode_often(outcome.decisions),
        "thinking_seconds": encode_json(outcome.thinking_seconds),
        "counted": encode_json(outcome.counted) if outcome.counted else "[]",
        "attempt": outcome.attempt,
        "spoilt": outcome.spoilt,
        "end_time": outcome.end_time,
    }


def encode_match_result(
    tournament_id: int, result: MatchResult, *, bot: str, opponent: str | None
) -> dict[str, Any]:
    """Return the columns of `match_results`; without an opponent where there are several."""
    return {
        "bot": bot,
        "tournament": tournament_id,
        "end_time": result.end_time,
        "mirror_group": result.group,
        "seating": result.seating,
        "seat": result.seat,
        "opponent": opponent,
        "verdict": int(result.verdict),
        "margin": result.margin,
        "swing": result.swing,
        "late": result.late,
        "forfeited": result.forfeited,
        "spoilt": result.spoilt,
        "odd": int(result.is_odd),
    }


def encode_deals(tournament_id: int, outcome: MatchOutcome) -> list[dict[str, Any]]:
    """Return the columns of `deals`, a row for each deal of the match."""
    return [
        {
            "tournament": tournament_id,
            "mirror_group": outcome.group,
            "seating": outcome.seating,
            "number": number,
            "actions": deal.actions,
            "micros": _pack(deal.micros),
            "substituted": _pack(deal.substituted),
            "notes": encode_json(deal.notes) if deal.notes else None,
        }
        for number, deal in enumerate(outcome.deals)
    ]


def encode_fault_logs(tournament_id: int, outcome: MatchOutcome) -> list[dict[str, Any]]:
    """Return the columns of `fault_logs`, a row for each fault with a log."""
    return [
        {
            "tournament": tournament_id,
            "mirror_group": outcome.group,
            "seating": outcome.seating,
            "number": number,
            "log": encode_instance_log(fault.log),
        }
        for number, fault in enumerate(outcome.faults)
        if fault.log is not None
    ]


def encode_instance_log(log: InstanceLog) -> str:
    """Return the log as JSON: a bot may write what no column of text can hold."""
    return encode_json(asdict(log))


def decode_instance_log(text: str) -> InstanceLog:
    """Return the log that `encode_instance_log` wrote."""
    fields = decode_json(text)
    matches = tuple((group, seating) for group, seating in fields["matches"])
    return InstanceLog(**fields | {"matches": matches})


def decode_outcome(
    match: Sequence[Any],
    columns: Sequence[PlayColumns] | None,
    logs: Mapping[int, str],
) -> MatchOutcome:
    """Return the match of a row of `matches`.

    `match` has the columns in the order of the table, without the tournament. `columns` are those
    of its deals; None leaves the deals empty. `logs` has the column of `fault_logs` by index of
    the fault.
    """
    group, seating, *texts, attempt, spoilt, end_time = match
    # One JSON document is parsed in half the time of seven short ones.
    values = decode_json(f"[{','.join(texts)}]")
    entrants, scores, deals, faults, late, decisions, thinking, counted = values
    plays = [_NO_PLAY] * len(deals) if columns is None else [_play(*one) for one in columns]
    return MatchOutcome(
        group=group,
        seating=seating,
        entrants=tuple(entrants),
        match_scores=tuple(map(_decode_fraction, scores)),
        deals=tuple(
            DealPlay(
                dealer=deal["dealer"],
                actions=actions,
                scores=tuple(deal["scores"]),
                micros=micros,
                substituted=substituted,
                forfeited=deal["forfeited"],
                notes=notes,
            )
            for deal, (actions, micros, substituted, notes) in zip(deals, plays, strict=True)
        ),
        faults=tuple(
            _decode_fault(fields, logs.get(number)) for number, fields in enumerate(faults)
        ),
        late=tuple(late),
        decisions=tuple(decisions),
        thinking_seconds=tuple(thinking),
        attempt=attempt,
        spoilt=spoilt,
        end_time=end_time,
        counted=tuple(map(tuple, counted)),
    )


def _play(actions: bytes, micros: bytes, substituted: bytes, notes: str | None) -> _Play:
    pairs = () if notes is None else tuple((index, note) for index, note in decode_json(notes))
    return actions, _unpack(micros), _unpack(substituted), pairs


def _encode_fault(fault: Fault) -> dict[str, Any]:
    fields = asdict(fault)
    del fields["log"]
    return fields


def _decode_fault(fields: dict[str, Any], log: str | None) -> Fault:
    return Fault(
        **fields
        | {
            "log": None if log is None else decode_instance_log(log),
            "termination": Termination(fields["termination"]),
            "owner": Owner(fields["owner"]),
        }
    )


@lru_cache(maxsize=1024)
def _decode_fraction(text: str) -> Fraction:
    return Fraction(text)


def _pack(numbers: Sequence[int]) -> bytes:
    """Pack as unsigned 32-bit little-endian numbers; a larger number becomes the largest."""
    layout = f"<{len(numbers)}I"
    try:
        return struct.pack(layout, *numbers)
    except struct.error:
        return struct.pack(layout, *(min(number, _UINT32_MAX) for number in numbers))


def _unpack(packed: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(packed) // 4}I", packed)
