"""An option of a tournament is spelt once: the wire and the definition follow from the request."""

from __future__ import annotations

from dataclasses import MISSING, fields

import pytest
from typer.main import get_command

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.app import app
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Definition, TournamentRequest
from mazzo_server.sandbox import open_sandbox
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
    assert same == ["tables", "hero", "rounds", "until_separated"]


def test_every_option_says_what_it_is() -> None:
    options = TournamentRequest.options()
    assert list(options) == [item.name for item in fields(TournamentRequest)]
    assert [name for name, option in options.items() if not option.flag] == ["variant"]
    assert [name for name, option in options.items() if not option.metavar] == [
        "allow_remote_mirror"
    ]
    assert all(option.help.endswith(".") for option in options.values())


def test_the_isolations_are_those_that_there_are() -> None:
    option = TournamentRequest.options()["isolation"]
    with pytest.raises(InvalidInputError) as known:
        open_sandbox("")
    assert ", ".join(sorted(option.metavar.split("|"))) in str(known.value)


def test_the_command_line_takes_them_all() -> None:
    """In the order of the request; the options of the game come with it."""
    commands = get_command(app).commands["tournament"].commands  # type: ignore[attr-defined]
    expected = list(TournamentRequest.options())
    expected.insert(2, "option")
    for command in ("run", "plan", "create"):
        taken = [parameter.name for parameter in commands[command].params]
        assert taken[: len(expected)] == expected
