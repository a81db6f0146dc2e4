"""Lends processor cores to instances, one each, first come, first served. Sans-I/O.

An instance with decisions to take asks for a core, keeps it until they are taken, and gives it back
for the next in line. Its clocks run only while it has a core, so nobody pays for waiting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

__all__ = ["Borrower", "Cores"]


class Borrower(Protocol):
    """An instance that asks for cores."""

    def on_grant(self, processor: int) -> None:
        """Take the core that is lent: the processor with this number."""


class Cores:
    """The processors that are lent, each to one borrower at a time.

    No processor lies idle while a borrower waits, and nobody is overtaken.
    """

    def __init__(self, processors: Iterable[int]) -> None:
        """Raise ValueError without any processor, for then nobody would ever get one."""
        self._free = list(processors)
        self._lent: dict[Borrower, int] = {}
        self._line: dict[Borrower, None] = {}  # in order; a borrower may leave it
        if not self._free:
            raise ValueError("expected one processor or more, got none")

    @property
    def has_waiting(self) -> bool:
        """Whether a borrower waits."""
        return bool(self._line)

    def has_core(self, borrower: Borrower) -> bool:
        """Tell whether the borrower has a core."""
        return borrower in self._lent

    def ask(self, borrower: Borrower, *, rather: int = -1) -> None:
        """Lend a core as soon as one is free, perhaps at once; `rather` this processor."""
        if borrower in self._lent or borrower in self._line:
            return
        if self._free:
            self._lend(borrower, rather if rather in self._free else self._free[0])
        else:
            self._line[borrower] = None

    def give_back(self, borrower: Borrower) -> None:
        """Lend the borrower's core to the next in line, or remove the borrower from the line."""
        self._line.pop(borrower, None)
        processor = self._lent.pop(borrower, None)
        if processor is None:
            return
        self._free.append(processor)
        if self._line:
            first = next(iter(self._line))
            del self._line[first]
            self._lend(first, processor)

    def _lend(self, borrower: Borrower, processor: int) -> None:
        self._free.remove(processor)
        self._lent[borrower] = processor
        borrower.on_grant(processor)
