"""Faults of the platform: what is found of them in the log."""

from __future__ import annotations

import logging

import pytest

from mazzo_server.logs import LogAction
from mazzo_server.serving.hooks.faults import FaultFinder
from mazzo_server.storage import Announcement, PlatformFault


def test_faults_of_the_platform_are_found_in_the_log() -> None:
    """Whatever is shown of the log, and once in a while only for what happens again and again."""
    now = [0.0]
    finder = FaultFinder(interval=300.0, clock=lambda: now[0])
    logger = logging.getLogger("mazzo_server.some.part")
    logger.addHandler(finder)
    try:
        for text in ("the worker 3 is lost", "the worker 4 is lost"):
            logger.warning("%s", text, extra={"action": LogAction.WORKER_LOST})
        logger.warning("a bot forfeits", extra={"action": LogAction.MATCH_FAULT})
        logger.warning("nothing special")
        told = PlatformFault(action="worker-lost", text="the worker 4 is lost", times=2)
        assert finder.take() == [told]
        assert finder.take() == []
        logger.warning("again", extra={"action": LogAction.WORKER_LOST})
        logger.error("the gateway is lost", extra={"action": LogAction.GATEWAY_LOST})
        assert [fault.action for fault in finder.take()] == ["gateway-lost"]
        now[0] = 300.0
        assert finder.take() == [PlatformFault(action="worker-lost", text="again")]
    finally:
        logger.removeHandler(finder)


def test_a_record_that_cannot_be_read_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logging never raises in the code that logs."""
    monkeypatch.setattr(logging, "raiseExceptions", False)  # as it prints them to stderr
    finder = FaultFinder()
    fields = {"msg": "%d workers", "args": ("no number",), "action": LogAction.WORKER_LOST}
    finder.handle(logging.makeLogRecord(fields))
    assert finder.take() == []


def test_the_text_of_a_fault_is_bounded() -> None:
    """In the facts, too: an error may quote anything."""
    fault = PlatformFault(action="worker-lost", text="x" * 100_000)
    facts = Announcement.of(fault, time=1.0).to_json()
    assert facts["text"] == "x" * 500
