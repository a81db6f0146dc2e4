"""Faulty bots: each pays for its own faults, and no tournament waits for it (promises 5 to 7)."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mazzo.games import parse_variant
from mazzo_server.model import TimeControl
from mazzo_server.model.outcome import Fault, MatchOutcome, Owner, Termination
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.instances.stream import BotStream
from mazzo_server.results.standings import rank_group
from support.scripted_tournaments import GOOD, PATIENT, Arena, Result, sdk, without_thinking_times

pytestmark = pytest.mark.alone

HASTY = TimeControl(bank=60.0, increment=0.0, limit=1.0)  # of which a good bot needs little
STREAM_ENDED = "its stream ended"
SHORT_BANK = TimeControl(bank=2.0, increment=0.0, limit=60.0)


@functools.cache
def calm() -> tuple[MatchOutcome, ...]:
    """What three good bots make of the same tournament."""
    folder = Path(tempfile.mkdtemp(prefix="m-"))
    try:
        arena = Arena(folder)
        return tuple(without_thinking_times(arena.play([arena.spec(GOOD)] * 3).outcomes))
    finally:
        shutil.rmtree(folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One way to be faulty, and what comes of it in each match."""

    name: str
    script: str
    termination: Termination | None  # None: the match is played to its end
    reason: str = ""
    late: int = 0
    time: TimeControl = PATIENT
    capacity: int = 64


def raw(code: str) -> str:
    return "from raw import *\n" + code


def first(code: str) -> str:
    """A raw bot that joins and does this with its first decision."""
    return raw(
        "stream = Stream()\nstream.join()\nfor decision in stream.decisions():\n    "
        + "\n    ".join(code.strip().splitlines())
        + "\n"
    )


EVERY = "stream.send(answer(decision))"

ROWS = [
    Row(
        name="crashes",
        script=sdk("os._exit(3)"),
        termination=Termination.CRASHED,
        reason="its process exited with status 3",
    ),
    Row(
        name="raises",
        script=sdk("raise KeyError('oops')"),
        termination=Termination.CRASHED,
        reason="its process exited with status 1",
    ),
    Row(
        name="kills itself",
        script=sdk("os.kill(os.getpid(), signal.SIGKILL)"),
        termination=Termination.CRASHED,
        reason="its process was killed by signal 9 (SIGKILL)",
    ),
    Row(
        name="kills its process group",
        script=sdk("os.killpg(0, signal.SIGKILL)"),
        termination=Termination.CRASHED,
        reason="its process was killed by signal 9 (SIGKILL)",
    ),
    Row(
        name="ends itself by a signal that it could have handled",
        script=sdk("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)"),
        termination=Termination.CRASHED,
        reason="its process was killed by signal 15 (SIGTERM)",
    ),
    Row(
        name="touches memory that is not its own",
        script=sdk("import ctypes; ctypes.string_at(0)"),
        termination=Termination.CRASHED,
        reason="its process was killed by signal 11 (SIGSEGV)",
    ),
    Row(
        name="stops itself",
        script=sdk("os.kill(os.getpid(), signal.SIGSTOP)"),
        termination=Termination.OUT_OF_TIME,
        reason="late for the third time in the match",
        late=3,
        time=HASTY,
    ),
    Row(
        name="shuts its socket down",
        script=first(
            "for number in range(3, 64):\n"
            "    try: socket.socket(fileno=os.dup(number)).shutdown(socket.SHUT_RDWR)\n"
            "    except OSError: pass\n"
            "forever()"
        ),
        termination=Termination.LEFT,
        reason=STREAM_ENDED,
        time=HASTY,
    ),
    Row(
        name="exits with status 0",
        script=sdk("os._exit(0)"),
        termination=Termination.LEFT,
        reason="its process exited with status 0",
    ),
    Row(
        name="leaves",
        script=first("stream.send(pb.PlayRequest(leave=pb.Leave()))\nforever()"),
        termination=Termination.LEFT,
        reason="left",
    ),
    Row(
        name="leaves and exits",
        script=first(
            "stream.send(pb.PlayRequest(leave=pb.Leave()))\nlist(stream.call)\nsys.exit()"
        ),
        termination=Termination.LEFT,
        reason="left",
    ),
    Row(
        name="half-closes",
        script=first("stream.send(None)\nforever()"),
        termination=Termination.LEFT,
        reason=STREAM_ENDED,
        time=HASTY,  # it is not late, though nobody can know for longer than the limit
    ),
    Row(
        name="cancels its stream",
        script=first("stream.call.cancel()\nforever()"),
        termination=Termination.LEFT,
        reason=STREAM_ENDED,
    ),
    Row(
        name="answers an illegal action",
        script=first("stream.send(answer(decision, action=63))"),
        termination=Termination.ILLEGAL_ACTION,
        reason="got action number 63",
    ),
    Row(
        name="answers a very large number",
        script=first("stream.send(answer(decision, action=2**32 - 1))"),
        termination=Termination.ILLEGAL_ACTION,
        reason="got action number 4294967295",
    ),
    Row(
        name="sends garbage",
        script=first(r"stream.send(b'\xff\xfe\xfd garbage')"),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent a message that cannot be read",
    ),
    Row(
        name="sends an empty message",
        script=first("stream.send(b'')"),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent an empty message out of turn",
    ),
    Row(
        name="joins twice",
        script=first("stream.join()"),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent join out of turn",
    ),
    Row(
        name="sends a message over the size limit",
        script=first("stream.send(b'x' * 2_000_000)"),
        termination=Termination.CRASHED,  # as its own library raises, or aborts while it exits
        reason="its process ",
    ),
    Row(
        name="dials in again when its stream has ended",
        script=raw(
            "stream = Stream()\nstream.join()\n"
            "for decision in stream.decisions():\n"
            "    stream.call.cancel()\n"
            "    second = Stream()\n    second.join()\n"
            "    sys.exit(8 if second.call.code() is grpc.StatusCode.OK else 7)\n"
        ),
        termination=Termination.CRASHED,
        reason="its process exited with status 7",
    ),
    Row(
        name="is never late, but has no time left in its bank",
        script=sdk("time.sleep(0.7)"),
        termination=Termination.OUT_OF_TIME,
        reason="late for the third time in the match",
        late=3,
        time=SHORT_BANK,
        capacity=1,
    ),
    Row(
        name="never answers",
        script=sdk("time.sleep(60)"),
        termination=Termination.OUT_OF_TIME,
        reason="late for the third time in the match",
        late=3,
        time=HASTY,
    ),
    Row(
        name="stops reading",
        script=raw("stream = Stream()\nstream.join()\nforever()"),
        termination=Termination.OUT_OF_TIME,
        reason="late for the third time in the match",
        late=3,
        time=HASTY,
    ),
    Row(
        name="hangs once in a match",
        script=sdk("if view.number == 2: time.sleep(60)"),
        termination=None,
        late=1,
        time=HASTY,
    ),
    Row(
        name="answers old, unknown and foreign numbers first",
        script=first(
            "stream.send(answer(decision, number=decision.number - 1))\n"
            "stream.send(answer(decision, number=decision.number + 7))\n"
            "stream.send(answer(decision, match=12345, action=63))\n" + EVERY
        ),
        termination=None,
    ),
    Row(
        name="answers before it is asked",
        script=first(
            "early = answer(decision)\n"
            "for later in range(1, 20):\n"
            "    early.answer.actions.add(\n"
            "        match=decision.match, number=decision.number + later, action=63\n"
            "    )\n"
            "stream.send(early)"
        ),
        termination=None,
    ),
    Row(
        name="floods the game master with answers that nobody asked for",
        script=first(
            "for _ in range(9):\n"
            "    for _ in range(150): stream.send(answer(decision, match=12345))\n"
            "forever()"
        ),
        termination=Termination.MALFORMED_ANSWER,
        reason="answers far more than it is asked",
    ),
    Row(
        name="sends one answer with more actions than it could ever be asked for",
        script=first(
            "flood = answer(decision, match=12345)\n"
            "flood.answer.actions.extend([flood.answer.actions[0]] * 20_000)\n"
            "stream.send(flood)\nforever()"
        ),
        termination=Termination.MALFORMED_ANSWER,
        reason="answers far more than it is asked",
    ),
    Row(
        name="answers twice",
        script=first(EVERY + "\nstream.send(answer(decision, action=63))"),
        termination=None,
    ),
    Row(
        name="sends pongs that nobody asked for",
        script=first("for _ in range(20): stream.send(pb.PlayRequest(pong=pb.Pong()))\n" + EVERY),
        termination=None,
    ),
    Row(
        name="floods the game master with pongs",
        script=first(
            "for _ in range(1500): stream.send(pb.PlayRequest(pong=pb.Pong()))\nforever()"
        ),
        termination=Termination.MALFORMED_ANSWER,
        reason="sends far more pongs than it is asked for",
    ),
    Row(
        name="floods the game master with empty answers",
        script=first(
            "for _ in range(1500): stream.send(pb.PlayRequest(answer=pb.Answer()))\nforever()"
        ),
        termination=Termination.MALFORMED_ANSWER,
        reason="answers far more than it is asked",
    ),
    Row(
        name="floods its output",
        script=sdk("os.write(1, b'x' * 300_000); os.write(2, b'y' * 300_000)"),
        termination=None,
    ),
    Row(
        name="opens a second stream with its token",
        script=raw(
            "stream = Stream()\nstream.join()\n"
            "for decision in stream.decisions():\n"
            "    second = Stream()\n    second.join()\n"
            "    assert second.call.code() is not grpc.StatusCode.OK\n"
            "    " + EVERY + "\n"
        ),
        termination=None,
    ),
    Row(
        name="tries to open more connections",
        script=raw(
            "held = []\nstream = Stream()\nstream.join()\n"
            "for decision in stream.decisions():\n"
            "    held.append(socket.socket(socket.AF_UNIX))\n"
            "    held[-1].connect(ADDRESS.removeprefix('unix:'))\n"
            "    assert held[-1].recv(1) == b'', 'a second connection was served'\n"
            "    " + EVERY + "\n"
        ),
        termination=None,
    ),
    Row(
        name="leaves a child behind and does not go at a goodbye",
        script=raw(
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "subprocess.Popen(['sleep', '2'])\n"
            "stream = Stream()\nstream.join()\n"
            "for response in stream.call:\n"
            "    for decision in response.frame.decisions: " + EVERY + "\n"
            "forever()\n"
        ),
        termination=None,
    ),
]


# They take long, and are much like others.
LONG = {
    *("stops itself", "stops reading", "cancels its stream", "shuts its socket down"),
    *("half-closes", "never answers"),
}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.name, marks=[pytest.mark.prove] if row.name in LONG else [])
        for row in ROWS
    ],
)
def test_a_fault_is_the_faulty_bots_alone(arena: Arena, row: Row) -> None:
    """Promise 6: termination, owner, reason and score; the others' results stand."""
    faulty = arena.spec(row.script, capacity=row.capacity)
    if row.reason == STREAM_ENDED:  # but its process lives on, however long one waits
        faulty = replace(faulty, exit_grace=2 * HASTY.limit)
    result = arena.play([arena.spec(GOOD), arena.spec(GOOD), faulty], time=row.time)
    assert result.finished
    assert result.withdrawals == {}
    assert len(result.outcomes) == 3
    assert without_thinking_times([result.outcome(0, 1)]) == [
        match for match in calm() if set(match.entrants) == {0, 1}
    ]
    for good in (0, 1):
        outcome = result.outcome(good, 2)
        guilty = outcome.entrants.index(2)
        assert outcome.late[guilty] == row.late
        assert outcome.late[1 - guilty] == 0
        if row.termination is None:
            assert outcome.faults == ()
            assert outcome.deals[0].scores
            assert len(outcome.deals[0].substituted) == row.late
            assert sum(outcome.match_scores) == 1
        else:
            (fault,) = outcome.faults
            assert (fault.seat, fault.termination) == (guilty, row.termination)
            assert fault.owner is Owner.BOT
            assert row.reason in fault.reason
            assert outcome.match_scores[guilty] == 0
            assert outcome.match_scores[1 - guilty] == 1


def test_a_stream_that_is_slow_to_end_is_waited_for(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gRPC warned of a "server stop" when a bot's stream outlived its server."""

    async def serve(self: BotStream, *streams: Any) -> None:
        for take in (serve_at_once(self, *streams), asyncio.sleep(0.02), asyncio.sleep(0.02)):
            with contextlib.suppress(asyncio.CancelledError):
                await take

    serve_at_once = BotStream.serve
    monkeypatch.setattr(BotStream, "serve", serve)
    (faulty,) = [row.script for row in ROWS if row.name == "answers an illegal action"]
    assert arena.play([arena.spec(GOOD), arena.spec(faulty)]).finished


@pytest.mark.parametrize(
    "name",
    [
        "crashes",
        "leaves",
        "answers an illegal action",
        "sends garbage",
        "answers twice",
        "never answers",
        "hangs once in a match",
    ],
)
def test_at_a_table_of_three_the_others_play_to_the_end(arena: Arena, name: str) -> None:
    """Promise 6: the substitute plays on for a forfeiter, which is last."""
    (row,) = [row for row in ROWS if row.name == name]
    specs = [arena.spec(GOOD), arena.spec(row.script), arena.spec(GOOD)]
    result = arena.play(specs, variant="briscola/3", time=row.time)
    faults = played_to_the_end(arena, result, "briscola/3", 3)
    (outcome,) = result.outcomes
    assert outcome.late[outcome.entrants.index(1)] == row.late
    assert sum(outcome.late) == row.late
    assert {fault.termination for fault in faults.values()} == {row.termination} - {None}
    assert set(faults) <= {1}


def test_at_a_table_of_five_each_of_three_pays_for_itself(arena: Arena) -> None:
    """Promise 6: the bidding and the play go on with two bots that are left."""
    guilty = {
        1: Termination.CRASHED,
        2: Termination.ILLEGAL_ACTION,
        4: Termination.MALFORMED_ANSWER,
    }
    scripts = {row.termination: row.script for row in reversed(ROWS)}
    specs = [
        arena.spec(scripts[guilty[entrant]] if entrant in guilty else GOOD) for entrant in range(5)
    ]
    result = arena.play(specs, variant="briscola-chiamata/5", draws="top")
    faults = played_to_the_end(arena, result, "briscola-chiamata/5", 5)
    assert {entrant: fault.termination for entrant, fault in faults.items()} == guilty


def played_to_the_end(
    arena: Arena, result: Result, variant: str, entrants: int
) -> dict[int, Fault]:
    """The faults of the only match by entrant; every forfeiter is last, and no deal is cut."""
    assert result.finished
    assert result.withdrawals == {}
    (outcome,) = result.outcomes
    faults = {outcome.entrants[fault.seat]: fault for fault in outcome.faults}
    assert len(faults) == len(outcome.faults)
    assert all(fault.owner is Owner.BOT for fault in faults.values())
    (deal,) = outcome.deals
    assert len(deal.scores) == entrants
    assert deal.forfeited is bool(faults)
    assert len(deal.substituted) >= len(faults)
    (group,) = list_groups(make_pairing(arena.definition(entrants, variant=variant)))
    ranks = rank_group(group, [outcome], sides=parse_variant(variant).sides)
    others = [rank for entrant, rank in ranks.items() if entrant not in faults]
    assert all(ranks[entrant] > max(others) for entrant in faults)
    return faults


def refused(code: str, *, start: str = "", stream: str = "Stream()") -> str:
    """A bot that dials in and ends with status 7 when it is refused with this code."""
    return raw(
        f"{start}\nstream = {stream}\nstream.join()\n"
        f"sys.exit(7 if stream.call.code() is grpc.StatusCode.{code} else 8)\n"
    )


REFUSED = "its process exited with status 7"
OTHERS = """
while True:
    try:
        other = open("../token").read()
        break
    except FileNotFoundError:
        time.sleep(0.01)
"""
ANSWERS = "stream.send(pb.PlayRequest(answer=pb.Answer()))"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        pytest.param("import sys; sys.exit(3)", "its process exited with status 3", id="exits"),
        pytest.param("import time; time.sleep(60)", "had not joined after 0.6 s", id="sleeps"),
        pytest.param(
            raw(
                "plain = socket.socket(socket.AF_UNIX)\n"
                "plain.connect(ADDRESS.removeprefix('unix:'))\n"
                "plain.sendall(b'GET / HTTP/1.0' * 99)\nforever()"
            ),
            "had not joined after 0.6 s",
            id="no gRPC",
        ),
        pytest.param(
            refused("UNAUTHENTICATED", stream="Stream(())"), REFUSED, id="without a token"
        ),
        pytest.param(
            refused("UNAUTHENTICATED", stream="Stream(bearer('wrong'))"), REFUSED, id="wrong token"
        ),
        pytest.param(
            refused("UNAUTHENTICATED", start=OTHERS, stream="Stream(bearer(other))"),
            REFUSED,
            id="another bot's token",
        ),
        pytest.param(
            refused("RESOURCE_EXHAUSTED", stream="Stream((*bearer(TOKEN), ('x', 'y' * 60_000)))"),
            REFUSED,
            id="huge metadata",
        ),
        pytest.param(
            refused(
                "UNIMPLEMENTED",
                start="GZIP = grpc.Compression.Gzip\nbomb = bytes(50_000_000)",
                stream="Stream(compression=GZIP)\nstream.send(bomb)",
            ),
            REFUSED,
            id="messages that are small until they are unpacked",
        ),
        pytest.param(
            refused("UNIMPLEMENTED", stream="Stream(method='/mazzo.v1.BotService/ListBots')"),
            REFUSED,
            id="another service",
        ),
        pytest.param(
            raw(f"stream = Stream()\n{ANSWERS}\nforever()"),
            "sent answer out of turn",
            id="answers before it joins",
        ),
        pytest.param(
            raw("stream = Stream()\nstream.send(pb.PlayRequest(pong=pb.Pong()))\nforever()"),
            "sent pong out of turn",
            id="pong before it joins",
        ),
        pytest.param(
            raw("stream = Stream()\nstream.send(pb.PlayRequest(leave=pb.Leave()))\nforever()"),
            "sent leave out of turn",
            id="leaves before it joins",
        ),
    ],
)
def test_a_bot_that_does_not_start_is_withdrawn(arena: Arena, script: str, reason: str) -> None:
    """Time and faults: retried, then withdrawn and named; the others play on."""
    faulty = arena.spec(script, start_up=0.6 if "0.6 s" in reason else 60.0)
    telling = sdk("pass", start="open('../token', 'w').write(os.environ['MAZZO_TOKEN'])")
    result = arena.play([arena.spec(telling), arena.spec(GOOD), faulty])
    assert result.finished
    assert result.withdrawals == {2: f"did not start in 3 attempts: {reason}"}
    assert without_thinking_times(result.outcomes) == [
        match for match in calm() if set(match.entrants) == {0, 1}
    ]
    assert len(arena.lives.began) == 2 + 3


def test_a_bot_that_lets_nothing_be_sent_does_not_hold_up_a_tournament(arena: Arena) -> None:
    """Never hang: it joins, and its window for what the server sends is five bytes.

    The clock of its decision runs all the same.
    """
    shut = raw(
        "channel = grpc.insecure_channel(\n"
        "    ADDRESS, [('grpc.http2.lookahead_bytes', 5), ('grpc.http2.bdp_probe', 0)]\n"
        ")\n"
        "sent = queue.SimpleQueue()\n"
        "sent.put(pb.PlayRequest(join=pb.Join(capacity=1)).SerializeToString())\n"
        "call = channel.stream_stream('/mazzo.v1.PlayService/Play')(\n"
        "    iter(sent.get, None), metadata=(('authorization', 'Bearer ' + TOKEN),)\n"
        ")\n"
        "forever()\n"
    )
    result = arena.play([arena.spec(GOOD), arena.spec(GOOD), arena.spec(shut)], time=HASTY)
    assert result.finished
    assert result.withdrawals == {}
    faults = {
        tuple(sorted(match.entrants)): [fault.termination for fault in match.faults]
        for match in result.outcomes
    }
    late = [Termination.OUT_OF_TIME]
    assert faults == {(0, 1): [], (0, 2): late, (1, 2): late}
    played = [match for match in result.outcomes if not match.faults]
    assert without_thinking_times(played) == [
        match for match in calm() if set(match.entrants) == {0, 1}
    ]
