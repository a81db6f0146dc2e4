"""Ends a command at SIGTERM and SIGHUP as at Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["handle_interrupts"]


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
