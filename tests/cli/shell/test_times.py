"""Times on the command line: a moment, or how long ago or from now."""

from __future__ import annotations

import pytest
import typer

from mazzo_server.cli.shell import times

NOW = 1_800_000_000.0


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "wall_clock", lambda: NOW)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30m", 1_800),
        ("2h", 7_200),
        ("3d", 259_200),
        ("1h30m", 5_400),
        ("8m30s", 510),
        ("1d2h3m4s", 93_784),
        ("0m", 0),
    ],
)
def test_lengths_count_from_now(text: str, seconds: int) -> None:
    assert times.parse_moment(text).ToSeconds() == NOW + seconds
    assert times.parse_since(text).ToSeconds() == NOW - seconds


@pytest.mark.parametrize(
    "text", ["", "30", "m", "30m2h", "2h2h", "1.5h", "-2h", " 2h", "2 h", "9999999m"]
)
def test_other_lengths_are_refused(text: str) -> None:
    for parse in (times.parse_moment, times.parse_since):
        with pytest.raises(typer.BadParameter, match="such as 30m, 2h or 3d"):
            parse(text)
