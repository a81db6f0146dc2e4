"""One match in a tournament's file: its record, and what no record has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import inf
from typing import Any, Final

from mazzo.errors import BadRecordError, quote_value
from mazzo.fields import read_int, read_list, read_number, read_object, read_text
from mazzo.match import Match
from mazzo.match_check import verify
from mazzo.match_record import FaultRecord, MatchRecord
from mazzo_server.clock import wall_clock
from mazzo_server.model import (
    MOST,
    InstanceLog,
    MatchOutcome,
    Owner,
    Termination,
    TimeControl,
)
from mazzo_server.pairing import Group
from mazzo_server.play import Table
from mazzo_server.results import Disclosure, begin_match, make_record

__all__ = ["MatchLine", "make_match_line", "read_any", "read_log", "read_time"]

_PATIENT: Final = TimeControl(bank=inf, increment=0.0, limit=inf)
_MICRO = 1e6  # of a second
_DAY = 86_400.0  # seconds
_LONGEST_LOG, _LONGEST_TEXT = 2**20, 10_000  # characters
_LONGEST_DECISION = 7 * _DAY * 1e6  # microseconds
_MOST_TIMES = 1_000_000  # that a match may have begun, or been spoilt
_ROUNDING = 1e-6  # seconds that a decision's time may differ from the one in the record


def make_match_line(disclosure: Disclosure, group: Group, outcome: MatchOutcome) -> str:
    """Return a stored match as a line; `MatchLine.from_json` takes it back."""
    record = make_record(disclosure, group, outcome, disclosure.everybody)
    rest = {
        "end_time": outcome.end_time,
        "spoilt": outcome.spoilt,
        "thinking_seconds": outcome.thinking_seconds,
        "logs": [fault.log and asdict(fault.log) for fault in outcome.faults],
    }
    lines = ",".join(record.lines())
    return f'{{"record":[{lines}],{json.dumps(rest, separators=(",", ":"))[1:]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLine:
    """A match as a file says that it was."""

    record: MatchRecord
    end_time: float  # Unix seconds
    spoilt: int  # times that the platform had ended it before
    thinking_seconds: tuple[float, ...]  # by seat
    logs: tuple[InstanceLog | None, ...]  # by fault

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> MatchLine:
        """Return the match of a line's JSON; raise `BadRecordError` for another one."""
        parts = read_list(value, "record", read_any)
        record = MatchRecord.parse([json.dumps(part) for part in parts])
        return cls(
            record=record,
            end_time=read_time(value, "end_time"),
            spoilt=_check_times("spoilt", read_int(value, "spoilt", least=0)),
            thinking_seconds=read_list(
                value, "thinking_seconds", read_number, length=record.variant.players
            ),
            logs=read_list(value, "logs", read_log, length=len(record.faults)),
        )

    def check(self, disclosure: Disclosure, group: Group) -> MatchOutcome:
        """Return the outcome that a store keeps, once it is proven.

        The match is played again at a table of the game master, from the seed that the schedule of
        the tournament gives this group, with the actions, late decisions and forfeits of the
        record; the record of that play must be this one. So all is checked that follows from them:
        the seats, the cards, every action, those of the substitute, scores, ranking, and what
        counts after a forfeit. What nothing proves is taken as it is: who decided, when and how
        long, why it forfeited, and what was said. Raises `BadRecordError`.
        """
        record = self.record
        seats = group.by_seat(record.seating, disclosure.definition.sides)
        match = begin_match(disclosure, group, record.attempt)
        _check_schedule(record, disclosure, group, match)
        verification = verify(record)
        if not verification.ok:
            raise BadRecordError(verification.wrong)
        played = _play_again(match, record).outcome(
            group=group.number, seating=record.seating, entrants=seats
        )
        self._check_seconds(played.thinking_seconds)
        outcome = replace(
            played,
            attempt=record.attempt,
            deals=tuple(
                deal._replace(notes=record.notes[number] if record.notes else ())
                for number, deal in enumerate(played.deals)
            ),
            faults=tuple(
                replace(fault, log=log) for fault, log in zip(played.faults, self.logs, strict=True)
            ),
            thinking_seconds=self.thinking_seconds,
            end_time=self.end_time,
            spoilt=self.spoilt,
        )
        true = make_record(disclosure, group, outcome, disclosure.everybody)
        _compare(replace(record, tournament=true.tournament), true)  # its number in that store
        return outcome

    def _check_seconds(self, played: Sequence[float]) -> None:
        """Check the sums of times; who forfeits may have thought longer than the record tells."""
        longest = max((micros for deal in self.record.micros for micros in deal), default=0)
        if longest > _LONGEST_DECISION:
            raise BadRecordError(
                f"decision_seconds: expected a week at most, got {longest / _MICRO:g}"
            )
        rounding = _ROUNDING * (1 + sum(map(len, self.record.micros)))
        open_ended = {fault.seat for fault in self.record.faults}
        for seat, (claimed, true) in enumerate(zip(self.thinking_seconds, played, strict=True)):
            is_longer = claimed > true + rounding and seat not in open_ended
            if claimed < true - rounding or is_longer:
                raise BadRecordError(
                    f"thinking_seconds of seat {seat}: expected {true:g}, the sum of its "
                    f"decisions, got {claimed:g}"
                )


def _check_times(name: str, times: int) -> int:
    if times > _MOST_TIMES:
        raise BadRecordError(f"{name}: expected at most {_MOST_TIMES:,}, got {quote_value(times)}")
    return times


def _check_schedule(
    record: MatchRecord, disclosure: Disclosure, group: Group, match: Match
) -> None:
    """Check that it is this match which the tournament schedules, whatever came of it."""
    entrants = disclosure.definition.entrants
    seats = [
        entrants[index] for index in group.by_seat(record.seating, disclosure.definition.sides)
    ]
    bots = [f"{entrant.name} {entrant.version}" for entrant in seats]
    for name, claimed, true in (
        ("variant", record.variant.text, match.variant.text),
        ("match_format", str(record.match_format), str(match.format)),
        ("draws", record.draws, match.draws),
        ("seats", [f"{seat.bot} {seat.version}" for seat in record.seats], bots),
        ("group_seed", record.group_seed.hex(), group.seed.hex()),
    ):
        if claimed != true:
            raise BadRecordError(
                f"{name}: expected {quote_value(true)} as the tournament has it, got "
                f"{quote_value(claimed)}"
            )
    _check_times("attempt", record.attempt)
    if any(len(fault.reason) > _LONGEST_TEXT for fault in record.faults):
        raise BadRecordError(f"reason: expected at most {_LONGEST_TEXT:,} characters, got more")
    # Each attempt has other cards: a forger could pick the attempt whose cards suit a bot.
    if record.attempt and not any(entrant.remote for entrant in seats):
        raise BadRecordError(
            f"attempt: expected 0, for no bot at the table is remote, got {record.attempt}"
        )


def _compare(claimed: MatchRecord, true: MatchRecord) -> None:
    for field in fields(MatchRecord):
        got, expected = getattr(claimed, field.name), getattr(true, field.name)
        if got != expected:
            raise BadRecordError(
                f"{field.name}: expected {quote_value(expected)}, got {quote_value(got)}"
            )


def _play_again(match: Match, record: MatchRecord) -> Table:
    """Return the table at which a verified record was played again, to its end."""
    table = Table(match, _PATIENT)
    codes = {action.code: action for action in record.variant.game.actions}
    faults = {(fault.seat, fault.deal, fault.decision): fault for fault in record.faults}
    late = [0] * record.variant.players
    table.start()
    while (asked := table.asked) is not None:
        number, index = match.deal_number, len(asked.deal.actions)
        fault = faults.pop((asked.seat, number, asked.number), None)
        if fault is not None:
            _forfeit(table, fault, is_late=record.late[asked.seat] > late[asked.seat])
        elif index in record.substituted[number]:
            late[asked.seat] += 1
            table.expire(record.micros[number][index] / _MICRO)
        else:
            action = codes[record.deals[number].actions[index]]
            table.answer(action, record.micros[number][index] / _MICRO)
        if len(table.faults) + len(faults) != len(record.faults):
            raise BadRecordError(
                f"late decisions of seat {asked.seat}: a forfeit follows from the third one, and "
                "from none before"
            )
    return table


def _forfeit(table: Table, fault: FaultRecord, *, is_late: bool) -> None:
    owner = Owner(fault.owner)
    termination = _find_termination(fault.termination)
    if termination is Termination.OUT_OF_TIME and is_late:
        table.expire(0.0, owner=owner)  # one late decision too many
    else:
        table.lose(termination, owner, fault.reason)


def _find_termination(text: str) -> Termination:
    if text not in list(Termination):
        raise BadRecordError(
            f"termination: expected {', '.join(Termination)}, got {quote_value(text)}"
        )
    return Termination(text)


def read_any(record: Mapping[str, Any], key: str) -> object:
    """Return the value of a key, whatever it is."""
    return record[key]


def read_time(record: Mapping[str, Any], key: str) -> float:
    """Return the Unix seconds of a key; raise `BadRecordError` for a time to come."""
    seconds, latest = read_number(record, key), wall_clock() + _DAY
    if seconds > latest:
        raise BadRecordError(f"{key}: expected no time to come, got {seconds:g}")
    return seconds


def read_short_text(record: Mapping[str, Any], key: str, *, longest: int = _LONGEST_TEXT) -> str:
    """Return the text of a key; raise `BadRecordError` for one that is too long."""
    text = read_text(record, key)
    if len(text) > longest:
        raise BadRecordError(f"{key}: expected at most {longest:,} characters, got {len(text):,}")
    return text


def read_log(record: Mapping[str, Any], key: str) -> InstanceLog | None:
    """Return the log of a key, or None; raise `BadRecordError` for another value."""
    if record.get(key) is None:
        return None
    log = read_object(record[key], key)
    return InstanceLog(
        text=read_short_text(log, "text", longest=_LONGEST_LOG),
        begin_time=read_time(log, "begin_time"),
        end_time=read_time(log, "end_time"),
        matches=read_list(log, "matches", _read_place),
    )


def _read_place(record: Mapping[str, Any], key: str) -> tuple[int, int]:
    place = read_list(record, key, _read_number_from_0, length=2)
    return place[0], place[1]


def _read_number_from_0(record: Mapping[str, Any], key: str) -> int:
    number = read_int(record, key, least=0)
    if number > MOST:
        raise BadRecordError(f"{key}: expected {MOST} at most, got {quote_value(number)}")
    return number
