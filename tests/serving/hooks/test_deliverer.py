"""Events arrive at least once, in order, signed, and however other receivers behave."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from mazzo_server.errors import StoreError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.serving.hooks.deliverer import Deliverer, Patience
from mazzo_server.serving.hooks.posting import Poster
from mazzo_server.serving.hooks.signing import draw_secret
from mazzo_server.storage import (
    Announcement,
    DeliveryRow,
    HookFormat,
    HookRow,
    MemoryStore,
    Store,
    TournamentOver,
    list_event_kinds,
    open_store,
)
from support.receivers import Answer, Receiver, answer_with, receive, swallow

POSTER = Poster(private=True)
QUICK = Patience(first_wait=0.01, longest_wait=0.05)
OVER = TournamentOver(
    tournament=1, name="", variant="briscola/2", status="finished", matches_played=4
)


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await main()

    asyncio.run(bounded())


def add_hook(store: Store, receiver: Receiver, hook_id: str = "aaaa", **fields: Any) -> HookRow:
    hook = HookRow(
        id=hook_id,
        url=receiver.url,
        events=list_event_kinds(),
        format=HookFormat.JSON,
        secret=draw_secret(),
        label="",
        create_time=1.0,
    )
    store.add_hook(replace(hook, **fields))
    return store.hook(hook_id)


def announce(store: Store, *numbers: int) -> list[str]:
    """Announce that these tournaments are over; return the ids."""
    made = [Announcement.of(replace(OVER, tournament=one), time=100.0) for one in numbers]
    for one in made:
        store.announce(one)
    return [one.id for one in made]


@asynccontextmanager
async def delivering(
    store: Store, *, patience: Patience = QUICK, poster: Poster = POSTER, **more: Any
) -> AsyncIterator[Deliverer]:
    deliverer = Deliverer(store, poster, patience=patience, interval=0.01, **more)
    task = asyncio.create_task(deliverer.run(last_seconds=0.0))
    try:
        yield deliverer
    finally:
        deliverer.stop()
        await task


async def wait_until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110 (a store has no events)
        await asyncio.sleep(0.005)


def test_events_arrive_signed_and_in_order() -> None:
    """With an id and a number each; what is answered 2xx waits no more."""

    async def main() -> None:
        store = MemoryStore()
        async with receive() as receiver, delivering(store):
            hook = add_hook(store, receiver)
            ids = announce(store, 1, 2, 3)
            got = await receiver.wait_for(3)
            assert [one.event_id for one in got] == ids
            assert [one.facts["data"]["tournament"] for one in got] == [1, 2, 3]
            assert [one.facts["sequence"] for one in got] == [1, 2, 3]
            assert all(one.has_signature_of(hook.secret) for one in got)
            assert not any(one.has_signature_of(draw_secret()) for one in got)
            assert got[0].facts | {"data": {}} == {
                "type": "tournament-over",
                "id": ids[0],
                "sequence": 1,
                "timestamp": "1970-01-01T00:01:40.000Z",
                "text": "Tournament 1, briscola/2, is finished after 4 matches.",
                "data": {},
            }
            assert got[0].headers["content-type"] == "application/json"
            await wait_until(lambda: store.hook("aaaa").delivered == 3)
            assert store.hook("aaaa").waiting == 0

    run(main)


def test_a_signature_by_the_specification() -> None:
    """The example of https://www.standardwebhooks.com, computed there."""
    from mazzo_server.serving.hooks.signing import sign_body

    headers = dict(
        sign_body(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            b'{"test": 2432232314}',
            event_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
            time=1614265330,
        )
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("status", [302, 400, 404, 429, 500, 503])
def test_what_is_not_taken_is_sent_again_before_anything_else(status: int) -> None:
    """With the same id and body; the order holds."""

    async def main() -> None:
        store = MemoryStore()
        answers = chain([answer_with(status)] * 3, repeat(answer_with(200)))
        async with receive(answers) as receiver, delivering(store):
            add_hook(store, receiver)
            ids = announce(store, 1, 2)
            got = await receiver.wait_for(5)
            assert [one.event_id for one in got] == [ids[0]] * 4 + [ids[1]]
            assert len({one.body for one in got[:4]}) == 1
            await wait_until(lambda: store.hook("aaaa").delivered == 2)
            assert store.hook("aaaa").failing_since is None

    run(main)


async def never(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(600)


def test_a_hook_that_hangs_holds_up_no_other_and_gets_one_at_a_time() -> None:
    """It is not even connected to twice."""

    async def main() -> None:
        store = MemoryStore()
        async with receive(never) as stuck, receive() as fine, delivering(store):
            add_hook(store, stuck, "aaaa")
            add_hook(store, fine, "bbbb")
            announce(store, *range(1, 21))
            await fine.wait_for(20)
            assert stuck.connections == 1
            assert store.hook("aaaa").waiting == 20

    run(main)


def test_hooks_whose_addresses_swallow_packets_hold_up_no_other() -> None:
    """As many as there may be, and they are tried again and again."""

    async def main() -> None:
        store = MemoryStore()
        poster = Poster(private=True, connect_seconds=0.2)
        with swallow() as port:
            async with receive() as fine:
                for number in range(31):
                    swallowing = replace(fine, port=port)
                    add_hook(store, swallowing, f"s{number:03}", create_time=0.0)
                add_hook(store, fine, "zzzz")
                announce(store, *range(1, 51))
                async with delivering(store, poster=poster):
                    begin = asyncio.get_running_loop().time()
                    got = await fine.wait_for(50)
                    # One after the other, they would take 6 s for the first event alone.
                    assert asyncio.get_running_loop().time() - begin < 6
                    assert [one.facts["sequence"] for one in got] == list(range(1, 51))
                    await wait_until(lambda: store.hook("s000").failing_since is not None)
                    assert store.hook("s000").error == "no connection within 0.2 s"
                    assert store.hook("s000").waiting == 50

    run(main)


def test_metrics_say_how_hooks_fare() -> None:
    """Also after one is removed, and as others change them."""

    async def main() -> None:
        store = MemoryStore()
        metrics = Metrics()

        def read(name: str, **labels: str) -> float | None:
            return metrics.registry.get_sample_value(name, labels)

        assert read("mazzo_hooks", state="failing") == 0
        async with receive() as fine, receive(answer_with(500)) as bad:
            add_hook(store, fine, "aaaa")
            add_hook(store, bad, "bbbb")
            add_hook(store, fine, "cccc", disabled=True)
            announce(store, 1, 2)
            async with delivering(store, metrics=metrics.hooks):
                await wait_until(lambda: read("mazzo_hooks", state="failing") == 1)
                await wait_until(lambda: read("mazzo_hook_events_waiting") == 2)
                assert read("mazzo_hooks", state="fine") == 1
                assert read("mazzo_hooks", state="disabled") == 1
                store.delete_hook("bbbb")
                await wait_until(lambda: read("mazzo_hooks", state="failing") == 0)
                assert read("mazzo_hook_events_waiting") == 0

    run(main)


def test_a_damaged_secret_is_told() -> None:
    """It stops no other hook, and the error says what to do."""

    async def main() -> None:
        store = MemoryStore()
        async with receive() as receiver, delivering(store):
            add_hook(store, receiver, "aaaa", secret="whsec_x")
            add_hook(store, receiver, "bbbb")
            announce(store, 1)
            await receiver.wait_for(1)
            await wait_until(lambda: "damaged secret" in store.hook("aaaa").error)

    run(main)


def test_a_receiver_that_is_down_is_tried_again() -> None:
    """And named as failing, with the reason, until it takes something."""

    async def main() -> None:
        store = MemoryStore()
        async with receive() as receiver:
            pass
        add_hook(store, receiver)
        announce(store, 1)
        async with delivering(store):
            await wait_until(lambda: store.hook("aaaa").failing_since is not None)
            assert "cannot be reached" in store.hook("aaaa").error
        assert store.hook("aaaa").waiting == 1

    run(main)


def test_waits_grow_and_differ() -> None:
    """From seconds to two hours, so that a day has some 15 attempts."""
    patience = Patience()
    waits = [patience.choose_wait(attempts) for attempts in range(1, 12)]
    assert all(0.8 * 5 * 3**n <= wait <= 1.2 * 5 * 3**n for n, wait in enumerate(waits[:6]))
    assert all(0.8 * 7200 <= wait <= 1.2 * 7200 for wait in waits[8:])
    assert len({patience.choose_wait(1) for _ in range(20)}) > 10
    assert patience.choose_wait(10_000) <= 1.2 * 7200


def test_an_event_that_never_arrives_is_dropped_and_the_hook_disabled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After a day, and after three and some attempts; the log has nothing of it but the host."""
    now = [1000.0]
    step = 3000.0
    patience = Patience(first_wait=0.0)

    async def main() -> None:
        store = MemoryStore()

        def count() -> Iterator[Answer]:
            while True:
                now[0] += step
                yield answer_with(500)

        async with receive(count()) as receiver:
            hook = add_hook(store, receiver)
            ids = announce(store, *range(1, 10))
            async with delivering(store, patience=patience, clock=lambda: now[0]):
                await wait_until(lambda: store.hook("aaaa").disabled)
            assert (store.hook("aaaa").waiting, store.hook("aaaa").dropped) == (0, 9)
            tried = [one.event_id for one in receiver.requests]
            assert tried == sorted(tried, key=ids.index)
            assert 86_400 <= (tried.count(ids[0]) - 1) * step <= 86_400 + 2 * step
            assert 3 * 86_400 <= (len(tried) - 1) * step <= 3 * 86_400 + 11 * step
            assert tried.count(tried[-1]) >= patience.least_attempts
        for secret in (hook.secret, hook.secret.removeprefix("whsec_"), "its-secret"):
            assert secret not in caplog.text
        told = [record for record in caplog.records if record.name.startswith("mazzo_server")]
        actions = [getattr(record, "action", None) for record in told]
        assert actions[0] is LogAction.HOOK_FAILED
        assert actions[-1] is LogAction.HOOK_DISABLED
        assert len(actions) <= 6  # not one for each attempt
        assert f"http://localhost:{receiver.port}" in caplog.text

    with caplog.at_level(logging.DEBUG):
        run(main)


@pytest.mark.parametrize("attempts", [1, 12])
def test_a_server_that_was_off_gives_up_nothing_at_once(attempts: int) -> None:
    """As nobody tried meanwhile: one attempt, perhaps before the network is up, settles nothing."""

    async def main() -> None:
        store = MemoryStore()
        async with receive(answer_with(500)) as receiver:
            add_hook(store, receiver)
            announce(store, 1, 2)
            for attempt in range(attempts):
                time = 1000.0 + attempt
                store.fail_delivery("aaaa", 1, time=time, error="down", due_time=time + 5)
            clock = lambda: 1000.0 + 10 * 86_400  # noqa: E731
            async with delivering(store, patience=Patience(), clock=clock):
                await wait_until(lambda: store.hook("aaaa").error != "down")
        hook = store.hook("aaaa")
        assert (hook.disabled, hook.waiting, hook.dropped) == (False, 2, 0)

    run(main)


def test_an_event_after_a_quiet_time_is_tried_again() -> None:
    """Though the last one failed long ago: nothing waited, so nobody tried."""

    async def main() -> None:
        store = MemoryStore()
        async with receive(answer_with(500)) as receiver:
            add_hook(store, receiver)
            announce(store, 1)
            store.fail_delivery("aaaa", 1, time=1000.0, error="down", due_time=None)
            announce(store, 2)
            clock = lambda: 1000.0 + 10 * 86_400  # noqa: E731
            async with delivering(store, patience=Patience(), clock=clock):
                await wait_until(lambda: store.hook("aaaa").error != "down")
        assert (store.hook("aaaa").disabled, store.hook("aaaa").waiting) == (False, 1)

    run(main)


def test_gone_means_gone() -> None:
    """A receiver that answers 410 is asked no more."""

    async def main() -> None:
        store = MemoryStore()
        async with receive(answer_with(410)) as receiver, delivering(store):
            add_hook(store, receiver)
            announce(store, 1, 2)
            await wait_until(lambda: store.hook("aaaa").disabled)
        assert len(receiver.requests) == 1

    run(main)


def test_a_receiver_is_left_alone_for_as_long_as_it_asks() -> None:
    """Up to the longest wait."""

    async def main() -> None:
        store = MemoryStore()
        answer = answer_with(429, headers="retry-after: 3600\r\n")
        async with receive(answer) as receiver, delivering(store, patience=Patience()):
            add_hook(store, receiver)
            announce(store, 1)
            await wait_until(lambda: store.hook("aaaa").failing_since is not None)
        [delivery] = store.deliveries()
        since = store.hook("aaaa").failing_since
        assert since is not None
        assert delivery.due_time == pytest.approx(since + 3600)

    run(main)


def test_a_clock_that_is_set_back_keeps_nothing_for_long() -> None:
    """What was due in an hour is not due in a year."""

    async def main() -> None:
        store = MemoryStore()
        async with receive() as receiver:
            add_hook(store, receiver)
            announce(store, 1)
            store.fail_delivery("aaaa", 1, time=4e9, error="down", due_time=4e9 + 60)
            async with delivering(store, patience=Patience()):
                await receiver.wait_for(1)

    run(main)


def test_what_cannot_be_noted_is_sent_again_but_not_at_once() -> None:
    """A full disk must not make a flood of the same event."""

    class Full(MemoryStore):
        def finish_delivery(self, *_: object, **__: object) -> None:
            raise StoreError("the disk is full")

    async def main() -> None:
        store = Full()
        async with receive() as receiver:
            add_hook(store, receiver)
            [event] = announce(store, 1)
            async with delivering(store, patience=Patience(store_wait=0.3)):
                await receiver.wait_for(1)
                await asyncio.sleep(0.1)
                assert len(receiver.requests) == 1
                await receiver.wait_for(2)
            assert {one.event_id for one in receiver.requests} == {event}

    run(main)


def test_what_cannot_be_sent_is_given_up_like_what_does_not_arrive() -> None:
    """Whatever is wrong with it: it does not keep the rest of its queue for ever."""
    patience = Patience(first_wait=0.01, growth=1.0, drop_after=0.0, least_attempts=3)

    async def main() -> None:
        store = MemoryStore()
        async with receive() as receiver, delivering(store, patience=patience):
            hook = add_hook(store, receiver)
            odd = Announcement.of(OVER, time=1e300)  # no date has this time
            store.announce(odd)
            [event] = announce(store, 2)
            [got] = await receiver.wait_for(1)
            assert got.event_id == event
            await wait_until(lambda: store.hook("aaaa").delivered == 1)
            assert store.hook("aaaa").dropped == 1
            assert hook.secret not in store.hook("aaaa").error

    run(main)


@pytest.mark.parametrize("error", [StoreError("the disk is away"), RuntimeError("a bug")])
def test_no_error_of_the_store_ends_the_deliveries(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told once, and what waits is delivered afterwards."""

    class Away(MemoryStore):
        looks = 0

        def deliveries(self) -> list[DeliveryRow]:
            self.looks += 1
            if self.looks <= 3:
                raise error
            return super().deliveries()

    async def main() -> None:
        store = Away()
        async with receive() as receiver, delivering(store):
            add_hook(store, receiver)
            announce(store, 1)
            await receiver.wait_for(1)
        told = [one for one in caplog.records if getattr(one, "action", "") == "hooks-stuck"]
        assert len(told) == 1
        assert str(error) in told[0].getMessage()

    run(main)


def test_a_slow_store_makes_nothing_arrive_twice() -> None:
    """What it says was true when it was asked: an event may have arrived since."""

    class Slow(MemoryStore):
        def deliveries(self) -> list[DeliveryRow]:
            found = super().deliveries()
            sleep(0.06)
            return found

    async def answer(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.03)  # so that it is asked meanwhile, and answers later
        await answer_with(204)(writer)

    async def main() -> None:
        store = Slow()
        async with receive(answer) as receiver:
            add_hook(store, receiver)
            ids = announce(store, 1, 2, 3, 4)
            async with delivering(store):
                await wait_until(lambda: store.hook("aaaa").delivered == 4)
            assert [one.event_id for one in receiver.requests] == ids

    run(main)


def test_one_process_delivers_and_another_takes_over(tmp_path: Path) -> None:
    """Two servers on one store do not send everything twice."""

    async def main() -> None:
        first, second = (open_store(tmp_path / "mazzo.db") for _ in range(2))
        async with receive() as receiver:
            add_hook(first, receiver)
            async with delivering(first):
                announce(first, 1)
                await receiver.wait_for(1)
                async with delivering(second):
                    announce(first, 2, 3)
                    await receiver.wait_for(3)
                    await wait_until(lambda: first.hook("aaaa").delivered == 3)
            async with delivering(second):
                announce(first, 4)
                await receiver.wait_for(4)
            assert len(receiver.requests) == 4
        first.close()
        second.close()

    run(main)


CHILD = """
import asyncio, sys
from pathlib import Path
from mazzo_server.serving.hooks import Poster, deliver_events
from mazzo_server.storage import open_store

async def main():
    async with deliver_events(open_store(Path(sys.argv[1])), Poster(private=True)):
        await asyncio.Event().wait()

asyncio.run(main())
"""


def test_a_kill_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    """What was being delivered comes again, under the same id, then the rest in order."""

    async def main() -> None:
        store = open_store(tmp_path / "mazzo.db")
        async with receive(chain([never], repeat(answer_with(204)))) as receiver:
            add_hook(store, receiver)
            ids = announce(store, 1, 2, 3)
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", CHILD, str(tmp_path / "mazzo.db")
            )
            try:
                await receiver.wait_for(1)
            finally:
                child.kill()
                await child.wait()
            assert store.hook("aaaa").waiting == 3
            async with delivering(store):
                got = await receiver.wait_for(4)
            assert [one.event_id for one in got] == [ids[0], *ids]
        store.close()

    run(main)
