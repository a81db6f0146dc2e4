"""Which instances may think: cores are lent one at a time, first come, first served. Sans-I/O.

Whoever has decisions to take asks for a core, keeps it until they are taken, and gives it back
for the next in line. Its clocks run only meanwhile, so waiting is charged to nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

__all__ = ["Claimant", "Cores"]


class Claimant(Protocol):
    """Who asks for cores."""

    def on_grant(self, processor: int) -> None:
        """It has a core now: the processor of this number."""


class Cores:
    """The processors that are lent, each to one claimant at a time.

    None lies idle while somebody waits, and nobody is overtaken.
    """

    def __init__(self, processors: Iterable[int]) -> None:
        """Raises ValueError without any, for then nobody would ever get one."""
        self._free = list(processors)
        self._lent: dict[Claimant, int] = {}
        self._line: dict[Claimant, None] = {}  # in order; one may leave it
        if not self._free:
            raise ValueError("expected one processor or more, got none")

    @property
    def wanted(self) -> bool:
        """Whether somebody waits."""
        return bool(self._line)

    def holds(self, claimant: Claimant) -> bool:
        """Whether it has a core."""
        return claimant in self._lent

    def ask(self, claimant: Claimant, *, rather: int = -1) -> None:
        """Lend it a core as soon as one is free, at once perhaps; `rather` this processor."""
        if claimant in self._lent or claimant in self._line:
            return
        if self._free:
            self._lend(claimant, rather if rather in self._free else self._free[0])
        else:
            self._line[claimant] = None

    def give_back(self, claimant: Claimant) -> None:
        """Lend its core to the next in line, or let it leave the line; else nothing."""
        self._line.pop(claimant, None)
        processor = self._lent.pop(claimant, None)
        if processor is None:
            return
        self._free.append(processor)
        if self._line:
            first = next(iter(self._line))
            del self._line[first]
            self._lend(first, processor)

    def _lend(self, claimant: Claimant, processor: int) -> None:
        self._free.remove(processor)
        self._lent[claimant] = processor
        claimant.on_grant(processor)
