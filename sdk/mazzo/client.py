"""Runs a bot against a game master."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import TypeAlias

import grpc

from mazzo.bot import Bot, choose
from mazzo.codec import MatchReader
from mazzo.errors import ConnectionLostError, ProtocolError
from mazzo.v1 import play_pb2, play_pb2_grpc
from mazzo.version import VERSION

__all__ = ["ADDRESS_VARIABLE", "TOKEN_VARIABLE", "play", "run"]

ADDRESS_VARIABLE = "MAZZO_ADDRESS"
TOKEN_VARIABLE = "MAZZO_TOKEN"  # noqa: S105 (the name of the variable, not a token)

_SEND_AFTER = 0.005  # seconds of thinking after which finished answers are sent at once
_CHANNEL_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)

_Stream: TypeAlias = "grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]"


def run(bot: Bot | type[Bot], *, capacity: int = 1024) -> None:
    """Play until the game master says goodbye; the last line of a bot's program.

    Address and token come from the environment variables MAZZO_ADDRESS and MAZZO_TOKEN,
    which the platform sets. `capacity` is how many decisions the bot wants in flight at
    once; the game master gives at most as many as the bot's manifest says. Ends the
    process with status 2 when a variable is missing and 1 when the connection is lost.
    """
    missing = [name for name in (ADDRESS_VARIABLE, TOKEN_VARIABLE) if not os.environ.get(name)]
    if missing:
        print(
            f"mazzo: {' and '.join(missing)} not set; the platform sets them when it starts a "
            "bot: submit it with `mazzo bots submit`, or play it at home with `mazzo.local`",
            file=sys.stderr,
        )
        sys.exit(2)
    player = bot() if isinstance(bot, type) else bot
    address, token = os.environ[ADDRESS_VARIABLE], os.environ[TOKEN_VARIABLE]
    try:
        asyncio.run(play(player, address, token, capacity=capacity))
    except ConnectionLostError as error:
        print(f"mazzo: {error}", file=sys.stderr)
        sys.exit(1)


async def play(bot: Bot, address: str, token: str, *, capacity: int = 1024) -> None:
    """Play one stream to its end.

    Raises `ConnectionLostError` when the stream breaks, `ProtocolError` for a message that
    cannot be read, and whatever the bot raises.
    """
    async with grpc.aio.insecure_channel(address, options=_CHANNEL_OPTIONS) as channel:
        stream = play_pb2_grpc.PlayServiceStub(channel).Play(
            metadata=(("authorization", f"Bearer {token}"),)
        )
        try:
            join = play_pb2.Join(sdk=f"mazzo-python/{VERSION}", capacity=capacity)
            await stream.write(play_pb2.PlayRequest(join=join))
            await _Player(bot, stream).play()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            raise ConnectionLostError(await _reason(stream)) from error


class _Player:
    """One stream's matches: which of them were started, and with which seed."""

    def __init__(self, bot: Bot, stream: _Stream) -> None:
        self._bot = bot
        self._stream = stream
        self._matches: dict[int, MatchReader] = {}

    async def play(self) -> None:
        while isinstance(response := await self._stream.read(), play_pb2.PlayResponse):
            kind = response.WhichOneof("message")
            if kind == "goodbye":
                return
            if kind == "ping":
                await self._stream.write(play_pb2.PlayRequest(pong=play_pb2.Pong()))
            elif kind == "frame":
                await self._take(response.frame)
        raise ConnectionLostError("the game master closed the stream without a goodbye")

    async def _take(self, frame: play_pb2.Frame) -> None:
        for started in frame.started:
            self._matches[started.match] = MatchReader.of(started)
        answer = play_pb2.Answer()
        since = time.monotonic()
        for decision in frame.decisions:
            answer.actions.add(
                match=decision.match, number=decision.number, action=self._decide(decision)
            )
            now = time.monotonic()
            if now - since > _SEND_AFTER:
                await self._send(answer)
                answer = play_pb2.Answer()
                since = now
        if answer.actions:
            await self._send(answer)
        for ended in frame.ended:
            self._matches.pop(ended.match, None)

    def _decide(self, decision: play_pb2.Decision) -> int:
        reader = self._matches.get(decision.match)
        if reader is None:
            raise ProtocolError(f"a decision of match {decision.match}, which was never started")
        view = reader.view(decision)
        action = choose(self._bot, view)
        if not view.legal_mask >> action & 1:
            legal = " ".join(option.code for option in view.legal)
            got = view.variant.game.actions[action]
            print(f"mazzo: act returned {got}, legal were: {legal}", file=sys.stderr)
        return action

    async def _send(self, answer: play_pb2.Answer) -> None:
        await self._stream.write(play_pb2.PlayRequest(answer=answer))


async def _reason(stream: _Stream) -> str:
    code = await stream.code()
    details = await stream.details()
    return f"the stream to the game master ended: {details or 'no reason given'} ({code.name})"
