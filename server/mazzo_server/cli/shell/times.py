"""Times on the command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo_server.clock import wall_clock

__all__ = ["format_minute", "parse_since"]

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_FORMATS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%SZ")


def parse_since(text: object) -> Timestamp:
    """Return the time that a day, a minute (UTC), or an age such as 30m, 2h or 3d stands for."""
    since = _parse(str(text))
    if since is None:
        raise typer.BadParameter(
            "expected a day such as 2026-11-20, a minute such as '2026-11-20 18:30' (UTC), or an "
            f"age such as 30m, 2h or 3d, got {str(text)!r}"
        )
    found = Timestamp()
    found.FromDatetime(since)
    return found


def _parse(text: str) -> datetime | None:
    age = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    try:
        if age is not None:
            length = timedelta(**{_UNITS[age[2]]: int(age[1])})
            return datetime.fromtimestamp(wall_clock(), UTC) - length
        for layout in _FORMATS:
            try:
                return datetime.strptime(text, layout).replace(tzinfo=UTC)
            except ValueError:
                continue
    except OverflowError:
        pass
    return None


def format_minute(time: Timestamp) -> str:
    """Return the day and the minute of a time, in UTC."""
    return time.ToDatetime().strftime("%Y-%m-%d %H:%M")
