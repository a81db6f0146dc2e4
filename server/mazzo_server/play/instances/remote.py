"""An instance on its author's machine: it dials in, and may lose its connection and come back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from mazzo_server.clock import tell_end_time, wall_clock
from mazzo_server.model import InstanceLog, Owner, Termination
from mazzo_server.play.instances.instance import InstanceLink, Loss
from mazzo_server.play.instances.lobby import Lobby
from mazzo_server.play.instances.stream import BotStream

__all__ = ["RemoteInstance", "RemoteSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSpec:
    """A remote bot, and where it dials in."""

    name: str  # in the tournament
    bot: str  # whose sessions it may take
    lobby: Lobby
    capacity: int  # decisions in flight at most
    start_up: float  # seconds within which a bot must have dialled in
    grace: float  # seconds within which it must come back after its connection was lost
    leaves_for_good: bool = False  # once it left, or did not come: it is a person at a table

    @property
    def remote(self) -> bool:
        """True: it runs on its author's machine."""
        return True

    def make_instance(self, link: InstanceLink) -> RemoteInstance:
        """Return an instance that takes the next free session."""
        return RemoteInstance(self, link)


@dataclass(frozen=True, slots=True)
class _OutputElsewhere:
    """The output of a bot that runs on its author's machine: of it there is only the time."""

    begin_time: float

    @property
    def size(self) -> int:
        return 0

    def read(self, since: int = 0) -> InstanceLog:
        return InstanceLog(
            text="", begin_time=self.begin_time, end_time=tell_end_time(self.begin_time)
        )


class RemoteInstance:
    """Plays through one session after another, as long as each comes back in time."""

    def __init__(self, spec: RemoteSpec, link: InstanceLink) -> None:
        self._spec = spec
        self._link = link
        self._stream: BotStream | None = None
        self._call: asyncio.Task[BotStream] | None = None
        self._closing = False
        self._output = _OutputElsewhere(wall_clock())

    @property
    def is_over(self) -> bool:
        """Whether its end is settled; an instance that is away may still come back."""
        return self._closing

    @property
    def output(self) -> _OutputElsewhere:
        """What it writes: that stays at the author's."""
        return self._output

    def end(self) -> None:
        """Say goodbye, or stop waiting."""
        self._closing = True
        if self._call is not None:
            self._call.cancel()
        if self._stream is not None:
            self._stream.end()

    def fail(self, termination: Termination, reason: str) -> None:
        """Give the instance up for a fault of the bot."""
        if self._stream is not None:
            self._stream.fail(termination, reason)

    async def run(self) -> Loss | None:
        """Wait for a session, and play until one does not come back."""
        spec = self._spec
        stream = await self._wait_for_session(spec.start_up)
        if stream is None:
            return self._make_loss(
                Termination.OUT_OF_TIME,
                Owner.BOT,
                f"nobody dialled in within {spec.start_up:g} s",
                joined=False,
            )
        while stream is not None:
            self._stream = stream
            stream.begin(self._link, most=spec.capacity)
            ending = await stream.ended
            self._stream = None
            if ending is None:
                return None
            if not ending.vanished:
                return self._make_loss(ending.termination, ending.owner, ending.reason, joined=True)
            if not self._link.listener.on_disconnect():
                return self._explain_disconnection("its connection was lost again and again")
            stream = await self._wait_for_session(spec.grace, back=stream)
        return self._explain_disconnection(
            f"its connection was lost, and it had not come back after {spec.grace:g} s"
        )

    def _explain_disconnection(self, reason: str) -> Loss | None:
        return self._make_loss(Termination.DISCONNECTED, Owner.NETWORK, reason, joined=True)

    def _make_loss(
        self, termination: Termination, owner: Owner, reason: str, *, joined: bool
    ) -> Loss | None:
        if self._closing:
            return None
        self._closing = True
        return Loss(
            termination=termination,
            owner=owner,
            reason=reason,
            joined=joined,
            is_final=self._spec.leaves_for_good,
        )

    async def _wait_for_session(
        self, seconds: float, *, back: BotStream | None = None
    ) -> BotStream | None:
        """Return a session of the bot; None when none came in time or none is needed any more.

        `back` is the stream that it lost.
        """
        if self._closing:
            return None
        call = self._call = asyncio.create_task(self._spec.lobby.call(self._spec.bot, back=back))
        await asyncio.wait((call,), timeout=seconds)
        self._call = None
        call.cancel()
        await asyncio.wait((call,))
        if call.cancelled():
            return None
        stream = call.result()
        if self.is_over:
            stream.end()
            return None
        return stream
