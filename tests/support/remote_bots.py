"""A platform with a remote bot, a network that can be cut, and bots with and without the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from mazzo import Action, Bot, MatchEnded, MatchStarted, View
from mazzo.remote import RemotePlayer
from mazzo.v1 import bot_pb2, bot_pb2_grpc, play_pb2
from mazzo_server.play.instances.remote import RemoteSpec
from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.hosting.listening import TlsFiles
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.scripted_tournaments import PATIENCE

__all__ = [
    "Good",
    "Proxy",
    "Raw",
    "RemoteServer",
    "answers",
    "lowest",
    "mint",
    "nth",
    "run_with_server",
    "until",
]


class Good(Bot):
    """The bot `GOOD`, and what it was asked; `thought` is called after each decision."""

    def __init__(self, thought: Callable[[Good], None] = lambda _: None) -> None:
        self.started: list[bytes] = []  # the seeds of its own in the matches
        self.asked: list[tuple[bytes, int]] = []  # seed of its own in the match, and number
        self.ended: list[bytes] = []
        self._thought = thought

    def on_start(self, started: MatchStarted) -> None:
        self.started.append(started.seed)

    def act(self, view: View) -> Action:
        self.asked.append((view.seed, view.number))
        self._thought(self)
        return view.random.choice(view.legal)

    def on_end(self, ended: MatchEnded) -> None:
        self.ended.append(ended.started.seed)


async def until(true: Callable[[], bool]) -> None:
    """Look again and again, for nobody tells."""
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0.005)


@dataclass(slots=True)
class RemoteServer:
    """A platform with a remote bot `far`, that listens at a port of this machine."""

    address: str
    platform: Platform
    store: MemoryStore
    key: str
    said: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)  # of the players of bots at home

    def make_spec(
        self, *, start_up: float = 60.0, grace: float = 60.0, capacity: int = 1
    ) -> RemoteSpec:
        """Return the spec with which tournaments call the bot."""
        return RemoteSpec(
            name="far",
            bot="far",
            lobby=self.platform.lobby,
            capacity=capacity,
            start_up=start_up,
            grace=grace,
        )

    def make_player(
        self, bot: Bot, *, address: str = "", key: str = "", ca: str = ""
    ) -> RemotePlayer:
        """Return a player of the SDK for a bot at home."""
        return RemotePlayer(
            bot,
            address or self.address,
            key or self.key,
            ca=ca or None,
            say=self.said.append,
            **self.options,
        )

    @asynccontextmanager
    async def play_at_home(self, bot: Bot, **options: str) -> AsyncIterator[RemotePlayer]:
        """The bot waits and plays while the context lasts, then leaves."""
        player = self.make_player(bot, **options)
        task = asyncio.create_task(player.run())
        try:
            yield player
        finally:
            player.leave()
            await task

    async def wait_until_connected(self, *, connected: bool = True) -> None:
        """Wait until the bot is connected, or is not."""
        await until(lambda: self.platform.lobby.is_connected("far") is connected)


def run_with_server(
    body: Callable[[RemoteServer], Coroutine[Any, Any, None]],
    *,
    tls: TlsFiles | None = None,
    keepalive: Sequence[tuple[str, int]] | None = None,
) -> None:
    """Run a body with such a server; it leaves no task behind.

    The server and the bots at home ping by `keepalive`, if it is given.
    """
    options: dict[str, Any] = {} if keepalive is None else {"keepalive": keepalive}

    async def main() -> None:
        store = MemoryStore()
        platform = Platform(Settings(home=Path("/nowhere")), store)
        _, key = await platform.bots.register("far", games=["briscola/2"], capacity=1, writer="Ann")
        async with asyncio.timeout(PATIENCE):
            serving = serve_platform(
                platform, ["127.0.0.1:0"], isolation="none", tls=tls, **options
            )
            async with serving as (address,):
                await body(RemoteServer(address, platform, store, key, options=options))

    asyncio.run(main())


class Proxy:
    """A network that can be cut."""

    def __init__(self, target: str) -> None:
        self._target = int(target.rpartition(":")[2])
        self._port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.swallows = False  # everything, the end of a connection too

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    async def __aenter__(self) -> Proxy:
        await self.mend()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()

    async def mend(self) -> None:
        """Let connections through again."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    def cut(self) -> None:
        """Drop every connection, and take no new one."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers |= {writer, back}
            await asyncio.gather(self._pipe(reader, back), self._pipe(there, writer))
            if not self.swallows:
                self._writers -= {writer, back}

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if not self.swallows:
                    writer.write(data)
                    await writer.drain()
        if not self.swallows:
            writer.close()


# A bot without the SDK


class Raw:
    """One stream, message by message."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None) -> None:
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.call: Any = channel.stream_stream(
            "/mazzo.v1.PlayService/Play",
            response_deserializer=play_pb2.PlayResponse.FromString,
        )(metadata=metadata)

    async def send(self, **message: Any) -> None:
        await self.write(play_pb2.PlayRequest(**message).SerializeToString())

    async def write(self, data: bytes) -> None:
        """A message as it is; unless the stream is over, which reading tells."""
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self.call.write(data)

    async def join(self) -> None:
        await self.send(join=play_pb2.Join(sdk="raw", capacity=64))

    async def read(self, kind: str, *, until: str = "") -> Any:
        """The next message of a kind, pings apart; None when another one came first."""
        while True:
            response = await self.call.read()
            if not isinstance(response, play_pb2.PlayResponse):
                return None
            found = response.WhichOneof("message")
            if found == kind:
                return getattr(response, kind)
            if found == until:
                return None
            assert found == "ping", response

    async def status(self) -> grpc.StatusCode:
        """How the call ended."""
        with suppress(grpc.aio.AioRpcError):
            while await self.call.read() is not grpc.aio.EOF:
                pass
        code: grpc.StatusCode = await self.call.code()
        return code


async def mint(channel: grpc.aio.Channel, key: str, previous: str = "") -> str:
    """A session token."""
    answer: bot_pb2.CreateSessionResponse = await bot_pb2_grpc.BotServiceStub(
        channel
    ).CreateSession(
        bot_pb2.CreateSessionRequest(previous=previous),
        metadata=(("authorization", f"Bearer {key}"),),
    )
    assert answer.bot == "far"
    return answer.session_token


def lowest(decision: play_pb2.Decision, **other: int) -> play_pb2.ChosenAction:
    """The legal action of the lowest number, or something else in its place."""
    mask = int.from_bytes(decision.view.legal, "little")
    chosen: dict[str, Any] = {"action": (mask & -mask).bit_length() - 1} | other
    return play_pb2.ChosenAction(**({"match": decision.match, "number": decision.number} | chosen))


def nth(decision: play_pb2.Decision, choice: int) -> play_pb2.ChosenAction:
    """The legal action of that place, counted around from the lowest number."""
    mask = int.from_bytes(decision.view.legal, "little")
    legal = [action for action in range(mask.bit_length()) if mask >> action & 1]
    return lowest(decision, action=legal[choice % len(legal)])


async def answers(raw: Raw, *actions: play_pb2.ChosenAction) -> None:
    await raw.send(answer=play_pb2.Answer(actions=actions))
