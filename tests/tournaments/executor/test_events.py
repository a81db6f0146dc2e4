"""Events on their way from a worker to the director."""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import replace

from mazzo_server.play import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.tournaments.executor.event_buffer import EventBuffer
from mazzo_server.tournaments.executor.worker.messages import Happened
from support.stored_rows import log_of, outcome

EVENTS: list[PlayEvent] = [
    Began(group=3, seating=1, entrants=("ann", "bob"), commitment=bytes(range(32))),
    Finished(outcome=outcome(3, 1)),
    Finished(outcome=replace(outcome(4), deals=(), faults=(), match_scores=())),
    Withdrawn(entrant=2, reason="it does not start", log=log_of("Traceback", (3, 1))),
    Spoilt(group=5, seating=0, reason="the worker 2 ended"),
]


def test_events_arrive_as_they_were() -> None:
    """In order, with the types of their values, and as often as they are read."""
    message = pickle.loads(pickle.dumps(Happened.of(7, EVENTS)))
    assert message.job == 7
    for _ in range(2):
        assert repr(message.unpack("")) == repr(EVENTS)
        assert message.unpack("") == EVENTS


def test_an_outcome_names_the_node_that_told_of_it() -> None:
    """A worker does not know what its machine is called on the cluster."""
    events = Happened.of(7, EVENTS).unpack("host/ab12")
    nodes = {event.outcome.node for event in events if isinstance(event, Finished)}
    assert nodes == {"host/ab12"}


def test_a_buffer_gives_all_that_came_in_order_and_then_ends() -> None:
    async def main() -> None:
        buffer = EventBuffer(10)
        await buffer.put(EVENTS[:2])
        await buffer.put(EVENTS[2:])
        buffer.close()
        await buffer.put(EVENTS)
        assert await buffer.take() == EVENTS
        assert await buffer.take() == []

    asyncio.run(asyncio.wait_for(main(), 10))


def test_whoever_puts_too_much_waits_for_the_reader_or_the_end() -> None:
    async def main() -> None:
        buffer = EventBuffer(2)
        for let_go_on in (buffer.take, buffer.close):
            putting = asyncio.create_task(buffer.put(EVENTS[:2]))
            for _ in range(10):
                await asyncio.sleep(0)
            assert not putting.done()
            if asyncio.iscoroutine(done := let_go_on()):
                await done
            await putting

    asyncio.run(asyncio.wait_for(main(), 10))
