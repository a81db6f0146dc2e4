"""Whatever is sent to a live server: it answers or closes, and nobody else notices."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count as count_up
from pathlib import Path
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from mazzo import Action, Bot, View
from mazzo.channel import open_channel
from mazzo.remote import RemotePlayer
from mazzo.v1 import bot_pb2, bot_pb2_grpc, play_pb2
from mazzo_server.logs import LogAction, is_ours_to_tell
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.model.roles import Role
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.play.instances.remote import RemoteSpec
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, SandboxedProcess
from mazzo_server.serving.gateway.admission import ConnectionLimits
from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.malformed_messages import (
    JOIN,
    METADATA,
    PREFACE,
    RAW,
    ROLES,
    SCRIPTS,
    calls_by_hand,
    payloads,
    play_request,
)
from support.phantom_process import PhantomProcess
from support.scripted_tournaments import Arena, without_thinking_times

pytestmark = pytest.mark.slow

UNBOUNDED = ConnectionLimits(burst=10**9, per_second=1e9)  # how fast they come is no matter here
PATIENCE = 20.0  # seconds, the longest wait for anything
BATCH = 50  # examples; while more are made than are needed, the server would stand still
GLANCE = 0.005  # seconds that a bot waits for the next decisions
SLACK = 4  # descriptors that gRPC may hold more than before
ROOT = Path(__file__).parents[2]
COMPANIONS = ("companion-1", "companion-2")


def sizes(some: int, all_of_them: int) -> list[Any]:
    """Messages of a test: 2,000 of all tests together, 100,000 at full size."""
    return [
        pytest.param(some, id="some"),
        pytest.param(all_of_them, marks=pytest.mark.prove, id="full size"),
    ]


"""What instances do, one after the other; whether each joins first as it should."""


# Where it is sent


class Good(Bot):
    """A companion, which is to notice nothing."""

    def act(self, view: View) -> Action:
        return view.random.choice(view.legal)


@dataclass(slots=True)
class Ground:
    """A live server with a match that goes on and on."""

    address: str
    platform: Platform
    arena: Arena
    tokens: dict[str, str]
    sent: int = 0
    rounds: int = 0
    expected: list[MatchOutcome] = field(default_factory=list)

    def remote(self, name: str, *, patience: float = PATIENCE) -> RemoteSpec:
        lobby = self.platform.lobby
        return RemoteSpec(
            name=name, bot=name, lobby=lobby, capacity=3, start_up=patience, grace=patience / 10
        )

    async def round(self) -> None:
        """A tournament of the companions, whose outcomes are always the same."""
        specs = [self.remote(name) for name in COMPANIONS]
        result = await self.arena.run(specs, groups=2, match_format="deals:1")
        assert result.finished
        outcomes = without_thinking_times(result.outcomes)
        assert not any(outcome.faults for outcome in outcomes)
        self.expected = self.expected or outcomes
        assert outcomes == self.expected
        self.rounds += 1

    async def rounds_for_ever(self) -> None:
        while True:
            await self.round()
            await asyncio.sleep(0.05)  # or it would be all that the machine does


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@asynccontextmanager
async def ground(folder: Path) -> AsyncIterator[Ground]:
    store = MemoryStore()
    platform = Platform(Settings(home=folder / "home"), store)
    tokens = {"nobody": "", "wrong": "mazzo_nonsense"}
    for name in (*COMPANIONS, "far"):
        _, tokens[name] = await platform.bots.register(
            name, games=["briscola/2"], capacity=3, writer="", author="ann"
        )
        if name in COMPANIONS:
            store.retire(name)  # no tournament but our own calls it
    for name, role, subject in (("author", Role.AUTHOR, "ann"), ("organiser", Role.ORGANISER, "")):
        token, _ = await platform.tokens.create(role, subject, label="")
        tokens[name] = token.text
    async with AsyncExitStack() as stack:
        (address,) = await stack.enter_async_context(
            serve_platform(platform, ["127.0.0.1:0"], isolation="none", connections=UNBOUNDED)
        )
        opened = Ground(address, platform, Arena(folder), tokens)
        players = [
            RemotePlayer(Good(), address, tokens[name], say=lambda _: None) for name in COMPANIONS
        ]
        homes = [asyncio.create_task(player.run()) for player in players]
        try:
            yield opened
        finally:
            for player in players:
                player.leave()
            await asyncio.gather(*homes)
            await platform.close(grace=0.0)


def fuzz(
    messages: int,
    strategy: st.SearchStrategy[Any],
    send: Callable[[Ground, Any], Coroutine[Any, Any, int]],
) -> None:
    """Send examples until there were so many messages, and look what became of the server.

    `send` returns how many messages it sent.
    """
    complaints: list[str] = []

    class Complaints(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            action = getattr(record, "action", None)
            unexpected = action in (None, LogAction.REQUEST_FAILED, LogAction.TOURNAMENT_FAILED)
            if unexpected or record.exc_info:
                complaints.append(self.format(record))

    handler = Complaints(logging.WARNING)
    handler.addFilter(is_ours_to_tell)
    logging.getLogger().addHandler(handler)
    folder = Path(tempfile.mkdtemp(prefix="m-"))
    with asyncio.Runner() as runner:

        async def open_ground() -> None:
            opened = await stack.enter_async_context(ground(folder))
            await opened.round()
            state.append(opened)
            companions.append(asyncio.create_task(opened.rounds_for_ever()))

        async def example(sent: Any) -> None:
            async with asyncio.timeout(PATIENCE):
                state[0].sent += await send(state[0], sent)
            assert not companions[0].done(), "another match has changed"
            assert not complaints

        async def close_ground(before: tuple[int, int]) -> None:
            async with asyncio.timeout(PATIENCE):
                rounds = state[0].rounds
                while state[0].rounds < rounds + 2 and not companions[0].done():  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                while True:  # what is still closing
                    gc.collect()
                    now = len(asyncio.all_tasks()), descriptors()
                    if now[0] <= before[0] and now[1] <= before[1] + SLACK:
                        break
                    await asyncio.sleep(0.05)
            companions[0].cancel()
            (outcome,) = await asyncio.gather(*companions, return_exceptions=True)
            assert isinstance(outcome, asyncio.CancelledError)
            await stack.aclose()
            async with asyncio.timeout(PATIENCE):
                while asyncio.all_tasks() != {asyncio.current_task()}:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)

        async def count() -> tuple[int, int]:
            await asyncio.sleep(0)
            return len(asyncio.all_tasks()), descriptors()

        stack = AsyncExitStack()
        state: list[Ground] = []
        companions: list[asyncio.Task[None]] = []
        try:
            runner.run(open_ground())
            before = runner.run(count())

            for batch in count_up():
                if state[0].sent >= messages:
                    break

                @seed(batch)
                @settings(
                    max_examples=BATCH,
                    database=None,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                    phases=[Phase.generate],  # a server that has failed cannot be asked again
                )
                @given(strategy)
                def examples(sent: Any) -> None:
                    if state[0].sent < messages:
                        runner.run(example(sent))

                examples()
            runner.run(close_ground(before))
        finally:
            logging.getLogger().removeHandler(handler)
            shutil.rmtree(folder)
    assert not complaints


# Streams


@dataclass(slots=True)
class Script:
    """What the instances of a bot do; each begins where the last one ended."""

    turns: list[tuple[bool, list[Any]]]
    sent: int = 0

    async def play(self, address: str, token: str) -> None:
        """One instance."""
        if not self.turns:
            return
        joins, deeds = self.turns.pop(0)
        async with open_channel(address) as channel:
            call: Any = channel.stream_stream(
                "/mazzo.v1.PlayService/Play",
                response_deserializer=play_pb2.PlayResponse.FromString,
            )(metadata=(("authorization", f"Bearer {token}"),))
            self.sent += 1
            decisions: asyncio.Queue[list[play_pb2.Decision]] = asyncio.Queue()
            reader = asyncio.create_task(read(call, decisions))
            try:
                with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await self._act(call, ([JOIN] if joins else []) + deeds, address, decisions)
            finally:
                call.cancel()
                await asyncio.wait((reader,))

    async def _act(
        self,
        call: Any,
        deeds: list[Any],
        address: str,
        decisions: asyncio.Queue[list[play_pb2.Decision]],
    ) -> None:
        open_now: list[play_pb2.Decision] = []
        for deed in deeds:
            self.sent += 1
            if deed in ("answer", "look", "illegal", "early"):
                with suppress(TimeoutError):
                    async with asyncio.timeout(GLANCE):
                        open_now += await decisions.get()
            if isinstance(deed, bytes):
                await call.write(deed)
            elif isinstance(deed, tuple):
                await raw(address, deed)
            elif deed == "half-close":
                await call.done_writing()
            elif deed == "cancel":
                call.cancel()
            elif deed != "look":
                actions = [chosen(decision, deed) for decision in open_now]
                await call.write(play_request(answer=play_pb2.Answer(actions=actions)))
                open_now.clear()


async def read(call: Any, decisions: asyncio.Queue[list[play_pb2.Decision]]) -> None:
    """All that comes, in a task of its own: to break off a read would end the stream."""
    with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
        while isinstance(response := await call.read(), play_pb2.PlayResponse):
            if response.frame.decisions:
                decisions.put_nowait(list(response.frame.decisions))


def chosen(decision: play_pb2.Decision, deed: str) -> play_pb2.ChosenAction:
    mask = int.from_bytes(decision.view.legal, "little")
    lowest = (mask & -mask).bit_length() - 1
    return play_pb2.ChosenAction(
        match=decision.match,
        number=decision.number + (deed == "early"),
        action=63 if deed == "illegal" else lowest,
    )


async def raw(address: str, parts: tuple[bytes, ...] | list[bytes]) -> None:
    """A connection of its own, on which these bytes are sent."""
    unix = address.startswith("unix:")
    host, _, port = address.rpartition(":")
    opening = (
        asyncio.open_unix_connection(address.removeprefix("unix:"))
        if unix
        else asyncio.open_connection(host, int(port))
    )
    with suppress(OSError):
        reader, writer = await opening
        with contextlib.closing(writer):
            for part in parts:
                writer.write(part)
                await writer.drain()
            writer.write_eof()
            with suppress(TimeoutError):
                async with asyncio.timeout(GLANCE):
                    await reader.read()


class Phantoms(Sandbox):
    """Instances without a process: a task of the test is at the other end of the socket."""

    name = "none"

    def __init__(self, script: Script) -> None:
        self.script = script

    async def forget(self) -> None: ...

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        return Phantom(self.script.play(f"unix:{launch.socket}", launch.token))


class Phantom(PhantomProcess):
    def __init__(self, life: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.create_task(life)

    async def wait(self) -> Exit:
        await asyncio.wait((self._task,))
        return Exit(code=0, signal=None)

    async def kill(self) -> None:
        self._task.cancel()
        await asyncio.wait((self._task,))


def phantom(script: Script, folder: Path) -> SandboxedSpec:
    return SandboxedSpec(
        name="phantom",
        bundle=folder,
        command=(),
        capacity=3,
        start_up=PATIENCE,
        sandbox=Phantoms(script),
        limits=Limits(),
    )


async def to_sandboxes(ground: Ground, turns: Any) -> int:
    """A tournament of two bots that do this; it ends, whatever they do."""
    script = Script(list(turns))
    hasty = replace(phantom(script, ground.arena.folder), goodbye_grace=0.01)
    result = await ground.arena.run([hasty, hasty], match_format="deals:1")
    assert result.finished, result.error
    assert len(result.outcomes) == 1 or result.withdrawals
    return script.sent


async def to_the_lobby(ground: Ground, turns: Any) -> int:
    """A tournament with a remote bot that does this."""
    script = Script(list(turns))
    other = phantom(Script([(True, ["answer"] * 30)]), ground.arena.folder)

    async def dial() -> None:
        async with open_channel(ground.address) as channel:
            service = bot_pb2_grpc.BotServiceStub(channel)
            metadata = (("authorization", f"Bearer {ground.tokens['far']}"),)
            used = ""
            while script.turns:
                answer = await service.CreateSession(
                    bot_pb2.CreateSessionRequest(previous=used), metadata=metadata
                )
                await script.play(ground.address, answer.session_token)
                used = answer.session_token
                if script.turns and len(script.turns) % 3 == 0:
                    await script.play(ground.address, used)  # which is worth nothing any more

    dialling = asyncio.create_task(dial())
    try:
        specs: list[InstanceSpec] = [ground.remote("far", patience=0.05), other]
        result = await ground.arena.run(specs, match_format="deals:1")
    finally:
        dialling.cancel()
        (outcome,) = await asyncio.gather(dialling, return_exceptions=True)
    assert outcome is None or isinstance(outcome, asyncio.CancelledError)
    assert result.finished, result.error
    return script.sent


@pytest.mark.parametrize("messages", sizes(100, 3_000))
def test_streams_of_sandboxes(messages: int) -> None:
    """Out of order, unreadable, cut off: the match ends, and others play on."""
    fuzz(messages, SCRIPTS, to_sandboxes)


@pytest.mark.parametrize("messages", sizes(100, 3_000))
def test_streams_of_remote_bots(messages: int) -> None:
    """The same through the lobby."""
    fuzz(messages, SCRIPTS, to_the_lobby)


# Calls


def requests() -> dict[str, tuple[Any, bool, bool]]:
    """Of every method of our own: its request, and whether request and answer are streams."""
    files = [
        importlib.import_module(f"mazzo.v1.{path.stem}_pb2").DESCRIPTOR
        for path in (ROOT / "proto" / "mazzo" / "v1").glob("*.proto")
    ]
    return {
        f"/{service.full_name}/{method.name}": (
            method.input_type,
            method.client_streaming,
            method.server_streaming,
        )
        for file in files
        for service in file.services_by_name.values()
        for method in service.methods
    }


REQUESTS = requests()
CALLS = st.lists(
    st.sampled_from(sorted(REQUESTS)).flatmap(
        lambda method: st.tuples(
            st.just(method),
            st.lists(payloads(REQUESTS[method][0]), max_size=3),
            METADATA,
        )
    ),
    min_size=1,
    max_size=10,
)


async def to_methods(ground: Ground, calls: Any) -> int:
    """Each call is answered with a status, and never with an unexpected one."""
    async with open_channel(ground.address) as channel:
        counts = await asyncio.gather(
            *(call(channel, ground.tokens[role], *one) for one in calls for role in ROLES)
        )
    return sum(counts)


async def call(
    channel: grpc.aio.Channel, token: str, method: str, payloads: list[bytes], metadata: Any
) -> int:
    _, streaming, streamed = REQUESTS[method]
    shown = [("authorization", f"Bearer {token}")] if token else []
    shown += [
        (key, value) for key, value in metadata if isinstance(value, bytes) is key.endswith("-bin")
    ]
    name = f"{'stream' if streaming else 'unary'}_{'stream' if streamed else 'unary'}"
    request: Any = iter(payloads) if streaming else (payloads or [b""])[0]
    made = getattr(channel, name)(method)(request, metadata=tuple(shown), timeout=PATIENCE)
    with suppress(grpc.aio.AioRpcError):
        if streamed:
            while await made.read() is not grpc.aio.EOF:
                pass
        else:
            await made
    code = await made.code()
    assert code is not grpc.StatusCode.UNKNOWN, (method, await made.details())
    assert code is not grpc.StatusCode.DEADLINE_EXCEEDED, method
    return len(payloads) if streaming else 1


@pytest.mark.parametrize("messages", sizes(700, 14_000))
def test_calls_of_every_method_in_every_role(messages: int) -> None:
    """Random fields, spoilt messages, odd metadata."""
    fuzz(messages, CALLS, to_methods)


async def to_the_port(ground: Ground, sent: Any) -> int:
    greets, parts = sent
    await raw(ground.address, [PREFACE, *parts] if greets else parts)
    return len(parts)


@pytest.mark.parametrize("messages", sizes(1_100, 80_000))
def test_bytes_on_the_port(messages: int) -> None:
    """No HTTP/2, nearly HTTP/2, and calls with wrong lengths and flags."""
    fuzz(messages, RAW, to_the_port)


def test_calls_of_a_method_whose_name_is_no_text() -> None:
    """They end the whole server in gRPC for Python from 1.84 to 1.85.1 at least."""
    calls = st.lists(calls_by_hand(st.just(b"/\xe9")), min_size=1, max_size=3)
    fuzz(20, st.tuples(st.just(True), calls), to_the_port)
