"""Briscola's table talk with talk=signal: who hears what, and that nobody else can tell."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any, cast

import pytest

from mazzo.cards import ITALIAN
from mazzo.codec import view_bytes
from mazzo.errors import IllegalActionError, VariantError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.games.briscola import BRISCOLA, BriscolaDeal
from mazzo.record import DealRecord, replay_line
from mazzo.shuffle import GivenShuffles, SeededShuffles, Stream
from support import reference_briscola as reference
from support.strategies import legal_codes, play

SEED = bytes(range(32))
Said = tuple[int, int, str]  # trick, speaker, token


def signal(players: int, leak: object = "0.25") -> Variant:
    return Variant.of(BRISCOLA, players, {"talk": "signal", "leak": leak})


def deck(players: int) -> list[int]:
    cards = [int(ITALIAN.parse(code)) for code in reference.pack(players)]
    return random.Random(1).sample(cards, len(cards))


def lay_out(overheard: list[tuple[int, int, int]], *, players: int = 4) -> BriscolaDeal:
    """A deal in which seat 0 leads, and in which this is overheard."""
    shuffles = GivenShuffles([deck(players)], overheard)
    return cast(BriscolaDeal, BRISCOLA.deal(signal(players), shuffles, dealer=players - 1))


def from_seed(variant: Variant, number: int, *, draws: str = "top") -> BriscolaDeal:
    deal = BRISCOLA.deal(variant, SeededShuffles(SEED, number), dealer=0, draws=draws)
    return cast(BriscolaDeal, deal)


def say(deal: BriscolaDeal, tokens: str) -> None:
    """The seat to move says these tokens and plays its lowest card."""
    for token in tokens.split():
        deal.apply(BRISCOLA.parse_action("say:" + token))
    deal.apply(int(deal.hand(cast(int, deal.seat))[0]))


def heard(deal: BriscolaDeal, seat: int) -> list[Said]:
    return [(talk.trick, talk.seat, talk.token) for talk in deal.view(seat).talk]


def expected_talk(deal: BriscolaDeal, number: int, thousandths: int) -> list[list[Said]]:
    """What each seat heard, from everything said and the labels of the rules."""
    players = deal.variant.players
    leaders = [1, *(cast(int, trick.winner) for trick in deal.view(0).tricks)]
    talk: list[list[Said]] = [[] for _ in range(players)]
    plays = 0
    for action in deal.actions:
        if action < 40:
            plays += 1
            continue
        trick, laid = divmod(plays, players)
        speaker = (leaders[trick] + laid) % players
        for seat in range(players):
            label = f"deal/{number}/overhear/{trick}/{speaker}/{seat}"
            if (seat - speaker) % 2 == 0 or Stream(SEED, label).below(1000) < thousandths:
                talk[seat].append((trick, speaker, reference.TOKENS[action - 40]))
    return talk


LEAKS: list[tuple[object, str]] = [
    *((leak, "talk=signal") for leak in ("0.25", 0.25, "0.250")),
    *((leak, "leak=0.001&talk=signal") for leak in ("0.001", 0.001)),
    *((leak, "leak=0&talk=signal") for leak in ("0", 0, 0.0)),
    *((leak, "leak=1&talk=signal") for leak in ("1", 1.0, "1.000")),
]


@pytest.mark.parametrize(("leak", "text"), LEAKS)
def test_options(leak: object, text: str) -> None:
    """Option `leak`: 0.25 by default, in steps of 1/1000; no effect with two or three."""
    for players in (4, 6):
        assert str(signal(players, leak)) == f"briscola/{players}?{text}"
        assert parse_variant(f"briscola/{players}?{text}") == signal(players, leak)
    assert [str(signal(players, leak)) for players in (2, 3)] == ["briscola/2", "briscola/3"]


@pytest.mark.parametrize("leak", [2, "2", "0.0005", 0.0005, "1.001", -0.1, "abc", "", "1/4", True])
def test_leaks_that_are_not_possible(leak: object) -> None:
    """Option `leak`: the error says what is possible, with any number of players."""
    for players in (2, 4):
        with pytest.raises(VariantError, match=r"a number from 0 to 1 in steps of 0\.001"):
            signal(players, leak)
    with pytest.raises(VariantError, match="public, signal or off"):
        parse_variant("briscola/4?talk=whisper")


@pytest.mark.parametrize("players", [4, 6])
def test_at_most_three_tokens_a_turn_and_none_twice(players: int) -> None:
    """Talk: as in `public`: tokens beside the cards, three a turn, then it has to play."""
    deal = lay_out([], players=players)
    cards = [card.code for card in deal.hand(0)]
    says = ["say:" + token for token in reference.TOKENS]
    for token in ["say:mine", "say:trump-ace", "say:strong"]:
        assert (deal.seat, legal_codes(deal)) == (0, [*cards, *says])
        deal.apply(BRISCOLA.parse_action(token))
        says.remove(token)
    assert legal_codes(deal) == cards
    with pytest.raises(IllegalActionError):
        deal.apply(BRISCOLA.parse_action("say:low-trump"))


@pytest.mark.parametrize("thousandths", [0, 1, 250, 500, 1000])
@pytest.mark.parametrize("players", [4, 6])
def test_partners_hear_and_opponents_overhear_by_the_label(players: int, thousandths: int) -> None:
    """Talk, `signal`: deal/K/overhear/T/S/O below 1000 × leak, for all tokens of the turn."""
    for number in range(6):
        variant = signal(players, thousandths / 1000)
        deal = from_seed(variant, number, draws=("top", "seats")[number % 2])
        play(deal, random.Random(number))
        expected = expected_talk(deal, number, thousandths)
        cards = [action for action in deal.actions if action < 40]
        assert len(deal.actions) - len(cards) > 10
        for seat in range(players):
            assert heard(deal, seat) == expected[seat]
            acts = [event.action for event in deal.view(seat).history]
            assert [action for action in acts if action < 40] == cards
            assert len(acts) == len(expected[seat]) + len(cards)
            told = [talk for talk in expected[seat] if (talk[1] - seat) % 2]
            assert thousandths not in (0, 1000) or bool(told) == (thousandths == 1000)


def test_the_label_word_for_word() -> None:
    """Talk, `signal`: the number from the hash itself, and v < 1000 × leak at the very edge."""
    for number in range(150):
        label = f"deal/{number}/overhear/0/1/2"
        digest = hashlib.sha256(SEED + b"\0" + label.encode() + b"\0" + bytes(8)).digest()
        word = int.from_bytes(digest[:4], "big")
        value = word % 1000
        for leak, hears in [(value, False), (value + 1, True)]:
            deal = from_seed(signal(4, leak / 1000), number)
            say(deal, "mine strong")
            assert heard(deal, 2) == ([(0, 1, "mine"), (0, 1, "strong")] if hears else [])


@pytest.mark.parametrize("players", [4, 6])
def test_overhearing_one_turn_is_overhearing_that_turn_only(players: int) -> None:
    """Talk, `signal`: the whole turn, by that opponent alone; the other turns as they are."""
    deal = lay_out([(0, 0, 1), (0, 1, 0), (1, 2, 0)], players=players)
    say(deal, "mine strong carico")
    say(deal, "no-trump")
    for _ in range(players - 2):
        say(deal, "")
    leader = cast(int, deal.seat)
    say(deal, "leave-it")
    turns: list[Said] = [(0, 0, "mine"), (0, 0, "strong"), (0, 0, "carico")]
    for seat in range(players):
        expected = turns.copy() if seat % 2 == 0 or seat == 1 else []
        expected += [(0, 1, "no-trump")] if seat % 2 or seat == 0 else []
        if (seat - leader) % 2 == 0 or (leader, seat) == (2, 0):
            expected += [(1, leader, "leave-it")]
        assert heard(deal, seat) == expected


@pytest.mark.parametrize("players", [4, 6])
def test_nobody_is_told_that_he_was_overheard(players: int) -> None:
    """Talk, `signal`: whether seat 1 overhears moves no byte of any other view, to the end."""
    deals = [lay_out(overheard, players=players) for overheard in ([], [(0, 0, 1)])]
    for deal in deals:
        deal.apply(BRISCOLA.parse_action("say:mine"))
    while deals[0].seat is not None:
        for seat in range(players):
            views = [deal.view(seat) for deal in deals]
            assert (view_bytes(views[0]) == view_bytes(views[1])) == (seat != 1)
            assert (views[0].to_json() == views[1].to_json()) == (seat != 1)
        for deal in deals:
            say(deal, "")


@pytest.mark.parametrize("players", [4, 6])
def test_the_deaf_see_no_sign_of_talk(players: int) -> None:
    """Talk, `signal`: after each token an opponent's view is the same bytes as without talk."""
    talking, silent = lay_out([], players=players), lay_out([], players=players)
    generator = random.Random(players)
    spoken = 0
    while silent.seat is not None:
        count = generator.randrange(4) if silent.seat % 2 == 0 else 0
        for token in generator.sample(reference.TOKENS, count):
            talking.apply(BRISCOLA.parse_action("say:" + token))
            spoken += 1
            for seat in range(players):
                same = view_bytes(talking.view(seat)) == view_bytes(silent.view(seat))
                assert same == (seat % 2 == 1)
        for deal in (talking, silent):
            say(deal, "")
        for seat in range(1, players, 2):
            assert view_bytes(talking.view(seat)) == view_bytes(silent.view(seat))
    assert spoken > 9


def line(**changes: Any) -> dict[str, Any]:
    """The answer to a record in which seat 0 speaks before it plays, with every view."""
    cards = [ITALIAN.cards[card].code for card in deck(4)]
    record: dict[str, Any] = {"format": "mazzo-deal/1", "game": "briscola", "players": 4}
    record |= {"options": {"talk": "signal"}, "dealer": 3, "shuffles": [cards]}
    record |= {"actions": ["say:mine", "say:strong", cards[0]]} | changes
    record = {key: value for key, value in record.items() if value is not None}
    return replay_line(json.dumps(record), views=True)


def hearers(answer: dict[str, Any]) -> list[int]:
    assert "error" not in answer
    return [view["seat"] for view in answer["views"] if len(view["talk"]) == 2]


def test_record_names_what_was_overheard() -> None:
    """Record: with the shuffles from the list `overheard`; without it nobody overhears."""
    assert hearers(line()) == hearers(line(overheard=[])) == [0, 2]
    assert hearers(line(overheard=[[0, 0, 3]])) == [0, 2, 3]
    assert hearers(line(overheard=[[0, 0, 3], [0, 0, 1]])) == [0, 1, 2, 3]
    assert hearers(line(overheard=[[1, 0, 3], [0, 2, 1], [0, 1, 0]])) == [0, 2]
    assert hearers(line(options={"talk": "signal", "leak": 0})) == [0, 2]
    assert hearers(line(options={})) == [0, 1, 2, 3]


def test_record_with_a_seed_follows_from_the_seed() -> None:
    """Record: with seed and deal the labels say who overhears; `overheard` need not stand."""
    found = set()
    for number in range(12):
        deal = from_seed(signal(4, "0.5"), number)
        first = str(deal.hand(1)[0])
        answer = line(
            shuffles=None, seed=SEED.hex(), deal=number, dealer=0,
            options={"talk": "signal", "leak": 0.5}, actions=["say:mine", "say:strong", first],
        )  # fmt: skip
        label = f"deal/{number}/overhear/0/1/"
        by_label = [seat for seat in (0, 2) if Stream(SEED, f"{label}{seat}").below(1000) < 500]
        assert hearers(answer) == sorted([1, 3, *by_label])
        found.add(tuple(by_label))
    assert found == {(), (0,), (2,), (0, 2)}


@pytest.mark.parametrize("players", [4, 6])
def test_record_written_and_replayed_gives_the_same_views(players: int) -> None:
    """Record: what was overheard is written down, and read back to the same views."""
    for number in range(4):
        deal = from_seed(signal(players), number)
        play(deal, random.Random(number))
        record = DealRecord.of(deal).to_json()
        expected = expected_talk(deal, number, 250)
        events = {
            (trick, speaker, seat)
            for seat in range(players)
            for trick, speaker, _ in expected[seat]
            if (speaker - seat) % 2
        }
        assert sorted(record["overheard"]) == [list(event) for event in sorted(events)]
        answer = replay_line(json.dumps(record), views=True)
        assert answer["views"] == [deal.view(seat).to_json() for seat in range(players)]


def test_record_without_signal_says_nothing_of_it() -> None:
    """Record: no key where everybody hears everything, or where nobody overheard anything."""
    for text in ("briscola/4", "briscola/4?talk=off", "briscola/4?leak=0&talk=signal"):
        deal = from_seed(parse_variant(text), 3)
        play(deal, random.Random(3))
        assert "overheard" not in DealRecord.of(deal).to_json()


WRONG: list[object] = [
    None, {}, "0,0,1", 1, [1], [[]], [[0, 0]], [[0, 0, 1, 1]], [["0", 0, 1]], [[0, 0, 1.0]],
    [[0, True, 1]], [[0, 0, None]], [[-1, 0, 1]], [[0, 4, 1]], [[0, 0, 4]], [[0, 0, -1]],
    [[0, -1, 1]], [[0, 0, 1], 5],
]  # fmt: skip


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_bad_values_of_overheard_are_bad_records(value: object) -> None:
    """Record: a list of [trick, speaker, opponent], whole numbers, seats of the table."""
    deal = lay_out([])
    record = DealRecord.of(deal).to_json() | {"overheard": value}
    answer = replay_line(json.dumps(record))
    assert answer["error"]["code"] == "bad-record"
    assert "overheard" in answer["error"]["message"]


def test_copies_hear_on_their_own() -> None:
    """Deal: what is said in one copy is not heard in the other, and both can overhear."""
    deal = lay_out([(0, 0, 1)])
    twin = deal.copy()
    say(twin, "mine")
    assert (heard(deal, 1), heard(twin, 1), deal.overheard) == ([], [(0, 0, "mine")], [])
    say(deal, "strong")
    assert (heard(deal, 1), heard(twin, 1)) == ([(0, 0, "strong")], [(0, 0, "mine")])
    assert deal.overheard == twin.overheard == [(0, 0, 1)]
