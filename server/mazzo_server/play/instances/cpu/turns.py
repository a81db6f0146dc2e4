"""Lets an instance think only while it has a core: it stands between a stream and its player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.play.instances.instance import FrameSource
from mazzo_server.sandbox import SandboxedProcess

__all__ = ["Turns"]

_LINGER = 0.002  # seconds that an instance without a core runs on, since it may be asked at once


class Turns:
    """A listener that sends an instance something only while it has a core.

    A turn begins with a core. While others wait for a core, a turn is one frame and its answers;
    else it lasts as long as there is something to ask. An instance also has a core from before its
    start until it has joined, and again to hear goodbye and to exit.
    """

    def __init__(
        self, frames: FrameSource, cores: Cores, on_failure: Callable[[OSError], None]
    ) -> None:
        """Call `on_failure` when the process can no longer be stopped or continued."""
        self._frames = frames
        self._cores = cores
        self._on_failure = on_failure
        self._over = False
        self._process: SandboxedProcess | None = None
        self._processor = -1  # the processor that it had last
        self._unused = False  # nothing was sent yet in this turn
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._freezing: asyncio.TimerHandle | None = None

    def ask(self) -> None:
        """Ask for a core to start with; `turn` is done when it comes."""
        self._cores.ask(self)

    def begin(self, process: SandboxedProcess) -> None:
        """Note that the process starts, in its first turn."""
        self._process = process
        self._tell(lambda process: process.run_on(self._processor))

    def leave(self) -> None:
        """Ask nothing more.

        Get a core to hear goodbye and to exit with; `turn` is done when it comes.
        """
        if not self._over and not self._cores.has_core(self):
            self.turn = asyncio.get_running_loop().create_future()
            self._cores.ask(self, rather=self._processor)

    def end(self) -> None:
        """Give everything back: the instance is gone."""
        self._over = True
        self._process = None
        self._cores.give_back(self)

    def on_grant(self, processor: int) -> None:
        """Take the core that is lent."""
        if processor != self._processor:
            self._tell(lambda process: process.run_on(processor))
        self._processor = processor
        self._unused = True
        self._thaw()
        if not self.turn.done():
            self.turn.set_result(None)
        self.news.set()

    def _thaw(self) -> None:
        if self._freezing is not None:
            self._freezing.cancel()
            self._freezing = None
        self._tell(lambda process: process.thaw())

    def _rest(self) -> None:
        self._freezing = asyncio.get_running_loop().call_later(_LINGER, self._freeze)
        self._cores.give_back(self)

    def _freeze(self) -> None:
        self._freezing = None
        self._tell(lambda process: process.freeze())

    def _tell(self, what: Callable[[SandboxedProcess], None]) -> None:
        """Signal the process; a failure costs this instance alone, not the lenders of its core."""
        if self._process is not None:
            try:
                what(self._process)
            except OSError as error:
                self._on_failure(error)

    @property
    def news(self) -> asyncio.Event:
        """Set whenever there may be a frame to send, or a core to send it with."""
        return self._frames.news

    def wake(self) -> bool:
        """End the turn or ask for the next one, as needed; return whether it has a core."""
        cores, frames = self._cores, self._frames
        to_say = frames.has_frame
        if cores.has_core(self) and frames.is_idle:
            is_others_turn = cores.has_waiting and not self._unused
            if is_others_turn or not to_say:
                self._rest()
        if to_say:
            cores.ask(self, rather=self._processor)
        return cores.has_core(self)

    @property
    def has_frame(self) -> bool:
        """Whether there is something to say."""
        return self._frames.has_frame

    @property
    def is_idle(self) -> bool:
        """Whether every decision that was sent is answered."""
        return self._frames.is_idle

    def take_frame(self) -> bytes | None:
        """Return the next frame; None while its decisions would only make a turn longer."""
        if self._cores.has_waiting and not self._unused and not self._frames.is_idle:
            return None
        self._unused = False
        return self._frames.take_frame()

    def take_last_frame(self) -> bytes | None:
        """Return the ends of matches that the instance does not know yet."""
        return self._frames.take_last_frame()
