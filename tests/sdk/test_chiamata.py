"""Briscola chiamata, rule by rule, and move by move against a second implementation.

The tests are named after the numbered rules of the game's file.
"""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any, cast

import pytest

from mazzo.cards import ITALIAN
from mazzo.codec import view_bytes
from mazzo.errors import BadRecordError, IllegalActionError, VariantError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.games.chiamata import CHIAMATA, POINTS, ChiamataDeal
from mazzo.match import Match, MatchFormat
from mazzo.record import DealRecord, replay_line
from mazzo.shuffle import GivenShuffles, SeededShuffles
from support import reference_chiamata as reference
from support.reference_chiamata import PACK, ReferenceChiamata
from support.strategies import Start, choose, examine, legal_codes, play

GAME = "briscola-chiamata"
SEATS = range(5)
ZEROS = bytes(32)
BIDS = [f"bid:{n}" for n in range(1, 121)]
TRICKS = [  # one card a seat, from seat 0 on; trump swords; who wins it
    ("3d Kd As 4d Hd", 2),
    ("3c Hc Ks 4c 2c", 2),
    ("Ad 2d 5d Jd Hs", 4),
    ("3b 4b 5b 6b 7s", 4),
    ("3s 6d 7d 5c Ab", 0),
    ("6c Js 2b 7c Kc", 1),
    ("Ac 7b 4s 6s Jc", 3),
    ("2s Kb Hb 5s Jb", 3),
]
TAKEN = [21, 6, 45, 22, 26]  # in these tricks, by seat; whoever leads, a trump wins each
HANDS = [" ".join(trick.split()[seat] for trick, _ in TRICKS) for seat in SEATS]


def lay_out(deck: list[str], options: str = "", *, dealer: int = 4) -> ChiamataDeal:
    """A deal with these options from a pack of codes, top first."""
    variant = parse_variant(GAME + options)
    shuffle = [int(ITALIAN.parse(code)) for code in deck]
    return cast(ChiamataDeal, CHIAMATA.deal(variant, GivenShuffles([shuffle]), dealer=dealer))


def stacked(hands: list[str], options: str = "", *, dealer: int = 4) -> ChiamataDeal:
    """A deal with these hands by seat; other cards fill them up, ascending."""
    named = [hand.split() for hand in hands] + [[] for _ in SEATS[len(hands) :]]
    others = iter(card for card in PACK if not any(card in hand for hand in named))
    full = [hand + [next(others) for _ in range(8 - len(hand))] for hand in named]
    deck = [card for k in SEATS for card in full[(dealer + 1 + k) % 5]]
    return lay_out(deck, options, dealer=dealer)


def act(deal: ChiamataDeal, text: str) -> None:
    """Take these actions, each by the seat before its colon: `1:bid:61 2:pass`."""
    for word in text.split():
        seat, code = word.split(":", 1)
        assert deal.seat == int(seat), word
        deal.apply(CHIAMATA.parse_action(code))


def auction(deal: ChiamataDeal, caller: int, bid: int, trump: str = "", called: str = "") -> None:
    """Everybody else passes; the caller announces a trump suit and calls, where given."""
    said = False
    while deal.view(0).caller is None and deal.seat is not None:
        code = f"bid:{bid}" if deal.seat == caller and not said else "pass"
        said = said or deal.seat == caller
        deal.apply(CHIAMATA.parse_action(code))
    if trump:
        act(deal, f"{caller}:trump:{trump} {caller}:call:{called}")


def play_tricks(deal: ChiamataDeal, until: int) -> None:
    """Play the tricks of the table above from where the deal is, until so many are played."""
    for trick, winner in TRICKS[len(deal.view(0).tricks) : until]:
        for _ in SEATS:
            deal.apply(ITALIAN.parse(trick.split()[cast(int, deal.seat)]))
        assert deal.view(0).tricks[-1].winner == winner


def hand(deal: ChiamataDeal, seat: int) -> set[str]:
    return {card.code for card in deal.view(seat).hand}


def shuffled_pack(seed: int = 1) -> list[str]:
    return random.Random(seed).sample(PACK, 40)


def test_actions_by_number() -> None:
    """The list: 0-39 cards, 40-159 bids, 160 `pass`, 161-164 trumps, 165-204 calls."""
    assert [action.code for action in CHIAMATA.actions] == reference.ACTIONS
    assert [int(action) for action in CHIAMATA.actions] == list(range(205))
    numbers = {"Ad": 0, "Kb": 39, "bid:1": 40, "bid:120": 159, "pass": 160}
    numbers |= {"trump:d": 161, "trump:c": 162, "trump:s": 163, "trump:b": 164}
    for code, number in (numbers | {"call:Ad": 165, "call:Kb": 204}).items():
        assert CHIAMATA.parse_action(code) == number
    for action in CHIAMATA.actions:
        assert action.card == (ITALIAN.cards[action] if action < 40 else None)
    for code in ["bid:075", "bid:0", "bid:121", "Pass", "trump:x", "call:ad", "call", ""]:
        with pytest.raises(IllegalActionError, match=GAME):
            CHIAMATA.parse_action(code)


def test_cards_are_worth_what_they_are_in_briscola() -> None:
    """Cards and points as in Briscola: 120 in all; each plays for himself in the match."""
    assert list(POINTS) == [reference.WORTH[card[0]] for card in PACK]
    assert parse_variant(GAME).sides == ((0,), (1,), (2,), (3,), (4,))
    assert not CHIAMATA.counts_wins


def test_options() -> None:
    """Options: their defaults, and the canonical text; five players and no others."""
    canonical: list[tuple[dict[str, object], str]] = [
        ({"min-bid": "61", "called": "any", "lead": "first-seat"}, ""),
        ({"min-bid": 70}, "?min-bid=70"),
        ({"min-bid": 1.0, "lead": "caller"}, "?lead=caller&min-bid=1"),
        ({"min-bid": "120", "called": "trump-only"}, "?called=trump-only&min-bid=120"),
    ]
    for options, text in canonical:
        variant = Variant.of(CHIAMATA, 5, options)
        assert str(variant) == f"{GAME}/5{text}"
        assert parse_variant(GAME + text) == variant
    for players in (4, 6):
        with pytest.raises(VariantError, match=f"5 players, got {players}"):
            Variant.of(CHIAMATA, players)


def test_options_that_are_not_possible() -> None:
    """Options: the error says what is possible."""
    wrong = [("called", "own", "any or trump-only"), ("lead", "dealer", "first-seat or caller")]
    wrong += [("bid", "61", "called, lead or min-bid")]
    numbers = (0, "0", 121, "121", "abc", 0.5, "61.5", "061", "-1", "", True)
    for name, value, possible in [
        *wrong,
        *(("min-bid", number, "a number from 1 to 120") for number in numbers),
    ]:
        with pytest.raises(VariantError, match=possible):
            Variant.of(CHIAMATA, 5, {name: value})


@pytest.mark.parametrize("dealer", SEATS)
def test_rule_1_eight_cards_each(dealer: int) -> None:
    """Rule 1: seat D+1+k gets indices 8k to 8k+7: no stock, no trump card."""
    deck = shuffled_pack()
    deal = lay_out(deck, dealer=dealer)
    for k in SEATS:
        seat = (dealer + 1 + k) % 5
        assert hand(deal, seat) == set(deck[8 * k : 8 * k + 8])
        view = deal.view(seat)
        assert list(view.hand_counts) == [8] * 5
        assert view.trump is None
        assert {card.code for card in view.unseen} == set(deck) - hand(deal, seat)
    with pytest.raises(BadRecordError):
        lay_out(deck[1:])
    with pytest.raises(BadRecordError, match="inherits nothing"):
        CHIAMATA.deal(deal.variant, GivenShuffles(deal.shuffles), dealer=0, start={"pot": 24})


AUCTIONS = [  # dealer 0; the auction, then who is to move as the caller, and the bid
    ("1:bid:61 2:bid:65 3:pass 4:bid:70 0:pass 1:pass 2:bid:71 4:pass", 2, 71),
    ("1:bid:61 2:pass 3:pass 4:pass 0:pass", 1, 61),
    ("1:pass 2:pass 3:pass 4:pass 0:bid:61", 0, 61),
    ("1:pass 2:pass 3:pass 4:pass 0:bid:119", 0, 119),
    ("1:bid:120", 1, 120),
    ("1:pass 2:bid:80 3:bid:120", 3, 120),
    ("1:pass 2:pass 3:bid:61 4:pass 0:bid:62 3:pass", 0, 62),
    ("1:pass 2:bid:61 3:bid:62 4:pass 0:pass 2:bid:63 3:bid:64 2:bid:120", 2, 120),
    ("1:bid:118 2:bid:119 3:pass 4:pass 0:pass 1:bid:120", 1, 120),
]


@pytest.mark.parametrize(("text", "caller", "bid"), AUCTIONS, ids=[row[0] for row in AUCTIONS])
def test_rule_2_worked_auctions(text: str, caller: int, bid: int) -> None:
    """Rule 2: who passed is not asked again; the auction ends with one bidder, or at 120."""
    deal = lay_out(shuffled_pack(), dealer=0)
    words = text.split()
    for number, word in enumerate(words):
        assert [deal.view(seat).caller for seat in SEATS] == [None] * 5
        act(deal, word)
        bids = [int(said.split(":")[2]) for said in words[: number + 1] if "bid" in said]
        assert deal.view(3).bid == (bids[-1] if bids else 0)
    assert deal.seat == caller
    assert legal_codes(deal) == ["trump:d", "trump:c", "trump:s", "trump:b"]
    for seat in SEATS:
        view = deal.view(seat)
        assert (view.caller, view.bid, view.bidder) == (caller, bid, caller)
        assert [f"{event.seat}:{event.action}" for event in view.history] == words


@pytest.mark.parametrize("least", [1, 2, 61, 119, 120])
def test_rule_2_min_bid_and_higher_than_the_last_bid(least: int) -> None:
    """Rule 2: the first seat begins; a bid is at least `min-bid`, above the last, at most 120."""
    for dealer in SEATS:
        one, two, three = ((dealer + k) % 5 for k in (1, 2, 3))
        options = "" if least == 61 else f"?min-bid={least}"
        deal = lay_out(shuffled_pack(), options, dealer=dealer)
        for seat in (one, two):
            assert (deal.seat, legal_codes(deal)) == (seat, [*BIDS[least - 1 :], "pass"])
            with pytest.raises(IllegalActionError):
                act(deal, f"{seat}:bid:{least - 1}" if least > 1 else f"{seat}:trump:d")
            act(deal, f"{seat}:pass" if seat == one else f"{seat}:bid:{least}")
        if least < 120:
            assert (deal.seat, legal_codes(deal)) == (three, [*BIDS[least:], "pass"])
            with pytest.raises(IllegalActionError):
                act(deal, f"{three}:bid:{least}")


def test_rule_2_all_pass() -> None:
    """Rule 2: the last seat is asked too; then the deal is over, worth nothing to anyone."""
    deal = lay_out(shuffled_pack(), dealer=0)
    act(deal, "1:pass 2:pass 3:pass 4:pass")
    assert legal_codes(deal) == [*BIDS[60:], "pass"]
    act(deal, "0:pass")
    assert deal.scores == (0,) * 5
    assert deal.result == {}
    assert deal.dealt_again
    assert [deal.view(seat).caller for seat in SEATS] == [None] * 5
    with pytest.raises(IllegalActionError, match="over"):
        deal.apply(CHIAMATA.parse_action("pass"))
    answer = replay_line(json.dumps(DealRecord.of(deal).to_json()))
    assert "error" not in answer
    assert (answer["over"], answer["scores"], answer["result"]) == (True, (0,) * 5, {})


def test_rule_2_after_all_pass_the_same_dealer_deals_again() -> None:
    """Rule 2: it counts as a deal of the match, with cards of its own; else the deal passes on."""
    match = Match(parse_variant(GAME), ZEROS, MatchFormat.parse("target:10"))
    for number in range(40):
        assert not match.over
        deal = cast(ChiamataDeal, match.deal)
        assert deal.dealer == (3 if number < 3 else 4)
        assert deal.view(0).match.deal == number
        assert deal.shuffles == [SeededShuffles(ZEROS, number).draw("deck", 0, range(40))]
        auction(deal, 0 if number == 2 else -1, 120)
        play(deal, random.Random(number))
        assert (deal.result == {}) == deal.dealt_again == (number != 2)
        match.advance()
    assert match.over
    assert sorted(match.deal_sums) in ([-4, 1, 1, 1, 1], [-2, -1, 1, 1, 1])


@pytest.mark.parametrize("trump", "dcsb")
@pytest.mark.parametrize("called", ["", "any", "trump-only"])
def test_rule_3_trump_suit_then_any_card_or_a_trump(called: str, trump: str) -> None:
    """Rule 3: the caller announces, then calls one of 40 cards, his own included, or a trump."""
    deal = stacked(HANDS, f"?called={called}" if called else "")
    act(deal, f"0:bid:61 1:pass 2:bid:71 3:pass 4:pass 0:pass 2:trump:{trump}")
    possible = [card for card in PACK if called != "trump-only" or card[1] == trump]
    assert legal_codes(deal) == ["call:" + card for card in possible]
    for seat in SEATS:
        assert (deal.view(seat).trump, deal.view(seat).called) == (trump, None)
    for card in possible:
        twin = deal.copy()
        act(twin, f"2:call:{card}")
        holder = next(seat for seat in SEATS if card in hand(twin, seat))
        for seat in SEATS:
            view = twin.view(seat)
            assert (view.trump, str(view.called), view.caller) == (trump, card, 2)
            assert view.holder == (holder if seat == holder else None)


@pytest.mark.parametrize(("called", "holder"), [("Ab", 4), ("As", 2), ("2s", 0)])
def test_rule_3_the_holder_is_known_when_the_card_was_played(called: str, holder: int) -> None:
    """Rule 3: nobody else knows him before, the caller neither; alone, only the caller knows."""
    deal = stacked(HANDS)
    auction(deal, 2, 71, "s", called)
    played: list[str] = []
    for trick, _ in TRICKS:
        for _ in SEATS:
            for seat in SEATS:
                knows = seat == holder or called in played
                assert deal.view(seat).holder == (holder if knows else None)
            played.append(trick.split()[cast(int, deal.seat)])
            deal.apply(ITALIAN.parse(played[-1]))
    assert [deal.view(seat).holder for seat in SEATS] == [holder] * 5


def test_rule_3_nothing_shows_who_the_holder_is() -> None:
    """Rule 3, View: with the called card in another hand no third view moves by a byte."""
    other = [text.replace("Ab", "x").replace("5c", "Ab").replace("x", "5c") for text in HANDS]
    deals = [stacked(HANDS), stacked(other)]
    for deal in deals:
        auction(deal, 2, 71, "s", "Ab")
    for tricks in range(4):
        for seat in (0, 1, 2):
            views = [deal.view(seat) for deal in deals]
            assert view_bytes(views[0]) == view_bytes(views[1])
            assert views[0].to_json() == views[1].to_json()
        for deal in deals:
            play_tricks(deal, tricks + 1)
    assert [deal.view(3).holder for deal in deals] == [None, 3]


@pytest.mark.parametrize("lead", ["", "?lead=first-seat", "?lead=caller"])
def test_rule_4_who_leads(lead: str) -> None:
    """Rule 4: the first seat leads, or with lead=caller the caller; then seat order."""
    for caller, dealer in product(SEATS, SEATS):
        deal = stacked(HANDS, lead, dealer=dealer)
        auction(deal, caller, 61, "s", "Ab")
        leader = caller if "caller" in lead else (dealer + 1) % 5
        for k in SEATS:
            assert deal.seat == (leader + k) % 5
            assert deal.view(0).trick.leader == leader
            assert legal_codes(deal) == [card.code for card in deal.view(deal.seat).hand]
            deal.apply(ITALIAN.parse(TRICKS[0][0].split()[deal.seat]))
        assert deal.seat == 2
        assert deal.view(4).tricks[0].leader == leader


EXAMPLES = [  # trump cups; seat 0 leads; the winner, and the points
    ("Kb 3b 2s 4s 5s", 1, 14),
    ("As 2c 4s 5s Ks", 1, 15),
    ("7d 5d As Ab 2b", 0, 22),
    ("2d As 3s Ab 3b", 0, 42),
    ("2d 4d As 3s Ab", 1, 32),
    ("Ad 2c 4c 3d Ac", 4, 32),
    ("5c 4c 2c Ab 6c", 4, 11),
    ("4s Ab Ad Ks Js", 3, 28),
]


@pytest.mark.parametrize(("trick", "winner", "points"), EXAMPLES, ids=[r[0] for r in EXAMPLES])
def test_rule_4_tricks_as_in_briscola(trick: str, winner: int, points: int) -> None:
    """Rule 4: highest trump, else highest of the suit led; any card may be played."""
    deal = stacked(trick.split())
    auction(deal, 3, 61, "c", "3c")
    for seat, card in enumerate(trick.split()):
        act(deal, f"{seat}:{card}")
    view = deal.view(1)
    assert deal.seat == view.trick_leader == view.tricks[0].winner == winner
    assert view.points == tuple(points if seat == winner else 0 for seat in SEATS)
    assert list(view.hand_counts) == [7] * 5


def test_rule_4_eight_tricks_without_drawing() -> None:
    """Rule 4: hands shrink card by card; the winner leads; over after eight tricks, not before."""
    deal = stacked(HANDS)
    auction(deal, 2, 71, "s", "Ab")
    for number in range(8):
        assert list(deal.view(0).hand_counts) == [8 - number] * 5
        assert (deal.scores, deal.result, deal.dealt_again) == (None, None, False)
        play_tricks(deal, number + 1)
        assert deal.seat == (TRICKS[number][1] if number < 7 else None)
    leaders = [trick.leader for trick in deal.view(0).tricks]
    assert leaders == [0, *(winner for _, winner in TRICKS[:-1])]


@pytest.mark.parametrize(("caller", "holder"), list(product(SEATS, SEATS)))
def test_rule_5_scores(caller: int, holder: int) -> None:
    """Rule 5: made with exactly the bid, missed with a point less; 4 where he is alone.

    Among them the example: bid 71, caller 2 with 45 and holder 4 with 26.
    """
    side = {caller, holder}
    took = sum(TAKEN[seat] for seat in side)
    for bid, made in [(took, 1), (took + 1, -1)]:
        deal = stacked(HANDS, "?min-bid=1", dealer=bid % 5)
        called = HANDS[holder].split()[bid % 8]
        auction(deal, caller, bid, "s", called)
        play_tricks(deal, 8)
        expected = dict.fromkeys(SEATS, -made) | {holder: made, caller: 2 * made}
        if caller == holder:
            expected[caller] = 4 * made
        assert deal.scores == tuple(expected[seat] for seat in SEATS)
        facts: dict[str, Any] = {"caller": caller, "bid": bid, "trump": "s", "called": called}
        assert deal.result == facts | {"holder": holder, "points": TAKEN}
        assert "error" not in replay_line(json.dumps(DealRecord.of(deal).to_json()))


def test_rule_6_target_10_by_default() -> None:
    """Rule 6: the default format, whatever the options; 15 is a format too."""
    for text in (GAME, GAME + "?lead=caller&min-bid=70&called=trump-only"):
        assert CHIAMATA.default_match_format(parse_variant(text)) == "target:10"
    assert str(MatchFormat.parse("target:15")) == "target:15"


def test_rule_6_a_match_goes_on_until_one_alone_has_ten() -> None:
    """Rule 6: points add up over the deals; level at ten they play on."""
    variant = parse_variant(GAME + "?min-bid=1")
    match = Match(variant, ZEROS, MatchFormat.parse("target:10"))
    script = [(0, 1, 1), (1, 0, 1), (0, 1, 1), (1, 0, 1), (1, 0, 1)]  # caller, holder, bid
    script += [(2, 3, 120), (0, 1, 1), (0, 1, 1)]
    for number, (caller, holder, bid) in enumerate(script):
        assert not match.over
        deal = cast(ChiamataDeal, match.deal)
        assert deal.dealer == (3 + number) % 5
        assert deal.view(2).match.scores == tuple(map(float, match.scores))
        auction(deal, caller, bid, "d", min(hand(deal, holder)))
        play(deal, random.Random(number))
        match.advance()
        if number == 6:
            assert match.deal_sums[:2] == [10, 10]
    assert match.over
    assert (match.deal_sums[:2], match.ranking[:2]) == ([12, 11], (1, 2))


def test_view_shows_points_by_seat_and_no_team_totals() -> None:
    """View: bids, caller, trump, called card, tricks, each seat's points, and nothing more."""
    deal = stacked(HANDS)
    auction(deal, 2, 71, "s", "Ab")
    play_tricks(deal, 4)
    own: dict[str, Any] = {"bid": 71, "bidder": 2, "caller": 2, "trump": "s", "called": "Ab"}
    common = {"seat", "dealer", "hand", "legal", "hand_counts", "known", "trick", "tricks"}
    for seat in SEATS:
        shown = deal.view(seat).to_json()
        own |= {"holder": 4 if seat == 4 else None, "points": [0, 0, 45, 0, 26]}
        assert set(shown) == common | {"history", "received"} | set(own)
        assert {key: shown[key] for key in own} == own
        assert shown["known"] == [[]] * 5
        assert bool(shown["legal"]) == (seat == deal.seat)


def agree(start: Start) -> None:
    """The deal and the second implementation, side by side, to the end."""
    deal = cast(ChiamataDeal, start.deal())
    deck = [ITALIAN.cards[card].code for card in deal.shuffles[0]]
    table = ReferenceChiamata(5, dict(start.variant.options), start.dealer, [deck])
    generator = start.random()
    while True:
        assert deal.seat == table.to_move
        assert legal_codes(deal) == table.legal()
        view = deal.view(generator.choice(SEATS))
        assert {card.code for card in view.hand} == set(table.hands[view.seat])
        assert list(view.points) == table.points
        assert (view.caller, view.trump) == (table.caller, table.trump)
        assert deal.scores == (None if table.scores is None else tuple(table.scores))
        assert deal.result == table.result
        if deal.seat is None:
            return
        passes = table.phase == "auction" and generator.random() < 0.6
        action = int(CHIAMATA.parse_action("pass")) if passes else choose(deal, generator)
        deal.apply(action)
        table.apply(CHIAMATA.actions[action].code)


@pytest.mark.parametrize("least", [1, 61, 119])
@pytest.mark.parametrize("lead", ["first-seat", "caller"])
@pytest.mark.parametrize("called", ["any", "trump-only"])
def test_second_implementation_agrees(called: str, lead: str, least: int) -> None:
    """A deal is the same, move for move, in an independent implementation."""
    variant = parse_variant(f"{GAME}?called={called}&lead={lead}&min-bid={least}")
    examine(agree, variant, "top", examples=40)
