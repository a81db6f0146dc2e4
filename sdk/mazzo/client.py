"""Plays one stream of a game master with a bot."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import TypeAlias

import grpc

from mazzo.bot import Bot, MatchEnded, choose, read_note
from mazzo.codec import MatchReader
from mazzo.errors import ConnectionLostError, ProtocolError
from mazzo.illegal_actions import explain_illegal_action
from mazzo.v1 import play_pb2, play_pb2_grpc
from mazzo.version import VERSION

__all__ = ["Matches", "StreamCall", "dial", "play", "play_stream"]

_SEND_AFTER = 0.005  # seconds of thinking after which finished answers are sent at once
_CHANNEL_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)

Matches: TypeAlias = dict[int, MatchReader]
StreamCall: TypeAlias = "grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]"


async def play(bot: Bot, address: str, token: str, *, capacity: int = 1024) -> None:
    """Play one stream to its end.

    Raises `ConnectionLostError` when the stream breaks, `ProtocolError` for a message that
    cannot be read, and whatever the bot raises.
    """
    async with grpc.aio.insecure_channel(address, options=_CHANNEL_OPTIONS) as channel:
        await play_stream(bot, dial(channel, token), capacity=capacity)


def dial(channel: grpc.aio.Channel, token: str) -> StreamCall:
    """Begin a stream with a session token."""
    stream: StreamCall = play_pb2_grpc.PlayServiceStub(channel).Play(
        metadata=(("authorization", f"Bearer {token}"),)
    )
    return stream


async def play_stream(
    bot: Bot,
    stream: StreamCall,
    *,
    capacity: int,
    matches: Matches | None = None,
    on_welcome: Callable[[], None] = lambda: None,
) -> None:
    """Join, and play to the goodbye; see `play`. `on_welcome` is called when play begins.

    `matches` are those of the session that a lost stream has left open, and are kept up to
    date, so that the bot does not begin them twice; None: the session begins.
    """
    try:
        join = play_pb2.Join(sdk=f"mazzo-python/{VERSION}", capacity=capacity)
        await stream.write(play_pb2.PlayRequest(join=join))
        await _Player(bot, stream, {} if matches is None else matches, on_welcome).play()
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
        raise ConnectionLostError(await _read_reason(stream)) from error


class _Player:
    """One stream's matches: which of them were started, and with which seed."""

    def __init__(
        self, bot: Bot, stream: StreamCall, matches: Matches, on_welcome: Callable[[], None]
    ) -> None:
        self._bot = bot
        self._stream = stream
        self._matches = matches
        self._on_welcome = on_welcome

    async def play(self) -> None:
        while isinstance(response := await self._stream.read(), play_pb2.PlayResponse):
            kind = response.WhichOneof("message")
            if kind == "goodbye":
                return
            if kind == "ping":
                await self._stream.write(play_pb2.PlayRequest(pong=play_pb2.Pong()))
            elif kind == "frame":
                await self._take(response.frame)
            elif kind == "welcome":
                self._on_welcome()
        raise ConnectionLostError("the game master closed the stream without a goodbye")

    async def _take(self, frame: play_pb2.Frame) -> None:
        for started in frame.started:
            reader = MatchReader.of(started)
            known = self._matches.get(started.match)
            if known is None or known.started != reader.started:
                self._matches[started.match] = reader
                self._bot.on_start(reader.started)
        request = play_pb2.PlayRequest()
        actions = request.answer.actions
        since = time.monotonic()
        for decision in frame.decisions:
            action = self._decide(decision)
            chosen = actions.add()  # setting fields is quicker than keywords
            chosen.match = decision.match
            chosen.number = decision.number
            chosen.action = action
            if note := read_note(self._bot):
                chosen.note = note
            now = time.monotonic()
            if now - since > _SEND_AFTER:
                await self._stream.write(request)
                request = play_pb2.PlayRequest()
                actions = request.answer.actions
                since = now
        if actions:
            await self._stream.write(request)
        for ended in frame.ended:
            over = self._matches.pop(ended.match, None)
            if over is not None:
                self._bot.on_end(
                    MatchEnded(
                        started=over.started,
                        scores=tuple(ended.scores),
                        ranking=tuple(ended.ranking),
                        reason=ended.reason,
                    )
                )

    def _decide(self, decision: play_pb2.Decision) -> int:
        reader = self._matches.get(decision.match)
        if reader is None:
            raise ProtocolError(f"a decision of match {decision.match}, which was never started")
        view = reader.view(decision)
        action = choose(self._bot, view)
        if not view.legal_mask >> action & 1:
            name = type(self._bot).__name__
            print(f"mazzo: {name}.act: {explain_illegal_action(view, action)}", file=sys.stderr)
        return action


async def _read_reason(stream: StreamCall) -> str:
    code = await stream.code()
    details = await stream.details()
    return f"the stream to the game master ended: {details or 'no reason given'} ({code.name})"
