"""Answers that wait after a stall of the server, and are read one by one (promise 6)."""

from __future__ import annotations

from mazzo_server.play.backlog import Backlog

LAG = 0.1  # seconds between an answer and its reading


class Server:
    """Reads answers; its clock is the test's."""

    def __init__(self) -> None:
        self.time = 50.0
        self.resumed = 0.0
        self.lag = 0.0
        self.backlog = Backlog(self)

    def now(self) -> float:
        return self.time

    def estimate_arrival(self) -> float:
        return self.time - self.lag

    def read(self, *, after: float, lag: float = 0.0) -> float:
        """Read an answer so long after the one before, and return when it arrived."""
        self.time += after
        self.lag = lag
        came = self.backlog.estimate_arrival()
        self.backlog.mark_read(came)
        return came


def test_without_a_stall_everything_arrived_when_it_was_read() -> None:
    """Promise 6."""
    server = Server()
    for _ in range(5):
        assert server.read(after=0.005, lag=0.002) == server.time - 0.002


def test_what_waited_came_with_the_first() -> None:
    """Promise 6: to read all of it takes a while, for which no bot pays."""
    server = Server()
    first = server.read(after=1.0, lag=LAG)
    for _ in range(20):
        assert server.read(after=0.005) == first


def test_what_waited_through_a_standstill_came_with_the_first() -> None:
    """Promise 6: although by the clock, which stood still, it is read at once."""
    server = Server()
    server.resumed = server.time + 1.0
    first = server.read(after=1.001, lag=0.001)
    assert first == server.resumed
    for _ in range(20):
        assert server.read(after=0.005) == first


def test_a_pause_ends_the_row() -> None:
    """Promise 6: what does not follow at once did not wait."""
    server = Server()
    server.read(after=1.0, lag=LAG)
    assert server.read(after=0.03) == server.time
    assert server.read(after=0.005) == server.time


def test_a_question_that_was_asked_after_that_ends_the_row() -> None:
    """Promise 6."""
    server = Server()
    server.read(after=1.0, lag=LAG)
    server.backlog.end()
    assert server.read(after=0.005) == server.time


def test_no_row_lasts_long() -> None:
    """Attack: one answer after the other, each as late as may be, to think for nothing."""
    server = Server()
    first = server.read(after=1.0, lag=LAG)
    gained = [came for came in (server.read(after=0.019) for _ in range(100)) if came == first]
    assert len(gained) * 0.019 <= 0.2


def test_answers_to_nothing_keep_no_row_alive() -> None:
    """Attack: what is no answer to an open decision is not taken, and buys no time."""
    server = Server()
    server.read(after=1.0, lag=LAG)
    for _ in range(5):
        server.time += 0.015
        server.lag = 0.0
        server.backlog.estimate_arrival()
    assert server.backlog.estimate_arrival() == server.time
