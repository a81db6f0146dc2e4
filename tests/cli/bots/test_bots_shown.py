"""`mazzo bots list` and `mazzo bots logs`, of whatever the server tells."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots import listing, logs
from mazzo_server.cli.text import output


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Lets the server tell this."""

    def tell(answer: object) -> None:
        def execute(work: Coroutine[Any, Any, object]) -> object:
            work.close()
            return answer

        for module in (listing, logs):
            monkeypatch.setattr(module, "execute", execute)

    return tell


@pytest.mark.parametrize("retired", [False, True])
def test_the_longest_name_fits_beside_every_trial(
    told: Callable[[Any], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    retired: bool,
) -> None:
    """In 80 columns, with all that any of the cells can hold."""
    monkeypatch.setattr(output.console, "width", 80)
    name = "a-bot-whose-name-is-as-long-as-i"
    version = bot_pb2.BotVersion(
        version=12, games=["briscola/2", "briscola-chiamata"], author="the authors' club"
    )
    trials = [
        version,
        bot_pb2.BotVersion(trial=bot_pb2.Trial(passed=True)),
        bot_pb2.BotVersion(trial=bot_pb2.Trial(), qualified=["briscola/2"]),
    ]
    for trial in trials[1:]:
        trial.MergeFrom(version)
    listed = [
        bot_pb2.Bot(name=name, retired=retired, active_version=10, versions=[trial])
        for trial in trials
    ]
    listed.append(bot_pb2.Bot())
    listed[-1].CopyFrom(listed[0])
    listed[-1].remote = listed[-1].connected = True
    told(listed)
    listing.list_bots(everything=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(name) for line in lines) == 4
    assert sum("(retired)" in line for line in lines) == 4 * retired


def test_a_log_says_whose_it_is(
    told: Callable[[Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """When its instance lived, and which other matches were open in it; a few of many."""
    log = bot_pb2.BotLog(
        kind=bot_pb2.BOT_LOG_KIND_FORFEIT,
        tournament=3,
        version=1,
        group=4,
        seating=1,
        decision=1,
        termination="crashed",
        owner="bot",
        log="oh\n",
        begin_time=Timestamp(seconds=0),
        end_time=Timestamp(seconds=61),
        open_matches=[bot_pb2.OpenMatch(group=4, seating=seating) for seating in (0, 1)],
    )
    alone = bot_pb2.BotLog()
    alone.CopyFrom(log)
    del alone.open_matches[0]
    many = bot_pb2.BotLog()
    many.CopyFrom(log)
    many.open_matches.extend(bot_pb2.OpenMatch(group=9, seating=seating) for seating in range(20))
    told([log, alone, many])
    logs.logs("ann")
    lines = capsys.readouterr().out.splitlines()
    life = "  instance of 1970-01-01 00:00:00 UTC, until 1970-01-01 00:01:01 UTC"
    shown = [line for line in lines if "instance of" in line]
    assert shown[0] == f"{life}; also open in it: 3/4/0"
    assert shown[1] == life
    assert shown[2].endswith("3/9/8 and 11 more")
    assert lines.count("  | oh") == 3


def test_a_log_has_null_for_what_its_kind_has_not(
    told: Callable[[Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """On the wire that is 0, as for the first group, the first seat and the first deal."""
    told(
        [
            bot_pb2.BotLog(kind=bot_pb2.BOT_LOG_KIND_TRIAL, version=1, reason="why", log="it"),
            bot_pb2.BotLog(kind=bot_pb2.BOT_LOG_KIND_WITHDRAWAL, tournament=3, version=1),
            bot_pb2.BotLog(
                kind=bot_pb2.BOT_LOG_KIND_FORFEIT,
                tournament=3,
                version=1,
                decision=1,
                termination="crashed",
                owner="bot",
            ),
        ]
    )
    logs.logs("ann", as_json=True)
    trial, withdrawal, forfeit = json.loads(capsys.readouterr().out)
    nowhere = dict.fromkeys(
        ("group", "seating", "seat", "deal", "decision", "termination", "owner")
    )
    assert trial == {
        "kind": "trial",
        "tournament": None,
        "version": 1,
        **nowhere,
        "reason": "why",
        "log": "it",
        "begin_time": None,
        "end_time": None,
        "open_matches": [],
    }
    assert withdrawal == trial | {
        "kind": "withdrawal",
        "tournament": 3,
        "reason": "",
        "log": None,
    }
    assert {key: forfeit[key] for key in nowhere} == {
        "group": 0,
        "seating": 0,
        "seat": 0,
        "deal": 0,
        "decision": 1,
        "termination": "crashed",
        "owner": "bot",
    }


def test_what_a_bot_needs_is_told(
    told: Callable[[Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """As its `bot.toml` says it; nothing where that says nothing."""
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "capacity 0 version"),
        ({"memory_mib": 2000}, "capacity 0; needs 2,000 MiB of memory version"),
        ({"processes": 20, "disk_mib": 5}, "capacity 0; needs 20 processes, 5 MiB in /tmp version"),
    )
    for needs, said in cases:
        version = bot_pb2.BotVersion(games=["frap"], command=["./bot"], runtime="binary", **needs)
        told(bot_pb2.Bot(name="ann", versions=[version]))
        listing.show("ann")
        assert said in " ".join(capsys.readouterr().out.split())
