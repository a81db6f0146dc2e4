"""How much each caller of a server asks: what it has in flight, and what it may ask in a minute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mazzo_server.clock import monotonic
from mazzo_server.errors import LimitReachedError
from mazzo_server.serving.bucket import Bucket

__all__ = ["Callers"]

_MINUTE = 60.0  # seconds
_MOST_KNOWN = 10_000  # callers that are remembered with nothing in flight
_RETRY_SECONDS = 1.0  # until a call in flight may be over


@dataclass(slots=True, kw_only=True)
class _Account:
    """What a caller may still ask, and what is being answered."""

    left: Bucket  # calls
    in_flight: int = 0


class Callers:
    """Holds every caller to its limits.

    What a caller may ask is a bucket that has room for a minute's calls and is refilled evenly, so
    nobody who stays below the rate is ever refused. Of the callers with nothing in flight the
    latest 10,000 are remembered, or a network of many addresses could fill the memory.
    """

    def __init__(
        self,
        *,
        calls: int,
        calls_per_minute: int,
        clock: Callable[[], float] = monotonic,
        most_known: int = _MOST_KNOWN,
    ) -> None:
        """Each may have so many `calls` in flight."""
        self._calls = calls
        self._per_minute = calls_per_minute
        self._clock = clock
        self._most_known = most_known
        self._accounts: OrderedDict[str, _Account] = OrderedDict()  # the latest last

    def __len__(self) -> int:
        """Return how many callers are remembered."""
        return len(self._accounts)

    @contextmanager
    def hold(self, caller: str) -> Iterator[None]:
        """Count a call, which is in flight while the context lasts.

        Raises `LimitReachedError`, and counts nothing, when the caller has no call left.
        """
        account = self._find(caller)
        if account.in_flight >= self._calls:
            raise LimitReachedError(
                f"expected at most {self._calls} calls at a time, got one more: wait until "
                "one of them is answered",
                retry_seconds=_RETRY_SECONDS,
            )
        self._check_left(account)
        account.left.take()
        account.in_flight += 1
        try:
            yield
        finally:
            account.in_flight -= 1

    def check(self, caller: str) -> None:
        """Raise `LimitReachedError` when the caller has asked all that it may for now."""
        self._check_left(self._find(caller))

    def charge(self, caller: str) -> None:
        """Count a call that is over, whatever is left."""
        self._find(caller).left.take()

    def _check_left(self, account: _Account) -> None:
        if wait := account.left.find_wait():
            raise LimitReachedError(
                f"expected at most {self._per_minute:,} calls in a minute, got more: "
                f"try again in {wait:.2g} s, and ask less often",
                retry_seconds=wait,
            )

    def _find(self, caller: str) -> _Account:
        account = self._accounts.get(caller)
        if account is None:
            left = Bucket(
                self._per_minute, per_second=self._per_minute / _MINUTE, clock=self._clock
            )
            account = self._accounts[caller] = _Account(left=left)
            self._forget_oldest()
        self._accounts.move_to_end(caller)
        return account

    def _forget_oldest(self) -> None:
        """Forget callers with nothing in flight; those that have are as few as their calls."""
        for _ in range(len(self._accounts) - self._most_known):
            caller, account = self._accounts.popitem(last=False)
            if account.in_flight:
                self._accounts[caller] = account
