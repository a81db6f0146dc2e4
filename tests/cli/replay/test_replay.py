"""`mazzo replay`: promise 3 on the command line, and promise 2 for what a seat is told."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mazzo.cards import bits
from mazzo.game import Variant
from mazzo.match_record import MatchRecord
from mazzo.record import DealRecord, replay
from mazzo_server.cli.text import output
from mazzo_server.cli.text.retelling import Retelling, encode_seat
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.table import Ask, Table
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, TournamentStatus, open_store
from sdk.test_match_record import EVERY, played
from support.command import Home
from support.manual_tournaments import Club, legal

pytestmark = pytest.mark.usefixtures("eighty_columns")


@pytest.fixture(scope="module")
def club_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Tournament 1: two sides, a forfeit, a group that is half over. Tournament 2: three sides."""
    home = Home(tmp_path_factory.mktemp("club") / "home")
    store = open_store(Settings(home=home.path).store)

    def crash(table: Table, ask: Ask, generator: random.Random) -> object:
        if (ask.seat, ask.number) == (0, 25):
            return table.lose(Termination.CRASHED, Owner.BOT, "ended\x1b[2J with status 3")
        return legal(table, ask, generator)

    def late(table: Table, ask: Ask, generator: random.Random) -> object:
        if ask.seat == 1 and ask.number in (3, 6):
            return table.expire(5.25)
        choice = generator.choice(list(bits(ask.view.legal_mask)))
        return table.answer(choice, 0.001, f"seat {ask.seat}\x1b[2J")

    first = Club(store=store)
    first.play(0, 0, crash)
    first.play(0, 1)
    first.play(1, 0)
    second = Club("briscola/3", match_format="deals:3", groups=1, store=store)
    for seating in range(3):
        second.play(0, seating, late)
    store.close()
    return home


@pytest.fixture
def stored(club_home: Home) -> Iterator[Store]:
    store = open_store(Settings(home=club_home.path).store)
    yield store
    store.close()


@pytest.mark.slow
def test_a_real_tournament_is_listed_told_exported_and_true(samples: Home, tmp_path: Path) -> None:
    samples("tournament", "run", "briscola/2", "--groups", "1")
    listed = samples("matches", "--tournament", "1", "--scheduled", "--json").json
    assert [match["match"] for match in listed] == [
        f"1/{group}/{seating}" for group in range(3) for seating in range(2)
    ]
    assert {match["state"] for match in listed} == {"open"}
    texts = []
    for match in listed:
        texts.append(samples.inside("replay", "export", match["match"]).out)
        header = json.loads(texts[-1].splitlines()[0])
        assert header["commitment"] == match["commitment"]
        assert [seat["bot"] for seat in header["seats"]] == match["entrants"]
    file = tmp_path / "all.jsonl"
    file.write_text("".join(texts))
    out = samples.inside("replay", "verify", file).out
    assert out.count(": true. Checked: seed, salt, commitment, ") == 6
    facts = samples.inside("replay", "verify", "-", "--json", data=file.read_bytes()).json
    assert [fact["match"] for fact in facts] == [match["match"] for match in listed]
    assert all(fact["ok"] and fact["wrong"] is None for fact in facts)
    deals = "\n".join(line for line in file.read_text().splitlines() if "mazzo-deal/1" in line)
    assert samples.inside("deal", "run", data=deals.encode()).out.count('"over":true') == 12
    for text in texts:  # as docs/how-to/test-at-home.md has it
        header, *played_deals = map(json.loads, text.splitlines())
        again = samples.inside(
            *("play", header["variant"], "--match", header["match_format"]),
            *("--bots", ",".join(seat["bot"] for seat in header["seats"])),
            *("--draws", header["draws"], "--seating", str(header["seating"])),
            *("--seed", header["seed"], "--json"),
        ).json
        actions = [deal["actions"] for deal in again["deals"]]
        assert actions == [deal["actions"] for deal in played_deals if "actions" in deal]
    told = samples.inside("replay", "show", "1/0/0").out
    assert told.count("Trick 20") == 2
    assert max(map(len, told.splitlines())) <= 80


def test_the_list_says_what_can_be_had(club_home: Home) -> None:
    out = club_home.inside("matches", "--tournament", "1", "--scheduled").out
    states = [line.split()[1] for line in out.splitlines()[1:]]
    assert states == ["open"] * 2 + ["hidden"] + ["waiting"] * 9
    assert max(map(len, out.splitlines())) <= 80
    facts = club_home.inside(
        "matches", "--tournament", "1", "--scheduled", "--bot", "bob", "--json"
    ).json
    assert 0 < len(facts) < 12
    assert all("bob" in fact["entrants"] and len(fact["commitment"]) == 64 for fact in facts)


@pytest.mark.slow
def test_a_hidden_match_is_refused_and_says_until_when(club_home: Home, tmp_path: Path) -> None:
    for command in (("show",), ("export",), ("export", "--output", tmp_path / "x")):
        for match, count in (("1/1/0", 1), ("1/1/1", 1), ("1/2/0", 0)):
            refused = club_home.inside("replay", *command, match, status=1)
            assert f"every seating of its mirror group is over: {count} of 2 are" in refused.err
            assert refused.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_finished_tournament_hides_nothing(club_home: Home, stored: Store) -> None:
    stored.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    try:
        exported = club_home.inside("replay", "export", "1/1/0").out
        verified = club_home.inside("replay", "verify", "-", data=exported.encode()).out
        assert "1/1/0: true" in verified
    finally:
        stored.set_status(1, TournamentStatus.RUNNING)


def test_a_match_is_told_with_times_forfeits_and_the_substitute(club_home: Home) -> None:
    lost = club_home.inside("replay", "show", "1/0/0").out
    assert re.search(r"Forfeit +\w+: crashed, by the bot: ended\ufffd\[2J with status 3", lost)
    assert re.search(r"Time +\w+ 0\.0\d\d s for 20, at most 0\.001 s; ", lost)
    assert "Seed  " in lost
    late = club_home.inside("replay", "show", "2/0/0", "--deal", "1").out
    assert len(re.findall(r"Substitute plays \w\w for \w+ after 5\.250 s", late)) == 2
    assert late.count("dealt by") == 1
    own = club_home.inside("replay", "show", "2/0/0", "--deal", "1", "--seat", "1").out
    assert own.count("Substitute plays") == 2
    others = club_home.inside("replay", "show", "2/0/0", "--deal", "1", "--seat", "0").out
    assert "Substitute" not in others
    assert "Seed  " not in others
    seen = club_home.inside("replay", "show", "1/0/0", "--seat", "1").out
    assert re.search(r"Forfeit +\w+: crashed\n", seen)


def test_json_has_the_whole_record_or_what_a_seat_saw(club_home: Home) -> None:
    text = club_home.inside("replay", "export", "2/0/1").out
    header, *deals, end = map(json.loads, text.splitlines())
    shown = club_home.inside("replay", "show", "2/0/1", "--json").json
    assert shown == {"header": header, "deals": deals, "end": end}
    shown = club_home.inside("replay", "show", "2/0/1", "--deal", "3", "--json").json
    assert shown["deals"] == deals[2:]
    own = club_home.inside("replay", "show", "2/0/1", "--seat", "1", "--deal", "2", "--json").json
    (deal,) = own["deals"]
    assert [item["action"] for item in deal["decisions"]] == [
        code for index, code in enumerate(deals[1]["actions"]) if _actor(deals[1], index) == 1
    ]
    assert own["commitment"] == header["commitment"]
    assert header["seed"] not in json.dumps(own)


def test_what_bots_said_is_exported_when_it_is_asked_for_and_the_tournament_is_over(
    club_home: Home, stored: Store
) -> None:
    before = club_home.inside("replay", "export", "2/0/0", "--notes").out
    assert "notes" not in before
    stored.set_status(2, TournamentStatus.FINISHED, end_time=1.0)
    try:
        assert club_home.inside("replay", "export", "2/0/0").out == before
        told = club_home.inside("replay", "export", "2/0/0", "--notes").out
        assert told.count("seat 0\\u001b[2J") == told.count("seat 2\\u001b[2J") == 39
        verified = club_home.inside("replay", "verify", "-", data=told.encode()).out
        assert verified.startswith("2/0/0: true.")
        own = club_home.inside("replay", "show", "2/0/0", "--seat", "1", "--json").json
        decisions = [item for deal in own["deals"] for item in deal["decisions"]]
        assert [item["note"] for item in decisions[1:4]] == ["seat 1\x1b[2J", None, "seat 1\x1b[2J"]
        assert "seat 0" not in json.dumps(own)
    finally:
        stored.set_status(2, TournamentStatus.RUNNING)


def _actor(deal: dict[str, Any], index: int) -> int | None:
    steps: list[dict[str, Any]] = []
    replay(DealRecord.from_json(deal), steps)
    return int(steps[index]["seat"])


# What a seat may know


@pytest.mark.parametrize("variant", EVERY, ids=str)
@pytest.mark.parametrize("forfeit", [False, True])
def test_what_a_seat_is_told_has_no_card_that_it_never_saw(
    variant: Variant, forfeit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor the seed, nor the reasons and times of others."""
    record = played(variant, "deals:2", late=[(0, 2)], forfeits=[(0, 5)] if forfeit else [])
    cards = " ".join(card.code for card in variant.game.pack.cards)
    record = replace(record, faults=tuple(replace(fault, reason=cards) for fault in record.faults))
    seat = variant.players - 1
    hidden = 0
    for number in range(len(record.deals)):
        text = StringIO()
        monkeypatch.setattr(output, "console", Console(file=text, width=80))
        monkeypatch.setattr("mazzo_server.cli.text.retelling.print_table", lambda table: None)
        Retelling(record, seat).tell(output.console, number)
        facts = encode_seat(record, seat, number)
        last = facts["deals"][0]["view"]
        unseen = _never_seen(record, number, seat)
        hidden += len(unseen)
        for shown in (text.getvalue(), json.dumps(facts)):
            assert not unseen & set(re.findall(r"\b\w\w\b", shown))
            assert record.seed.hex() not in shown
            assert record.group_seed.hex() not in shown
            assert record.salt.hex() not in shown
        assert "bot-0 0." not in text.getvalue()  # its time
        assert "Substitute" not in text.getvalue()
        assert last["seat"] == seat
    if forfeit and len(variant.sides) == 2:
        assert hidden, "nothing was hidden: the test is empty"


def _never_seen(record: MatchRecord, number: int, seat: int) -> set[str]:
    """The cards of a deal of which the seat did not learn at any time; one may be called."""
    cards: set[object] = set(record.variant.game.pack.cards)
    deal = record.deals[number]
    for count in range(len(deal.actions) + 1):
        cut = replace(deal, actions=deal.actions[:count], scores=None)
        shuffles = deal.shuffles or ()
        view = replay(replace(cut, shuffles=shuffles[:1])).view(seat) if count else None
        if view is not None:
            cards &= {*view.unseen} - {getattr(view, "called", None)}
    return {str(card) for card in cards}


# What cannot be


def test_a_tampered_file_is_found_out(club_home: Home, tmp_path: Path) -> None:
    text = club_home.inside("replay", "export", "2/0/0").out
    other = club_home.inside("replay", "export", "2/0/1").out
    tamperings: list[tuple[Callable[[str], str], str]] = [
        (lambda text: text.replace('"attempt":0', '"attempt":1'), "WRONG: seed: "),
        (lambda text: re.sub('"actions":..(..)","(..)"', r'"actions":["\2","\1"', text), "action"),
        (lambda text: re.sub('"ranking":.[^]]*', '"ranking":[1,1,1', text), "WRONG: "),
        (lambda text: text[: len(text) // 2], "line "),
        (lambda text: text.replace("mazzo-deal/1", "mazzo\x1b[2J/1"), "line 2: "),
        (lambda text: "\n".join(text.splitlines()[::2]), "WRONG: "),
    ]
    for change, said in tamperings:
        file = tmp_path / "tampered.jsonl"
        file.write_text(change(text) + "\n" + other)
        assert file.read_text() != text + "\n" + other
        result = club_home.inside("replay", "verify", file, status=1)
        wrong, right = result.out.splitlines()
        assert said in wrong
        assert right.startswith("2/0/1: true.")
        facts = club_home.inside("replay", "verify", file, "--json", status=1).json
        assert [fact["ok"] for fact in facts] == [False, True]
        assert facts[0]["wrong"]


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xff\xfe\n", b'{"format": "mazzo-deal/1"}\n'])
def test_what_holds_no_record_is_not_true(home: Home, data: bytes) -> None:
    result = home.inside("replay", "verify", "-", data=data, status=1)
    assert "got none" in result.err or "line 1: " in result.out
    assert not home.path.exists()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("show", "1-0-0"), ("TOURNAMENT/GROUP/SEATING", "3/17/0", "'1-0-0'")),
        (("show", "1/0"), ("TOURNAMENT/GROUP/SEATING",)),
        (("export", "1/0/-1"), ("TOURNAMENT/GROUP/SEATING",)),
        (("export", "1/0/99999999999"), ("TOURNAMENT/GROUP/SEATING",)),
        (("export", "1/0/2147483647"), ("seating from 0 to 1",)),
        (("show", "1/6/0"), ("group from 0 to 5", "mazzo matches --tournament 1")),
        (("show", "7/0/0"), ("7", "tournament list")),
        (("show", "1/0/0", "--deal", "3"), ("--deal", "1 to 2", "3")),
        (("show", "1/0/0", "--deal", "0"), ("--deal", "from 1", "0")),
        (("show", "1/0/0", "--seat", "2"), ("--seat", "0 to 1", "2")),
        (("show", "1/0/0", "--decision", "41"), ("--decision", "1 to 40", "41")),
        (("verify", "nowhere.jsonl"), ("nowhere.jsonl", "No such file")),
        (("export", "1/0/0", "--output", "/nowhere/x"), ("cannot write /nowhere/x", "No such")),
        (("export", "1/0/0", "--output", "/"), ("--output", "'/'")),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_bad_input(club_home: Home, arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    before = club_home.files()
    result = club_home.inside("replay", *arguments, status=2)
    assert result.out == ""
    said = " ".join(result.err.split())
    assert [part for part in parts if part not in said] == [], said
    assert club_home.files() == before


def test_an_export_replaces_a_file_whole_or_not_at_all(club_home: Home, tmp_path: Path) -> None:
    file = tmp_path / "record.jsonl"
    file.write_text("old")
    club_home.inside("replay", "export", "1/1/0", "--output", file, status=1)
    assert file.read_text() == "old"
    club_home.inside("replay", "export", "1/0/0", "--output", file)
    assert file.read_text() == club_home.inside("replay", "export", "1/0/0").out
    (tmp_path / "folder").mkdir()
    club_home.inside("replay", "export", "1/0/0", "--output", tmp_path / "folder", status=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "record.jsonl"]
