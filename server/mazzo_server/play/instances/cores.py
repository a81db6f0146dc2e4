"""Lends processor cores to instances, one each, first come, first served. Sans-I/O.

An instance with decisions to take asks for a core, keeps it until they are taken, and gives it back
for the next in line. Its clocks run only while it has a core, so nobody pays for waiting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

__all__ = ["Claimant", "Cores"]


class Claimant(Protocol):
    """An instance that asks for cores."""

    def on_grant(self, processor: int) -> None:
        """Take the core that is lent: the processor with this number."""


class Cores:
    """The processors that are lent, each to one claimant at a time.

    No processor lies idle while a claimant waits, and nobody is overtaken.
    """

    def __init__(self, processors: Iterable[int]) -> None:
        """Raise ValueError without any processor, for then nobody would ever get one."""
        self._free = list(processors)
        self._lent: dict[Claimant, int] = {}
        self._line: dict[Claimant, None] = {}  # in order; a claimant may leave it
        if not self._free:
            raise ValueError("expected one processor or more, got none")

    @property
    def wanted(self) -> bool:
        """Whether a claimant waits."""
        return bool(self._line)

    def has_core(self, claimant: Claimant) -> bool:
        """Whether the claimant has a core."""
        return claimant in self._lent

    def ask(self, claimant: Claimant, *, rather: int = -1) -> None:
        """Lend a core as soon as one is free, perhaps at once; `rather` this processor."""
        if claimant in self._lent or claimant in self._line:
            return
        if self._free:
            self._lend(claimant, rather if rather in self._free else self._free[0])
        else:
            self._line[claimant] = None

    def give_back(self, claimant: Claimant) -> None:
        """Lend the claimant's core to the next in line, or remove the claimant from the line."""
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
