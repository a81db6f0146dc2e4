"""Frusta, by the numbered rules of its file, and against a second implementation."""

from __future__ import annotations

import json
import random
from itertools import permutations, product
from typing import Any, cast

import pytest

from mazzo.cards import ITALIAN
from mazzo.codec import view_bytes
from mazzo.errors import BadRecordError, IllegalActionError, VariantError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.games.frusta import FRUSTA, FrustaDeal
from mazzo.match import Match, MatchFormat
from mazzo.record import DealRecord, replay_line
from mazzo.shuffle import GivenShuffles, SeededShuffles, Stream
from support.reference_frusta import PACK, ReferenceFrusta, follower_wins
from support.strategies import Start, choose, examine, legal_codes, play

FOLLOW = ["strict", "free-discard"]
ZEROS = bytes(32)
DECK = random.Random(6).sample(PACK, 40)

# Trump coins. Seat 1, the non-dealer, wins all of stage 1 from seat 0, who holds clubs only.
HANDS = "Ad 3d 4d 5d 6d 7d Jd Hd Kd Ac Ab 2b 3b 4b 5b 6b 7b Jb Hb Kb"
STAGE_1 = "Ac Kb Ad Ab 3d 2b 4d 3b 5d 4b 6d 5b 7d 6b Jd 7b Hd Jb Kd Hb"
STOCK_46 = "2d 7c As 5s 3s 6s Ks 7s 2s Hs 4s Js 2c 3c 4c Kc 5c Hc 6c Jc"  # prize, face-down, …
STOCK_55 = "2d 7c As 5s 3s 6s Ks 7s Hs 2s 4s Js 2c 3c 4c Kc 5c Hc 6c Jc"
PLAYS_46 = "2d 7c As 5s 3s 6s Ks 7s 2s Hs Js 4s 3c 2c Kc 4c Hc 5c Jc 6c"
PLAYS_55 = [  # by the winner of the last trick
    "2d 7c As 5s 3s 6s Ks 7s Hs 2s 4s Js 3c 2c Kc 4c Hc 5c Jc 6c",
    "4s Js 3c 2c Kc 4c Hc 5c Jc 6c 7c 2d As 5s 3s 6s Ks 7s Hs 2s",
]
DISCARDS = sorted(STAGE_1.split(), key=PACK.index)


def lay_out(deck: list[str], *more: list[str], follow: str = "", dealer: int = 0) -> FrustaDeal:
    """A deal from a pack of codes, top first, and maybe a second shuffle."""
    variant = parse_variant("frusta" + (f"?follow={follow}" if follow else ""))
    shuffles = [[int(ITALIAN.parse(code)) for code in cards] for cards in (deck, *more)]
    return cast(FrustaDeal, FRUSTA.deal(variant, GivenShuffles(shuffles), dealer=dealer))


def stage_2(stock: str, *more: list[str]) -> FrustaDeal:
    deal = lay_out(f"{HANDS} {stock}".split(), *more)
    act(deal, STAGE_1)
    return deal


def stacked(led: str, reply: str, prize: str, follow: str = "") -> FrustaDeal:
    """Seat 1 holds `led`; seat 0 `reply`, filled up with cards of neither its suit nor trump."""
    wanted = reply.split()
    others = [card for card in PACK if card not in (led, prize, *wanted)]
    fill = [card for card in others if card[1] not in (led[1], prize[1])]
    answers = wanted + fill[: 10 - len(wanted)]
    others = [card for card in others if card not in answers]
    return lay_out([led, *others[:9], *answers, prize, *others[9:]], follow=follow)


def act(deal: FrustaDeal, codes: str) -> None:
    for code in codes.split():
        deal.apply(FRUSTA.parse_action(code))


def codes_of(cards: Any) -> list[str]:
    return [ITALIAN.cards[card].code for card in cards]


def hand(deal: FrustaDeal, seat: int) -> set[str]:
    return set(codes_of(deal.view(seat).hand))


def state(deal: FrustaDeal) -> tuple[object, ...]:
    """All that can be seen of a deal."""
    views = [view_bytes(deal.view(seat)) for seat in (0, 1)]
    shuffles = [list(shuffle) for shuffle in deal.shuffles]
    return deal.seat, deal.legal, deal.scores, deal.result, views, bytes(deal.actions), shuffles


def test_actions_by_number() -> None:
    """The list of actions: 0-39 card plays."""
    assert [action.code for action in FRUSTA.actions] == PACK
    assert [action.card for action in FRUSTA.actions] == list(ITALIAN.cards)


def test_options() -> None:
    """Options: `follow`, strict by default; errors say what is possible; two players only."""
    for follow, text in [("strict", "frusta/2"), ("free-discard", "frusta/2?follow=free-discard")]:
        assert str(Variant.of(FRUSTA, 2, {"follow": follow})) == text
        assert parse_variant(text).option("follow") == follow
    for value in ("free", "", True, 1, "Strict"):
        with pytest.raises(VariantError, match="expected strict or free-discard"):
            Variant.of(FRUSTA, 2, {"follow": value})
    with pytest.raises(VariantError, match="its options are follow"):
        parse_variant("frusta?tie=replay")
    with pytest.raises(VariantError, match="2 players, got 3"):
        Variant.of(FRUSTA, 3)


@pytest.mark.parametrize("dealer", [0, 1])
def test_rule_1_the_deal(dealer: int) -> None:
    """Rule 1: indices 0-9 to the non-dealer, 10-19 to the dealer; 20 is trump and prize."""
    deal = lay_out(DECK, dealer=dealer)
    assert hand(deal, 1 - dealer) == set(DECK[0:10])
    assert hand(deal, dealer) == set(DECK[10:20])
    for seat in (0, 1):
        view = deal.view(seat)
        assert (str(view.trump_card), view.trump) == (DECK[20], DECK[20][1])
        assert (str(view.prize), view.stock_count, view.stage) == (DECK[20], 20, 1)
    with pytest.raises(BadRecordError):
        lay_out(DECK[1:])
    with pytest.raises(BadRecordError, match="inherits nothing"):
        FRUSTA.deal(deal.variant, GivenShuffles(deal.shuffles), dealer=0, start={"pot": 24})


@pytest.mark.parametrize("dealer", [0, 1])
def test_rule_2_non_dealer_leads_then_the_winner(dealer: int) -> None:
    """Rule 2: the first lead is the non-dealer's, every other one the last winner's."""
    deal = lay_out(DECK, dealer=dealer)
    leader = 1 - dealer
    for number in range(19):
        assert deal.seat == deal.view(0).trick_leader == leader
        assert legal_codes(deal) == codes_of(deal.view(leader).hand)
        play(deal, random.Random(number), most=2)
        trick = deal.view(0).tricks[number]
        assert trick.leader == leader
        leader = cast(int, trick.winner)


EXAMPLES = [  # trump coins; led, the follower's hand save clubs, what wins, and what is legal
    ("Ac", "2c 2d 5s", "", {"strict": "2c", "free-discard": "2c 5s"}),
    ("Ac", "2d 5s", "2d", {"strict": "2d 5s", "free-discard": "2d 5s"}),
    ("Ks", "3s 4s 2d", "3s", {"strict": "3s 4s", "free-discard": "3s 4s"}),
    ("5d", "4d 6d Ac", "6d", {"strict": "4d 6d", "free-discard": "4d 6d Ac"}),
]


@pytest.mark.parametrize("follow", ["", *FOLLOW])
@pytest.mark.parametrize(("led", "reply", "wins", "legal"), EXAMPLES)
def test_rule_3_worked_examples(
    led: str, reply: str, wins: str, legal: dict[str, str], follow: str
) -> None:
    """Rule 3: follow suit if possible, else anything; what takes the trick."""
    clubs = [card for card in PACK if card[1] == "b"][: 10 - len(reply.split())]
    deal = stacked(led, " ".join([reply, *clubs]), "Jd", follow)
    act(deal, led)
    free = follow == "free-discard" or led[1] not in "".join(reply.split())
    expected = [*legal[follow or "strict"].split(), *(clubs if free else [])]
    assert legal_codes(deal) == sorted(expected, key=PACK.index)
    for card in hand(deal, 0) - set(expected):
        with pytest.raises(IllegalActionError):
            act(deal, card)
    for code in expected:
        twin = deal.copy()
        act(twin, code)
        assert twin.seat == twin.view(0).tricks[0].winner == (0 if code == wins else 1)


@pytest.mark.parametrize("trump", "dcsb")
def test_rule_3_every_pair_of_cards(trump: str) -> None:
    """Rule 3: the rank order, and a trump beats every other suit, whatever is trump."""
    for led, reply in permutations(PACK, 2):
        prize = next(rank + trump for rank in "A23" if rank + trump not in (led, reply))
        deal = stacked(led, reply, prize)
        act(deal, f"{led} {reply}")
        assert deal.seat == (0 if follower_wins(led, reply, trump) else 1), (led, reply, trump)


@pytest.mark.parametrize("dealer", [0, 1])
def test_rule_4_prizes_and_face_down_cards(dealer: int) -> None:
    """Rule 4: the winner takes the prize, the loser the card under it, unseen by the other."""
    deal = lay_out(DECK, dealer=dealer)
    known: list[set[str]] = [set(), set()]
    for number in range(10):
        prize, face_down = DECK[20 + 2 * number : 22 + 2 * number]
        before = [hand(deal, 0), hand(deal, 1)]
        play(deal, random.Random(number), most=2)
        laid = deal.view(0).past_cards[-2:]
        winner = cast(int, deal.seat)
        for seat, card in ((winner, prize), (1 - winner, face_down)):
            assert hand(deal, seat) == (before[seat] | {card}) - set(codes_of(laid))
        known = [cards - set(codes_of(laid)) for cards in known]
        known[winner].add(prize)
        for seat in (0, 1):
            view = deal.view(seat)
            assert codes_of(view.prizes) == DECK[20 : min(23 + 2 * number, 40) : 2]
            assert (view.stock_count, list(view.hand_counts)) == (18 - 2 * number, [10, 10])
            assert [set(codes_of(view.known(other))) for other in (0, 1)] == known
            assert list(view.tricks_taken) == [0, 0]
        assert face_down in codes_of(deal.view(winner).unseen)
        assert face_down not in codes_of(deal.view(1 - winner).unseen)
    assert (deal.view(0).prize, deal.view(0).stage) == (None, 2)


def test_rule_4_the_face_down_card_is_seen_by_its_receiver_alone() -> None:
    """Rule 4, View: another card in its place moves no byte of the winner's view."""
    deck = f"{HANDS} {STOCK_46}".split()
    swapped = deck.copy()
    swapped[21], swapped[39] = deck[39], deck[21]
    deals = [lay_out(deck), lay_out(swapped)]
    for number, code in enumerate(STAGE_1.split()[:-2]):
        for deal in deals:
            act(deal, code)
        same = [view_bytes(deals[0].view(s)) == view_bytes(deals[1].view(s)) for s in (0, 1)]
        assert same == [number < 1, True]


def test_rule_5_stage_2_counts_ten_tricks() -> None:
    """Rule 5: each trick counts, all are played; the example: 10-0, then 4-6, is lost."""
    deal = stage_2(STOCK_46)
    assert (deal.seat, deal.view(0).stage) == (1, 2)
    assert [trick.winner for trick in deal.view(0).tricks] == [1] * 10
    taken = [0, 0]
    for number in range(10):
        assert (deal.scores, list(deal.view(1).hand_counts)) == (None, [10 - number] * 2)
        act(deal, PLAYS_46[6 * number : 6 * number + 5])
        taken[cast(int, deal.view(0).tricks[-1].winner)] += 1
        assert list(deal.view(0).tricks_taken) == list(deal.view(1).tricks_taken) == taken
    assert (deal.seat, len(deal.actions), taken) == (None, 40, [6, 4])
    assert FRUSTA.deal_winners(deal) == (0,)
    assert len(deal.shuffles) == 1


TIE_BREAKS = [  # trump coins; who leads, the non-dealer's card (seat 1), the dealer's, who wins
    (0, "Ad", "Ab", 1),
    (0, "Ab", "Ac", 0),  # another suit does not follow the leader's
    (0, "Ac", "Ab", 0),
    (0, "3b", "Ab", 0),
    (0, "Ab", "3b", 1),
    (1, "Ab", "Ac", 1),
    (1, "2b", "3b", 0),
    (1, "Ac", "4d", 0),
]


@pytest.mark.parametrize(("leader", "first", "second", "winner"), TIE_BREAKS)
def test_rule_6_tie_break(leader: int, first: str, second: str, winner: int) -> None:
    """Rule 6: first card to the non-dealer, led by the last trick's winner; no action more."""
    shuffle = [first, second, *(card for card in DISCARDS if card not in (first, second))]
    deal = stage_2(STOCK_55, shuffle)
    act(deal, PLAYS_55[leader])
    assert deal.scores == ((6, 5), (5, 6))[winner]
    assert deal.result == {"tiebreak": True}
    assert FRUSTA.deal_winners(deal) == (winner,)
    assert (len(deal.actions), codes_of(deal.shuffles[1])) == (40, shuffle)
    for seat in (0, 1):
        view = deal.view(seat)
        assert view.to_json()["tiebreak"] == [[second, first], [first, second]][leader]
        assert tuple(view.tricks_taken) == deal.scores
        assert (len(view.tricks), view.unseen) == (20, ())


def played(number: int) -> FrustaDeal:
    deal = FRUSTA.deal(parse_variant("frusta"), SeededShuffles(ZEROS, number), dealer=number % 2)
    play(deal, random.Random(number))
    return cast(FrustaDeal, deal)


def test_rule_6_tie_break_from_the_seed() -> None:
    """Rule 6: the 20 discards of stage 1, from ascending id, by the label deal/K/tiebreak."""
    deals = [played(number) for number in range(40)]
    level = [number for number in range(40) if deals[number].result == {"tiebreak": True}]
    assert len(level) > 2
    for number in level:
        deal = deals[number]
        discards = sorted(deal.actions[:20])
        order = Stream(ZEROS, f"deal/{number}/tiebreak").shuffle(20)
        assert deal.shuffles[1:] == [[discards[place] for place in order]]
        record: dict[str, Any] = DealRecord.of(deal).to_json()
        given = replay_line(json.dumps(record))
        assert "error" not in given
        assert record.pop("shuffles") == [codes_of(shuffle) for shuffle in deal.shuffles]
        record |= {"seed": ZEROS.hex(), "deal": number}
        assert replay_line(json.dumps(record)) == given


def test_rule_6_without_the_second_shuffle_nothing_happens() -> None:
    """Rule 6: the last card is refused with a BadRecordError, as often as it is tried."""
    less = DISCARDS[1:]
    wrong: list[Any] = [[], [less], [PACK], [[*less, "2d"]], [[*less, "Hb"]]]
    for plays, more in product(PLAYS_55, wrong):
        deal = stage_2(STOCK_55, *more)
        act(deal, plays[:-3])
        before = state(deal)
        for _ in range(2):
            with pytest.raises(BadRecordError, match=r"tiebreak|shuffle 1"):
                act(deal, plays[-2:])
            assert state(deal) == before


BAD = [  # stock, plays of stage 2, further shuffles, and the step at which the record is bad
    *((STOCK_55, plays, [], 39) for plays in PLAYS_55),  # missing
    *((STOCK_55, plays, [DISCARDS[1:]], 39) for plays in PLAYS_55),  # no permutation
    (STOCK_55, PLAYS_55[0], [PACK[:20]], 39),
    (STOCK_55, PLAYS_55[0], [DISCARDS, DISCARDS], 40),  # left over
    (STOCK_55, PLAYS_55[0][:-3], [DISCARDS], 39),
    (STOCK_46, PLAYS_46, [DISCARDS], 40),
]


@pytest.mark.parametrize(("stock", "plays", "more", "step"), BAD)
def test_rule_6_bad_records(stock: str, plays: str, more: list[list[str]], step: int) -> None:
    """Rule 6: a second shuffle that is missing, wrong or left over makes a bad record."""
    actions = f"{STAGE_1} {plays}".split()
    record: dict[str, Any] = {"format": "mazzo-deal/1", "game": "frusta", "players": 2, "dealer": 0}
    record |= {"shuffles": [f"{HANDS} {stock}".split(), *more], "actions": actions}
    answer = replay_line(json.dumps(record))
    assert (answer["error"]["code"], answer["error"]["step"]) == ("bad-record", step)
    if step == 39:
        assert (answer["over"], answer["scores"], len(answer["shuffles"])) == (False, None, 1)
        assert answer["legal"] == [(*actions, "6c")[39]]
    record["shuffles"][1:] = [DISCARDS] if stock == STOCK_55 and len(actions) == 40 else []
    assert "error" not in replay_line(json.dumps(record))


def test_rule_6_copies_of_a_deal_both_reach_the_tie_break() -> None:
    """Rule 6: each copy draws the second shuffle for itself."""
    deal = stage_2(STOCK_55, DISCARDS)
    act(deal, PLAYS_55[0][:-3])
    twins = [deal.copy(), deal.copy(), deal]
    for twin in twins:
        assert deal.result is None
        act(twin, PLAYS_55[0][-2:])
        assert twin.result == {"tiebreak": True}
    assert state(twins[0]) == state(twins[1]) == state(deal)


def test_rule_7_scores_and_result() -> None:
    """Rule 7: the tricks of stage 2, ten of them, or eleven with the tie-break's."""
    for number in range(20):
        deal = played(number)
        counted = [trick.winner for trick in deal.view(0).tricks[10:]].count(0)
        assert deal.result == {"tiebreak": counted == 5}
        assert deal.scores in ([(5, 6), (6, 5)] if counted == 5 else [(counted, 10 - counted)])


def test_rule_8_two_deals_the_deal_alternating() -> None:
    """Rule 8: `deals:2`; each deals once; deals won, then tricks, make the ranking."""
    variant = parse_variant("frusta?follow=free-discard")
    assert FRUSTA.default_match_format(variant) == "deals:2"
    for seed in range(10):
        match = Match(variant, bytes([seed]) * 32, MatchFormat("deals", 2))
        dealers, tricks, won = [], [0, 0], [0, 0]
        while not match.over:
            dealers.append(match.deal.dealer)
            play(match.deal, random.Random(seed))
            scores = cast(tuple[int, int], match.deal.scores)
            tricks = [total + score for total, score in zip(tricks, scores, strict=True)]
            won[scores[1] > scores[0]] += 1
            match.advance()
        assert dealers in ([0, 1], [1, 0])
        assert ([int(score) for score in match.scores], match.deal_sums) == (won, tricks)
        keys = list(zip(won, tricks, strict=True))
        assert match.ranking == tuple(1 + (keys[seat] < keys[1 - seat]) for seat in (0, 1))


def test_view_in_words() -> None:
    """View: prize, trump, stock count, stage, tricks, prizes by taker, stage 2 tricks."""
    deal = stage_2(STOCK_46)
    act(deal, PLAYS_46[:12])
    shown = deal.view(0).to_json()
    expected: dict[str, object] = {"trump_card": "2d", "stage": 2, "prize": None, "stock_count": 0}
    expected |= {"prizes": STOCK_46.split()[::2], "tricks_taken": [0, 2], "tiebreak": []}
    expected |= {"known": [[], sorted(STOCK_46.split()[4::2], key=PACK.index)]}
    assert {key: shown[key] for key in expected} == expected


def agree(start: Start) -> None:
    """The deal and the second implementation, side by side, to the end."""
    deal = cast(FrustaDeal, start.deal())
    shuffles = [codes_of(deal.shuffles[0])]
    table = ReferenceFrusta(2, dict(start.variant.options), start.dealer, shuffles)
    generator = start.random()
    while True:
        assert deal.seat == table.to_move
        assert legal_codes(deal) == table.legal()
        for seat in (0, 1):
            view = deal.view(seat)
            assert hand(deal, seat) == set(table.hands[seat])
            assert (view.stock_count, list(view.tricks_taken)) == (len(table.stock), table.tricks)
        assert deal.scores == (None if table.scores is None else tuple(table.scores))
        assert deal.result == table.result
        if deal.seat is None:
            return
        if len(table.discards) == 20 and len(shuffles) == 1:
            order = Stream(start.seed, f"deal/{start.number}/tiebreak").shuffle(20)
            shuffles.append([sorted(table.discards, key=PACK.index)[place] for place in order])
        action = choose(deal, generator)
        deal.apply(action)
        table.apply(FRUSTA.actions[action].code)


@pytest.mark.parametrize("follow", FOLLOW)
def test_second_implementation_agrees(follow: str) -> None:
    """A deal is the same, move for move, in an independent implementation."""
    examine(agree, parse_variant(f"frusta?follow={follow}"), "top", examples=80)
