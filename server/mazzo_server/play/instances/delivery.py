"""Sends messages to a bot, one after the other, so that an unread one delays nothing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from mazzo_server.play.instances.instance import FrameSource

__all__ = ["Delivery"]


class Delivery:
    """Sends the messages of one stream while its bot plays.

    A bot that reads nothing could make the platform wait, without a clock that runs. So while a
    message stands unread and no decision is open, frames are taken until one has a decision: its
    clock runs from then on. They are sent after that message.
    """

    def __init__(
        self,
        write: Callable[[bytes], Awaitable[None]],
        frames: FrameSource,
        *,
        is_awake: Callable[[], bool],
        on_unread: Callable[[], None],
        prompt: float = 0.02,
        unread_in_all: float,
    ) -> None:
        """Call `on_unread` when messages stood unread for `unread_in_all` seconds in all.

        A message counts as unread from `prompt` seconds on. `is_awake` tells whether the instance
        may have a frame now.
        """
        self._write = write
        self._frames = frames
        self._is_awake = is_awake
        self._on_unread = on_unread
        self._prompt = prompt
        self._left = unread_in_all
        self._taken: deque[bytes] = deque()  # frames to send next
        self._asking: asyncio.Task[None] | None = None

    def take_next(self) -> bytes | None:
        """Return the frame to send next, if one was taken while a message stood unread."""
        return self._taken.popleft() if self._taken else None

    async def send(self, message: bytes) -> None:
        """Send a message; return when there is room for another one."""
        timer = asyncio.get_running_loop().call_later(self._prompt, self._begin_asking)
        try:
            await self._write(message)
        finally:
            timer.cancel()
            if self._asking is not None:
                self._asking.cancel()
                await asyncio.wait((self._asking,))
                self._asking = None

    def _begin_asking(self) -> None:
        self._asking = asyncio.create_task(self._ask(), name="unread")

    async def _ask(self) -> None:
        """Take frames up to the next decision as soon as there are any, until this is cancelled."""
        frames = self._frames
        while True:
            frames.news.clear()
            while frames.is_idle and self._is_awake() and (frame := frames.take_frame()):
                self._taken.append(frame)
            if not frames.is_idle:
                await frames.news.wait()  # an open decision has a clock that runs
            elif not await self._wait_unread():
                self._on_unread()
                return

    async def _wait_unread(self) -> bool:
        """Wait for news; return whether they came before the bot's time for reading was used up."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self._left):
                await self._frames.news.wait()
        except TimeoutError:
            return False
        finally:
            self._left = max(0.0, self._left - (loop.time() - began))
        return True
