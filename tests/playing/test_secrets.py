"""A tournament of which everything is recorded that anybody gets, and searched (promise 2)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import logging
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from mazzo import View
from mazzo.codec import encode_view, view_bytes
from mazzo.match import Match
from mazzo.shuffle import attempt_seed, bot_seed, commitment, seating_salt
from mazzo.v1 import bot_pb2, play_pb2, replay_pb2, tournament_pb2
from mazzo_server.logs import make_formatter
from mazzo_server.model import InstanceLog
from mazzo_server.model.outcome import MatchOutcome, Termination
from mazzo_server.model.roles import Token
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.instances.lobby import Lobby
from mazzo_server.play.instances.stream import BotStream
from mazzo_server.play.planned_match import MatchRules
from mazzo_server.play.table import Effect, Ended, Table
from mazzo_server.sandbox import Launch
from mazzo_server.storage import FoundMatch, MatchQuery, MemoryStore
from mazzo_server.tournaments.running.progress import Progress
from mazzo_server.tournaments.running.recorder import Recorder
from support.recorder import ASKED, FORMAT, HAND, VARIANT, Seen, Tape, record
from support.scripted_tournaments import PATIENCE

pytestmark = pytest.mark.alone


@pytest.fixture
def folder() -> Iterator[Path]:
    # Not pytest's own folder, whose path may be too long for the sockets in it.
    path = Path(tempfile.mkdtemp(prefix="m-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def tape(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tape]:
    """Takes down every frame, token and log record; see `record` for the rest."""
    tape = Tape()
    serve_stream, mint = BotStream.serve, Lobby.mint

    async def recorded(
        self: BotStream,
        requests: AsyncIterator[bytes],
        write: Callable[[bytes], Awaitable[None]],
    ) -> None:
        async def noted(data: bytes) -> None:
            tape.note("frame", "bot", data)
            await write(data)

        await serve_stream(self, requests, noted)

    def minted(self: Lobby, *args: Any, **named: Any) -> str:
        tape.tokens.append(mint(self, *args, **named))
        return tape.tokens[-1]

    def launched(**named: Any) -> Launch:
        launch = Launch(**named)
        tape.tokens.append(launch.token)
        return launch

    monkeypatch.setattr(BotStream, "serve", recorded)
    monkeypatch.setattr(Lobby, "mint", minted)
    monkeypatch.setattr("mazzo_server.play.instances.sandboxed.Launch", launched)
    lines, jsons = io.StringIO(), io.StringIO()
    logger = logging.getLogger("mazzo_server")
    handlers = [logging.StreamHandler(lines), logging.StreamHandler(jsons)]
    handlers[0].setFormatter(make_formatter("text"))
    handlers[1].setFormatter(make_formatter("json"))
    level = logger.level
    logger.setLevel(logging.DEBUG)
    for handler in handlers:
        logger.addHandler(handler)
    yield tape
    for handler in handlers:
        logger.removeHandler(handler)
    logger.setLevel(level)


# Searching


@dataclass(frozen=True, slots=True)
class Attempt:
    """A match as the store has it, with every decision that there was."""

    outcome: MatchOutcome
    match: Match
    salt: bytes
    views: dict[tuple[int, int], bytes]  # what a seat may know at its decision of that number

    @property
    def seed(self) -> bytes:
        return self.match.seed

    @classmethod
    def of(cls, outcome: MatchOutcome, group_seed: bytes) -> Attempt:
        seed = attempt_seed(group_seed, outcome.attempt)
        match = Match(VARIANT, seed, FORMAT, draws="seats")
        views: dict[tuple[int, int], bytes] = {}
        numbers = [0, 0]

        def asked() -> None:
            seat = match.deal.seat
            assert seat is not None
            numbers[seat] += 1
            views[seat, numbers[seat]] = view_bytes(match.deal.view(seat))

        for play in outcome.deals:
            for action in play.actions:
                asked()
                match.deal.apply(action)
            if match.deal.seat is None:
                match.advance()
            else:
                asked()  # where somebody forfeited
        return cls(outcome, match, seating_salt(seed, outcome.seating), views)


def findings(tape: Tape) -> set[str]:
    """What is on the tape and should not be there, as words of where and what."""
    definition = tape.store.tournament(tape.tournament).definition
    seeds = {group.number: group.seed for group in list_groups(make_pairing(definition))}
    outcomes = tape.store.outcomes(tape.tournament, with_deals=True)
    attempts = [Attempt.of(outcome, seeds[outcome.group]) for outcome in outcomes]
    return {
        *tokens_seen(tape),
        *seeds_seen(tape, definition.seed, attempts),
        *hands_seen(tape),
        *plays_seen(tape, outcomes),
        *frames_amiss(tape, attempts),
    }


def ways_to_write(secret: bytes) -> tuple[bytes, ...]:
    return (
        secret,
        secret.hex().encode(),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        repr(secret)[2:-1].encode(),
    )


def tokens_seen(tape: Tape) -> Iterator[str]:
    secrets: set[bytes] = set()
    for text in tape.tokens:
        token = Token.parse(text)
        secret = token.secret if token is not None else text
        digest = hashlib.sha256(secret.encode()).digest()
        secrets |= {secret.encode(), *ways_to_write(digest)}
    for seen in tape.seen:
        if any(secret in seen.data for secret in secrets):
            yield f"{seen.what}: a token"


def seeds_seen(tape: Tape, tournament_seed: bytes, attempts: list[Attempt]) -> Iterator[str]:
    by_group: dict[int, set[bytes]] = defaultdict(set)
    for attempt in attempts:
        group, salt = attempt.outcome.group, attempt.salt
        own = {bot_seed(attempt.seed, salt, seat) for seat in (0, 1)}
        for secret in (attempt.seed, salt):
            by_group[group] |= {*ways_to_write(secret)}
        for seen in tape.seen:
            bots = seen.what == "frame"
            if not bots and group not in seen.over and any(seed in seen.data for seed in own):
                yield f"{seen.what}: a bot's seed"
    for seen in tape.seen:
        for group, secrets in by_group.items():
            kept = seen.what in ("log", "metrics", "frame") or group not in seen.over
            if kept and any(secret in seen.data for secret in secrets):
                yield f"{seen.what}: a seed"
        kept = seen.what in ("log", "metrics", "frame") or not seen.finished
        if kept and any(secret in seen.data for secret in ways_to_write(tournament_seed)):
            yield f"{seen.what}: the tournament's seed"


def hands_seen(tape: Tape) -> Iterator[str]:
    """What bots wrote is for whoever owns them, and what they said of a match not too early."""
    for seen in tape.seen:
        allowed = {"ListBotLogs", "GetBot", "ListBots", *(["GetMatch"] if seen.finished else [])}
        if HAND.encode() in seen.data and (
            seen.what not in allowed or seen.caller not in ("bob", "organiser")
        ):
            yield f"{seen.what}: a hand"


def plays_seen(tape: Tape, outcomes: list[MatchOutcome]) -> Iterator[str]:
    """Of a group that is not over nobody learns more than that it is played."""
    for seen in tape.seen:
        secret = [outcome for outcome in outcomes if outcome.group not in seen.over]
        for outcome in outcomes if seen.what in ("log", "metrics", "frame") else secret:
            for fault in outcome.faults:
                cheated = fault.termination is Termination.ILLEGAL_ACTION
                if cheated and fault.reason.encode() in seen.data:
                    yield f"{seen.what}: a reason"
        message = seen.message
        if isinstance(message, tournament_pb2.WatchTournamentResponse):
            told = [outcome for outcome in outcomes if outcome.group in seen.over]
            if (
                message.deals_played > sum(len(outcome.deals) for outcome in told)
                or message.decisions_taken > sum(sum(outcome.decisions) for outcome in told)
                or message.faults > sum(bool(outcome.faults) for outcome in told)
            ):
                yield f"{seen.what}: a play"
        if isinstance(message, tournament_pb2.GetTournamentResponse):
            standings = message.tournament.standings
            if standings.groups_counted > len(seen.over) or any(
                fault.group not in seen.over for fault in standings.faults
            ):
                yield f"{seen.what}: a play"
        if isinstance(message, bot_pb2.ListBotLogsResponse) and any(
            log.kind == bot_pb2.BOT_LOG_KIND_FORFEIT and log.group not in seen.over
            for log in message.logs
        ):
            yield f"{seen.what}: a play"
        if isinstance(message, replay_pb2.ListMatchesResponse) and any(
            match.state == replay_pb2.MATCH_STATE_OPEN and match.group not in seen.over
            for match in message.matches
        ):
            yield f"{seen.what}: a play"
        if isinstance(message, replay_pb2.FindMatchesResponse) and any(
            match.group not in seen.over for match in message.matches
        ):
            yield f"{seen.what}: a play"


def frames_amiss(tape: Tape, attempts: list[Attempt]) -> Iterator[str]:
    """Every frame is what follows from what its seat may know, to the last field."""
    seats = {
        int.from_bytes(hashlib.sha256(bot_seed(a.seed, a.salt, seat)).digest()[:8]): (a, seat)
        for a in attempts
        for seat in (0, 1)
    }
    for seen in tape.seen:
        if seen.what != "frame":
            continue
        response = play_pb2.PlayResponse.FromString(seen.data)
        if has_unknown(response):
            yield "frame: an unknown field"
        for started in response.frame.started:
            if started.match in seats:
                attempt, seat = seats[started.match]
                if started != introduction(attempt, seat, started.match):
                    yield "frame: another introduction"
        for decision in response.frame.decisions:
            if decision.match in seats:
                attempt, seat = seats[decision.match]
                shown = decision.view.SerializeToString(deterministic=True)
                if shown != attempt.views.get((seat, decision.number)):
                    yield "frame: another view"
                if decision.bank_seconds > 60.0 or decision.latency_seconds > 60.0:
                    yield "frame: another clock"
        for ended in response.frame.ended:
            if ended.match in seats:
                attempt, seat = seats[ended.match]
                if ended != farewell(attempt, ended.match):
                    yield "frame: another end"


def has_unknown(message: Message) -> bool:
    if len(UnknownFieldSet(message)):
        return True
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            parts = value if descriptor.is_repeated else [value]
            if any(has_unknown(part) for part in parts):
                return True
    return False


def introduction(attempt: Attempt, seat: int, handle: int) -> play_pb2.MatchStarted:
    return play_pb2.MatchStarted(
        match=handle,
        variant=VARIANT.text,
        seat=seat,
        match_format=str(FORMAT),
        commitment=commitment(attempt.seed, attempt.salt),
        bot_seed=bot_seed(attempt.seed, attempt.salt, seat),
        time_control=play_pb2.TimeControl(bank_seconds=60.0, limit_seconds=60.0),
    )


def farewell(attempt: Attempt, handle: int) -> play_pb2.MatchEnded:
    outcome, match = attempt.outcome, attempt.match
    faults = outcome.faults
    return play_pb2.MatchEnded(
        match=handle,
        scores=map(float, outcome.match_scores),
        ranking=match.forfeited(faults[0].seat)[1] if faults else match.ranking,
        reason="; ".join(f"seat {fault.seat} forfeited: {fault.termination}" for fault in faults),
    )


# The law, and that the search would see it broken


def play(tape: Tape, folder: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(PATIENCE):
            await record(tape, folder)

    asyncio.run(main())


def test_nobody_is_given_a_card_a_seed_or_a_token(tape: Tape, folder: Path) -> None:
    """And the tape is no empty one."""
    play(tape, folder)
    assert findings(tape) == set()
    outcomes = tape.store.outcomes(tape.tournament, with_deals=True)
    assert len(outcomes) == 12
    kinds = {fault.termination for outcome in outcomes for fault in outcome.faults}
    assert kinds == {Termination.CRASHED, Termination.ILLEGAL_ACTION}
    by_kind: dict[str, list[Seen]] = defaultdict(list)
    for seen in tape.seen:
        by_kind[seen.what].append(seen)
    frames = [play_pb2.PlayResponse.FromString(seen.data).frame for seen in by_kind["frame"]]
    assert sum(len(frame.decisions) for frame in frames) > 150
    assert sum(len(frame.ended) for frame in frames) > 12
    assert tape.kinds_hidden() >= ASKED
    assert tape.kinds_over() >= ASKED
    assert not by_kind["GetTournament"][0].over
    assert by_kind["GetTournament"][-1].finished
    callers = {"nobody", "alice", "bob", "organiser"}  # a key reads nothing
    reading = ("GetTournament", "ListMatches", "FindMatches", "GetMatch", "WatchTournament")
    for what in (*reading, "GetCourse", "GetHeadToHead", "ListBots"):
        assert {seen.caller for seen in by_kind[what]} == callers, what
    read_logs = {seen.caller for seen in by_kind["ListBotLogs"] if HAND.encode() in seen.data}
    assert read_logs == {"bob", "organiser"}
    heard = {seen.caller for seen in by_kind["GetMatch"] if HAND.encode() in seen.data}
    assert heard == {"bob", "organiser"}
    assert any(b"[session token]" in seen.data for seen in by_kind["ListBotLogs"])
    assert any(b"match-fault" in seen.data for seen in by_kind["log"])
    assert any(b"mazzo_faults_total" in seen.data for seen in by_kind["metrics"])


def test_the_search_finds_what_is_given_away(
    tape: Tape, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaks on purpose, each in another place."""
    make_match_table = MatchRules.make_match_table
    log = logging.getLogger("mazzo_server.play.planned_match")

    def tells_seed(self: MatchRules, *args: Any) -> Table:
        table = make_match_table(self, *args)
        log.debug("seed %s", table.match.seed.hex())
        return table

    def tells_reason(act: Callable[..., Effect]) -> Callable[..., Effect]:
        def acted(self: Table, *args: Any, **named: Any) -> Effect:
            effect = act(self, *args, **named)
            if isinstance(effect, Ended):
                reason = "; ".join(fault.reason for fault in self.faults)
                return replace(effect, reason=reason)
            return effect

        return acted

    class CountsEarly(Recorder):
        def __init__(self, *args: Any, progress: Progress, **named: Any) -> None:
            super().__init__(*args, progress=progress, **named)
            self.told = progress

        def record(self, outcome: MatchOutcome, *, spoilt: int = 0) -> None:
            super().record(outcome, spoilt=spoilt)
            self.told.deals_played += len(outcome.deals)

    def finds_early(store: MemoryStore, query: MatchQuery, **named: Any) -> list[FoundMatch]:
        return [
            FoundMatch(tournament=row.id, outcome=outcome, result=None)
            for row in store.tournaments()
            for outcome in store.outcomes(row.id, with_deals=False)
        ]

    def shows_other_hand(view: View, message: Any) -> None:
        message.CopyFrom(encode_view(view))
        message.hand = bytes(5)

    monkeypatch.setattr(MatchRules, "make_match_table", tells_seed)
    for name in ("answer", "expire", "lose"):
        monkeypatch.setattr(Table, name, tells_reason(getattr(Table, name)))
    monkeypatch.setattr("mazzo_server.tournaments.running.director.Recorder", CountsEarly)
    monkeypatch.setattr("mazzo_server.play.outbox.write_view", shows_other_hand)
    monkeypatch.setattr(MemoryStore, "find_matches", finds_early)
    monkeypatch.setattr(
        "mazzo_server.play.instances.sandboxed._ProcessOutput.read",
        lambda output, since=0: InstanceLog(
            text=" ".join(tape.tokens), begin_time=0.0, end_time=0.0
        ),
    )
    play(tape, folder)
    assert findings(tape) >= {
        "log: a seed",
        "frame: a reason",
        "frame: another end",
        "frame: another view",
        "WatchTournament: a play",
        "FindMatches: a play",
        "ListBotLogs: a token",
    }
