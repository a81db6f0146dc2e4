"""Organisers add, test and remove hooks; secrets are shown once and logged never."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from mazzo.channel import open_channel
from mazzo.v1 import hook_pb2, hook_pb2_grpc
from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.serving.hooks.hooks import Hooks
from mazzo_server.serving.hooks.posting import Poster
from mazzo_server.storage import (
    Announcement,
    HookFormat,
    MemoryStore,
    PlatformFault,
    list_event_kinds,
)
from support.callers import ServedPlatform, run_served
from support.receivers import answer_with, receive

POSTER = Poster(private=True)
FAULT = PlatformFault(action="worker-lost", text="a worker is lost")


def test_a_hook_is_added_tested_and_removed(caplog: pytest.LogCaptureFixture) -> None:
    """The log has its id and host, and neither the secret nor the path."""

    async def main() -> None:
        store = MemoryStore()
        hooks = Hooks(store, POSTER, clock=lambda: 5.0)
        async with receive() as receiver:
            hook = await hooks.add(
                receiver.url, events=["platform-fault"], format=HookFormat.JSON, label="club"
            )
            assert (hook.events, hook.label, hook.create_time) == (("platform-fault",), "club", 5.0)
            answer = await hooks.test(hook.id)
            assert (answer.status, answer.error) == (204, "")
            [got] = receiver.requests
            assert got.has_signature_of(hook.secret)
            assert (got.facts["type"], got.facts["sequence"]) == ("test", 0)
            with pytest.raises(ConflictError, match=f"the hook {hook.id} posts some of these"):
                await hooks.add(receiver.url, events=[], format=HookFormat.JSON, label="")
            every = await hooks.add(receiver.url, events=[], format=HookFormat.SLACK, label="")
            assert every.events == list_event_kinds()
            assert every.secret != hook.secret
            assert [one.id for one in await hooks.list_hooks()] == sorted([hook.id, every.id])
            assert (await hooks.remove(hook.id)).id == hook.id
        with pytest.raises(NotFoundError):
            await hooks.get(hook.id)
        assert "its-secret" not in caplog.text
        assert hook.secret not in caplog.text
        assert [record.levelname for record in caplog.records if "is added" in record.message]

    with caplog.at_level(logging.INFO, "mazzo_server"):
        asyncio.run(main())


def test_a_test_that_does_not_arrive_says_why() -> None:
    """And disables nothing."""

    async def main() -> None:
        store = MemoryStore()
        hooks = Hooks(store, POSTER)
        async with receive(answer_with(404)) as receiver:
            hook = await hooks.add(receiver.url, events=[], format=HookFormat.JSON, label="")
            answer = await hooks.test(hook.id)
            assert (answer.status, answer.error) == (0, "it answered 404")
        assert (await hooks.get(hook.id)) == hook

    asyncio.run(main())


def test_a_test_that_arrives_enables_a_hook() -> None:
    """What happens from then on is queued again."""

    async def main() -> None:
        store = MemoryStore()
        hooks = Hooks(store, POSTER)
        async with receive() as receiver:
            hook = await hooks.add(receiver.url, events=[], format=HookFormat.JSON, label="")
            store.fail_delivery(hook.id, 1, time=1.0, error="x", due_time=None, disable=True)
            store.announce(Announcement.of(FAULT, time=1.0))
            assert (await hooks.get(hook.id)).waiting == 0
            await hooks.test(hook.id)
            store.announce(Announcement.of(FAULT, time=1.0))
            assert (await hooks.get(hook.id)).waiting == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    ("url", "events", "label", "error"),
    [
        ("http://localhost/", [], "", "url: expected https"),
        ("https://localhost/key", [], "", "own network"),
        ("https://169.254.169.254/key", [], "", "own network"),
        ("https://[::1]/key", [], "", "own network"),
        ("https://club.invalid/key", ["nope"], "", "events: expected tournament-over, .*'nope'"),
        ("https://club.invalid/key", [], "a\nb", "label: "),
        ("https://club.invalid/key", [], "x" * 101, "label: "),
    ],
)
def test_what_is_refused(url: str, events: list[str], label: str, error: str) -> None:
    """At once, and without what may be a secret."""

    async def main() -> None:
        store = MemoryStore()
        with pytest.raises(InvalidInputError, match=error) as caught:
            await Hooks(store, Poster()).add(
                url, events=events, format=HookFormat.JSON, label=label
            )
        assert "key" not in str(caught.value)
        assert store.hooks() == []

    asyncio.run(main())


def test_there_are_so_many_hooks_at_most() -> None:
    """Each has a connection of its own."""

    async def main() -> None:
        hooks = Hooks(MemoryStore(), POSTER, most_hooks=2)
        for number in range(2):
            await hooks.add(
                f"http://127.0.0.1/{number}", events=[], format=HookFormat.JSON, label=""
            )
        with pytest.raises(ConflictError, match="2 hooks already"):
            await hooks.add("http://127.0.0.1/", events=[], format=HookFormat.JSON, label="")

    asyncio.run(main())


def test_the_service_shows_a_secret_once(tmp_path: Path) -> None:
    """In the answer to `AddHook`; of the URL the host alone."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = hook_pb2_grpc.HookServiceStub(channel)
            metadata = served.metadata("organiser")
            url = "https://hooks.club.invalid/key-of-ours"
            request = hook_pb2.AddHookRequest(url=url, format=hook_pb2.HOOK_FORMAT_SLACK)
            made = await stub.AddHook(request, metadata=metadata)
            assert made.secret.startswith("whsec_")
            assert made.hook.place == "https://hooks.club.invalid"
            assert list(made.hook.events) == list(list_event_kinds())
            named = hook_pb2.GetHookRequest(id=made.hook.id)
            shown = [
                await stub.GetHook(named, metadata=metadata),
                await stub.ListHooks(hook_pb2.ListHooksRequest(), metadata=metadata),
                await stub.TestHook(hook_pb2.TestHookRequest(id=made.hook.id), metadata=metadata),
                await stub.RemoveHook(
                    hook_pb2.RemoveHookRequest(id=made.hook.id), metadata=metadata
                ),
            ]
            assert shown[0].hook == shown[1].hooks[0] == shown[3].hook == made.hook
            assert shown[2].error.startswith("cannot be reached")
            assert "key-of-ours" not in str(shown)
            assert made.secret not in str(shown)

    run_served(tmp_path, body)
