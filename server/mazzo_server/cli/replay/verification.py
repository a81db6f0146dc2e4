"""Checks the match records of a file, and says what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazzo.errors import BadRecordError
from mazzo.match_check import verify
from mazzo.match_record import MatchRecord
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import clean

__all__ = ["CheckedRecord", "check_record", "print_checked_record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRecord:
    """The result of checking one record."""

    line: int  # the number of its first line
    match: str | None  # None where it could not be read
    ok: bool
    checked: tuple[str, ...]
    wrong: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "match": self.match,
            "ok": self.ok,
            "checked": list(self.checked),
            "wrong": self.wrong,
        }


def check_record(first: int, lines: list[str]) -> CheckedRecord:
    try:
        record = MatchRecord.parse(lines, first=first)
    except BadRecordError as error:
        return CheckedRecord(line=first, match=None, ok=False, checked=(), wrong=str(error))
    verification = verify(record)
    return CheckedRecord(
        line=first,
        match=record.name,
        ok=verification.ok,
        checked=tuple(verification.checked),
        wrong=verification.wrong or None,
    )


def print_checked_record(found: CheckedRecord) -> None:
    name = found.match or f"the record from line {found.line} on"
    checked = ", ".join(found.checked)
    if found.ok:
        told = f"{name}: true. Checked: {checked}."
    else:
        told = f"{name}: WRONG: {found.wrong}."
        told += f" True before that: {checked}." if checked else ""
    console.print(clean(told), soft_wrap=True)
