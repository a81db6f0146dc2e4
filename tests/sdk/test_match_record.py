"""Promise 3: whoever has a match record can check all of it, and nothing in it can be changed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.errors import BadRecordError
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.match_check import verify
from mazzo.match_record import (
    FaultRecord,
    MatchRecord,
    SeatRecord,
    TimeControlRecord,
    split_records,
)
from mazzo.record import DealRecord, replay_line
from mazzo.shuffle import attempt_seed, commitment, seating_salt, substitute_action
from support.strategies import choose, seeds, variants

SEED = bytes(range(32))
EVERY = [Variant.of(game, players) for game in GAMES.values() for players in game.players]


def played(
    variant: Variant,
    match_format: str = "",
    *,
    seed: bytes = SEED,
    attempt: int = 0,
    choices: int = 0,
    late: Iterable[tuple[int, int]] = (),
    forfeits: Iterable[tuple[int, int]] = (),
    seating: int = 1,
    draws: str = "",
) -> MatchRecord:
    """The record of a match played at random.

    `late` and `forfeits` name decisions as (seat, number): those that the substitute plays,
    and those at which a seat forfeits.
    """
    own = attempt_seed(seed, attempt)
    parsed = MatchFormat.parse(match_format or variant.game.default_match_format(variant))
    match = Match(variant, own, parsed, draws=draws or variant.game.draw_modes[-1])
    generator = random.Random(choices)
    first_dealer = match.deal.dealer
    numbers, counts = [0] * variant.players, [0] * variant.players
    deals, substituted, faults = [], [], list[FaultRecord]()
    late, forfeits, gone, over = set(late), set(forfeits), set[int](), False
    while not over:
        deal, by_substitute = match.deal, list[int]()
        while (seat := deal.seat) is not None:
            numbers[seat] += 1
            if (seat, numbers[seat]) in forfeits and seat not in gone:
                gone.add(seat)
                faults.append(
                    FaultRecord(
                        seat=seat,
                        termination="crashed",
                        owner="bot",
                        reason="ended with status 3",
                        deal=match.deal_number,
                        decision=numbers[seat],
                    )
                )
                if len(variant.sides) == 2:
                    break
            if seat in gone or (seat, numbers[seat]) in late:
                by_substitute.append(len(deal.actions))
                deal.apply(substitute_action(own, seat, counts[seat], deal.legal))
                counts[seat] += 1
            else:
                deal.apply(choose(deal, generator))
        deals.append(DealRecord.of(deal))
        substituted.append(tuple(by_substitute))
        if deal.seat is None:
            match.advance()
        over = match.over or deal.seat is not None
    lost = bool(faults) and len(variant.sides) == 2
    scores, ranking = match.forfeited(faults[0].seat) if lost else (match.scores, match.ranking)
    salt = seating_salt(own, seating)
    return MatchRecord(
        variant=variant,
        match_format=parsed,
        draws=match.draws,
        seats=tuple(
            SeatRecord(bot=f"bot-{seat}", version=seat + 1) for seat in range(variant.players)
        ),
        first_dealer=first_dealer,
        time_control=TimeControlRecord(bank=10.0, increment=0.1, limit=5.0),
        tournament=3,
        group=17,
        seating=seating,
        attempt=attempt,
        group_seed=seed,
        seed=own,
        salt=salt,
        commitment=commitment(own, salt),
        deals=tuple(deals),
        match_scores=scores,
        ranking=ranking,
        faults=tuple(faults),
        late=tuple(
            sum(
                who == seat
                and number <= numbers[seat]
                and not any(gone == seat and end <= number for gone, end in forfeits)
                for who, number in late
            )
            for seat in range(variant.players)
        ),
        substituted=tuple(substituted),
        micros=tuple(tuple(generator.randrange(10**6) for _ in deal.actions) for deal in deals),
    )


def again(record: MatchRecord) -> MatchRecord:
    """The record as its lines have it."""
    return MatchRecord.parse(list(record.lines()))


def assert_true(record: MatchRecord) -> None:
    verification = verify(record)
    assert verification.ok, verification.wrong
    assert {"seed", "salt", "commitment", "match scores", "ranking"} <= {*verification.checked}


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_every_game_has_match_records_that_come_back_and_are_true(variant: Variant) -> None:
    record = played(variant, f"deals:{min(variant.players, 4)}")
    assert again(record) == record
    assert_true(record)


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_each_deal_is_one_that_deal_run_accepts(variant: Variant) -> None:
    for line in list(played(variant, "deals:2", forfeits=[(1, 3)]).lines())[1:-1]:
        assert "error" not in replay_line(line)


@given(variants(), seeds(), st.integers(0, 2**32), st.data())
def test_whatever_was_played_late_or_forfeited_is_true(
    variant: Variant, seed: bytes, choices: int, data: st.DataObject
) -> None:
    decisions = st.tuples(st.integers(0, variant.players - 1), st.integers(1, 12))
    record = played(
        variant,
        "deals:2",
        seed=seed,
        attempt=data.draw(st.integers(0, 2)),
        choices=choices,
        late=data.draw(st.sets(decisions, max_size=4)),
        forfeits=data.draw(st.lists(decisions, max_size=2, unique_by=lambda decision: decision[0])),
        seating=data.draw(st.integers(0, 5)),
        draws=data.draw(st.sampled_from(variant.game.draw_modes)),
    )
    assert again(record) == record
    assert_true(record)


@pytest.mark.parametrize("match_format", ["best-of:3", "target:2", "deals:5"])
def test_a_match_ends_when_its_format_says_so(match_format: str) -> None:
    record = played(parse_variant("briscola/2"), match_format)
    assert_true(record)
    fewer = replace(
        record,
        deals=record.deals[:-1],
        substituted=record.substituted[:-1],
        micros=record.micros[:-1],
    )
    assert "the match goes on" in verify(fewer).wrong
    more = replace(
        record,
        deals=(*record.deals, record.deals[0]),
        substituted=(*record.substituted, ()),
        micros=(*record.micros, record.micros[0]),
    )
    assert verify(more).wrong == f"deals: expected {len(record.deals)}, got {len(more.deals)}"


def test_with_two_sides_a_forfeit_ends_the_match_with_0_and_the_full_score() -> None:
    record = played(parse_variant("briscola/4"), "best-of:3", forfeits=[(2, 5)])
    assert list(map(int, record.match_scores)) == [0, 2, 0, 2]
    assert record.ranking == (2, 1, 2, 1)
    assert len(record.deals) == 1
    assert record.deals[0].scores is None
    assert_true(record)


def test_with_more_sides_the_substitute_plays_on_and_the_scores_are_those_of_the_play() -> None:
    record = played(parse_variant("briscola/3"), "deals:3", forfeits=[(2, 15), (0, 20)])
    assert [deal.scores is None for deal in record.deals] == [False] * 3
    assert sum(record.match_scores) == 3
    assert sum(map(len, record.substituted)) == 13 * 3 - 14 + 13 * 3 - 19
    assert_true(record)


# Tampering


def record_of(kind: str) -> MatchRecord:
    match kind:
        case "late and forfeit":
            return played(
                parse_variant("briscola/3"), "deals:3", late=[(1, 2), (2, 4)], forfeits=[(0, 15)]
            )
        case "lost":
            return played(parse_variant("briscola/2"), "deals:3", forfeits=[(1, 30)])
        case _:
            return played(parse_variant("frap/3"), "deals:3", attempt=1)


def _swap(cards: list[str]) -> None:
    cards[0], cards[-1] = cards[-1], cards[0]


def _flip(value: dict[str, Any], key: str) -> None:
    value[key] = ("1" if value[key][0] == "0" else "0") + value[key][1:]


@dataclass(slots=True)
class Lines:
    """A record's JSON values, to be tampered with."""

    head: dict[str, Any]
    deals: list[dict[str, Any]]
    end: dict[str, Any]

    def act_all_by_substitute(self) -> None:
        self.end["substituted"] = [list(range(len(deal["actions"]))) for deal in self.deals]

    def deal_another_game(self) -> None:
        briscola = {"format": "mazzo-deal/1", "game": "briscola", "players": 2, "dealer": 0}
        self.deals[0] = briscola | {"shuffles": [], "actions": self.deals[0]["actions"]}


Change = Callable[[Lines], object]
ANY = ("late and forfeit", "lost", "frap")
LATE, LOST, FRAP, FORFEITS, WHOLE = ANY[:1], ANY[1:2], ANY[2:], ANY[:2], ANY[::2]

TAMPERINGS: list[tuple[str, tuple[str, ...], Change]] = [
    # what must be named, in which records, the change
    ("seed", ANY, lambda m: _flip(m.head, "seed")),
    ("seed", ANY, lambda m: _flip(m.head, "group_seed")),
    ("seed", ANY, lambda m: m.head.update(attempt=m.head["attempt"] + 1)),
    ("salt", ANY, lambda m: _flip(m.head, "salt")),
    ("salt", ANY, lambda m: m.head.update(seating=0)),
    ("commitment", ANY, lambda m: _flip(m.head, "commitment")),
    ("first dealer", ANY, lambda m: m.head.update(first_dealer=9)),
    ("draws", LATE, lambda m: m.head.update(draws="top")),
    ("draws", LATE, lambda m: m.deals[1].update(draws="top")),
    ("match goes on", WHOLE, lambda m: m.head.update(match_format="deals:4")),
    ("deals", WHOLE, lambda m: m.head.update(match_format="deals:1")),
    ("dealer", ANY, lambda m: m.deals[1].update(dealer=1 - m.deals[1]["dealer"] % 2)),
    ("shuffle", ANY, lambda m: _swap(m.deals[0]["shuffles"][0])),
    ("shuffle", ANY, lambda m: m.deals[1]["shuffles"][0].reverse()),
    ("shuffle", ANY, lambda m: m.deals[0]["shuffles"].append([])),
    ("start", FRAP, lambda m: m.deals[2].update(start={"pot": 0})),
    ("action", ANY, lambda m: m.deals[0]["actions"].reverse()),
    ("action", ANY, lambda m: m.deals[0]["actions"].__setitem__(0, "nonsense")),
    ("action", ANY, lambda m: m.deals[0]["actions"].append("Ad")),
    ("action", ANY, lambda m: m.deals[0]["actions"].pop()),
    ("scores", ANY, lambda m: m.deals[0]["scores"].__setitem__(0, 119)),
    ("scores", ANY, lambda m: m.deals[0].pop("scores")),
    ("result", LATE, lambda m: m.deals[0]["result"].update(last=3)),
    ("scores", LOST, lambda m: m.deals[1].update(scores=[60, 60], result={})),
    ("match scores", ANY, lambda m: m.end["match_scores"].__setitem__(1, "1/2")),
    ("ranking", ANY, lambda m: m.end.update(ranking=[2] * len(m.end["ranking"]))),
    ("substitute", LATE, lambda m: m.end["substituted"][0].pop(0)),
    ("substitute", LATE, lambda m: m.end["substituted"][2].pop()),
    ("substitute", LATE, lambda m: m.end["substituted"][0].reverse()),
    ("substitute", ANY, lambda m: m.end["substituted"][0].append(9999)),
    ("of the substitute, got", FRAP, lambda m: m.act_all_by_substitute()),
    ("late", LATE, lambda m: m.end["late"].__setitem__(1, 0)),
    ("late", WHOLE, lambda m: m.end["late"].__setitem__(-1, 3)),
    ("late", LOST, lambda m: m.end["late"].__setitem__(0, 3)),
    ("times", ANY, lambda m: m.end["decision_seconds"][0].pop()),
    ("", FORFEITS, lambda m: m.end["faults"].clear()),
    ("", FORFEITS, lambda m: m.end["faults"][0].update(decision=3)),
    ("", FORFEITS, lambda m: m.end["faults"][0].update(deal=0)),
    ("", LATE, lambda m: m.end["faults"][0].update(seat=1)),
    ("", LOST, lambda m: m.end["faults"][0].update(seat=0)),
    ("faults", FORFEITS, lambda m: m.end["faults"].append(m.end["faults"][0])),
    ("owner", FORFEITS, lambda m: m.end["faults"][0].update(owner="nobody")),
    ("variant", WHOLE, lambda m: m.deal_another_game()),
]


@pytest.mark.parametrize(
    ("kind", "part", "change"),
    [
        pytest.param(kind, part, change, id=f"{kind}-{part}-{number}")
        for number, (part, kinds, change) in enumerate(TAMPERINGS)
        for kind in kinds
    ],
)
def test_tampering_is_found(kind: str, part: str, change: Change) -> None:
    record = record_of(kind)
    head, *deals, end = map(json.loads, record.lines())
    tampered = Lines(head, deals, end)
    change(tampered)
    lines = (tampered.head, *tampered.deals, tampered.end)
    verification = verify(MatchRecord.parse(map(json.dumps, lines)))
    assert not verification.ok
    assert part in verification.wrong


def test_every_card_of_a_shuffle_and_every_action_counts() -> None:
    record = record_of("late and forfeit")
    deal = record.deals[0]
    assert deal.shuffles is not None
    pack = deal.shuffles[0]
    for place in range(len(pack) - 1):
        changed = list(pack)
        changed[place], changed[place + 1] = changed[place + 1], changed[place]
        other = replace(deal, shuffles=(tuple(changed),))
        assert "shuffle" in verify(replace(record, deals=(other, *record.deals[1:]))).wrong
    for index in range(len(deal.actions)):
        actions = (*deal.actions[:index], "pass", *deal.actions[index + 1 :])
        other = replace(deal, actions=actions)
        assert (
            f"action {index + 1}:"
            in verify(replace(record, deals=(other, *record.deals[1:]))).wrong
        )


def test_another_legal_action_changes_the_scores_or_what_follows() -> None:
    """Each of the last trick's alternatives; a legal change that changes nothing is none."""
    record = played(parse_variant("frusta/2"), "deals:1")
    for index, code in enumerate(record.deals[0].actions):
        answer = replay_line(
            json.dumps(
                replace(
                    record.deals[0], actions=record.deals[0].actions[:index], scores=None
                ).to_json()
            )
        )
        for other in answer["legal"]:
            if other != code:
                actions = (*record.deals[0].actions[:index], other)
                deal = replace(record.deals[0], actions=actions)
                assert not verify(replace(record, deals=(deal,))).ok


def test_the_order_of_forfeits_counts() -> None:
    record = played(parse_variant("briscola/3"), "deals:3", forfeits=[(0, 5), (1, 7)])
    assert_true(record)
    turned = replace(record, faults=record.faults[::-1])
    assert "order of the forfeits" in verify(turned).wrong


def test_deals_by_seed_must_have_the_match_s() -> None:
    record = played(parse_variant("briscola/2"))
    deals = [
        replace(deal, shuffles=None, seed=record.seed, deal=number)
        for number, deal in enumerate(record.deals)
    ]
    assert_true(again(replace(record, deals=tuple(deals))))
    deals[0] = replace(deals[0], deal=1)
    assert "seed of the match" in verify(replace(record, deals=tuple(deals))).wrong


# Reading


def changed(line: int, **values: object) -> list[str]:
    lines = list(record_of("late and forfeit").lines())
    value = json.loads(lines[line]) | values
    lines[line] = json.dumps(value)
    return lines


GOOD = list(record_of("late and forfeit").lines())
FAULT = {"seat": 0, "termination": "left", "owner": "bot", "reason": "", "deal": 0, "decision": 1}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "line 1: expected a match record's header, got the end"),
        (["{"], "line 1: expected a JSON object"),
        (["[" * 100_000], "line 1: expected a JSON object"),
        (["[]"], "line 1: the line: expected an object"),
        (["{}"], "line 1: format: expected 'mazzo-match/1', got None"),
        (GOOD[1:], "line 1: format: expected 'mazzo-match/1', got 'mazzo-deal/1'"),
        (GOOD[:-1], "line 5: expected a deal record or the match's last line, got the end"),
        ([*GOOD, "{}"], "line 6: expected the end of the record, got '{}'"),
        ([*GOOD[:2], "17", *GOOD[3:]], "line 3: the line: expected an object, got 17"),
        (changed(0, variant="bridge/4"), "line 1: "),
        (changed(0, match_format="sets:3"), "line 1: "),
        (changed(0, draws="bottom"), "line 1: draws: expected"),
        (changed(0, seats=[]), "line 1: seats: expected a list of 3, got []"),
        (changed(0, seats=[1, 2, 3]), "line 1: seats: expected an object, got 1"),
        (changed(0, group=-1), "line 1: group: expected a number from 0 on, got -1"),
        (changed(0, attempt=True), "line 1: attempt: expected a whole number, got True"),
        (changed(0, seed="AB" * 32), "line 1: seed: expected 64 lower-case hexadecimal"),
        (changed(0, salt="ab" * 31), "line 1: salt: expected 64 lower-case hexadecimal"),
        (changed(0, time_control=None), "line 1: time_control: expected an object"),
        (changed(0, time_control={"bank_seconds": -1}), "line 1: bank_seconds: expected a number"),
        (changed(2, dealer=7), "line 3: dealer: expected a seat from 0 to 2, got 7"),
        (changed(4, ranking=[1, 2]), "line 5: ranking: expected a list of 3, got [1, 2]"),
        (changed(4, match_scores=["1", "2", "2/2"]), "line 5: match_scores: expected a number"),
        (changed(4, match_scores=["1", "2", "1/0"]), "line 5: match_scores: expected a number"),
        (changed(4, match_scores=["1", "2", "1e9"]), "line 5: match_scores: expected a number"),
        (changed(4, match_scores=[1, 2, 3]), "line 5: match_scores: expected a text, got 1"),
        (
            changed(4, faults=[FAULT | {"decision": 0}]),
            "line 5: decision: expected a number from 1",
        ),
        (changed(4, substituted=[[]]), "line 5: substituted: expected a list of 3"),
        (changed(4, substituted=[[], [], [-1]]), "line 5: substituted: expected a number from 0"),
        (changed(4, decision_seconds=[[], [], [float("nan")]]), "line 5: decision_seconds: "),
        (changed(4, notes=[[], []]), "line 5: notes: expected a list of 3"),
        (changed(4, notes=[[], [], ["x"]]), "line 5: notes: expected the index of an action and a"),
        (changed(4, notes=[[], [], [[-1, "x"]]]), "line 5: notes: expected a number from 0 on"),
        (changed(4, notes=[[], [], [[0, 1]]]), "line 5: notes: expected a text, got 1"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_a_bad_record_is_refused_with_its_line(lines: list[str], message: str) -> None:
    with pytest.raises(BadRecordError) as refused:
        MatchRecord.parse(lines)
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 500


@given(st.lists(st.tuples(st.integers(0, 10**6), st.text()), max_size=4).map(tuple))
def test_what_bots_said_comes_back_and_makes_no_record_true_or_untrue(
    notes: tuple[tuple[int, str], ...],
) -> None:
    record = record_of("late and forfeit")
    told = replace(record, notes=(notes, (), notes))
    assert again(told) == told
    assert verify(told) == verify(record)
    wrong = replace(told, ranking=(1, 1, 1))
    assert verify(wrong) == verify(replace(wrong, notes=()))
    assert not verify(wrong).ok


def test_keys_that_nobody_knows_are_ignored() -> None:
    assert MatchRecord.parse(changed(0, comment="fine")) == record_of("late and forfeit")


def test_a_file_may_hold_many_records() -> None:
    lines = [*GOOD, *record_of("lost").lines(), "{}", *GOOD]
    found = list(split_records(lines))
    assert [(first, len(part)) for first, part in found] == [(1, 5), (6, 6 - 1), (11, 5)]
    assert MatchRecord.parse(found[0][1]) == record_of("late and forfeit")
    with pytest.raises(BadRecordError, match="line 10: expected the end"):
        MatchRecord.parse(found[1][1], first=found[1][0])
    assert list(split_records([])) == list(split_records(["\n", " "])) == []
    spaced = ["\n", *GOOD, "\n", "", *GOOD, "\n"]
    assert [(first, len(part)) for first, part in split_records(spaced)] == [(2, 5), (9, 5)]
    assert next(split_records(["x", *GOOD])) == (1, ["x"])


def test_scores_may_be_shares() -> None:
    record = replace(played(parse_variant("briscola/3")), match_scores=(Fraction(1, 3),) * 3)
    assert again(record).match_scores == (Fraction(1, 3),) * 3


def test_the_first_attempt_has_the_seed_itself_and_later_ones_their_own() -> None:
    seeds = [attempt_seed(SEED, attempt) for attempt in range(4)]
    assert seeds[0] == SEED
    assert len(set(seeds)) == 4
    assert {len(seed) for seed in seeds} == {32}
