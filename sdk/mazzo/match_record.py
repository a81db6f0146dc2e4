"""Match records: JSON Lines that hold one whole match, for anyone to replay and check.

A header, then the deal records in order, then a last line with what came of it.
`mazzo.match_check` says whether all of it is true.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from mazzo.errors import BadRecordError, MatchFormatError, VariantError, quote_value
from mazzo.fields import read_int, read_line, read_list, read_number, read_object, read_text
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo.options import join_alternatives
from mazzo.record import DealRecord
from mazzo.shuffle import SEED_BYTES

__all__ = [
    "MATCH_END_FORMAT",
    "MATCH_FORMAT",
    "FaultRecord",
    "MatchRecord",
    "SeatRecord",
    "TimeControlRecord",
    "split_records",
]

MATCH_FORMAT = "mazzo-match/1"
MATCH_END_FORMAT = "mazzo-match-end/1"
_SCORE = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,9})?")
_MICRO = 1e6  # of a second


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """Who sat there."""

    bot: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControlRecord:
    """What everybody had to think; all in seconds."""

    bank: float  # for a deal
    increment: float  # after each decision
    limit: float  # for one decision


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRecord:
    """A seat's forfeit: where in the match it happened, and why."""

    seat: int
    termination: str  # a word such as "illegal-action"
    owner: str  # "bot", "network" or "platform"
    reason: str  # for a person
    deal: int  # from 0
    decision: int  # number of the seat's decision in the match, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """One match as it was played; everything by seat, or by deal."""

    variant: Variant
    match_format: MatchFormat
    draws: str
    seats: tuple[SeatRecord, ...]
    first_dealer: int
    time_control: TimeControlRecord
    tournament: int
    group: int  # number of the mirror group in the schedule, from 0
    seating: int  # number of the seating in the group, from 0
    attempt: int  # 0 unless it was begun before, and somebody might remember the cards
    group_seed: bytes  # which all seatings of the group share
    seed: bytes  # of this match: that of its attempt
    salt: bytes
    commitment: bytes
    deals: tuple[DealRecord, ...]
    match_scores: tuple[Fraction, ...]
    ranking: tuple[int, ...]
    faults: tuple[FaultRecord, ...]
    late: tuple[int, ...]  # by seat: decisions not taken in time
    substituted: tuple[tuple[int, ...], ...]  # by deal: indices of the substitute's actions
    micros: tuple[tuple[int, ...], ...]  # by deal: time of each action, in microseconds
    # By deal: what bots said of their actions, by index; () in a record that has none of it.
    notes: tuple[tuple[tuple[int, str], ...], ...] = ()

    @property
    def name(self) -> str:
        """The match as commands name it: tournament, group and seating."""
        return f"{self.tournament}/{self.group}/{self.seating}"

    @classmethod
    def parse(cls, lines: Iterable[str], *, first: int = 1) -> Self:
        """Return a record from its lines, of which `first` is the number of the first one.

        Raises `BadRecordError`, which names the line.
        """
        values = _Values(lines, first)
        try:
            fields = _header(values.next("a match record's header"))
            deals, end = _deals_and_end(values)
            fields |= _end(end, fields["variant"].players, len(deals))
            values.finish()
        except (BadRecordError, MatchFormatError, VariantError) as error:
            raise BadRecordError(f"line {values.line}: {error}") from error
        return cls(deals=deals, **fields)

    def lines(self) -> Iterator[str]:
        """Return the record as lines of text without their ends; `parse` takes them back."""
        yield _text(self._header())
        for deal in self.deals:
            yield _text(deal.to_json())
        yield _text(self._end())

    def _header(self) -> dict[str, Any]:
        control = self.time_control
        return {
            "format": MATCH_FORMAT,
            "variant": self.variant.text,
            "match_format": str(self.match_format),
            "draws": self.draws,
            "seats": [{"bot": seat.bot, "version": seat.version} for seat in self.seats],
            "first_dealer": self.first_dealer,
            "time_control": {
                "bank_seconds": control.bank,
                "increment_seconds": control.increment,
                "limit_seconds": control.limit,
            },
            "tournament": self.tournament,
            "group": self.group,
            "seating": self.seating,
            "attempt": self.attempt,
            "group_seed": self.group_seed.hex(),
            "seed": self.seed.hex(),
            "salt": self.salt.hex(),
            "commitment": self.commitment.hex(),
        }

    def _end(self) -> dict[str, Any]:
        end: dict[str, Any] = {
            "format": MATCH_END_FORMAT,
            "match_scores": [str(score) for score in self.match_scores],
            "ranking": self.ranking,
            "faults": [
                {
                    "seat": fault.seat,
                    "termination": fault.termination,
                    "owner": fault.owner,
                    "reason": fault.reason,
                    "deal": fault.deal,
                    "decision": fault.decision,
                }
                for fault in self.faults
            ],
            "late": self.late,
            "substituted": self.substituted,
            "decision_seconds": [[micros / _MICRO for micros in deal] for deal in self.micros],
        }
        return end | ({"notes": self.notes} if self.notes else {})


def split_records(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Return the records of a file in turn: the number of the first line, from 1, and the lines.

    A record begins with its header; whatever comes before the first one is in the first.
    Blank lines around a record are left out.
    """
    first, gathered = 1, list[str]()
    for number, line in enumerate(lines, start=1):
        if _is_header(line):
            yield from _trimmed(first, gathered)
            first, gathered = number, []
        gathered.append(line)
    yield from _trimmed(first, gathered)


def _trimmed(first: int, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    while lines and not lines[-1].strip():
        lines.pop()
    blank = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines:
        yield first + blank, lines[blank:]


def _is_header(line: str) -> bool:
    if MATCH_FORMAT not in line:
        return False
    try:
        value = read_line(line)
    except BadRecordError:
        return False
    return isinstance(value, dict) and value.get("format") == MATCH_FORMAT


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


class _Values:
    """The objects of the lines, one after the other; `line` is the number of the last one."""

    def __init__(self, lines: Iterable[str], first: int) -> None:
        self._lines = iter(lines)
        self.line = first - 1

    def next(self, expected: str) -> dict[str, Any]:
        """Return the next object."""
        self.line += 1
        line = next(self._lines, None)
        if line is None:
            raise BadRecordError(f"expected {expected}, got the end of the record")
        return read_object(read_line(line), "the line")

    def finish(self) -> None:
        """Refuse more lines."""
        if (line := next(self._lines, None)) is not None:
            self.line += 1
            raise BadRecordError(f"expected the end of the record, got {quote_value(line.strip())}")


def _header(value: Mapping[str, Any]) -> dict[str, Any]:
    if value.get("format") != MATCH_FORMAT:
        raise BadRecordError(
            f"format: expected {MATCH_FORMAT!r}, got {quote_value(value.get('format'))}"
        )
    variant = parse_variant(read_text(value, "variant"))
    modes = variant.game.draw_modes
    draws = read_text(value, "draws")
    if draws not in modes:
        raise BadRecordError(
            f"draws: expected {join_alternatives(modes)}, got {quote_value(draws)}"
        )
    match_format = MatchFormat.parse(read_text(value, "match_format"))
    match_format.check(variant)
    control = read_object(value.get("time_control"), "time_control")
    return {
        "variant": variant,
        "match_format": match_format,
        "draws": draws,
        "seats": read_list(value, "seats", _seat, length=variant.players),
        "first_dealer": read_int(value, "first_dealer", least=0),
        "time_control": TimeControlRecord(
            bank=read_number(control, "bank_seconds"),
            increment=read_number(control, "increment_seconds"),
            limit=read_number(control, "limit_seconds"),
        ),
        **{key: read_int(value, key, least=0) for key in _NUMBERS},
        **{key: _hash(value, key) for key in ("group_seed", "seed", "salt", "commitment")},
    }


_NUMBERS = ("tournament", "group", "seating", "attempt")


def _seat(value: Mapping[str, Any], key: str) -> SeatRecord:
    seat = read_object(value[key], key)
    return SeatRecord(bot=read_text(seat, "bot"), version=read_int(seat, "version", least=1))


def _hash(value: Mapping[str, Any], key: str) -> bytes:
    """32 bytes, written as seeds are."""
    text = read_text(value, key)
    if not re.fullmatch(rf"[0-9a-f]{{{2 * SEED_BYTES}}}", text):
        raise BadRecordError(
            f"{key}: expected {2 * SEED_BYTES} lower-case hexadecimal digits, "
            f"got {quote_value(text)}"
        )
    return bytes.fromhex(text)


def _deals_and_end(values: _Values) -> tuple[tuple[DealRecord, ...], dict[str, Any]]:
    deals: list[DealRecord] = []
    while True:
        value = values.next("a deal record or the match's last line")
        if value.get("format") == MATCH_END_FORMAT:
            return tuple(deals), value
        deals.append(DealRecord.from_json(value))


def _end(value: Mapping[str, Any], players: int, deals: int) -> dict[str, Any]:
    return {
        "match_scores": read_list(value, "match_scores", _score, length=players),
        "ranking": read_list(value, "ranking", read_int, length=players),
        "faults": read_list(value, "faults", _fault),
        "late": read_list(value, "late", _count, length=players),
        "substituted": read_list(value, "substituted", _indices, length=deals),
        "micros": read_list(value, "decision_seconds", _times, length=deals),
        "notes": read_list(value, "notes", _notes, length=deals) if "notes" in value else (),
    }


def _score(value: Mapping[str, Any], key: str) -> Fraction:
    text = read_text(value, key)
    try:
        score = Fraction(text) if _SCORE.fullmatch(text) else None
    except ZeroDivisionError:
        score = None
    if score is None or str(score) != text:
        raise BadRecordError(
            f'{key}: expected a number or a fraction such as "1/2" in lowest terms, '
            f"got {quote_value(text)}"
        )
    return score


def _fault(value: Mapping[str, Any], key: str) -> FaultRecord:
    fault = read_object(value[key], key)
    return FaultRecord(
        seat=read_int(fault, "seat", least=0),
        termination=read_text(fault, "termination"),
        owner=read_text(fault, "owner"),
        reason=read_text(fault, "reason"),
        deal=read_int(fault, "deal", least=0),
        decision=read_int(fault, "decision", least=1),
    )


def _count(value: Mapping[str, Any], key: str) -> int:
    return read_int(value, key, least=0)


def _indices(value: Mapping[str, Any], key: str) -> tuple[int, ...]:
    return read_list(value, key, _count)


def _notes(value: Mapping[str, Any], key: str) -> tuple[tuple[int, str], ...]:
    return read_list(value, key, _note)


def _note(value: Mapping[str, Any], key: str) -> tuple[int, str]:
    pair = value[key]
    if not isinstance(pair, list) or len(pair) != 2:
        raise BadRecordError(
            f"{key}: expected the index of an action and a text, got {quote_value(pair)}"
        )
    return read_int({key: pair[0]}, key, least=0), read_text({key: pair[1]}, key)


def _times(value: Mapping[str, Any], key: str) -> tuple[int, ...]:
    return tuple(round(seconds * _MICRO) for seconds in read_list(value, key, read_number))
