"""How much of the processors nobody uses."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["IdleMeter"]

_STAT: Final = Path("/proc/stat")
_IDLE: Final = slice(3, 5)  # of the counts of a processor: idle, and waiting for a disk
_KINDS: Final = 8  # counts that follow each other; later ones are contained in the first


class IdleMeter:
    """Measures the idle share of some processors, from call to call."""

    def __init__(self, processors: Iterable[int], stat: Path = _STAT) -> None:
        self._names = {f"cpu{number}" for number in processors}
        self._stat = stat
        self._before = self._read()

    def measure(self) -> float:
        """Return the share since the last call, 0 to 1; 1 where the system does not tell."""
        idle, total = self._read()
        idle_before, total_before = self._before
        self._before = idle, total
        passed = total - total_before
        return (idle - idle_before) / passed if passed > 0 else 1.0

    def _read(self) -> tuple[int, int]:
        """Return how long they have been idle, and how long in all, in any unit."""
        idle = total = 0
        with suppress(OSError, ValueError):
            for line in self._stat.read_text().splitlines():
                name, *counts = line.split()
                if name in self._names:
                    ticks = [int(count) for count in counts[:_KINDS]]
                    idle += sum(ticks[_IDLE])
                    total += sum(ticks)
        return idle, total
