"""Measures the round trip to a bot."""

from __future__ import annotations

__all__ = ["Pings"]

_INTERVAL = 1.0  # seconds between two pings at least
_UNASKED = 1000  # pongs that nobody asked for, and a bot is forgiven


class Pings:
    """Pings of one stream and their pongs, now and then, while the bot has nothing else to do.

    Times are seconds of the clock by which bots pay.
    """

    def __init__(self) -> None:
        """No ping was sent yet."""
        self._sent_at = 0.0  # when the ping was sent that is still to be answered; 0: none
        self._counts = False  # the bot could read ever since
        self._next = 0.0
        self._unasked = 0

    @property
    def is_open(self) -> bool:
        """Whether a pong is still to come."""
        return self._sent_at > 0.0

    def note_sleep(self) -> None:
        """Note that the bot cannot read now: what it takes until its pong is no latency."""
        self._counts = False

    def begin(self, now: float) -> bool:
        """Return whether a ping is to be sent now; if so, it counts as sent."""
        if self._sent_at or now < self._next:
            return False
        self._sent_at = now
        self._counts = True
        self._next = now + _INTERVAL
        return True

    def end(self, now: float) -> float | None:
        """Return the round trip, in seconds, that a pong ends; None if it does not count."""
        latency = now - self._sent_at if self._counts else None
        self._sent_at = 0.0
        return latency

    def forgive(self) -> bool:
        """Count a pong that nobody asked for; return whether it is forgiven."""
        self._unasked += 1
        return self._unasked <= _UNASKED
