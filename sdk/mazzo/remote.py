"""A bot that plays from its author's machine: it dials in, and dials again whatever happens."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from random import Random
from types import FrameType

import grpc

from mazzo.bot import Bot
from mazzo.channel import (
    CA_VARIABLE,
    explain_handshake_failure,
    is_this_machine,
    open_channel,
    parse_address,
    pings,
)
from mazzo.client import Matches, StreamCall, dial, play_stream
from mazzo.errors import ConnectionLostError, KeyRefusedError
from mazzo.v1 import bot_pb2, bot_pb2_grpc, play_pb2

__all__ = ["RemotePlayer"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # seconds before dialling again; doubled each time
_KEY = re.compile(r"[!-~]+")  # what a header may hold
_MINT_SECONDS = 10.0  # that a server may take to make a session token
_LEAVE_SECONDS = 1.0  # that it may take to hear that the bot leaves
# With the pool of all channels, a new one would wait as long as the last one that failed.
_OWN_POOL = ("grpc.use_local_subchannel_pool", 1)
# So that a connection which died without a word is noticed within the usual grace.
_PINGS = pings(every=5_000, patience=3_000)
_REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


class _State(Enum):
    NEW = auto()
    UNREACHED = auto()
    WAITING = auto()
    PLAYING = auto()
    LOST = auto()


class RemotePlayer:
    """The sessions of one remote bot, one after the other."""

    def __init__(
        self,
        bot: Bot,
        address: str,
        key: str,
        *,
        ca: str | None = None,
        capacity: int = 1024,
        say: Callable[[str], None] | None = None,
        random: Random | None = None,
        keepalive: Sequence[tuple[str, int]] = _PINGS,
    ) -> None:
        """`address` is HOST:PORT, `ca` a file of certificates; see `mazzo.channel`.

        What happens is told by `say`, to standard error by default. `random` spreads the
        attempts of many bots that lost the same server. `keepalive` are the `pings` that find a
        dead connection.
        """
        self._bot = bot
        self._address = address
        self._key = key
        self._ca = ca
        self._capacity = capacity
        self._say = say or _tell
        self._random = random or Random()  # noqa: S311 (no secret)
        self._options = (_OWN_POOL, *keepalive)
        self._state = _State.NEW
        self._pause = _FIRST_PAUSE
        self._lost_token = ""  # of the session whose connection was lost
        self._matches: Matches = {}  # of the session, through all its connections
        self._stream: StreamCall | None = None
        self._task: asyncio.Task[None] | None = None
        self._farewell: asyncio.Task[None] | None = None
        self._is_last = False  # leave at the next goodbye
        self._interrupts = 0

    async def run(self) -> None:
        """Play until told to leave, by `leave`, Ctrl-C or SIGTERM.

        Raises `KeyRefusedError` for what can be no key and when the server does not take it,
        `AddressError` for an address that cannot be one, and whatever the bot raises.
        """
        if not _KEY.fullmatch(self._key):
            raise KeyRefusedError(
                "expected a key as `mazzo bots register` shows it, got a text that cannot be one"
            )
        self._task = asyncio.current_task()
        with self._handle_interrupts():
            try:
                while not self._is_last and self._farewell is None:
                    await self._play_again()
                if self._farewell is not None:
                    await asyncio.wait((self._farewell,))  # it ends by cancelling this task
            except asyncio.CancelledError:
                if self._farewell is None:
                    raise

    async def _play_again(self) -> None:
        """Play one session to its goodbye, through as many connections as it takes."""
        while self._farewell is None:
            try:
                async with open_channel(self._address, self._ca, options=self._options) as channel:
                    await self._play(channel)
            except ConnectionLostError as error:
                if self._farewell is None:
                    self._lose(str(error))
                    pause = self._pause * self._random.uniform(0.5, 1.0)
                    self._pause = min(2 * self._pause, _LONGEST_PAUSE)
                    await asyncio.sleep(pause)
            else:
                return

    async def _play(self, channel: grpc.aio.Channel) -> None:
        session = await self._mint(channel)
        self._lost_token = session.session_token  # until it ended well
        self._stream = stream = dial(channel, session.session_token)
        try:
            await self._wait_until_accepted(stream, session.bot)
            await play_stream(
                self._bot,
                stream,
                capacity=self._capacity,
                matches=self._matches,
                on_welcome=self._on_welcome,
            )
        except ConnectionLostError:
            raise
        except BaseException:  # the bot's own, or Ctrl-C while it thinks
            with suppress(Exception):
                await asyncio.wait_for(_leave(stream), _LEAVE_SECONDS)
            raise
        finally:
            self._stream = None
        self._lost_token = ""
        self._matches.clear()

    async def _mint(self, channel: grpc.aio.Channel) -> bot_pb2.CreateSessionResponse:
        service = bot_pb2_grpc.BotServiceStub(channel)
        try:
            answer: bot_pb2.CreateSessionResponse = await service.CreateSession(
                bot_pb2.CreateSessionRequest(previous=self._lost_token),
                metadata=(("authorization", f"Bearer {self._key}"),),
                timeout=_MINT_SECONDS,
            )
        except grpc.aio.AioRpcError as error:
            details = error.details() or error.code().name
            if error.code() in _REFUSED:
                # The server speaks of an access token, and of the organiser to ask for another.
                if "token is not valid" in details:
                    details = "it was mistyped, revoked or replaced"
                raise KeyRefusedError(
                    f"{self._address} does not take this key: {details}. Whoever registered the "
                    "bot gets a new key with `mazzo bots register NAME --new-key`"
                ) from error
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                raise KeyRefusedError(
                    f"what answers at {self._address} is no Mazzo server for remote bots"
                ) from error
            raise ConnectionLostError(self._explain_unreachable(details)) from error
        return answer

    def _explain_unreachable(self, details: str) -> str:
        """Say in words why a server cannot be reached."""
        place = parse_address(self._address)
        is_here = place is not None and is_this_machine(place[0])
        if is_here and self._ca is None and "Socket closed" in details:
            return (
                f"it broke off: if it has TLS, set {CA_VARIABLE} to the file of its CA; else too "
                "many connections of this address may have begun at a time"
            )
        return explain_handshake_failure(details) or details

    async def _wait_until_accepted(self, stream: StreamCall, bot: str) -> None:
        """Wait until the server has let the stream in."""
        with suppress(grpc.aio.AioRpcError):
            await stream.initial_metadata()
        if stream.done():
            raise ConnectionLostError(await stream.details() or "the stream was refused")
        if self._state in (_State.NEW, _State.UNREACHED):
            self._say(f"connected to {self._address} as {bot}, waiting for a tournament")
        elif self._state is _State.LOST:
            self._say("back, waiting")
        else:
            self._say("waiting for the next tournament")
        self._state = _State.WAITING

    def _on_welcome(self) -> None:
        self._say("playing")
        self._state = _State.PLAYING
        self._pause = _FIRST_PAUSE

    def _lose(self, reason: str) -> None:
        if self._state is _State.NEW:
            self._say(f"cannot reach {self._address}, trying until Ctrl-C: {reason}")
            self._state = _State.UNREACHED
        elif self._state in (_State.WAITING, _State.PLAYING):
            self._say(f"connection lost, dialling again until Ctrl-C: {reason}")
            self._state = _State.LOST

    # Leaving

    def leave(self) -> None:
        """Go at once: open matches are forfeited, and the bot is withdrawn if it stays away."""
        if self._task is not None and self._farewell is None:
            self._farewell = asyncio.create_task(self._take_leave(self._task))

    async def _take_leave(self, task: asyncio.Task[None]) -> None:
        if self._stream is not None:
            with suppress(Exception):
                await asyncio.wait_for(_leave(self._stream), _LEAVE_SECONDS)
        task.cancel()

    @contextmanager
    def _handle_interrupts(self) -> Iterator[None]:
        """Leave on Ctrl-C and SIGTERM."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def on_signal(number: int, frame: FrameType | None) -> None:
            self._interrupts += 1
            if self._interrupts > 1 and asyncio.current_task(loop) is not None:
                raise KeyboardInterrupt  # the bot is thinking, perhaps for ever
            loop.call_soon_threadsafe(self._on_interrupt)

        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, on_signal) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)

    def _on_interrupt(self) -> None:
        if self._state is not _State.PLAYING or self._interrupts > 1:
            self.leave()
            return
        self._is_last = True
        self._say(
            "plays on until this part of the tournament is over, then leaves; Ctrl-C again leaves "
            "at once: its open matches are forfeited, and it is withdrawn if it does not come back"
        )


async def _leave(stream: StreamCall) -> None:
    """Say so, and wait until the server has ended the stream."""
    await stream.write(play_pb2.PlayRequest(leave=play_pb2.Leave()))
    await stream.done_writing()
    await stream.code()


def _tell(text: str) -> None:
    print(f"mazzo: {text}", file=sys.stderr, flush=True)
