"""How much of the processors nobody uses, as the kernel counts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo_server.settings import list_usable_processors
from mazzo_server.tournaments.executor.idleness import IdleMeter


def write_stat(path: Path, *processors: tuple[int, int, int]) -> None:
    """Busy, idle and waiting ticks of each; the guests' are contained in the busy ones."""
    lines = ["cpu 9 9 9 9 9 9 9 9 9 9"]
    for number, (busy, idle, waiting) in enumerate(processors):
        lines.append(f"cpu{number} {busy} 0 0 {idle} {waiting} 0 0 0 {busy} 0")
    path.write_text("\n".join([*lines, "intr 1 2 3"]))


def test_it_is_the_share_since_the_last_call_of_the_processors_that_were_named(
    tmp_path: Path,
) -> None:
    stat = tmp_path / "stat"
    write_stat(stat, (100, 900, 0), (0, 0, 0), (100, 900, 0))
    meter = IdleMeter([0, 2], stat)
    write_stat(stat, (150, 940, 10), (0, 9999, 0), (200, 900, 0))
    assert meter.measure() == 50 / 200
    write_stat(stat, (150, 1040, 10), (0, 9999, 0), (200, 1000, 0))
    assert meter.measure() == 1.0


@pytest.mark.parametrize("text", [None, "", "cpu0 none"])
def test_where_the_system_does_not_tell_they_count_as_idle(
    tmp_path: Path, text: str | None
) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)
    assert IdleMeter([0], stat).measure() == 1.0


def test_the_kernel_of_this_machine_is_understood() -> None:
    idle, total = IdleMeter(list_usable_processors())._read()
    assert 0 < idle < total
