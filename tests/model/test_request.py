"""An option of a tournament is spelt once: the wire and the definition follow from the request."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import pytest
from typer.main import get_command

from mazzo.errors import MazzoError
from mazzo.v1 import tournament_pb2
from mazzo_server.cli.app import app
from mazzo_server.model import Definition, TournamentRequest
from mazzo_server.serving.grpc.messages import decode_tournament_request

MESSAGE = tournament_pb2.CreateTournamentRequest


def test_a_request_has_the_fields_of_its_message() -> None:
    assert {item.name for item in fields(TournamentRequest)} == {*MESSAGE.DESCRIPTOR.fields_by_name}


def test_what_a_message_leaves_open_is_left_to_the_default() -> None:
    message = MESSAGE(variant="briscola/2")
    expected = TournamentRequest(variant="briscola/2", isolation="docker")
    assert decode_tournament_request(message, isolation="docker") == expected


def test_what_a_message_says_is_asked_for() -> None:
    message = MESSAGE(
        variant="frap/4",
        bots=["ann", "bob"],
        deals=0,
        until_separated=0.9,
        limit_seconds=2.5,
        allow_remote_mirror=True,
        isolation="none",
        seed="00" * 32,
    )
    assert decode_tournament_request(message, isolation="docker") == TournamentRequest(
        variant="frap/4",
        bots=("ann", "bob"),
        deals=0,
        until_separated=0.9,
        limit_seconds=2.5,
        allow_remote_mirror=True,
        isolation="none",
        seed="00" * 32,
    )


def test_a_definition_keeps_options_as_they_were_given() -> None:
    """Those that need no choice have one type and one default in both."""
    asked = {item.name: item for item in fields(TournamentRequest)}
    same = [
        kept.name
        for kept in fields(Definition)
        if kept.default is not MISSING
        and (item := asked.get(kept.name)) is not None
        and (item.type, item.default) == (kept.type, kept.default)
    ]
    assert same == [
        *("tables", "hero", "rounds", "until_separated", "confidence", "advance"),
        *("pools", "qualify"),
    ]


def test_every_option_leaves_its_mark_on_the_definition() -> None:
    """Under its own name, but for those that say how many groups, how long, and how to play."""
    elsewhere = {
        "bots": "entrants",
        "deals": "groups",
        "max_deals": "groups",
        "time_control": "time",
        "limit_seconds": "time",
        "start_up_seconds": "time",
        "grace_seconds": "time",
    }
    only_asked = {"allow_remote_mirror", "concurrency"}
    kept = {elsewhere.get(name, name) for name in TournamentRequest.list_options()} - only_asked
    assert kept <= {item.name for item in fields(Definition)}


def test_every_option_says_what_it_is() -> None:
    options = TournamentRequest.list_options()
    assert list(options) == [item.name for item in fields(TournamentRequest)]
    assert [name for name, option in options.items() if not option.flag] == ["variant"]
    assert [name for name, option in options.items() if not option.metavar] == [
        "allow_remote_mirror"
    ]
    assert all(option.help.endswith(".") for option in options.values())


@pytest.mark.parametrize("name", sorted({*TournamentRequest.list_options()} - {"variant"}))
def test_no_option_is_taken_unread(name: str) -> None:
    """Each has a kind that refuses something, but those that only other options can judge."""
    option = TournamentRequest.list_options()[name]
    if name in ("hero", "allow_remote_mirror"):
        assert option.kind is None
        return
    wrong = {"bots": ("ann", ""), "name": "a\tb"}.get(name, "x" if option.default == "" else -1)
    asked: Any = {"variant": "briscola/2", name: wrong}
    with pytest.raises(MazzoError, match="expected"):
        TournamentRequest(**asked).check()


def test_what_stands_for_the_default_is_not_checked() -> None:
    """A request that names no seed, no seconds and no words is a request."""
    TournamentRequest(variant="briscola/2", seed="", limit_seconds=0.0, bots=()).check()


def test_the_command_line_takes_them_all() -> None:
    """In the order of the request; the options of the game come with it."""
    commands = get_command(app).commands["tournament"].commands  # type: ignore[attr-defined]
    expected = list(TournamentRequest.list_options())
    expected.insert(2, "option")
    for command in ("run", "plan", "create"):
        taken = [parameter.name for parameter in commands[command].params]
        assert taken[: len(expected)] == expected


def test_a_wrong_option_is_named() -> None:
    """Also where one option is given alone, as when a tournament is started again."""
    TournamentRequest.check_option("concurrency", 0)
    with pytest.raises(MazzoError, match=r"^concurrency: expected a whole number .* got 5000$"):
        TournamentRequest.check_option("concurrency", 5000)
