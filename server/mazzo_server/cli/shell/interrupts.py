"""What ends a command as Ctrl-C does."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interruptible"]


def _raise() -> None:
    raise KeyboardInterrupt


@contextmanager
def interruptible(interrupt: Callable[[], object] = _raise) -> Iterator[None]:
    """Do this at SIGTERM, and when the terminal is closed, unless that is ignored, as under nohup.

    It may be called at any moment between two instructions of the main thread.
    """

    def told(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:  # it comes twice: from the shell, and from the kernel
            signal.signal(number, lambda *_: None)
        interrupt()

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, told)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
