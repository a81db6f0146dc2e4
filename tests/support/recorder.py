"""A tournament and everything that anybody got of it, taken down."""

from __future__ import annotations

import asyncio
import io
import logging
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message

from mazzo import Action, Bot, MatchStarted, View
from mazzo.channel import open_channel
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo.remote import RemotePlayer
from mazzo.v1 import (
    auth_pb2,
    bot_pb2,
    play_pb2,
    ranking_pb2,
    replay_pb2,
    standings_pb2,
    tournament_pb2,
)
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.metrics import serve_metrics
from mazzo_server.model import TournamentRequest
from mazzo_server.model.roles import Role
from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, TournamentStatus
from support.scripted_tournaments import GOOD, PATIENCE, sdk
from support.stored_rows import qualify

__all__ = ["ASKED", "FORMAT", "HAND", "VARIANT", "Seen", "Tape", "record"]

VARIANT = parse_variant("briscola/2")
FORMAT = MatchFormat.parse("deals:2")
HAND = "HAND:"  # stands before every hand that a bot writes down
CRASHES = sdk(
    "if view.number == 3: raise KeyError(hand(view))",
    start=f"""
    def hand(view):
        return "{HAND} " + " ".join(str(card) for card in view.hand)

    print("my token is", os.environ["MAZZO_TOKEN"], file=sys.stderr, flush=True)
    """,
)
CHEATS = sdk(
    f"""
    print("{HAND}", *view.hand, os.environ["MAZZO_TOKEN"], file=sys.stderr, flush=True)
    self.log("{HAND} " + " ".join(map(str, view.hand)))
    if view.number == 3:
        return next(card for card in view.variant.game.actions if card not in view.legal)
    """
)
OWNERS = {"cheat": "bob", "crash": "bob", "good": "alice", "far": "carol"}


ASKED = {
    *("GetTournament", "ListMatches", "FindMatches", "ListBotLogs", "WatchTournament"),
    *("GetCourse", "GetHeadToHead"),
    "metrics",
}
"""What is to be seen of matches that are hidden, and of some that are not while others are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Something that somebody got from the server."""

    what: str  # method, "frame", "log", "metrics"
    caller: str
    data: bytes
    message: Any = None  # where it is one
    over: frozenset[int] = frozenset()  # mirror groups that were over when it had come
    finished: bool = False  # so was the tournament
    hidden: int = 0  # matches that were stored, of other groups


@dataclass(slots=True)
class Tape:
    """Everything that anybody got."""

    seen: list[Seen] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)  # texts that are secret
    store: MemoryStore = field(default_factory=MemoryStore)
    tournament: int = 0

    def kinds_hidden(self) -> set[str]:
        """What was seen while matches were stored whose groups were not over."""
        return {seen.what for seen in self.seen if seen.hidden}

    def kinds_over(self) -> set[str]:
        """What was seen while groups were over, but not the tournament."""
        return {seen.what for seen in self.seen if seen.over and not seen.finished}

    def note(self, what: str, caller: str, data: bytes, message: Any = None) -> None:
        over: set[int] = set()
        finished, hidden = False, 0
        if self.tournament:
            played = self.store.finished_matches(self.tournament)
            over = {group for group, _ in played if {(group, 0), (group, 1)} <= played}
            hidden = sum(group not in over for group, _ in played)
            row = self.store.tournament(self.tournament)
            finished = row.status is TournamentStatus.FINISHED
        self.seen.append(
            Seen(
                what=what,
                caller=caller,
                data=data,
                message=message,
                over=frozenset(over),
                finished=finished,
                hidden=hidden,
            )
        )


def logged() -> list[bytes]:
    """What the handlers of the fixture have written so far."""
    return [
        handler.stream.getvalue().encode()
        for handler in logging.getLogger("mazzo_server").handlers
        if isinstance(handler, logging.StreamHandler) and isinstance(handler.stream, io.StringIO)
    ]


class Far(Bot):
    """A remote bot, whose matches last until all that matters was asked about the others."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._matches = 0

    def on_start(self, started: MatchStarted) -> None:
        self._matches += 1

    def act(self, view: View) -> Action:
        first_seating = self._matches < len(OWNERS)
        known = self._tape.kinds_hidden if first_seating else self._tape.kinds_over
        deadline = time.monotonic() + PATIENCE / 2
        while not known() >= ASKED and time.monotonic() < deadline:
            time.sleep(0.01)
        return view.random.choice(view.legal)


@asynccontextmanager
async def at_home(player: RemotePlayer) -> AsyncIterator[None]:
    """A remote bot plays, in a loop of its own, in which it may think as long as it likes."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def live() -> None:
        loops.append(asyncio.get_running_loop())
        await player.run()

    life = asyncio.create_task(asyncio.to_thread(lambda: asyncio.run(live())))
    try:
        yield
    finally:
        for loop in loops:
            with suppress(RuntimeError):  # it has ended already: its error comes below
                loop.call_soon_threadsafe(player.leave)
        await life


# Recording


async def record(tape: Tape, folder: Path) -> None:
    """Play a tournament, and ask the server about it all the while, in every role."""
    store = tape.store
    platform = Platform(Settings(home=folder / "home"), store)
    tokens = {"nobody": ""}
    for name, role, subject in (
        ("alice", Role.AUTHOR, "alice"),
        ("bob", Role.AUTHOR, "bob"),
        ("organiser", Role.ORGANISER, ""),
    ):
        token, _ = await platform.tokens.create(role, subject, label="")
        tokens[name] = token.text
    for name, script in (("cheat", CHEATS), ("crash", CRASHES), ("good", GOOD)):
        await platform.bots.submit(
            pack(bundle(folder / name, script)), isolation="none", author=OWNERS[name]
        )
        qualify(store, name)
    _, tokens["far"] = await platform.bots.register(
        "far", games=["briscola/2"], capacity=8, writer="", author=OWNERS["far"]
    )
    tape.tokens.extend(filter(None, tokens.values()))
    row = await platform.tournaments.create(
        TournamentRequest(
            variant="briscola/2",
            bots=tuple(sorted(OWNERS)),
            groups=1,
            match_format=str(FORMAT),
            allow_remote_mirror=True,
            time_control="60+0",
            limit_seconds=60.0,
            isolation="none",
            concurrency=8,
        )
    )
    tape.tournament = row.id
    async with (
        serve_platform(platform, ["127.0.0.1:0"], isolation="none", public=True) as (address,),
        serve_metrics(platform.metrics, "0") as page,
        open_channel(address) as channel,
        at_home(RemotePlayer(Far(tape), address, tokens["far"], say=lambda _: None)),
    ):

        async def ask_all() -> None:
            for caller, text in tokens.items():
                await ask(tape, channel, caller, text)
            await read_page(tape, page)

        await ask_wrongly(tape, channel, tokens)
        await platform.tournaments.start(row.id)
        async with asyncio.TaskGroup() as group:
            for caller, text in tokens.items():
                group.create_task(watch(tape, channel, caller, text))
            playing = group.create_task(follow(platform, row.id))
            while not playing.done():
                await ask_all()
        await ask_all()
    await platform.close(grace=1.0)
    for written in logged():
        tape.note("log", "operator", written)


async def follow(platform: Platform, tournament: int) -> None:
    """Wait until a tournament that is being played has ended."""
    async for _ in platform.tournaments.watch(tournament):
        pass


def bundle(path: Path, script: str) -> Path:
    path.mkdir()
    (path / "bot.py").write_text(script)
    (path / "bot.toml").write_text(
        f'name = "{path.name}"\ngames = ["briscola/2"]\ncommand = ["python", "bot.py"]\n'
        'author = "Ann"\nlicence = "Apache-2.0"\ncapacity = 8\n'
    )
    return path


async def read_page(tape: Tape, page: str) -> None:
    def read() -> bytes:
        with urllib.request.urlopen(page, timeout=30) as answer:
            return bytes(answer.read())

    tape.note("metrics", "operator", await asyncio.to_thread(read))


async def ask(tape: Tape, channel: grpc.aio.Channel, caller: str, token: str) -> None:
    """Every question about the tournament and its bots."""
    number = tape.tournament
    for service, method, request, kind, streams in (
        (
            "Tournament",
            "GetTournament",
            tournament_pb2.GetTournamentRequest(id=number),
            tournament_pb2.GetTournamentResponse,
            False,
        ),
        (
            "Tournament",
            "ListTournaments",
            tournament_pb2.ListTournamentsRequest(),
            tournament_pb2.ListTournamentsResponse,
            False,
        ),
        (
            "Standings",
            "GetCourse",
            standings_pb2.GetCourseRequest(id=number),
            standings_pb2.GetCourseResponse,
            False,
        ),
        (
            "Standings",
            "GetHeadToHead",
            standings_pb2.GetHeadToHeadRequest(id=number, name="good", opponent="cheat"),
            standings_pb2.GetHeadToHeadResponse,
            False,
        ),
        (
            "Ranking",
            "ListRankings",
            ranking_pb2.ListRankingsRequest(),
            ranking_pb2.ListRankingsResponse,
            False,
        ),
        (
            "Ranking",
            "ListRatings",
            ranking_pb2.ListRatingsRequest(variant="briscola/2"),
            ranking_pb2.ListRatingsResponse,
            False,
        ),
        (
            "Ranking",
            "ExplainRanking",
            ranking_pb2.ExplainRankingRequest(bot="good", tournament=number),
            ranking_pb2.ExplainRankingResponse,
            False,
        ),
        (
            "Replay",
            "ListMatches",
            replay_pb2.ListMatchesRequest(tournament=number),
            replay_pb2.ListMatchesResponse,
            False,
        ),
        *(
            ("Replay", "FindMatches", request, replay_pb2.FindMatchesResponse, False)
            for request in (
                replay_pb2.FindMatchesRequest(),
                replay_pb2.FindMatchesRequest(
                    bot="good", order=replay_pb2.MATCH_ORDER_MARGIN, variant="briscola/2"
                ),
                replay_pb2.FindMatchesRequest(forfeited=True, tournament=number),
            )
        ),
        *(
            (
                "Replay",
                "GetMatch",
                replay_pb2.GetMatchRequest(tournament=number, group=group, notes=True),
                replay_pb2.GetMatchResponse,
                True,
            )
            for group in range(6)
        ),
        ("Bot", "ListBots", bot_pb2.ListBotsRequest(), bot_pb2.ListBotsResponse, False),
        *(
            ("Bot", "GetBot", bot_pb2.GetBotRequest(name=name), bot_pb2.GetBotResponse, False)
            for name in OWNERS
        ),
        *(
            (
                "Bot",
                "ListBotLogs",
                bot_pb2.ListBotLogsRequest(name=name),
                bot_pb2.ListBotLogsResponse,
                False,
            )
            for name in OWNERS
        ),
        ("Auth", "ListTokens", auth_pb2.ListTokensRequest(), auth_pb2.ListTokensResponse, False),
    ):
        await call(
            tape, channel, (caller, token), f"/mazzo.v1.{service}Service/{method}", request, kind,
            streams=streams,
        )  # fmt: skip


async def watch(tape: Tape, channel: grpc.aio.Channel, caller: str, token: str) -> None:
    await call(
        tape,
        channel,
        (caller, token),
        "/mazzo.v1.TournamentService/WatchTournament",
        tournament_pb2.WatchTournamentRequest(id=tape.tournament),
        tournament_pb2.WatchTournamentResponse,
        streams=True,
    )


async def ask_wrongly(tape: Tape, channel: grpc.aio.Channel, tokens: dict[str, str]) -> None:
    """Tokens in the wrong place, and broken ones: none of them comes back in an error."""
    for token in tokens.values():
        if not token:
            continue
        tape.tokens.append(token[:-1])
        for shown in (token, token[:-1], f"{token} {token}"):
            for method, request, kind in (
                ("BotService/CreateSession", bot_pb2.CreateSessionRequest(), None),
                ("BotService/GetBot", bot_pb2.GetBotRequest(name="\n"), None),
                ("PlayService/Play", play_pb2.PlayRequest(join=play_pb2.Join()), None),
                ("RankingService/ListRankings", ranking_pb2.ListRankingsRequest(variant="x"), None),
            ):
                if method == "BotService/CreateSession" and shown == token == tokens["far"]:
                    continue  # whose right it is
                await call(
                    tape, channel, ("wrong", shown), f"/mazzo.v1.{method}", request, kind,
                    streams=method == "PlayService/Play",
                )  # fmt: skip


async def call(
    tape: Tape,
    channel: grpc.aio.Channel,
    who: tuple[str, str],
    method: str,
    request: Message,
    kind: Any,
    *,
    streams: bool,
) -> None:
    """One call; its answers, metadata and error are on the tape."""
    caller, token = who
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    name = method.rpartition("/")[2]
    data: Any = request.SerializeToString()
    if name == "Play":
        data = iter([data])
    shape = "stream_stream" if name == "Play" else "unary_stream" if streams else "unary_unary"
    made = getattr(channel, shape)(method)(data, metadata=metadata)
    with suppress(grpc.aio.AioRpcError):
        if streams:
            async for part in made:
                tape.note(name, caller, part, kind.FromString(part) if kind else None)
        else:
            answer = await made
            tape.note(name, caller, answer, kind.FromString(answer) if kind else None)
    for items in (await made.initial_metadata(), await made.trailing_metadata()):
        for key, value in items or ():
            both = value if isinstance(value, bytes) else value.encode()
            tape.note(f"metadata {key}", caller, both)
    tape.note(f"error of {name}", caller, (await made.details() or "").encode())
