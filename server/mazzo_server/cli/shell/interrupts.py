"""Ends a command at SIGTERM and SIGHUP as at Ctrl-C, and not in the middle of a change."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["handle_interrupts", "hold_interrupts"]

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _raise() -> None:
    raise KeyboardInterrupt


@contextmanager
def handle_interrupts(interrupt: Callable[[], object] = _raise) -> Iterator[None]:
    """Call this at SIGTERM, and when the terminal is closed, unless the signal is ignored.

    The call may come between any two instructions of the main thread.
    """

    def on_signal(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:  # SIGHUP comes twice: from the shell, and from the kernel
            signal.signal(number, lambda *_: None)
        interrupt()

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Let what would interrupt the main thread wait until this is over: no change is half done."""
    held: list[tuple[int, FrameType | None]] = []
    handlers = {number: signal.getsignal(number) for number in reversed(_INTERRUPTS)}
    before = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in reversed(before):
            signal.signal(number, lambda *arguments: held.append(arguments))
        yield
    finally:
        for number, handler in before.items():  # Ctrl-C last: from then on one may come again
            signal.signal(number, handler)
    for arguments in held:
        before[signal.Signals(arguments[0])](*arguments)
