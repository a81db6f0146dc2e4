"""`mazzo bots list` and `mazzo bots logs`, of whatever the server tells."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

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
