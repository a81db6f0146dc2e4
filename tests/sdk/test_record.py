"""The deal record: replayed positions, and everything that makes a record a bad one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.cards import ITALIAN
from mazzo.errors import BadRecordError, VariantError
from mazzo.games import GAMES, parse_variant
from mazzo.record import DealRecord, ReplayError, replay, replay_line
from mazzo.shuffle import SeededShuffles
from sdk.test_second_implementations import REFERENCES, Reference
from support.observations import Course, observe, receipts_in
from support.reference_briscola import Table, pack
from support.strategies import Start, starts

GOLDEN = Path(__file__).parent / "golden"
SEED = bytes(range(32))

Json = dict[str, Any]


def a_record(**changes: Any) -> Json:
    """A record of two players' first deal from `SEED`, nothing played yet."""
    deck = SeededShuffles(SEED, 0).draw("deck", 0, ITALIAN.cards)
    return {
        "format": "mazzo-deal/1",
        "game": "briscola",
        "players": 2,
        "options": {},
        "dealer": 1,
        "draws": "top",
        "start": {},
        "shuffles": [[ITALIAN.cards[card].code for card in deck]],
        "actions": [],
    } | changes


def without(record: Json, *keys: str) -> Json:
    return {key: value for key, value in record.items() if key not in keys}


def seeded(**changes: Any) -> Json:
    """The same deal by its seed."""
    return without(a_record(), "shuffles") | {"seed": SEED.hex(), "deal": 0} | changes


def finished(**changes: Any) -> Json:
    """The same deal played out, everybody playing the first legal card."""
    record = a_record()
    while legal := replay_line(json.dumps(record))["legal"]:
        record["actions"].append(legal[0])
    answer = replay_line(json.dumps(record))
    claims = {"scores": list(answer["scores"]), "result": answer["result"]}
    return record | claims | changes


def ask(record: object, **options: bool) -> Json:
    """The answer to a record, as it stands on the output."""
    answer = replay_line(json.dumps(record), **options)
    return json.loads(json.dumps(answer))  # type: ignore[no-any-return]


def error_of(answer: Json) -> tuple[str, int]:
    assert set(answer["error"]) == {"step", "code", "message"}
    assert answer["error"]["message"]
    return answer["error"]["code"], answer["error"]["step"]


# Positions.


def test_a_fresh_deal() -> None:
    """The record's command: the keys of an answer; a position before the first action."""
    record = a_record()
    deck = record["shuffles"][0]
    assert ask(record) == {
        "to_move": 0,
        "legal": sorted(deck[:3], key=pack(2).index),
        "over": False,
        "scores": None,
        "result": None,
        "shuffles": [deck],
    }


def test_trace_shows_every_decision() -> None:
    """`--trace`: seat, legal actions in ascending number, and the action, step by step."""
    record = finished()
    answer = ask(record, trace=True)
    table = Table(2, record["shuffles"][0], dealer=1)
    assert len(answer["steps"]) == 40
    for step, action in zip(answer["steps"], record["actions"], strict=True):
        assert step == {"seat": table.to_move, "legal": table.legal(), "action": action}
        table.act(action)
    assert answer["over"] is True
    assert answer["to_move"] is None
    assert answer["legal"] == []
    assert answer["scores"] == table.scores()
    assert answer["result"] == table.result()
    assert "views" not in answer


def test_views_by_seat() -> None:
    """`--views`: what each seat may know of the position, and no other seat's cards."""
    record = finished()
    record = without(record, "scores", "result") | {"actions": record["actions"][:7]}
    answer = ask(record, views=True)
    table = Table(2, record["shuffles"][0], dealer=1)
    for action in record["actions"]:
        table.act(action)
    assert [view["seat"] for view in answer["views"]] == [0, 1]
    for seat, view in enumerate(answer["views"]):
        assert view["hand"] == sorted(table.hands[seat], key=pack(2).index)
        assert view["legal"] == (table.legal() if seat == table.to_move else [])
        assert view["trick"]["cards"] == [card for _, card in table.table]
        assert view["points"] == table.points()
        assert view["trump_card"] == table.trump_card
        assert view["stock_count"] == len(table.stock)
        assert view["hand_counts"] == [len(hand) for hand in table.hands]
        assert [action for _, action in view["history"]] == record["actions"]
        assert not set(table.hands[1 - seat]) & set(json.dumps(view).split('"'))
    assert "steps" not in answer


@given(starts())
def test_partial_records_stand_for_the_position_reached(start: Start) -> None:
    """Rules, "The deal record": fewer actions, no scores: the position reached."""
    deal = start.position()
    record = DealRecord.of(deal).to_json()
    assert ("scores" in record) == (deal.seat is None)
    answer = ask(record)
    assert "error" not in answer
    assert answer["to_move"] == deal.seat


@pytest.mark.parametrize("key", ["options", "draws", "start", "actions"])
def test_keys_with_a_plain_default_may_be_left_out(key: str) -> None:
    """A reader takes a record without them: defaults, mode `top`, nothing inherited or played."""
    assert ask(without(a_record(), key)) == ask(a_record())


def test_unknown_keys_are_passed_over() -> None:
    """A record may carry what later versions add."""
    assert ask(a_record(comment="x")) == ask(a_record())


def test_a_seed_stands_for_its_shuffles() -> None:
    """Rules, "The deal record": `seed` and `deal` in place of `shuffles`."""
    assert ask(seeded()) == ask(a_record())
    other = SeededShuffles(SEED, 12).draw("deck", 0, ITALIAN.cards)
    answer = ask(seeded(deal=12))
    assert answer["shuffles"] == [[ITALIAN.cards[card].code for card in other]]


def test_the_drawing_mode_is_named_by_draws() -> None:
    """Rules, "Drawing from the stock": `draws` changes who gets which card, and no variant."""
    top, bound = finished(), without(finished(), "scores", "result") | {"draws": "seats"}
    for record in (top, bound):
        table = Table(2, record["shuffles"][0], dealer=1, draws=record["draws"])
        record["actions"] = []
        while table.to_move is not None:
            record["actions"].append(table.legal()[0])
            table.act(record["actions"][-1])
        record |= {"scores": table.scores(), "result": table.result()}
        assert "error" not in ask(record)
    assert top["actions"] != bound["actions"]


# Illegal actions.


def deck_of(record: Json) -> list[str]:
    return list(record["shuffles"][0])


@pytest.mark.parametrize("step", [0, 1, 5, 38, 39])
@pytest.mark.parametrize("code", ["played", "unknown", "say:mine", "", "hidden"])
def test_illegal_actions_show_the_step_and_the_position_before(step: int, code: str) -> None:
    """The record's command: `illegal-action`, its step, and the position before it."""
    record = without(finished(), "scores", "result")
    good = record["actions"][:step]
    position = ask(record | {"actions": good}, trace=True, views=True)
    table = Table(2, deck_of(record), dealer=1)
    for action in good:
        table.act(action)
    assert table.to_move is not None
    elsewhere = [*table.hands[1 - table.to_move], *table.stock, *good]
    wrong = {"played": good[0] if good else "xx", "hidden": elsewhere[0]}.get(code, code)
    answer = ask(record | {"actions": [*good, wrong, *record["actions"]]}, trace=True, views=True)
    assert error_of(answer) == ("illegal-action", step)
    assert without(answer, "error") == position
    assert len(answer["steps"]) == step


def test_actions_after_the_end_are_illegal() -> None:
    """Rules, "Actions": any action after the end is refused; the position is the end."""
    record = finished()
    end = ask(record)
    for code in ("Ad", "xx", "say:mine"):
        answer = ask(record | {"actions": [*record["actions"], code]})
        assert error_of(answer) == ("illegal-action", 40)
        assert "over" in answer["error"]["message"]
        assert without(answer, "error") == end


def test_illegal_actions_are_told_with_the_legal_ones() -> None:
    """A message that helps: what was expected."""
    record = a_record()
    message = ask(record | {"actions": [deck_of(record)[3]]})["error"]["message"]
    assert all(code in message for code in deck_of(record)[:3])


# Bad records.

NO_POSITION: Json = {
    "to_move": None,
    "legal": [],
    "over": False,
    "scores": None,
    "result": None,
    "shuffles": [],
}
WRONG_TYPES = [None, True, 1.5, "x", -1, [1], {"x": 1}, 10**30]
RIGHT: dict[str, list[object]] = {
    "scores": [None],
    "result": [None, {"x": 1}],  # an object, which an unfinished deal has nothing to say to
    "deal": [10**30],
}

Change = Callable[[Json], object]
BAD: dict[str, Change] = {
    "no object: list": lambda record: [record],
    "no object: text": lambda record: "record",
    "no object: number": lambda record: 1,
    "no object: null": lambda record: None,
    "format missing": lambda record: without(record, "format"),
    "format of another version": lambda record: record | {"format": "mazzo-deal/2"},
    "game missing": lambda record: without(record, "game"),
    "game unknown": lambda record: record | {"game": "poker"},
    "game in capitals": lambda record: record | {"game": "Briscola"},
    "players missing": lambda record: without(record, "players"),
    "players as a text": lambda record: record | {"players": "2"},
    "players as a fraction": lambda record: record | {"players": 2.0},
    "players five": lambda record: record | {"players": 5},
    "players none": lambda record: record | {"players": 0},
    "option unknown": lambda record: record | {"options": {"colour": "red"}},
    "option value unknown": lambda record: record | {"options": {"tie": "half"}},
    "option value null": lambda record: record | {"options": {"tie": None}},
    "option without effect, value unknown": lambda record: record | {"options": {"talk": "x"}},
    "dealer missing": lambda record: without(record, "dealer"),
    "dealer true": lambda record: record | {"dealer": True},
    "dealer false": lambda record: record | {"dealer": False},
    "dealer beyond the table": lambda record: record | {"dealer": 2},
    "dealer below zero": lambda record: record | {"dealer": -1},
    "dealer a text": lambda record: record | {"dealer": "1"},
    "draws unknown": lambda record: record | {"draws": "bottom"},
    "start of another game": lambda record: record | {"start": {"pot": 24}},
    "shuffles missing": lambda record: without(record, "shuffles"),
    "shuffles empty": lambda record: record | {"shuffles": []},
    "shuffles flat": lambda record: record | {"shuffles": record["shuffles"][0]},
    "shuffle left over": lambda record: record | {"shuffles": record["shuffles"] * 2},
    "empty shuffle left over": lambda record: record | {"shuffles": [*record["shuffles"], []]},
    "shuffle empty": lambda record: record | {"shuffles": [[]]},
    "card missing": lambda record: record | {"shuffles": [record["shuffles"][0][1:]]},
    "card twice": lambda record: (
        record | {"shuffles": [[record["shuffles"][0][1], *record["shuffles"][0][1:]]]}
    ),
    "card too many": lambda record: (
        record | {"shuffles": [[*record["shuffles"][0], record["shuffles"][0][0]]]}
    ),
    "card unknown": lambda record: record | {"shuffles": [["Qd", *record["shuffles"][0][1:]]]},
    "card a number": lambda record: record | {"shuffles": [list(range(40))]},
    "card of the variant left out": lambda record: record | {"players": 3},
    "seed and shuffles": lambda record: record | {"seed": SEED.hex(), "deal": 0},
    "seed beside shuffles": lambda record: record | {"seed": SEED.hex()},
    "seed without deal": lambda record: without(seeded(), "deal"),
    "deal without seed": lambda record: without(seeded(), "seed"),
    "seed in capitals": lambda record: seeded(seed=SEED.hex().upper()),
    "seed too short": lambda record: seeded(seed=SEED.hex()[:-2]),
    "seed half a byte short": lambda record: seeded(seed=SEED.hex()[:-1]),
    "seed too long": lambda record: seeded(seed=SEED.hex() + "00"),
    "seed with a space": lambda record: seeded(seed=" " + SEED.hex()),
    "seed no hexadecimal": lambda record: seeded(seed="g" * 64),
    "seed a number": lambda record: seeded(seed=0),
    "deal below zero": lambda record: seeded(deal=-1),
    "deal true": lambda record: seeded(deal=True),
    "deal a text": lambda record: seeded(deal="0"),
    "actions a text": lambda record: record | {"actions": "Ad"},
    "action a number": lambda record: record | {"actions": [0]},
    "actions without end": lambda record: record | {"actions": ["Ad"] * 10_001},
    "scores too few": lambda record: record | {"scores": [120]},
    "scores a boolean": lambda record: record | {"scores": [True, False]},
    "scores fractions": lambda record: record | {"scores": [60.5, 59.5]},
    "scores an object": lambda record: record | {"scores": {"0": 60}},
    "result a list": lambda record: record | {"result": [60, 60]},
}


@pytest.mark.parametrize("name", BAD)
def test_bad_records(name: str) -> None:
    """Rules, "The deal record": each of these is a bad record, told and never raised."""
    value = BAD[name](a_record())
    answer = ask(value, trace=True, views=True)
    assert error_of(answer) == ("bad-record", 0)
    if "left over" in name and "card" not in name:
        assert answer["to_move"] == 0
    else:
        assert without(answer, "error") == NO_POSITION | {"steps": [], "views": []}
    with pytest.raises((BadRecordError, VariantError)):
        replay(DealRecord.from_json(value))


@pytest.mark.parametrize("key", [*a_record(), "seed", "deal", "scores", "result"])
def test_keys_of_the_wrong_type(key: str) -> None:
    """Rules, "The deal record": keys of the wrong type make a bad record, every one of them."""
    base = seeded() if key in ("seed", "deal") else a_record()
    for value in WRONG_TYPES:
        if value not in RIGHT.get(key, []):
            answer = ask(base | {key: value})
            assert error_of(answer) == ("bad-record", 0), (key, value)


@pytest.mark.parametrize(
    "line",
    [
        *("", " ", "{", "{}", "x", "[]", "null", "NaN", '"', "{'a': 1}", "\ufeff{}", "\x00"),
        *("[" * 100_000, '{"a":' * 5000, "1" * 5000, '"\\ud800"'),
    ],
)
def test_lines_that_are_no_records(line: str) -> None:
    """The record's command: whatever stands on a line, the answer is one line of JSON."""
    answer = replay_line(line, trace=True, views=True)
    assert error_of(answer) == ("bad-record", 0)
    assert "\n" not in json.dumps(answer)
    assert len(answer["error"]["message"]) < 300


@pytest.mark.parametrize("depth", [10, 500, 900, 950, 980, 990, 1000])
@pytest.mark.parametrize("key", ["options", "actions", "shuffles", "dealer", "result"])
def test_deeply_nested_values_raise_nothing(key: str, depth: int) -> None:
    """A record is read from strangers: nesting must not break the reader."""
    line = json.dumps(a_record(**{key: "@"})).replace('"@"', "[" * depth + "]" * depth)
    assert error_of(replay_line(line)) == ("bad-record", 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=5), values),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([*finished(), "seed", "deal", "x"]), json_values, max_size=4)
)
def test_no_record_raises(changes: Json) -> None:
    """The record's command: `replay_line` never raises, whatever the values."""
    answer = replay_line(json.dumps(finished() | changes), trace=True, views=True)
    json.dumps(answer)
    assert answer.get("error", {}).get("code") in (None, "bad-record", "illegal-action")


@pytest.mark.parametrize(
    "claim",
    [
        {"scores": [0, 120]},
        {"scores": [121, -1]},
        {"result": {"points": [0, 120], "last": 0}},
        {"result": {}},
    ],
)
def test_wrong_claims_about_a_finished_deal(claim: Json) -> None:
    """Rules, "The deal record": anyone can check a record, so a wrong score is found."""
    record = finished()
    assert "error" not in ask(record)
    answer = ask(record | claim)
    assert error_of(answer) == ("bad-record", 40)
    assert without(answer, "error") == ask(record)


def test_a_finished_deal_need_not_claim_anything() -> None:
    """Rules, "The deal record": scores and result follow from the actions."""
    record = finished()
    for keys in (["scores"], ["result"], ["scores", "result"]):
        assert ask(without(record, *keys)) == ask(record)


def test_replay_errors_carry_the_position() -> None:
    """House style: errors carry data as attributes."""
    record = DealRecord.from_json(a_record())
    with pytest.raises(ReplayError) as caught:
        replay(replace(record, actions=("xx",)))
    assert (caught.value.code, caught.value.step) == ("illegal-action", 0)
    assert caught.value.deal is not None
    assert caught.value.deal.seat == 0


# Golden records.


def golden() -> list[Json]:
    lines = [
        line
        for path in sorted(GOLDEN.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("entry", golden(), ids=lambda entry: entry["name"])
def test_golden_records(entry: Json) -> None:
    """Promise 1: these answers were written down once, and stay as they are."""
    assert ask(entry["record"], trace=entry["trace"], views=entry["views"]) == entry["answer"]


def second_implementation(record: Json, answer: Json) -> Reference:
    """The position that the record begins with, as the independent implementation has it."""
    if record["game"] in REFERENCES:
        return REFERENCES[record["game"]](
            record["players"],
            record["options"],
            record["dealer"],
            answer["shuffles"],
            record.get("start", {}),
            record.get("draws", "top"),
        )
    talk = record["players"] in (4, 6) and record["options"].get("talk") != "off"
    (deck,) = answer["shuffles"]
    return Briscola(
        Table(record["players"], deck, dealer=record["dealer"], draws=record["draws"], talk=talk)
    )


class Briscola:
    """Briscola's second implementation, asked as the others are."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @property
    def to_move(self) -> int | None:
        return self.table.to_move

    def legal(self) -> list[str]:
        return self.table.legal()

    def apply(self, code: str) -> None:
        self.table.act(code)

    @property
    def scores(self) -> list[int] | None:
        return self.table.scores()

    @property
    def result(self) -> dict[str, Any] | None:
        return self.table.result()


@pytest.mark.parametrize(
    "entry",
    [entry for entry in golden() if entry["answer"].get("error", {}).get("code") != "bad-record"],
    ids=lambda entry: entry["name"],
)
def test_golden_records_in_the_second_implementation(entry: Json) -> None:
    """Promise 1: an independent implementation gives the same as what was written down."""
    record, answer = entry["record"], entry["answer"]
    reference = second_implementation(record, answer)
    until = answer["error"]["step"] if "error" in answer else len(record["actions"])
    for number, code in enumerate(record["actions"][:until]):
        if "steps" in answer:
            step = {"seat": reference.to_move, "legal": reference.legal(), "action": code}
            assert answer["steps"][number] == step
        reference.apply(code)
    assert (answer["to_move"], answer["legal"]) == (reference.to_move, reference.legal())
    assert (answer["scores"], answer["result"]) == (reference.scores, reference.result)
    if entry["views"]:
        course = Course(
            game=record["game"],
            players=record["players"],
            options=record["options"],
            dealer=record["dealer"],
            draws=record.get("draws", "top"),
            shuffles=answer["shuffles"],
            actions=record["actions"][:until],
            overheard=frozenset(map(tuple, record.get("overheard", []))),
        )
        for view, log in zip(answer["views"], observe(course), strict=True):
            told = [(after, sorted(cards)) for after, cards in view["received"]]
            assert told == [(after, sorted(cards)) for after, cards in receipts_in(log)]


def test_golden_records_cover_the_games() -> None:
    """The golden records: every game, players and mode of Briscola, partial and broken ones."""
    entries = golden()
    kinds = {(entry["record"]["players"], entry["record"].get("draws")) for entry in entries}
    assert kinds >= {(players, draws) for players in (2, 3, 4, 6) for draws in ("top", "seats")}
    assert any("seed" in entry["record"] for entry in entries)
    for game in GAMES:
        ours = [entry for entry in entries if entry["record"]["game"] == game]
        assert any(entry["answer"]["over"] for entry in ours), game
        assert any(not entry["answer"]["over"] for entry in ours), game
        assert any(entry["views"] for entry in ours), game
    for game in ("briscola", "briscola-chiamata", "frusta", "frap"):
        assert any(
            "error" in entry["answer"] for entry in entries if entry["record"]["game"] == game
        ), game


HOSTILE = ("format", "game", "players", "options", "dealer", "draws", "start", "actions")


@pytest.mark.parametrize("depth", [900, 950, 975, 980, 985, 990, 991, 992, 993, 994, 995, 2000])
def test_deep_json_is_a_bad_record(depth: int) -> None:
    """A line that JSON can just read must not be too deep for the message about it."""
    deep = "[" * depth + "]" * depth
    for key in (*HOSTILE, "overheard", "shuffles", "scores", "result"):
        record = {"format": "mazzo-deal/1", "game": "frap", "players": 3, "dealer": 0}
        record |= {"seed": "00" * 32, "deal": 0, key: "DEEP"}
        line = json.dumps(record).replace('"DEEP"', deep)
        assert "message" in replay_line(line)["error"] or key == "result"
    for key in ("pot", "ante", "other"):
        line = json.dumps(record | {"start": {key: "DEEP"}}).replace('"DEEP"', deep)
        assert replay_line(line)["error"]["code"] == "bad-record"


def test_messages_stay_short_whatever_came() -> None:
    """A line of a megabyte does not come back in the message about it."""
    long = "x" * 1_000_000
    base = {"format": "mazzo-deal/1", "game": "frap", "players": 3, "dealer": 0}
    base |= {"seed": "00" * 32, "deal": 0}
    for more in (
        {"format": long},
        {"game": long},
        {"draws": long},
        {"actions": [long]},
        {"options": {long: 1}},
        {"options": {"ante": long}},
        {"start": {long: 1}},
        {"dealer": 10**4000},
        {"seed": long},
    ):
        assert len(replay_line(json.dumps(base | more))["error"]["message"]) < 600


@pytest.mark.parametrize(
    ("variant", "events"),
    [
        ("frusta/2", [[0, 0, 1]]),
        ("briscola/4", [[0, 0, 1]]),
        ("briscola/4?talk=signal", [[0, 0, 2]]),
        ("briscola/4?talk=signal", [[0, 1, 1]]),
        ("briscola/4?talk=signal", [[0, 0, 4]]),
    ],
)
def test_what_nobody_can_overhear_is_a_bad_record(variant: str, events: list[list[int]]) -> None:
    """The deal record: talk is overheard by opponents, where there is talk by signals."""
    deal = parse_variant(variant).game.deal(
        parse_variant(variant), SeededShuffles(SEED, 0), dealer=0
    )
    record = DealRecord.of(deal).to_json()
    assert "error" not in replay_line(json.dumps(record | {"overheard": []}))
    answer = replay_line(json.dumps(record | {"overheard": events}))
    assert answer["error"]["code"] == "bad-record"


def test_a_drawing_mode_that_the_game_has_not() -> None:
    """A deal that no record could stand for is not dealt."""
    for text, draws in (("frusta/2", "seats"), ("briscola/2", "nonsense")):
        variant = parse_variant(text)
        with pytest.raises(BadRecordError, match="draws: expected top"):
            variant.game.deal(variant, SeededShuffles(SEED, 0), dealer=0, draws=draws)
