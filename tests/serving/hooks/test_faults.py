"""Faults of the platform: the log names each one, and hooks are told of it."""

from __future__ import annotations

import asyncio
import logging

import pytest

from mazzo_server.errors import StoreError
from mazzo_server.logs import LogAction
from mazzo_server.serving.hooks.deliverer import deliver_events
from mazzo_server.serving.hooks.faults import FaultFinder
from mazzo_server.storage import Announcement, MemoryStore, PlatformFault
from serving.hooks.test_deliverer import POSTER, add_hook, delivering, run
from support.receivers import receive


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


def test_a_fault_waits_for_a_store_that_is_away() -> None:
    """As the same night may take both the gateway and the database."""

    class Away(MemoryStore):
        is_away = True

        def announce(self, announcement: Announcement, *, most_waiting: int = 1000) -> None:
            if self.is_away:
                raise StoreError("the database is away")
            super().announce(announcement, most_waiting=most_waiting)

    async def main() -> None:
        store, finder = Away(), FaultFinder()
        finder.emit(
            logging.makeLogRecord({"msg": "the gateway is lost", "action": LogAction.GATEWAY_LOST})
        )
        async with receive() as receiver:
            add_hook(store, receiver)
            async with delivering(store, faults=finder):
                await asyncio.sleep(0.1)
                store.is_away = False
                [got] = await receiver.wait_for(1)
        assert got.facts["data"] | {"tournament": 0} == {
            "action": "gateway-lost",
            "text": "the gateway is lost",
            "times": 1,
            "tournament": 0,
        }

    run(main)


def test_a_server_tells_its_faults() -> None:
    """From the record to the receiver."""

    async def main() -> None:
        store = MemoryStore()
        async with receive() as receiver, deliver_events(store, POSTER):
            add_hook(store, receiver, events=("platform-fault",))
            logging.getLogger("mazzo_server.x").error(
                "the gateway is lost", extra={"action": LogAction.GATEWAY_LOST}
            )
            [got] = await receiver.wait_for(1)
            assert got.facts["data"]["action"] == "gateway-lost"
            assert "`" not in got.facts["text"]

    run(main)
