"""Ctrl-C, SIGTERM and SIGHUP never leave a change half done."""

from __future__ import annotations

import signal

import pytest

from mazzo_server.cli.shell.interrupts import handle_interrupts, hold_interrupts

INTERRUPTS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def _change(number: signal.Signals, done: list[str]) -> None:
    with hold_interrupts():
        signal.raise_signal(number)
        done.append("held")
    done.append("too late")


def _fail() -> None:
    with hold_interrupts():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("full")


@pytest.mark.parametrize("number", INTERRUPTS)
def test_an_interrupt_waits_until_a_change_is_whole(number: signal.Signals) -> None:
    """It comes right after that; the next one comes at once again."""
    done: list[str] = []
    with handle_interrupts():
        before = [signal.getsignal(each) for each in INTERRUPTS]
        with pytest.raises(KeyboardInterrupt):
            _change(number, done)
        assert done == ["held"]
        if number is not signal.SIGHUP:  # which comes twice where a terminal is closed
            assert [signal.getsignal(each) for each in INTERRUPTS] == before
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)


def test_an_error_of_the_change_comes_before_the_interrupt() -> None:
    """And the handlers are those from before."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="full"):
        _fail()
    assert signal.getsignal(signal.SIGINT) is before


def test_what_is_ignored_stays_so() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handle_interrupts(), hold_interrupts():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
