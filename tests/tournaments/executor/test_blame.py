"""Nodes of a cluster that fail wait, and wait no longer once a worker has played there."""

from __future__ import annotations

import pytest

from mazzo_server.tournaments.executor.cluster import blame
from mazzo_server.tournaments.executor.cluster.blame import NodeBlame


class Clock:
    """A clock that tests set."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(blame, "monotonic", clock)
    return clock


def test_a_node_waits_twice_as_long_each_time(clock: Clock) -> None:
    """A machine that cannot play is not tried again and again; others are not touched."""
    nodes, waits = NodeBlame(), []
    for _ in range(8):
        nodes.blame("a", "no disk")
        nodes.blame("a", "no disk")  # of its other slots, at the same moment
        begin = clock.now
        while not nodes.may_play("a"):
            assert nodes.may_play("b")
            clock.now += 1.0
        waits.append(clock.now - begin)
    assert waits == [5, 10, 20, 40, 80, 160, 300, 300]


def test_a_node_that_played_is_forgiven(clock: Clock) -> None:
    """Workers that were lost now and then made a node wait for minutes in the end."""
    nodes = NodeBlame()
    nodes.blame("b", "no disk")
    for _ in range(5):
        nodes.blame("a", "gone")
        assert not nodes.may_play("a")
        clock.now += 5.0
        assert nodes.may_play("a")
        assert nodes.complaint == "gone"
        nodes.forgive("a")
        assert nodes.complaint == "no disk"
    assert nodes.blame("a", "gone"), "the reason is new again"


def test_the_complaint_is_the_latest_reason() -> None:
    """It is what people read when no node may play."""
    nodes = NodeBlame()
    assert nodes.complaint == ""
    for node, reason in (("a", "gone"), ("b", "no disk"), ("a", "no room")):
        nodes.blame(node, reason)
        assert nodes.complaint == reason
