"""Times on the command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo_server.clock import wall_clock

__all__ = ["format_minute", "parse_moment", "parse_since"]

_LENGTH = re.compile("".join(f"(?:([0-9]{{1,6}}){unit})?" for unit in "dhms"))
_FORMATS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%SZ")


def parse_since(text: object) -> Timestamp:
    """Return the time that a day, a minute (UTC), or an age such as 30m, 2h or 3d stands for."""
    since = _parse(str(text))
    if since is None:
        raise typer.BadParameter(
            "expected a day such as 2026-11-20, a minute such as '2026-11-20 18:30' (UTC), or an "
            f"age such as 30m, 2h or 3d, got {str(text)[:80]!r}"
        )
    found = Timestamp()
    found.FromDatetime(since)
    return found


def parse_moment(text: object) -> Timestamp:
    """Return the time to come that a moment by ISO 8601, or a time from now such as 2h, says."""
    moment = _parse_moment(str(text))
    if moment is None:
        raise typer.BadParameter(
            "expected a moment with its zone such as 2026-12-03T20:00+01:00 or 2026-12-03T19:00Z, "
            f"or a time from now such as 30m, 2h or 3d, got {str(text)[:80]!r}"
        )
    found = Timestamp()
    found.FromDatetime(moment)
    return found


def _parse_moment(text: str) -> datetime | None:
    try:
        length = _parse_length(text)
        if length is not None:
            return datetime.fromtimestamp(int(wall_clock()), UTC) + length
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (OverflowError, ValueError):
        return None


def _parse_length(text: str) -> timedelta | None:
    """Return how long such as 2h, 1h30m or 1d is; the longest unit comes first."""
    found = _LENGTH.fullmatch(text)
    if not text or found is None:
        return None
    days, hours, minutes, seconds = (int(number or 0) for number in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _parse(text: str) -> datetime | None:
    try:
        length = _parse_length(text)
        if length is not None:
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
