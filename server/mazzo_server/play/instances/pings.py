"""Measures the round trip to a bot."""

from __future__ import annotations

__all__ = ["Pings"]

_INTERVAL = 1.0  # seconds between two pings at least
_UNASKED = 1000  # unasked pongs that a bot is forgiven


class Pings:
    """The pings of one stream and their pongs, sent while the bot has nothing else to do.

    Times are seconds of the clock that measures the bots' decisions.
    """

    def __init__(self) -> None:
        """Begin without a ping."""
        self._sent_at = 0.0  # when the unanswered ping was sent; 0: there is none
        self._counts = False  # whether the bot could read ever since
        self._next = 0.0
        self._unasked = 0

    @property
    def is_open(self) -> bool:
        """Whether a pong is still to come."""
        return self._sent_at > 0.0

    def note_sleep(self) -> None:
        """Note that the bot cannot read now, so that the time until its pong is no latency."""
        self._counts = False

    def begin(self, now: float) -> bool:
        """Return whether to send a ping now; if so, it counts as sent."""
        if self._sent_at or now < self._next:
            return False
        self._sent_at = now
        self._counts = True
        self._next = now + _INTERVAL
        return True

    def end(self, now: float) -> float | None:
        """Return the round trip in seconds that this pong ends; None if it does not count."""
        latency = now - self._sent_at if self._counts else None
        self._sent_at = 0.0
        return latency

    def forgive(self) -> bool:
        """Count an unasked pong; return whether it is forgiven."""
        self._unasked += 1
        return self._unasked <= _UNASKED
