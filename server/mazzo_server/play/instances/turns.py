"""Between a stream and its player: the instance thinks only while it has a core, else is frozen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mazzo_server.play.instances.cores import Cores
from mazzo_server.play.instances.instance import FrameSource
from mazzo_server.sandbox import SandboxedProcess

__all__ = ["Turns"]

_LINGER = 0.002  # seconds that an instance without a core goes on, for it may be asked at once


class Turns:
    """A listener that says nothing to an instance but while it has a core.

    A turn begins with a core. While others wait for one, it is one frame and its answers; else
    it lasts for as long as there is something to ask. An instance has a core too from before it
    starts until it has joined, and to hear goodbye and to exit.
    """

    def __init__(
        self, frames: FrameSource, cores: Cores, on_failure: Callable[[OSError], None]
    ) -> None:
        """`on_failure` hears that the process can no longer be stopped or let go on."""
        self._frames = frames
        self._cores = cores
        self._on_failure = on_failure
        self._over = False
        self._process: SandboxedProcess | None = None
        self._processor = -1  # that it had last
        self._unused = False  # nothing was said yet in this turn
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._freezing: asyncio.TimerHandle | None = None

    # The life of the instance

    def ask(self) -> None:
        """Get a core to start with: `turn` is done then."""
        self._cores.ask(self)

    def begin(self, process: SandboxedProcess) -> None:
        """It starts, in its first turn."""
        self._process = process
        self._tell(lambda process: process.run_on(self._processor))

    def part(self) -> None:
        """Nothing is asked any more. To hear goodbye and to exit it gets a core: then `turn` is
        done.
        """
        if not self._over and not self._cores.holds(self):
            self.turn = asyncio.get_running_loop().create_future()
            self._cores.ask(self, rather=self._processor)

    def end(self) -> None:
        """Nothing is left of it."""
        self._over = True
        self._process = None
        self._cores.give_back(self)

    def on_grant(self, processor: int) -> None:
        """It has a core."""
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
        """What cannot be done costs this instance alone, not those who lend it a core."""
        if self._process is not None:
            try:
                what(self._process)
            except OSError as error:
                self._on_failure(error)

    # What a stream asks

    @property
    def news(self) -> asyncio.Event:
        """Set whenever there may be a frame to send, or a core to send it with."""
        return self._frames.news

    def wake(self) -> bool:
        """Whether it has a core to be told something with; ends its turn, and asks for the next."""
        cores, frames = self._cores, self._frames
        to_say = frames.has_frame
        if cores.holds(self) and frames.idle:
            is_others_turn = cores.wanted and not self._unused
            if is_others_turn or not to_say:
                self._rest()
        if to_say:
            cores.ask(self, rather=self._processor)
        return cores.holds(self)

    @property
    def has_frame(self) -> bool:
        """Whether there is something to say."""
        return self._frames.has_frame

    @property
    def idle(self) -> bool:
        """Whether every decision that was sent is answered."""
        return self._frames.idle

    def next_frame(self) -> bytes | None:
        """Return the next frame; None while its decisions would only lengthen a turn."""
        if self._cores.wanted and not self._unused and not self._frames.idle:
            return None
        self._unused = False
        return self._frames.next_frame()

    def last_frame(self) -> bytes | None:
        """Return the ends of matches that it does not know yet."""
        return self._frames.last_frame()
