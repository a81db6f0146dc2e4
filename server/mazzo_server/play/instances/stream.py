"""One stream of a bot, as in `PlayService.Play`: join, frames, answers, pings, the end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from google.protobuf.message import DecodeError

from mazzo.v1 import play_pb2
from mazzo_server.errors import (
    MalformedMessageError,
    OverLimitError,
    PlatformError,
    TooLateError,
)
from mazzo_server.model import Owner, Termination
from mazzo_server.play.instances.delivery import Delivery
from mazzo_server.play.instances.instance import InstanceLink
from mazzo_server.play.instances.pings import Pings
from mazzo_server.play.instances.stream_end import StreamEnd, refuse_message

__all__ = ["MOST_MESSAGE", "UNCOMPRESSED", "UNLIMITED_PINGS", "BotStream"]

MOST_MESSAGE = 1024 * 1024  # bytes of one message of a bot
UNCOMPRESSED = 1  # the number of gRPC's set of algorithms that compress nothing
# gRPC can send clients away that ping too often, but that takes far more memory than their pings
# do: 30 MiB of pings on 8 connections took a server from 33 to 2,339 MiB, and most of that was not
# given back. Without that limit it grew by 9 to 95 MiB, and once by 200, since gRPC stops reading
# from a client that leaves many answers unread.
UNLIMITED_PINGS = ("grpc.http2.max_ping_strikes", 0)
_PING = play_pb2.PlayResponse(ping=play_pb2.Ping()).SerializeToString()
_GOODBYE = play_pb2.PlayResponse(goodbye=play_pb2.Goodbye()).SerializeToString()


class BotStream:
    """Reads and writes one stream for the player that begins to play through it.

    At most one frame is being sent, and nothing is read ahead. What a slow reader is not ready for
    waits as decisions in its queue; a flood of messages waits at the sender.
    """

    def __init__(
        self,
        on_join: Callable[[BotStream], None],
        *,
        read_grace: float = 10.0,
        goodbye_grace: float = 1.0,
    ) -> None:
        """Call `on_join` when the bot has joined; `begin` then lets it play.

        A bot that is asked nothing may leave messages unread for `read_grace` seconds in all. The
        last message may take `goodbye_grace` seconds.
        """
        self.capacity = 0  # that the bot asks for; 0 until it has joined
        self.ended: asyncio.Future[StreamEnd | None] = asyncio.get_running_loop().create_future()
        self._on_join = on_join
        self._read_grace = read_grace
        self._goodbye_grace = goodbye_grace
        self._link: InstanceLink | None = None
        self._may_read: Callable[[], bool] = lambda: True
        self._granted = 0  # capacity that it is granted, 0 until it may play
        self._turned = asyncio.Event()  # the bot may play, or the stream is over
        self._pings = Pings()
        self._broken = False  # nothing can be sent any more

    @property
    def is_over(self) -> bool:
        """Whether its end is settled: from then on nothing that the bot sends counts."""
        return self.ended.done()

    @property
    def _ends_well(self) -> bool:
        """Whether the bot is told goodbye, once the stream is over."""
        return self.ended.exception() is None and self.ended.result() is None

    def begin(
        self,
        link: InstanceLink,
        *,
        most: int,
        is_awake: Callable[[], bool] = lambda: True,
    ) -> None:
        """Say welcome and play, with at most `most` decisions in flight.

        `is_awake` tells whether the instance can read now; `news` is set as soon as it can again.
        """
        self._link = link
        self._may_read = is_awake
        self._granted = max(1, min(most, self.capacity))
        link.listener.on_join(self._granted)
        self._turned.set()

    def end(self) -> None:
        """Say goodbye."""
        self._finish(None)

    def fail(
        self,
        termination: Termination,
        reason: str,
        owner: Owner = Owner.BOT,
        *,
        refusal: PlatformError | None = None,
    ) -> None:
        """Give the bot up, for a fault of its own unless `owner` names another.

        `refusal` is what it is told, in place of what `check_end` has to say.
        """
        self._finish(
            StreamEnd(termination=termination, reason=reason, owner=owner, refusal=refusal)
        )

    def vanish(self, refusal: PlatformError | None = None) -> None:
        """Note that the stream, or the process at its other end, is gone."""
        self._finish(
            StreamEnd(
                termination=Termination.LEFT,
                reason="its stream ended",
                vanished=True,
                refusal=refusal,
            )
        )

    def _finish(self, ending: StreamEnd | Exception | None) -> None:
        """Settle how it ended; our own bug, an exception, must not look like the bot's fault."""
        if isinstance(ending, Exception):
            if not self.is_over:
                self.ended.set_exception(ending)
        elif not self.is_over:
            self.ended.set_result(ending)
        self._turned.set()
        if self._link is not None:
            self._link.frames.news.set()

    async def serve(
        self, requests: AsyncIterator[bytes], write: Callable[[bytes], Awaitable[None]]
    ) -> None:
        """Read and write until it is over; cancelled when the last message cannot be sent."""
        reader = asyncio.create_task(self._read(requests))
        writer = asyncio.create_task(self._write(write))
        try:
            await asyncio.wait((writer, self.ended), return_when=asyncio.FIRST_COMPLETED)
            _, stuck = await asyncio.wait((writer,), timeout=self._goodbye_grace)
            if stuck or self._broken:  # gRPC could not even send the status
                raise asyncio.CancelledError
            if self._ends_well and self._pings.is_open:
                # A bot whose pong meets a closed stream would take that for a lost connection.
                await asyncio.wait((reader,), timeout=self._goodbye_grace)
        finally:
            self.vanish()
            for task in (reader, writer):
                task.cancel()
            await asyncio.wait((reader, writer))

    async def _write(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        async def send(message: bytes) -> None:
            try:
                await write(message)
            except Exception:  # the stream may break in any way
                self._broken = True
                self.vanish()

        try:
            await self._turned.wait()
            if self._link is not None and not self.is_over:
                await self._play(self._link, send)
            if self._ends_well:
                if self._link is not None and (last := self._link.frames.take_last_frame()):
                    await send(last)
                await send(_GOODBYE)
        except Exception as error:
            self._finish(error)

    async def _play(self, link: InstanceLink, send: Callable[[bytes], Awaitable[None]]) -> None:
        frames = link.frames
        delivery = Delivery(
            send,
            frames,
            is_awake=self._is_awake,
            on_unread=self._give_up_unread,
            unread_in_all=self._read_grace,
        )
        welcome = play_pb2.Welcome(capacity=self._granted)
        await delivery.send(play_pb2.PlayResponse(welcome=welcome).SerializeToString())
        while not self.is_over:
            frame = delivery.take_next()
            if frame is None and self._is_awake():
                if frames.is_idle and self._pings.begin(link.now()):
                    frame = _PING  # sent before a frame, whose clocks run from its creation
                else:
                    frame = frames.take_frame()
            if frame is None:
                frames.news.clear()
                await frames.news.wait()
                continue
            await delivery.send(frame)
        while self._ends_well and (frame := delivery.take_next()):
            await send(frame)  # it may tell how a match ended

    def _is_awake(self) -> bool:
        awake = not self.is_over and self._may_read()
        if not awake:
            self._pings.note_sleep()
        return awake

    def _give_up_unread(self) -> None:
        seconds = f"{self._read_grace:g} s in all"
        self.fail(
            Termination.LEFT,
            f"had read nothing for {seconds}",
            refusal=TooLateError(
                f"expected messages to be read as they come, got none read for {seconds}: read "
                "on while your bot thinks"
            ),
        )

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        with contextlib.suppress(Exception):  # the stream may break in any way
            async for data in requests:
                if self.is_over:
                    continue  # until the bot closes the stream, which must be there
                try:
                    self._take(data)
                except DecodeError:
                    self.fail(
                        Termination.MALFORMED_ANSWER,
                        "sent a message that cannot be read",
                        refusal=MalformedMessageError(
                            f"expected a mazzo.v1.PlayRequest, got {len(data)} bytes that are "
                            "none: generate your code from proto/mazzo/v1/play.proto"
                        ),
                    )
                except Exception as error:
                    self._finish(error)
        self.vanish()

    def _take(self, data: bytes) -> None:
        if len(data) > MOST_MESSAGE:
            self.fail(
                Termination.MALFORMED_ANSWER,
                f"sent a message of {len(data)} bytes, of {MOST_MESSAGE} at most",
                refusal=OverLimitError(
                    f"expected a message of at most {MOST_MESSAGE} bytes, got one of {len(data)}: "
                    "send the actions of an answer in several messages"
                ),
            )
            return
        request = play_pb2.PlayRequest.FromString(data)
        kind = request.WhichOneof("message")
        if kind == "answer" and self._link is not None:
            self._link.listener.on_answer(request.answer)
        elif kind == "pong" and self.capacity:
            if self._pings.is_open and self._link is not None:
                if (latency := self._pings.end(self._link.now())) is not None:
                    self._link.listener.on_latency(latency)
            elif not self._pings.forgive():
                self.fail(
                    Termination.MALFORMED_ANSWER,
                    "sends far more pongs than it is asked for",
                    refusal=OverLimitError(
                        "expected one `pong` for each `ping`, got far more: send one when a "
                        "`ping` comes, and none of your own accord"
                    ),
                )
        elif kind == "join" and not self.capacity:
            self.capacity = max(1, request.join.capacity)
            self._on_join(self)
        elif kind == "leave" and self.capacity:
            self.fail(Termination.LEFT, "left")
        else:
            self.fail(
                Termination.MALFORMED_ANSWER,
                f"sent {kind or 'an empty message'} out of turn",
                refusal=refuse_message(kind, is_joined=self.capacity > 0),
            )
