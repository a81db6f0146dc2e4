"""Lends processor cores to instances, one each, first come, first served. Sans-I/O.

An instance with decisions to take asks for a core, keeps it until they are taken, and gives it back
for the next in line. Its clocks run only while it has a core, so nobody pays for waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

__all__ = ["Borrower", "Cores", "Leases"]


class Borrower(Protocol):
    """An instance that asks for cores."""

    def on_grant(self, processor: int) -> None:
        """Take the core that is lent: the processor with this number."""


class Leases(Protocol):
    """Decides which processors are ours, where others use the same machine."""

    def take(self, processors: Iterable[int]) -> int | None:
        """Lease the first one that nobody else has, None if there is none or others come first."""

    def give_back(self, processor: int) -> None:
        """End a lease."""

    def is_due(self, processor: int) -> bool:
        """Return whether the lease of a processor should end now, since others wait for it."""

    def is_wanted(self) -> bool:
        """Return whether others wait who should have one of our processors."""

    def wait(self, retry: Callable[[], None] | None) -> None:
        """Tell the others that somebody waits here, and `retry` in a moment; None: nobody waits."""


class _Unshared:
    """The leases of a machine that nobody else uses."""

    def take(self, processors: Iterable[int]) -> int | None:
        return next(iter(processors), None)

    def give_back(self, processor: int) -> None: ...

    def is_due(self, processor: int) -> bool:
        return False

    def is_wanted(self) -> bool:
        return False

    def wait(self, retry: Callable[[], None] | None) -> None: ...


class Cores:
    """The processors that are lent, each to one borrower at a time.

    No processor that is ours lies idle while a borrower waits, and nobody is overtaken.
    """

    def __init__(self, processors: Iterable[int], leases: Leases | None = None) -> None:
        """Raise ValueError without any processor, for then nobody would ever get one.

        A processor is leased while somebody has it; without `leases` they are all ours.
        """
        self._free = list(processors)
        self._leases = leases or _Unshared()
        self._lent: dict[Borrower, int] = {}
        self._line: dict[Borrower, None] = {}  # in order; a borrower may leave it
        if not self._free:
            raise ValueError("expected one processor or more, got none")

    @property
    def has_waiting(self) -> bool:
        """Whether a borrower waits, here or at another platform."""
        return bool(self._line) or self._leases.is_wanted()

    def has_core(self, borrower: Borrower) -> bool:
        """Tell whether the borrower has a core."""
        return borrower in self._lent

    def ask(self, borrower: Borrower, *, rather: int = -1) -> None:
        """Lend a core as soon as one is free, perhaps at once; `rather` this processor."""
        if borrower in self._lent or borrower in self._line:
            return
        processor = None if self._line else self._lease(rather)
        if processor is not None:
            self._lend(borrower, processor)
        else:
            self._line[borrower] = None
            self._tell_others()

    def give_back(self, borrower: Borrower) -> None:
        """Lend the borrower's core to the next in line, or remove the borrower from the line."""
        self._line.pop(borrower, None)
        processor = self._lent.pop(borrower, None)
        if processor is not None:
            if not self._leases.is_due(processor) and self._line:
                self._lend_to_first(processor)
            else:
                self._free.append(processor)
                self._leases.give_back(processor)
        self._tell_others()

    def _lease(self, rather: int = -1) -> int | None:
        """Return a processor that is ours now, None if there is none."""
        processor = self._leases.take(sorted(self._free, key=lambda one: one != rather))
        if processor is not None:
            self._free.remove(processor)
        return processor

    def _lend(self, borrower: Borrower, processor: int) -> None:
        self._lent[borrower] = processor
        borrower.on_grant(processor)

    def _lend_to_first(self, processor: int) -> None:
        first = next(iter(self._line))
        del self._line[first]
        self._lend(first, processor)

    def _lend_what_is_free(self) -> None:
        while self._line and (processor := self._lease()) is not None:
            self._lend_to_first(processor)
        self._tell_others()

    def _tell_others(self) -> None:
        # Who has all that it may use can take nothing that others leave to it.
        is_waiting = self._line and self._free
        self._leases.wait(self._lend_what_is_free if is_waiting else None)
