"""What each caller may have in flight, and ask in a minute."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from mazzo_server.errors import LimitReachedError
from mazzo_server.serving.hosting.callers import Callers


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def ask(callers: Callers, caller: str) -> None:
    with callers.hold(caller):
        pass


def refusal(ask: Callable[[], object]) -> LimitReachedError:
    with pytest.raises(LimitReachedError) as refused:
        ask()
    return refused.value


def test_a_minute_has_so_many_calls_and_each_caller_its_own() -> None:
    """The refusal says when the next one is due, and costs nothing."""
    clock = Clock()
    callers = Callers(calls=1, calls_per_minute=6, clock=clock)
    for _ in range(6):
        ask(callers, "alice")
    for _ in range(3):
        assert refusal(lambda: ask(callers, "alice")).retry_seconds == pytest.approx(10.0)
    ask(callers, "bob")
    clock.now = 7.5
    told = refusal(lambda: ask(callers, "alice"))
    assert told.retry_seconds == pytest.approx(2.5)
    assert str(told) == (
        "expected at most 6 calls in a minute, got more: try again in 2.5 s, and ask less often"
    )
    clock.now = 10.0
    ask(callers, "alice")
    refusal(lambda: ask(callers, "alice"))


def test_who_stays_below_the_rate_is_never_refused() -> None:
    """Nor saves up more than a minute's calls, however long it was silent."""
    clock = Clock()
    callers = Callers(calls=1, calls_per_minute=60, clock=clock)
    for second in range(1, 500):
        clock.now = float(second)
        ask(callers, "alice")
    clock.now = 1e6
    for _ in range(60):
        ask(callers, "alice")
    refusal(lambda: ask(callers, "alice"))


def test_so_many_calls_are_in_flight() -> None:
    """However they end; a refused one is none."""
    callers = Callers(calls=2, calls_per_minute=100)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(callers.hold("alice"))
        told = refusal(lambda: ask(callers, "alice"))
        assert "at most 2 calls at a time, got one more" in str(told)
        assert told.retry_seconds > 0
        ask(callers, "bob")
    with pytest.raises(RuntimeError), callers.hold("alice"), callers.hold("alice"):
        raise RuntimeError
    with callers.hold("alice"), callers.hold("alice"):
        pass


def test_a_mistake_is_charged_when_it_is_over() -> None:
    """So many may be made, then none is even looked at."""
    callers = Callers(calls=1, calls_per_minute=2, clock=Clock())
    for _ in range(2):
        callers.check("here")
        callers.charge("here")
    refusal(lambda: callers.check("here"))
    callers.charge("here")
    assert refusal(lambda: callers.check("here")).retry_seconds == pytest.approx(30.0)


def test_only_so_many_callers_are_remembered() -> None:
    """The ones that were silent for longest go first; who has a call in flight stays."""
    callers = Callers(calls=1, calls_per_minute=2, clock=Clock(), most_known=3)
    with callers.hold("busy"):
        for number in range(100):
            ask(callers, f"address {number}")
            assert len(callers) <= 4
        refusal(lambda: ask(callers, "busy"))
    ask(callers, "address 99")
    refusal(lambda: ask(callers, "address 99"))
