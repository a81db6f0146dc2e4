"""Remote bots: they play as uploaded ones do, may lose their connection, and cannot harm."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from mazzo import Action, Bot, View
from mazzo.channel import open_channel
from mazzo.errors import KeyRefusedError
from mazzo.remote import RemotePlayer
from mazzo.v1 import bot_pb2, bot_pb2_grpc, play_pb2
from mazzo_server.access import Role
from mazzo_server.definition import TimeControl
from mazzo_server.errors import InvalidInputError, UnauthenticatedError
from mazzo_server.master.instance import InstanceSpec
from mazzo_server.master.listening import TlsFiles
from mazzo_server.master.lobby import MOST_WAITING, UNUSED_SECONDS, Lobby, Session
from mazzo_server.master.play import play_handler
from mazzo_server.master.remote import RemoteSpec
from mazzo_server.master.server import serve
from mazzo_server.master.stream import BotStream
from mazzo_server.outcome import MatchOutcome, Owner, Termination
from mazzo_server.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments import TournamentWish
from server.arena import GOOD, PATIENCE, Arena, without_times


@pytest.fixture
def arena() -> Iterator[Arena]:
    # Not pytest's own folder, whose path may be too long for the sockets in it.
    folder = Path(tempfile.mkdtemp(prefix="m-"))
    yield Arena(folder)
    shutil.rmtree(folder)


class Good(Bot):
    """The bot `GOOD`, and what it was asked; `thought` is called after each decision."""

    def __init__(self, thought: Callable[[Good], None] = lambda _: None) -> None:
        self.asked: list[tuple[bytes, int]] = []  # seed of its own in the match, and number
        self._thought = thought

    def act(self, view: View) -> Action:
        self.asked.append((view.seed, view.number))
        self._thought(self)
        return view.random.choice(view.legal)


async def until(true: Callable[[], bool]) -> None:
    """Look again and again, for nobody tells."""
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0.005)


@dataclass(slots=True)
class Hall:
    """A platform with a remote bot `far`, that listens at a port of this machine."""

    address: str
    platform: Platform
    store: MemoryStore
    key: str
    said: list[str] = field(default_factory=list)

    def spec(self, *, start_up: float = 60.0, grace: float = 60.0, capacity: int = 1) -> RemoteSpec:
        """How tournaments call it."""
        return RemoteSpec(
            name="far",
            lobby=self.platform.lobby,
            capacity=capacity,
            start_up=start_up,
            grace=grace,
        )

    def player(self, bot: Bot, *, address: str = "", key: str = "", ca: str = "") -> RemotePlayer:
        """A bot at home, by the SDK."""
        return RemotePlayer(
            bot, address or self.address, key or self.key, ca=ca or None, say=self.said.append
        )

    @asynccontextmanager
    async def at_home(self, bot: Bot, **wishes: str) -> AsyncIterator[RemotePlayer]:
        """The bot waits and plays while the context lasts, then leaves."""
        player = self.player(bot, **wishes)
        task = asyncio.create_task(player.run())
        try:
            yield player
        finally:
            player.leave()
            await task

    async def there(self, *, connected: bool = True) -> None:
        """Until the bot is connected, or is not."""
        await until(lambda: self.platform.lobby.connected("far") is connected)


def in_hall(
    body: Callable[[Hall], Coroutine[Any, Any, None]], *, tls: TlsFiles | None = None
) -> None:
    """Run a body; it leaves no task behind."""

    async def main() -> None:
        store = MemoryStore()
        platform = Platform(Settings(home=Path("/nowhere")), store)
        _, key = await platform.register("far", games=["briscola/2"], capacity=1, writer="Ann")
        async with asyncio.timeout(PATIENCE):
            async with serve(platform, ["127.0.0.1:0"], isolation="none", tls=tls) as (address,):
                await body(Hall(address, platform, store, key))

    asyncio.run(main())


class Proxy:
    """A network that can be cut."""

    def __init__(self, target: str) -> None:
        self._target = int(target.rpartition(":")[2])
        self._port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    async def __aenter__(self) -> Proxy:
        await self.mend()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()

    async def mend(self) -> None:
        """Let connections through again."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    def cut(self) -> None:
        """Drop every connection, and take no new one."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers |= {writer, back}
            await asyncio.gather(self._pipe(reader, back), self._pipe(there, writer))
            self._writers -= {writer, back}

    @staticmethod
    async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()


# A bot without the SDK


class Raw:
    """One stream, message by message."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None) -> None:
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.call: Any = channel.stream_stream(
            "/mazzo.v1.PlayService/Play",
            response_deserializer=play_pb2.PlayResponse.FromString,
        )(metadata=metadata)

    async def send(self, **message: Any) -> None:
        await self.write(play_pb2.PlayRequest(**message).SerializeToString())

    async def write(self, data: bytes) -> None:
        """A message as it is; unless the stream is over, which reading tells."""
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self.call.write(data)

    async def join(self) -> None:
        await self.send(join=play_pb2.Join(sdk="raw", capacity=64))

    async def read(self, kind: str, *, until: str = "") -> Any:
        """The next message of a kind, pings apart; None when another one came first."""
        while True:
            response = await self.call.read()
            if not isinstance(response, play_pb2.PlayResponse):
                return None
            found = response.WhichOneof("message")
            if found == kind:
                return getattr(response, kind)
            if found == until:
                return None
            assert found == "ping", response

    async def status(self) -> grpc.StatusCode:
        """How the call ended."""
        with suppress(grpc.aio.AioRpcError):
            while await self.call.read() is not grpc.aio.EOF:
                pass
        code: grpc.StatusCode = await self.call.code()
        return code


async def mint(channel: grpc.aio.Channel, key: str, previous: str = "") -> str:
    """A session token."""
    answer: bot_pb2.CreateSessionResponse = await bot_pb2_grpc.BotServiceStub(
        channel
    ).CreateSession(
        bot_pb2.CreateSessionRequest(previous=previous),
        metadata=(("authorization", f"Bearer {key}"),),
    )
    assert answer.bot == "far"
    return answer.session_token


# Playing


def test_a_remote_bot_plays_as_an_uploaded_one_does(arena: Arena) -> None:
    """The same frames, seeds and numbers: the outcomes are the same but for the times."""
    uploaded = arena.play([arena.spec(GOOD, capacity=8)] * 2, groups=6, match_format="deals:2")

    async def body(hall: Hall) -> None:
        async with hall.at_home(Good()):
            specs: list[InstanceSpec] = [hall.spec(capacity=8), arena.spec(GOOD, capacity=8)]
            result = await arena.run(specs, groups=6, match_format="deals:2")
            assert result.finished
            assert without_times(result.outcomes) == without_times(uploaded.outcomes)
            await hall.there()
        assert hall.said == [
            f"connected to {hall.address} as far, waiting for a tournament",
            "playing",
            "waiting for the next tournament",
        ]
        assert not any(hall.key in line for line in hall.said)

    in_hall(body)


def test_with_tls(arena: Arena, tmp_path: Path) -> None:
    """By the organiser's own certificates."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    chain, key, ca = tmp_path / "chain.pem", tmp_path / "key.pem", tmp_path / "ca.pem"
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(chain, append=True)
    certificate.private_key_pem.write_to_path(key)
    authority.cert_pem.write_to_path(ca)

    async def body(hall: Hall) -> None:
        async with hall.at_home(Good(), ca=str(ca)):
            result = await arena.run([hall.spec(), arena.spec(GOOD)])
            assert result.finished
            assert not result.outcomes[0].faults

    in_hall(body, tls=TlsFiles(certificate=chain, key=key))


# Losing the connection


def cut_after(proxy: Proxy, decisions: int, seconds: float) -> Callable[[Good], None]:
    """Cuts the network at that decision, before it is answered, for some time."""
    loop = asyncio.get_running_loop()

    def thought(bot: Good) -> None:
        if len(bot.asked) == decisions:
            proxy.cut()
            loop.call_later(seconds, lambda: loop.create_task(proxy.mend()))

    return thought


def test_a_bot_that_comes_back_in_time_plays_on(arena: Arena) -> None:
    """Cut off for 3 s of the 10 s that it has: the same decision, and nobody forfeits."""

    async def body(hall: Hall) -> None:
        async with Proxy(hall.address) as proxy:
            bot = Good(cut_after(proxy, 5, 3.0))
            async with hall.at_home(bot, address=proxy.address):
                result = await arena.run(
                    [hall.spec(grace=10.0), arena.spec(GOOD)], match_format="deals:2"
                )
        (match,) = result.outcomes
        assert (match.faults, match.late, match.attempt) == ((), (0, 0), 0)
        assert bot.asked[4] == bot.asked[5]
        assert len(bot.asked) == len(set(bot.asked)) + 1
        seat = match.entrants.index(0)
        assert match.thinking_seconds[seat] > 2.9  # its clock ran on
        assert [line.split(",")[0] for line in hall.said[1:5]] == [
            "playing",
            "connection lost",
            "back",
            "playing",
        ]

    in_hall(body)


def test_a_lost_session_is_logged_and_that_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    """By the bot's name, so that its author can be told."""
    caplog.set_level("DEBUG", logger="mazzo_server")

    async def body(hall: Hall) -> None:
        async with (
            Proxy(hall.address) as proxy,
            hall.at_home(Good(), address=proxy.address),
        ):
            await hall.there()
            proxy.cut()
            await hall.there(connected=False)
            await proxy.mend()
            await hall.there()
        await hall.there(connected=False)

    in_hall(body)
    told = [
        vars(record)["action"]
        for record in caplog.records
        if str(vars(record).get("action")).startswith("session-")
    ]
    assert told == ["session-begun", "session-lost", "session-back"]


def test_a_bot_that_comes_back_too_late_forfeits_what_it_had_begun(arena: Arena) -> None:
    """Cut off for 3 s of the 1 s that it has: the network's fault; it plays the matches after."""

    async def body(hall: Hall) -> None:
        async with Proxy(hall.address) as proxy:
            bot = Good(cut_after(proxy, 5, 3.0))
            async with hall.at_home(bot, address=proxy.address):
                result = await arena.run(
                    [hall.spec(grace=1.0), arena.spec(GOOD)], groups=3, concurrency=1
                )
        assert result.finished
        assert not result.withdrawals
        first, *others = result.outcomes
        (fault,) = first.faults
        assert (fault.termination, fault.owner) == (Termination.DISCONNECTED, Owner.NETWORK)
        assert fault.reason == "its connection was lost, and it had not come back after 1 s"
        assert first.entrants[fault.seat] == 0
        assert len(others) == 2
        assert not any(match.faults for match in others)

    in_hall(body)


async def first_decision(raw: Raw) -> tuple[Any, Any]:
    """The match and the decision of the first frame."""
    await raw.join()
    assert (await raw.read("welcome")).capacity == 1
    frame = await raw.read("frame")
    return frame.started[0], frame.decisions[0]


def test_the_open_decision_is_offered_again_with_its_number(arena: Arena) -> None:
    """And its match, whatever the server knows of the network: the old session is named."""

    async def body(hall: Hall) -> None:
        run = asyncio.create_task(arena.run([hall.spec(grace=30.0), arena.spec(GOOD)]))
        async with open_channel(hall.address) as channel:
            old_token = await mint(channel, hall.key)
            old = Raw(channel, old_token)
            match, decision = await first_decision(old)
            # The old stream stands still and is not dead: the new one takes its place.
            token = await mint(channel, hall.key, previous=old_token)
            assert await old.read("goodbye") is None
            new = Raw(channel, token)
            again, offered = await first_decision(new)
            assert (again.match, again.bot_seed) == (match.match, match.bot_seed)
            assert (offered.match, offered.number) == (decision.match, decision.number)
            assert offered.view == decision.view
            await new.send(leave=play_pb2.Leave())
            await hall.there(connected=False)
        async with hall.at_home(Good()):
            result = await run
        (fault,) = result.outcomes[0].faults
        assert (fault.termination, fault.owner, fault.reason) == (
            Termination.LEFT,
            Owner.BOT,
            "left",
        )

    in_hall(body)


@pytest.mark.parametrize("answering", [False, True])
def test_a_connection_that_is_lost_again_and_again_is_lost(arena: Arena, answering: bool) -> None:
    """Five times it may come back in vain, in whatever grace; and as often as it likes if it
    answers in between."""

    async def body(hall: Hall) -> None:
        run = asyncio.create_task(arena.run([hall.spec(grace=60.0), arena.spec(GOOD)]))
        token = ""
        async with open_channel(hall.address) as channel:
            for _ in range(6):
                token = await mint(channel, hall.key, token)
                raw = Raw(channel, token)
                _, decision = await first_decision(raw)
                if answering:
                    await answers(raw, lowest(decision))
                    await raw.read("frame")
                raw.call.cancel()
                await hall.there(connected=False)
        async with hall.at_home(Good()):
            result = await run
        assert result.finished
        assert result.withdrawals == {}
        faults = result.outcomes[0].faults
        assert [(fault.termination, fault.owner, fault.reason) for fault in faults] == (
            []
            if answering
            else [
                (
                    Termination.DISCONNECTED,
                    Owner.NETWORK,
                    "its connection was lost again and again",
                )
            ]
        )

    in_hall(body)


def test_a_bot_that_raises_leaves_and_pays_for_it(arena: Arena) -> None:
    """Its own fault, not the network's, and nobody waits for it to come back."""

    def broken(bot: Good) -> None:
        raise KeyError("oops")

    async def body(hall: Hall) -> None:
        run = asyncio.create_task(arena.run([hall.spec(), arena.spec(GOOD)]))
        with pytest.raises(KeyError, match="oops"):
            await hall.player(Good(broken)).run()
        async with hall.at_home(Good()):
            (fault,) = (await run).outcomes[0].faults
        assert (fault.termination, fault.owner) == (Termination.LEFT, Owner.BOT)

    in_hall(body)


def test_who_never_dials_in_is_withdrawn(arena: Arena) -> None:
    """As a bot that does not start; the others play on."""

    async def body(hall: Hall) -> None:
        result = await arena.run(
            [hall.spec(start_up=0.05), arena.spec(GOOD), arena.spec(GOOD)], concurrency=1
        )
        assert result.finished
        reason = "did not start in 3 attempts: nobody dialled in within 0.05 s"
        assert result.withdrawals == {0: reason}
        assert [match.entrants for match in result.outcomes] in ([(1, 2)], [(2, 1)])

    in_hall(body)


# Faults, as in the tests of uploaded bots


def lowest(decision: play_pb2.Decision, **other: int) -> play_pb2.ChosenAction:
    """The legal action of the lowest number, or something else in its place."""
    mask = int.from_bytes(decision.view.legal, "little")
    chosen = {"action": (mask & -mask).bit_length() - 1} | other
    return play_pb2.ChosenAction(**({"match": decision.match, "number": decision.number} | chosen))


async def answers(raw: Raw, *actions: play_pb2.ChosenAction) -> None:
    await raw.send(answer=play_pb2.Answer(actions=actions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a remote bot does at each decision, and what comes of it."""

    name: str
    act: Callable[[Raw, play_pb2.Decision], Coroutine[Any, Any, None]]
    termination: Termination | None = None
    owner: Owner = Owner.BOT
    reason: str = ""
    late: int = 0


async def nothing(raw: Raw, decision: play_pb2.Decision) -> None:
    pass


async def late_once(raw: Raw, decision: play_pb2.Decision) -> None:
    if decision.number != 2:
        await answers(raw, lowest(decision))


async def stops_reading(raw: Raw, decision: play_pb2.Decision) -> None:
    await asyncio.Event().wait()


async def odd_numbers(raw: Raw, decision: play_pb2.Decision) -> None:
    number = decision.number
    await answers(
        raw,
        lowest(decision, number=number - 1, action=63),
        lowest(decision, number=number + 1, action=63),  # before it is asked
        lowest(decision, match=12345, action=63),
        lowest(decision),
        lowest(decision, action=63),
    )


async def half_closes(raw: Raw, decision: play_pb2.Decision) -> None:
    await raw.call.done_writing()


async def is_killed(raw: Raw, decision: play_pb2.Decision) -> None:
    raw.call.cancel()


def writes(data: bytes) -> Callable[[Raw, play_pb2.Decision], Coroutine[Any, Any, None]]:
    return lambda raw, decision: raw.write(data)


def sends(**message: Any) -> Callable[[Raw, play_pb2.Decision], Coroutine[Any, Any, None]]:
    return lambda raw, decision: raw.send(**message)


THIRD = "late for the third time in the match"
GONE = "its connection was lost, and it had not come back after 0.1 s"
ROWS = [
    Row(name="silent", act=nothing, termination=Termination.OUT_OF_TIME, reason=THIRD, late=3),
    Row(
        name="stops reading",
        act=stops_reading,
        termination=Termination.OUT_OF_TIME,
        reason=THIRD,
        late=3,
    ),
    Row(name="slow once", act=late_once, late=1),
    Row(
        name="illegal",
        act=lambda raw, decision: answers(raw, lowest(decision, action=63)),
        termination=Termination.ILLEGAL_ACTION,
        reason="got action number 63",
    ),
    Row(
        name="garbage",
        act=writes(b"\xff\xfe\xfd garbage"),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent a message that cannot be read",
    ),
    Row(name="odd numbers, twice and early", act=odd_numbers),
    Row(
        name="giant",
        act=writes(bytes(2_000_000)),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent a message of 2000000 bytes, of 1048576 at most",
    ),
    Row(
        name="more than gRPC takes",
        act=writes(bytes(5_000_000)),
        termination=Termination.DISCONNECTED,
        owner=Owner.NETWORK,
        reason=GONE,
    ),
    Row(
        name="floods",
        act=lambda raw, decision: answers(raw, *[lowest(decision, match=12345)] * 5_000),
        termination=Termination.MALFORMED_ANSWER,
        reason="answers far more than it is asked",
    ),
    Row(
        name="leaves",
        act=sends(leave=play_pb2.Leave()),
        termination=Termination.LEFT,
        reason="left",
    ),
    Row(
        name="joins twice",
        act=sends(join=play_pb2.Join(capacity=1)),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent join out of turn",
    ),
    Row(
        name="half-closes",
        act=half_closes,
        termination=Termination.DISCONNECTED,
        owner=Owner.NETWORK,
        reason=GONE,
    ),
    Row(
        name="killed",
        act=is_killed,
        termination=Termination.DISCONNECTED,
        owner=Owner.NETWORK,
        reason=GONE,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_fault_of_a_remote_bot_is_its_own(arena: Arena, row: Row) -> None:
    """Promise 6: termination, owner, reason and score, and the tournament ends."""

    async def misbehave(hall: Hall) -> None:
        async with open_channel(hall.address) as channel:
            raw = Raw(channel, await mint(channel, hall.key))
            await raw.join()
            await raw.read("welcome")
            with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
                while frame := await raw.read("frame", until="goodbye"):
                    for decision in frame.decisions:
                        await row.act(raw, decision)

    async def body(hall: Hall) -> None:
        hasty = TimeControl(bank=60.0, increment=0.0, limit=0.5 if row.late else 60.0)
        run = asyncio.create_task(arena.run([arena.spec(GOOD), hall.spec(grace=0.1)], time=hasty))
        bot = asyncio.create_task(misbehave(hall))
        result = await run
        bot.cancel()
        await asyncio.wait((bot,))
        assert bot.cancelled() or bot.exception() is None
        assert result.finished
        assert result.withdrawals == {}
        (match,) = result.outcomes
        guilty = match.entrants.index(1)
        assert (match.late[guilty], match.late[1 - guilty]) == (row.late, 0)
        if row.termination is None:
            assert match.faults == ()
            assert sum(match.match_scores) == 1
            assert len(match.deals[0].substituted) == row.late
        else:
            (fault,) = match.faults
            assert (fault.seat, fault.termination, fault.owner, fault.log) == (
                guilty,
                row.termination,
                row.owner,
                "",
            )
            assert row.reason in fault.reason
            assert match.match_scores[guilty] == 0
            assert match.match_scores[1 - guilty] == 1

    in_hall(body)


# Beginning again


def test_a_match_that_is_begun_again_has_other_cards(arena: Arena) -> None:
    """Nobody can make a remote bot forget; what was finished stays, and is there once."""

    async def body(hall: Hall) -> None:
        store = MemoryStore()
        specs: list[InstanceSpec] = [hall.spec(), arena.spec(GOOD), arena.spec(GOOD)]
        stuck = asyncio.Event()

        def thought(bot: Good) -> None:
            if len(bot.asked) == 50:
                stuck.set()

        async def play() -> list[MatchOutcome]:
            return (await arena.run(specs, store=store, groups=4, concurrency=2)).outcomes

        bot = Good(thought)
        async with hall.at_home(bot):
            run = asyncio.create_task(play())
            await stuck.wait()
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
            before = {(m.group, m.seating): m for m in store.outcomes(1, with_deals=True)}
            outcomes = await play()
        assert len(outcomes) == 12
        again = [match for match in outcomes if match.attempt]
        assert 0 < len(again) <= 2
        for match in outcomes:
            assert match == before.get((match.group, match.seating), match)
            assert not match.attempt or 0 in match.entrants
        assert len(bot.asked) == len(set(bot.asked))  # no seed of its own was there twice

    in_hall(body)


@pytest.mark.prove
def test_a_bot_that_waits_is_not_sent_away() -> None:
    """It pings to notice a dead connection, and the server does not mind."""

    async def body(hall: Hall) -> None:
        async with hall.at_home(Good()):
            await asyncio.sleep(25)  # a server that minds lets it go after 20
            assert len(hall.said) == 1
            assert hall.platform.lobby.connected("far")

    in_hall(body)


# Sessions


def test_a_session_token_is_good_once_and_for_a_bot(arena: Arena) -> None:
    """Used, made up, none, or the key itself: refused, and nobody is the wiser."""

    async def body(hall: Hall) -> None:
        async with open_channel(hall.address) as channel:
            token = await mint(channel, hall.key)
            first = Raw(channel, token)
            await first.join()
            await hall.there()
            for other in (token, "x" * 43, "", None, hall.key):
                assert await Raw(channel, other).status() is grpc.StatusCode.UNAUTHENTICATED
            assert hall.platform.lobby.connected("far")

    in_hall(body)


def test_only_the_key_of_a_remote_bot_makes_sessions() -> None:
    async def body(hall: Hall) -> None:
        organiser, _ = await hall.platform.tokens.create(Role.ORGANISER, "", label="")
        expected = {
            "": grpc.StatusCode.UNAUTHENTICATED,
            "nonsense": grpc.StatusCode.UNAUTHENTICATED,
            organiser.text: grpc.StatusCode.PERMISSION_DENIED,
        }
        async with open_channel(hall.address) as channel:
            for key, code in expected.items():
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await mint(channel, key)
                assert caught.value.code() is code
        with pytest.raises(KeyRefusedError, match="--new-key") as refused:
            await hall.player(Good(), key="mazzo_nonsense").run()
        assert "nonsense" not in str(refused.value)

    in_hall(body)


def test_so_many_wait_and_no_more() -> None:
    """The next one is refused; when one has left there is room."""

    async def body(hall: Hall) -> None:
        async with open_channel(hall.address) as channel:
            waiting = []
            for _ in range(MOST_WAITING):
                waiting.append(Raw(channel, await mint(channel, hall.key)))
                await waiting[-1].join()
                await waiting[-1].call.initial_metadata()
            late = Raw(channel, await mint(channel, hall.key))
            assert await late.status() is grpc.StatusCode.FAILED_PRECONDITION
            await waiting[0].send(leave=play_pb2.Leave())
            assert await waiting[0].status() is grpc.StatusCode.OK
            last = Raw(channel, await mint(channel, hall.key))
            await last.join()
            await last.call.initial_metadata()
            assert not last.call.done()

    in_hall(body)


def test_who_does_not_join_is_sent_away() -> None:
    """A stream that says nothing takes no place for long."""

    async def main() -> None:
        async def valid(_: str) -> bool:
            return True

        lobby = Lobby(valid)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((play_handler(lobby, join_seconds=0.05),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with asyncio.timeout(PATIENCE), open_channel(f"127.0.0.1:{port}") as channel:
            raw = Raw(channel, lobby.mint("far", "k"))
            assert await raw.status() is grpc.StatusCode.OK
            assert not lobby.connected("far")
        await server.stop(None)

    asyncio.run(main())


def test_a_revoked_key_plays_nothing_more(arena: Arena) -> None:
    """Who waits is told goodbye at once, or when a tournament calls; the SDK then gives up."""

    async def body(hall: Hall) -> None:
        task = asyncio.create_task(hall.player(Good()).run())
        await hall.there()
        old, hall.key = hall.key, await hall.platform.new_key("far")
        with pytest.raises(KeyRefusedError, match="revoked"):
            await task
        assert not any(old in line or hall.key in line for line in hall.said)

        task = asyncio.create_task(hall.player(Good()).run())
        await hall.there()
        hall.store.revoke_token(hall.key.split("_")[1])  # by another process
        assert hall.platform.lobby.connected("far")
        result = await arena.run([hall.spec(start_up=0.1), arena.spec(GOOD)])
        assert "nobody dialled in" in result.withdrawals[0]
        with pytest.raises(KeyRefusedError):
            await task

    in_hall(body)


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def _valid(_: str) -> bool:
    return True


def test_unused_tokens_expire_and_are_few() -> None:
    """So that nobody fills the memory of the server with them."""
    clock = Clock()
    lobby = Lobby(_valid, clock=clock)
    old = lobby.mint("far", "k")
    clock.now = UNUSED_SECONDS
    with pytest.raises(UnauthenticatedError, match="not older than 60 s"):
        lobby.redeem(old)
    other = lobby.mint("near", "k")
    tokens = [lobby.mint("far", "k") for _ in range(17)]
    with pytest.raises(UnauthenticatedError):
        lobby.redeem(tokens[0])
    assert [lobby.redeem(token).bot for token in tokens[1:]] == ["far"] * 16
    session = lobby.redeem(other)
    assert (session.bot, other in repr(session)) == ("near", False)


class Waiting:
    """What the lobby needs of a stream that waits."""

    def __init__(self) -> None:
        self.capacity = 1
        self.over = False

    def vanish(self) -> None:
        self.over = True


def dialled_in(lobby: Lobby, previous: str = "") -> tuple[str, Any, Session]:
    """The token of a session, its stream, and the session."""
    token = lobby.mint("far", "k", previous=previous)
    stream: Any = Waiting()
    session = lobby.redeem(token)
    lobby.enter(session, stream)
    lobby.joined(session)
    return token, stream, session


def test_who_comes_back_gets_its_own_seat_again() -> None:
    """Partners are two programs of one bot, and neither may see the other one's cards."""

    async def main() -> None:
        lobby = Lobby(_valid)

        def lose(session: Session) -> asyncio.Task[BotStream]:
            """The claim of the instance whose session it was."""
            assert session.stream is not None
            session.stream.vanish()
            lobby.leave(session)
            return asyncio.create_task(lobby.claim("far", back=session.stream))

        _, first, north = dialled_in(lobby)
        token, second, south = dialled_in(lobby)
        assert {await lobby.claim("far"), await lobby.claim("far")} == {first, second}
        claims = [lose(north), lose(south)]
        await asyncio.sleep(0)
        token, second, south = dialled_in(lobby, token)
        assert await claims[1] is second
        assert not claims[0].done()
        claims[1] = lose(south)
        await asyncio.sleep(0)
        token = lobby.mint("far", "k", previous=token)  # and it is lost before it dials in
        _, second, south = dialled_in(lobby, token)
        assert await claims[1] is second
        assert not claims[0].done()
        _, stranger, _ = dialled_in(lobby)  # better than nobody
        assert await claims[0] is stranger

    asyncio.run(asyncio.wait_for(main(), 5.0))


def test_who_lost_its_connection_is_served_first() -> None:
    """Its clock runs; the session that dialled in last is the surest to be there."""

    async def main() -> None:
        lobby = Lobby(_valid)
        order: list[tuple[str, object]] = []
        _, lost, session = dialled_in(lobby)
        assert await lobby.claim("far") is lost
        lost.vanish()
        lobby.leave(session)

        async def claim(name: str, back: Any) -> None:
            order.append((name, await lobby.claim("far", back=back)))

        async with asyncio.TaskGroup() as group:
            for name in ("first", "second", "back"):
                group.create_task(claim(name, lost if name == "back" else None))
            await asyncio.sleep(0)
            streams = [dialled_in(lobby)[1] for _ in range(3)]
        assert order == [("back", streams[0]), ("first", streams[1]), ("second", streams[2])]
        gone = asyncio.create_task(lobby.claim("far"))
        await asyncio.sleep(0)
        _, stream, _ = dialled_in(lobby)
        gone.cancel()  # in the moment in which it is served
        await asyncio.wait((gone,))
        assert await lobby.claim("far") is stream

    asyncio.run(main())


# Tournaments


def wish(**wishes: Any) -> TournamentWish:
    """A tournament of the remote bot and another one."""
    given: dict[str, Any] = {"variant": "briscola/2", "bots": ("far", "near"), "groups": 1}
    return TournamentWish(**(given | wishes))


@pytest.mark.parametrize("embedded", [False, True])
def test_a_remote_bot_in_a_tournament_is_asked_for_in_words(embedded: bool) -> None:
    """Mirrored deals, which it may remember; and a server that it can reach."""

    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore(), embedded=embedded)
        for name in ("far", "near"):
            await platform.register(name, games=[], capacity=0, writer="Ann")

        async def create(**wishes: Any) -> None:
            row = await platform.create(wish(**wishes), isolation="none", concurrency=0)
            assert [entrant.remote for entrant in row.definition.entrants] == [True, True]
            assert row.definition.time.grace == (wishes.get("grace") or 10.0)

        with pytest.raises(InvalidInputError, match="--allow-remote-mirror"):
            await create()
        if embedded:
            with pytest.raises(InvalidInputError, match="mazzo serve"):
                await create(mirror="off")
            return
        await create(mirror="off")
        await create(allow_remote_mirror=True, grace=2.5)
        with pytest.raises(InvalidInputError, match="grace: expected seconds"):
            await create(mirror="off", grace=-1.0)

    asyncio.run(main())


def test_registering_again_makes_a_version_and_keeps_the_key() -> None:
    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore())
        first, key = await platform.register("far", games=[], capacity=0, writer="", author="ann")
        second, none = await platform.register(
            "far", games=["frap"], capacity=8, writer="", author="ann"
        )
        assert (first.number, second.number, none) == (1, 2, "")
        assert second.manifest["games"] == ["frap"]
        assert (second.manifest["author"], second.content_hash, second.trial) == ("ann", "", None)
        caller = await platform.tokens.caller(key)
        assert (str(caller.role), caller.subject) == ("bot", "far")
        with pytest.raises(InvalidInputError, match="expected games among"):
            await platform.register("far", games=["chess"], capacity=0, writer="")

    asyncio.run(main())


def test_a_lost_connection_is_told_once() -> None:
    """However often the bot dials in vain meanwhile."""
    said: list[str] = []
    player = RemotePlayer(Good(), "127.0.0.1:1", "k", say=said.append)

    async def main() -> None:
        task = asyncio.create_task(player.run())
        await until(lambda: player._pause > 0.5)
        player.leave()
        await task

    asyncio.run(main())
    (line,) = said
    assert line.startswith("cannot reach 127.0.0.1:1, trying until Ctrl-C: ")
