"""Plays for people: holds the stream of each seat, and keeps the question that waits there."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import grpc

from mazzo.codec import MatchReader
from mazzo.errors import MazzoError
from mazzo.game import Action, MatchProgress, View
from mazzo.v1 import play_pb2, table_pb2
from mazzo.version import VERSION
from mazzo_server.clock import monotonic
from mazzo_server.serving.web.services import Services

__all__ = ["AskedDecision", "SeatPlayer", "SeatPlayers"]

_PAUSE: Final = 1.0  # seconds before dialling again
_MOST_OVER: Final = 50  # seats whose play is over and can still be looked at
_OVER: Final = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAUTHENTICATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDecision:
    """A decision that the person in a seat is to take."""

    view: View
    match: int  # number of the match on its stream
    asked_at: float  # on the monotonic clock

    @property
    def left(self) -> float:
        """Seconds that are left for the decision."""
        clock = self.view.clock
        assert clock is not None  # each decision of a match has one
        return max(min(clock.bank, clock.limit) - (monotonic() - self.asked_at), 0.0)


class SeatPlayer:
    """A seat that is played, through every connection that it takes."""

    def __init__(self, services: Services) -> None:
        """Begin to play with the key of a seat, which the calls of these `services` show."""
        self.question: AskedDecision | None = None  # None: others are to move
        self.latest: AskedDecision | None = None  # the one that was asked last
        self.chosen: Action | None = None  # the answer to it; None until it is given here
        self.earlier: View | None = None  # of the question before that
        self.before: MatchProgress | None = None  # the match when the deal before began
        self.is_over = False
        self.count = 0  # of the changes that could be seen
        self._services = services
        self._readers: dict[int, MatchReader] = {}
        self._call: grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse] | None
        self._call = None
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._run(), name="seat")

    async def wait(self, count: int, seconds: float) -> None:
        """Return when there is something new since so many changes, or after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.count != count or self.is_over)

    async def choose(self, number: int, action: int) -> bool:
        """Answer the question with that number; return whether it waits, and this is legal."""
        question, call = self.question, self._call
        if question is None or call is None or question.view.number != number:
            return False
        if not question.view.legal_mask >> action & 1:
            return False
        chosen = play_pb2.ChosenAction(match=question.match, number=number, action=action)
        answer = play_pb2.Answer(actions=[chosen])
        self.question = None  # before the next one can come
        self.chosen = question.view.variant.game.actions[action]
        try:
            await call.write(play_pb2.PlayRequest(answer=answer))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            self.question, self.chosen = self.question or question, None
            return False
        await self._note_change()
        return True

    async def leave(self) -> None:
        """Give the match up."""
        self.question = None
        if self._call is not None:
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._call.write(play_pb2.PlayRequest(leave=play_pb2.Leave()))

    async def _run(self) -> None:
        previous = ""
        try:
            while (token := await self._open_session(previous)) is not None:
                if token:
                    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                        if await self._play(token):
                            return
                    previous = token
                    await self._note_change()  # pages ask anew, and learn if the server is away
                await asyncio.sleep(_PAUSE)
        except (MazzoError, grpc.aio.UsageError):
            return  # what came cannot be read; or the pages are being closed
        finally:
            self.is_over, self.question, self._call = True, None, None
            await self._note_change()

    async def _open_session(self, previous: str) -> str | None:
        """Return a session token; "" while there is none, and None once the table is over."""
        request = table_pb2.OpenSeatRequest(previous=previous)
        try:
            opened = await self._services.ask(self._services.tables.OpenSeat, request)
        except grpc.aio.AioRpcError as error:
            return None if error.code() in _OVER else ""
        except TimeoutError:
            return ""
        token: str = opened.session_token
        return token

    async def _play(self, token: str) -> bool:
        """Play on one stream; return whether the platform said goodbye."""
        self._readers.clear()
        call = self._services.play.Play(metadata=(("authorization", f"Bearer {token}"),))
        try:
            join = play_pb2.Join(sdk=f"mazzo-web/{VERSION}", capacity=1)
            await call.write(play_pb2.PlayRequest(join=join))
            self._call = call
            while isinstance(response := await call.read(), play_pb2.PlayResponse):
                match response.WhichOneof("message"):
                    case "goodbye":
                        return True
                    case "ping":
                        await call.write(play_pb2.PlayRequest(pong=play_pb2.Pong()))
                    case "frame":
                        await self._take(response.frame)
            return False
        finally:
            self._call = None
            call.cancel()

    async def _take(self, frame: play_pb2.Frame) -> None:
        for started in frame.started:
            self._readers[started.match] = MatchReader.of(started)
        for decision in frame.decisions:
            view = self._readers[decision.match].view(decision)
            latest = self.latest
            is_same = latest is not None and latest.view.number == view.number
            if latest is not None and not is_same:
                self.earlier = latest.view
                if latest.view.match.deal != view.match.deal:
                    self.before = latest.view.match
            self.chosen = None
            self.question = self.latest = AskedDecision(
                view=view,
                match=decision.match,
                # A lost connection does not stop the clock.
                asked_at=latest.asked_at if latest is not None and is_same else monotonic(),
            )
        if frame.ended:
            self.question = None
        await self._note_change()

    async def _note_change(self) -> None:
        self.count += 1
        async with self._changed:
            self._changed.notify_all()


class SeatPlayers:
    """The seats of all visitors."""

    def __init__(self) -> None:
        self._players: dict[str, SeatPlayer] = {}  # by key, the oldest first

    def find(self, services: Services) -> SeatPlayer:
        """Return who plays with the key that these services show; begin to play if nobody does."""
        player = self._players.get(services.token)
        if player is None:
            player = self._players[services.token] = SeatPlayer(services)
            over = [key for key, other in self._players.items() if other.is_over]
            for key in over[:-_MOST_OVER]:
                del self._players[key]
        return player
