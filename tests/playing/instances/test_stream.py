"""Streams of bots: however one ends, nothing of it is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from mazzo.v1 import play_pb2
from mazzo_server.model.outcome import Termination
from mazzo_server.play.instances.instance import InstanceLink
from mazzo_server.play.instances.stream import BotStream

PATIENCE = 60.0  # seconds, the longest wait for anything


class Idle:
    """A listener that asks nothing."""

    is_idle = False  # so that nothing is measured

    def __init__(self) -> None:
        self.news = asyncio.Event()

    def on_join(self, capacity: int) -> None:
        pass

    has_frame = False

    def on_start(self) -> None:
        pass

    def on_disconnect(self) -> bool:
        return False

    def take_last_frame(self) -> bytes | None:
        return None

    def take_frame(self) -> bytes | None:
        return None

    def on_answer(self, answer: play_pb2.Answer) -> None:
        raise AssertionError

    def now(self) -> float:
        return 1.0

    def on_latency(self, latency: float) -> None:
        raise AssertionError


def link_of(idle: Idle) -> InstanceLink:
    return InstanceLink(frames=idle, listener=idle, now=idle.now)


class Wire:
    """The other end of a stream: its bot joins, and reads nothing from a kind of message on."""

    def __init__(self, *, reads_until: str) -> None:
        self.stuck = asyncio.Event()  # a message is on its way out and will never be read
        self._reads_until = reads_until

    async def requests(self) -> AsyncIterator[bytes]:
        yield play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString()
        await asyncio.Event().wait()

    async def write(self, message: bytes) -> None:
        if play_pb2.PlayResponse.FromString(message).HasField(self._reads_until):
            self.stuck.set()
            await asyncio.Event().wait()


def cancel(stream: BotStream, serving: asyncio.Task[None]) -> None:
    serving.cancel()


def end(stream: BotStream, serving: asyncio.Task[None]) -> None:
    stream.end()


def fail(stream: BotStream, serving: asyncio.Task[None]) -> None:
    stream.fail(Termination.OUT_OF_TIME, "gone")


class Resting(Idle):
    """A listener whose instance is put to rest before it has answered its first ping."""

    is_idle = True

    def __init__(self) -> None:
        super().__init__()
        self.pinged = False
        self.rested = asyncio.Event()

    def wake(self) -> bool:
        if self.pinged:
            self.rested.set()
        return not self.pinged


def test_the_wait_for_a_core_is_no_latency() -> None:
    """Fair cpu: a round trip across a rest is not measured."""

    async def main() -> None:
        resting = Resting()
        stream = BotStream(
            lambda stream: stream.begin(link_of(resting), most=1, is_awake=resting.wake)
        )

        async def requests() -> AsyncIterator[bytes]:
            yield play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString()
            await resting.rested.wait()
            yield play_pb2.PlayRequest(pong=play_pb2.Pong()).SerializeToString()

        async def write(message: bytes) -> None:
            if play_pb2.PlayResponse.FromString(message).HasField("ping"):
                resting.pinged = True

        async with asyncio.timeout(PATIENCE):
            await stream.serve(requests(), write)
        ending = stream.ended.result()
        assert ending is not None
        assert ending.vanished

    asyncio.run(main())


class Clocked(Idle):
    """A listener with a clock of its own, to which two seconds are a round trip."""

    is_idle = True

    def __init__(self) -> None:
        super().__init__()
        self.time = 7.0
        self.latencies: list[float] = []

    def now(self) -> float:
        return self.time

    def on_latency(self, latency: float) -> None:
        self.latencies.append(latency)


def test_latency_is_told_by_the_clock_that_bots_pay_by() -> None:
    """Bug: a standstill of the server was a latency, which bots then took off their time."""

    async def main() -> list[float]:
        clocked, pinged = Clocked(), asyncio.Event()
        stream = BotStream(lambda stream: stream.begin(link_of(clocked), most=1))

        async def requests() -> AsyncIterator[bytes]:
            yield play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString()
            await pinged.wait()
            yield play_pb2.PlayRequest(pong=play_pb2.Pong()).SerializeToString()

        async def write(message: bytes) -> None:
            if play_pb2.PlayResponse.FromString(message).HasField("ping"):
                clocked.time += 2.0
                pinged.set()

        async with asyncio.timeout(PATIENCE):
            await stream.serve(requests(), write)
        return clocked.latencies

    assert asyncio.run(main()) == [2.0]


def test_a_stream_stays_open_until_a_bot_that_owes_a_pong_closes_it() -> None:
    """A bot whose pong finds its stream closed never reads the goodbye before that.

    Neither does one whose pong was read, when the stream closes before gRPC has told it so.
    """
    closed = False

    async def main() -> None:
        async def turns() -> None:
            for _ in range(10):  # of the loop, in which nothing else happens
                await asyncio.sleep(0)

        goodbye = asyncio.Event()
        listener = Idle()
        listener.is_idle = True
        stream = BotStream(lambda joined: joined.begin(link_of(listener), most=1))

        async def requests() -> AsyncIterator[bytes]:
            yield play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString()
            await goodbye.wait()
            await turns()
            yield play_pb2.PlayRequest(pong=play_pb2.Pong()).SerializeToString()
            await turns()
            nonlocal closed
            closed = True

        async def write(message: bytes) -> None:
            kind = play_pb2.PlayResponse.FromString(message).WhichOneof("message")
            if kind == "ping":
                stream.end()
            elif kind == "goodbye":
                goodbye.set()

        async with asyncio.timeout(PATIENCE):
            await stream.serve(requests(), write)

    asyncio.run(main())
    assert closed


@pytest.mark.parametrize("ends", [cancel, end, fail])
@pytest.mark.parametrize("at_goodbye", [False, True])
def test_nothing_is_left_of_a_stream_whose_last_message_cannot_be_sent(
    ends: Callable[[BotStream, asyncio.Task[None]], None], at_goodbye: bool
) -> None:
    """It counts as cancelled, so that gRPC does not try to send its status after that."""

    def begin(stream: BotStream) -> None:
        stream.begin(link_of(Idle()), most=1)
        if at_goodbye:
            stream.end()

    async def main() -> None:
        wire = Wire(reads_until="goodbye" if at_goodbye else "welcome")
        stream = BotStream(begin, goodbye_grace=PATIENCE if ends is cancel else 0.01)
        serving = asyncio.create_task(stream.serve(wire.requests(), wire.write))
        async with asyncio.timeout(PATIENCE / 2):
            await wire.stuck.wait()
            ends(stream, serving)
            await asyncio.wait((serving,))
        assert serving.cancelled()
        assert stream.is_over
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_no_status_follows_a_message_that_could_not_be_sent() -> None:
    """A stream that broke counts as cancelled, too."""

    async def write(message: bytes) -> None:
        raise ConnectionResetError

    async def main() -> None:
        wire = Wire(reads_until="welcome")
        stream = BotStream(lambda joined: joined.begin(link_of(Idle()), most=1))
        with pytest.raises(asyncio.CancelledError):
            await stream.serve(wire.requests(), write)
        ending = await stream.ended
        assert ending is not None
        assert ending.vanished
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


class Asking(Idle):
    """A listener with decisions to ask, one at a time."""

    is_idle = True
    has_decision = False

    def __init__(self) -> None:
        super().__init__()
        self.taken = asyncio.Event()
        self.frame = play_pb2.PlayResponse(frame=play_pb2.Frame()).SerializeToString()

    def ask(self) -> None:
        self.has_decision = self.is_idle = True
        self.news.set()

    def take_frame(self) -> bytes | None:
        if not self.has_decision:
            return None
        self.has_decision, self.is_idle = False, False
        self.taken.set()
        return self.frame


@pytest.mark.parametrize("unread", ["welcome", "ping", "frame"])
def test_an_unread_message_holds_no_decision_back(unread: str) -> None:
    """Bug: no clock ran, and nothing was asked, for as long as a bot read nothing.

    It may have read enough of a frame to answer it.
    """

    async def main() -> list[str]:
        asking, stuck, reads = Asking(), asyncio.Event(), asyncio.Event()
        written: list[str] = []
        stream = BotStream(lambda stream: stream.begin(link_of(asking), most=1))

        async def requests() -> AsyncIterator[bytes]:
            yield play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString()
            await asyncio.Event().wait()

        async def write(message: bytes) -> None:
            kind = play_pb2.PlayResponse.FromString(message).WhichOneof("message") or ""
            if kind == unread and not stuck.is_set():
                stuck.set()
                await reads.wait()
            elif stuck.is_set():
                stream.vanish()
            written.append(kind)

        if unread == "frame":
            asking.ask()
        async with asyncio.timeout(PATIENCE):
            serving = asyncio.create_task(stream.serve(requests(), write))
            await stuck.wait()
            asking.taken.clear()
            asking.ask()
            await asking.taken.wait()  # its clock runs from here on
            assert unread not in written
            reads.set()
            await serving
        return written

    assert asyncio.run(main())[-2:] == [unread, "frame"]


def test_a_bot_that_reads_nothing_is_given_up() -> None:
    """Promise 6: one that is asked nothing has so many seconds in all, and then it left."""

    async def main() -> None:
        stream = BotStream(
            lambda stream: stream.begin(link_of(Asking()), most=1),
            read_grace=0.01,
            goodbye_grace=0.01,
        )
        wire = Wire(reads_until="ping")
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(PATIENCE):
                await stream.serve(wire.requests(), wire.write)
        ending = stream.ended.result()
        assert ending is not None
        assert ending.termination is Termination.LEFT
        assert ending.reason == "had read nothing for 0.01 s in all"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_frame_that_was_taken_early_is_sent_before_goodbye() -> None:
    """It may tell how a match ended, which a bot hears even if its stream ends right then."""

    async def main() -> list[str]:
        asking, written = Asking(), []

        stream = BotStream(lambda stream: stream.begin(link_of(asking), most=1))
        wire = Wire(reads_until="goodbye")

        async def write(message: bytes) -> None:
            kind = play_pb2.PlayResponse.FromString(message).WhichOneof("message") or ""
            written.append(kind)
            if kind == "welcome":
                asking.ask()
                await asking.taken.wait()
                stream.end()

        async with asyncio.timeout(PATIENCE):
            await stream.serve(wire.requests(), write)
        return written

    assert asyncio.run(main()) == ["welcome", "frame", "goodbye"]
