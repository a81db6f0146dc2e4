"""Frap, rule by rule. The tests are named after the numbered rules of the game's file.

Scripts are pairs of a seat, which must be the one to move, and what it does.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from mazzo.cards import FRENCH, bits
from mazzo.errors import BadRecordError, IllegalActionError, VariantError
from mazzo.game import MatchProgress, Variant
from mazzo.games.frap import FRAP, RANK_ORDER, FrapDeal, deck_of
from mazzo.match import Match, MatchFormat
from mazzo.record import DealRecord, replay
from mazzo.shuffle import GivenShuffles, SeededShuffles

PLAYERS = range(2, 13)
STOCK = {2: 23, 3: 19, 4: 15, 5: 15, 6: 27, 7: 23, 8: 19, 9: 15, 10: 11, 11: 7, 12: 3}


def variant(players: int, options: str = "") -> Variant:
    """A variant from options as canonical texts spell them."""
    given = dict(part.split("=") for part in options.split("&") if part)
    return Variant.of(FRAP, players, given)


def lay_out(
    chosen: Variant, deck: list[int], *, dealer: int = 0, start: Mapping[str, Any] | None = None
) -> FrapDeal:
    """A deal from a pack of card ids, top first."""
    deal = FRAP.deal(chosen, GivenShuffles([deck]), dealer=dealer, start=start)
    assert isinstance(deal, FrapDeal)
    return deal


def stacked(
    hands: list[str],
    trump_card: str,
    stock: str = "",
    *,
    options: str = "",
    dealer: int | None = None,
    start: Mapping[str, Any] | None = None,
) -> FrapDeal:
    """A deal with these hands by seat, seat 0 first to call; others fill up, ascending."""
    players = len(hands)
    chosen = variant(players, options)
    dealer = players - 1 if dealer is None else dealer
    named = [*(code for hand in hands for code in hand.split()), trump_card, *stock.split()]
    others = [card.code for card in deck_of(chosen) if card.code not in named]
    full = [hand.split() or [others.pop(0) for _ in range(4)] for hand in hands]
    order = [full[(dealer + 1 + k) % players] for k in range(players)]
    deck = [*(hand[k] for k in range(4) for hand in order), trump_card, *stock.split(), *others]
    return lay_out(chosen, [int(FRENCH.parse(code)) for code in deck], dealer=dealer, start=start)


def shuffled(players: int, options: str = "", *, seed: int = 1, **more: Any) -> FrapDeal:
    """A deal of a pack shuffled by a seed."""
    chosen = variant(players, options)
    deck = [int(card) for card in deck_of(chosen)]
    random.Random(seed).shuffle(deck)
    return lay_out(chosen, deck, **more)


def asks(deal: FrapDeal) -> str:
    """Who is to move and what it may do."""
    return " ".join([str(deal.seat), *(str(FRAP.actions[n]) for n in bits(deal.legal))])


def codes(cards: Iterable[int]) -> str:
    return " ".join(FRENCH.cards[card].code for card in cards)


def act(deal: FrapDeal, script: str) -> FrapDeal:
    """Take these actions, checking who is to move."""
    words = script.split()
    for seat, code in zip(words[::2], words[1::2], strict=True):
        assert deal.seat == int(seat), (code, asks(deal))
        deal.apply(FRAP.parse_action(code))
    return deal


def some(deal: FrapDeal, count: int) -> FrapDeal:
    """So many actions, the last of the list each time: pass, discard, decline."""
    for _ in range(count):
        deal.apply(max(bits(deal.legal)))
    return deal


def all_pass(deal: FrapDeal, rounds: int = 1) -> FrapDeal:
    """Rounds of the auction in which everybody passes."""
    for _ in range(rounds * deal.variant.players):
        if "look" in asks(deal):
            deal.apply(FRAP.parse_action("look"))
        deal.apply(FRAP.parse_action("pass"))
    return deal


def answer(deal: FrapDeal, whisters: str = "") -> FrapDeal:
    """Everybody answers the frap: these seats whist, the others pass."""
    while "whist" in asks(deal):
        deal.apply(FRAP.parse_action("whist" if str(deal.seat) in whisters else "pass"))
    return deal


def skip(deal: FrapDeal) -> FrapDeal:
    """Everybody stands and declines until play begins or the deal is over."""
    while word := next((word for word in ("stand", "decline") if word in asks(deal)), None):
        deal.apply(FRAP.parse_action(word))
    return deal


def play(deal: FrapDeal, generator: random.Random, most: int | None = None) -> FrapDeal:
    """Play at random; frap is called seldom enough for all rounds to come up."""
    while deal.seat is not None and most != 0:
        code = generator.choice(asks(deal).split()[1:])
        if code in ("blind", "frap") and generator.randrange(deal.variant.players):
            code = "look" if code == "blind" else "pass"
        deal.apply(FRAP.parse_action(code))
        most = None if most is None else most - 1
    return deal


def test_actions_by_number() -> None:
    """The list of actions at the end of the rules."""
    cards = [card.code for card in FRENCH.cards]
    words = "look blind frap pass whist stand undercut:stock undercut:trump decline"
    expected = [*cards, *words.split(" "), *(f"discard:{card}" for card in cards)]
    assert [action.code for action in FRAP.actions] == expected
    assert [int(action) for action in FRAP.actions] == list(range(113))
    assert [action.card for action in FRAP.actions] == [*FRENCH.cards, *[None] * 61]


@pytest.mark.parametrize("players", PLAYERS)
def test_facts_of_the_game(players: int) -> None:
    """Sides, scores, drawing modes, and the pack of each number of players."""
    assert FRAP.players == tuple(PLAYERS)
    assert FRAP.sides(players) == tuple((seat,) for seat in range(players))
    assert (FRAP.draw_modes, FRAP.counts_wins) == (("top",), False)
    size = 32 if players <= 4 else 36 if players == 5 else 52
    deck = deck_of(variant(players))
    assert len(deck) == size
    assert {card.rank for card in deck} == set(RANK_ORDER[: size // 4])
    assert FRENCH.ranks[::-1] == RANK_ORDER
    with pytest.raises(BadRecordError, match="cards of the"):
        lay_out(variant(players), list(range(51)))


def test_option_deck() -> None:
    """Option `deck`: for five and six players, dropped for all others."""
    for players, size in [(5, 36), (5, 52), (6, 36), (6, 52)]:
        assert len(deck_of(variant(players, f"deck={size}"))) == size
        stock = shuffled(players, f"deck={size}").view(0).stock_count
        assert stock == size - 4 * players - 1
    assert str(variant(4, "deck=52")) == "frap/4"


BAD_OPTIONS = {
    "ante=6": "a number from 4 to 1000000 in steps of 4, got '6'",
    "ante=1000004": "a number from 4",
    "pot-cap=40": "auto, none or a number from 12 to 3000000000 in steps of 12, got '40'",
    "draw-limit=5": "auto, 3 or 4",
    "blind-penalty=on": "seed or graded",
}


@pytest.mark.parametrize("text", BAD_OPTIONS)
def test_options_that_are_none(text: str) -> None:
    """Options: an impossible value is refused with the possible ones."""
    with pytest.raises(VariantError, match=BAD_OPTIONS[text]):
        variant(3, text)
    assert str(variant(3, "pot-cap=36&ante=8&undercut=on")) == "frap/3?ante=8&pot-cap=36"


@pytest.mark.parametrize(
    ("ante", "start", "pot"),
    [(4, None, 12), (8, {}, 24), (4, {"pot": 24}, 36), (4, {"pot": 24, "ante": False}, 24)],
)
def test_rule_1_antes(ante: int, start: dict[str, Any] | None, pot: int) -> None:
    """Rule 1: everybody pays the ante to what the last deal left."""
    view = shuffled(3, f"ante={ante}", start=start).view(1)
    assert view.pot == view.first_pot == pot
    assert view.start_pot == (start or {}).get("pot", 0)
    assert view.ante_paid == (start or {}).get("ante", True)


@pytest.mark.parametrize("players", PLAYERS)
def test_rule_2_one_card_at_a_time(players: int) -> None:
    """Rule 2: seat D+1+k gets indices k, N+k, 2N+k, 3N+k; 4N is the trump card."""
    for dealer in range(players):
        deal = shuffled(players, dealer=dealer)
        deck = deal.shuffles[0]
        for k in range(players):
            dealt = {deck[k], deck[players + k], deck[2 * players + k], deck[3 * players + k]}
            assert set(deal.hand((dealer + 1 + k) % players)) == dealt
        assert deal.seat == (dealer + 1) % players
        view = deal.view(dealer)
        assert (view.trump_card, view.trump) == (deck[4 * players], view.trump_card.suit)
        assert view.stock_count == STOCK[players]
        assert list(deal.stock()) == deck[4 * players + 1 :]
        assert list(view.hand_counts) == [4] * players


def test_rule_3_look_or_blind_then_frap_or_pass() -> None:
    """Rule 3: round 1 asks to look, and the seat that looked at once again."""
    deal = shuffled(3, dealer=1)
    assert (asks(deal), deal.view(2).asked) == ("2 look blind", "look")
    act(deal, "2 look")
    assert (asks(deal), deal.view(2).asked) == ("2 frap pass", "call")
    assert deal.view(2).hand == deal.hand(2)
    act(deal, "2 pass")
    assert (asks(deal), deal.view(0).looked) == ("0 look blind", 0b100)


def test_rule_3_all_pass_three_times() -> None:
    """Rule 3, the example: 16, 32, 48, 64; the same dealer deals again without antes."""
    deal = shuffled(4, dealer=2)
    trumps = [deal.view(0).trump_card, *deal.stock()[:2]]
    for number, pot in enumerate([16, 32, 48]):
        view = deal.view(0)
        assert (view.pot, view.round) == (pot, number + 1)
        assert view.trump_card == trumps[number]
        assert list(view.dead_trumps) == trumps[:number]
        assert asks(deal) == ("3 frap pass" if number else "3 look blind")
        all_pass(deal)
    assert (deal.seat, deal.scores) == (None, (-16,) * 4)
    assert deal.result == {"pot": 64, "tricks": [0] * 4, "frapper": None, "blind": False}
    assert (deal.dealt_again, deal.next_start) == (True, {"pot": 64, "ante": False})
    assert shuffled(4, start=deal.next_start).view(0).first_pot == 64
    again = all_pass(shuffled(4, "reante=on"), 3)
    assert again.next_start == {"pot": 64, "ante": True}


@pytest.mark.parametrize(
    ("options", "paid"), [("", 256), ("pot-cap=32", 32), ("pot-cap=none", 976), ("ante=8", 512)]
)
def test_rule_3_payments_are_capped(options: str, paid: int) -> None:
    """Rule 3: everybody pays min(P0, cap)/N."""
    pot = 960 if "ante" not in options else 944
    deal = shuffled(4, options, start={"pot": pot})
    for payments in range(3):
        assert deal.view(0).pot == 976 + payments * paid
        all_pass(deal)
    assert deal.result is not None
    assert deal.result["pot"] == 976 + 3 * paid
    assert deal.scores == (-(976 - pot + 3 * paid) // 4,) * 4


def test_rule_3_frap_after_a_pass() -> None:
    """Rule 3: in later rounds a player may frap whatever he passed on before."""
    deal = act(all_pass(shuffled(3)), "1 pass 2 pass 0 frap")
    assert (asks(deal), deal.view(1).asked, deal.view(1).frapper) == ("1 pass whist", "answer", 0)


def test_rule_3_others_see_their_hands_and_answer_in_order() -> None:
    """Rule 3: also those who had not looked; passers throw their hands in."""
    deal = act(shuffled(4, dealer=3), "0 look 0 pass 1 look 1 frap")
    assert deal.view(0).looked == 0b1111
    assert deal.view(3).hand == deal.hand(3)
    thrown = deal.view(2).hand_mask
    act(deal, "2 pass 3 whist 0 pass")
    view = deal.view(2)
    assert (view.hand, view.thrown_in, list(view.hand_counts)) == ((), thrown, [0, 4, 0, 4])
    assert (view.whisters, view.seats_in_play) == (0b1000, (1, 3))
    assert [deal.view(seat).thrown_in != 0 for seat in range(4)] == [True, False, True, False]


LIMITS = {2: 4, 3: 4, 4: 3, 5: 3, 6: 4, 7: 3, 8: 3, 9: 3, 10: 3, 11: 3, 12: 3}


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("limit", ["auto", "3", "4"])
def test_rule_4_limit(players: int, limit: str) -> None:
    """Rule 4: up to L cards, no more than the stock has; at the limit one stands at once."""
    deal = shuffled(players, f"undercut=off&draw-limit={limit}", dealer=players - 1)
    answer(act(deal, "0 look 0 frap"))
    expected = LIMITS[players] if limit == "auto" else min(int(limit), STOCK[players])
    drawn = list(deal.stock()[:expected])
    for count in range(expected):
        held, view = list(deal.hand(0)), deal.view(1)
        assert asks(deal).split() == ["0", "stand", *(f"discard:{card}" for card in held)]
        assert (view.exchanged[0], view.hand_counts[0]) == (count, 4 - count)
        assert view.stock_count == STOCK[players]
        act(deal, f"0 discard:{held[0]}")
    assert deal.seat is None
    assert set(drawn) <= set(deal.hand(0))
    assert len(deal.hand(0)) == 4
    assert deal.view(0).stock_count == STOCK[players] - expected


def test_rule_4_in_seat_order_from_the_first_seat() -> None:
    """Rule 4: frapper and whisters; cards come at once after `stand`, and go to no one else."""
    hands = ["7c 8c 9c Tc", "7d 8d 9d Td", "7s 8s 9s Ts", ""]
    deal = stacked(hands, "Ah", "Kh Qh Jh Th", dealer=2)
    act(deal, "3 look 3 pass 0 look 0 pass 1 look 1 frap 2 whist 3 pass 0 whist")
    assert (deal.view(0).asked, deal.view(1).asked) == ("exchange", None)
    act(deal, "0 discard:7c 0 discard:8c")
    assert codes(deal.hand(0)) == "9c Tc"
    act(deal, "0 stand")
    assert codes(deal.hand(0)) == "9c Tc Qh Kh"
    act(deal, "1 stand 2 discard:Ts 2 stand")
    assert codes(deal.hand(2)) == "Jh 7s 8s 9s"
    assert list(deal.view(3).exchanged) == [2, 0, 1, 0]


def test_rule_4_a_small_stock() -> None:
    """Rule 4: a seat's limit is what the stock has left; with none it is not asked."""
    deal = some(answer(act(shuffled(12, dealer=11), "0 look 0 frap"), "1 2"), 2)
    some(act(deal, "0 stand"), 1)
    assert (deal.seat, deal.view(0).asked) == (0, "play")


def test_rule_4_blind_frapper_takes_the_trump_card() -> None:
    """Rule 4: at his place he takes it, sees his hand and discards one of five."""
    deal = stacked(["", "7s 8s 9s Ts", ""], "Ah", "Kh")
    act(deal, "0 look 0 pass 1 blind 2 pass 0 whist")
    view = deal.view(1)
    assert (view.frapper, view.blind, view.looked, view.hand) == (1, True, 0b101, ())
    view = act(deal, "0 stand").view(1)
    assert asks(deal) == "1 discard:Ah discard:7s discard:8s discard:9s discard:Ts"
    assert (view.looked, view.trump_taker, view.asked) == (0b111, 1, "discard")
    assert list(view.hand_counts) == [4, 5, 0]
    assert codes(deal.view(0).known(1)) == "Ah"
    assert "Ah" not in codes(deal.view(0).unseen)
    act(deal, "1 discard:7s")
    assert codes(deal.hand(1)) == "Ah 8s 9s Ts"
    assert list(deal.view(0).exchanged) == [0, 0, 0]
    assert deal.view(0).known(1) == ()
    assert "Ah" in codes(deal.view(0).unseen)
    assert asks(deal) == "2 undercut:stock decline"


def test_rule_4_blind_frapper_whom_nobody_opposes() -> None:
    """Rule 4: he discards also when nobody whisted, and whatever the stock holds."""
    deal = answer(act(shuffled(2, "undercut=off", dealer=1), "0 blind"))
    assert deal.view(0).asked == "discard"
    assert some(deal, 1).scores == (4, -4)
    deal = act(shuffled(12, "blind-draws=on", dealer=11), "0 look 0 pass 1 blind")
    view = some(answer(deal, "0"), 3).view(1)
    assert (view.stock_count, view.asked) == (0, "discard")
    assert some(deal, 1).view(1).asked == "play"


def test_rule_4_option_blind_draws() -> None:
    """Rule 4: after that discard, which is not replaced, he has the whole limit."""
    deal = stacked(["7s 8s 9s Ts", ""], "Ah", "Kh Qh Jh Th", options="blind-draws=on")
    act(deal, "0 blind 1 whist 0 discard:Ah")
    assert asks(deal) == "0 stand discard:7s discard:8s discard:9s discard:Ts"
    assert list(deal.view(1).exchanged) == [0, 0]
    act(deal, "0 discard:7s 0 discard:8s 0 discard:9s 0 discard:Ts")
    assert (deal.seat, codes(deal.hand(0))) == (1, "Th Jh Qh Kh")
    assert codes(deal.view(0).discards) == "Ah 7s 8s 9s Ts"
    assert list(deal.view(1).exchanged) == [4, 0]


def test_rule_5_undercuts() -> None:
    """Rule 5: five cards, one goes at once; the trump card only for the first who undercuts."""
    deal = stacked(["", "", "", ""], "Ah", "Kh Qh Jh Th 9h 8h 7h As Ks", dealer=2)
    answer(act(deal, "3 look 3 pass 0 look 0 frap"))
    act(deal, "0 stand")
    assert deal.view(3).asked == "undercut"
    assert asks(deal) == "3 undercut:stock undercut:trump decline"
    act(deal, "3 decline 1 undercut:trump")
    assert codes(deal.hand(1)) == "Th Jh Qh Kh Ah"
    assert (deal.seat, deal.view(1).asked) == (1, "discard")
    view = deal.view(0)
    assert (view.trump_taker, view.undercutters, view.hand_counts) == (1, b"\1", b"\4\5\0\0")
    act(deal, "1 discard:Ah")
    assert asks(deal) == "2 undercut:stock decline"
    act(deal, "2 undercut:stock")
    assert codes(deal.hand(2)) == "7h 8h 9h Ks As"
    view = act(deal, "2 discard:7h").view(3)
    assert (deal.seat, view.first_leader, view.trick_leader) == (1, 1, 1)
    assert (view.seats_in_play, view.trump_card.code, view.stock_count) == ((0, 1, 2), "Ah", 6)


def test_rule_5_stock_by_the_first_leaves_the_trump_card() -> None:
    """Rule 5: `undercut:trump` is not possible after an undercut of either kind."""
    deal = skip(answer(act(shuffled(2, dealer=1), "0 look 0 frap"), "1"))
    assert deal.view(0).asked == "play"  # nobody passed, so nobody is asked
    deal = act(answer(act(shuffled(3, dealer=2), "0 look 0 frap")), "0 stand 1 undercut:stock")
    assert asks(some(deal, 1)) == "2 undercut:stock decline"
    assert deal.view(2).trump_taker is None


def test_rule_5_what_the_stock_allows() -> None:
    """Rule 5: five cards or four and the trump card; where neither is possible nobody is asked."""
    deal = some(answer(act(shuffled(11, dealer=10), "0 look 0 frap")), 3)
    assert asks(deal) == "1 undercut:trump decline"
    some(act(deal, "1 undercut:trump"), 1)
    assert deal.view(1).asked == "play"
    deal = some(answer(act(shuffled(11, dealer=10), "0 blind"), "1"), 4)
    assert (deal.view(0).stock_count, deal.view(0).asked) == (4, "play")
    deal = act(answer(act(shuffled(12, dealer=11), "0 look 0 frap")), "0 stand")
    assert deal.seat is None


def test_rule_5_option_undercut() -> None:
    """Rule 5: without the option nobody comes back."""
    deal = answer(act(shuffled(3, "undercut=off", dealer=2), "0 look 0 frap"))
    assert act(deal, "0 stand").scores == (8, -4, -4)


def test_rule_6_the_pot_without_play() -> None:
    """Rule 6: the whole pot, four tricks, and the next pot is 0."""
    deal = act(all_pass(shuffled(4, start={"pot": 32})), "1 frap 2 pass 3 pass 0 pass")
    skip(deal)
    assert deal.scores == (-16, 80, -16, -16)
    assert deal.result == {"pot": 0, "tricks": [0, 4, 0, 0], "frapper": 1, "blind": False}
    assert deal.view(0).tricks_taken == (0, 4, 0, 0)
    assert (deal.dealt_again, deal.next_start) == (False, {"pot": 0, "ante": True})


def test_rule_7_frapper_leads_and_the_others_are_skipped() -> None:
    """Rule 7: in seat order; the winner leads."""
    hands = ["As 7s 8s 9s", "", "Ks Qs Js Ts", "Ac 7c 8c 9c"]
    deal = stacked(hands, "Kd")
    act(deal, "0 look 0 pass 1 look 1 pass 2 look 2 frap 3 whist 0 whist 1 pass")
    skip(deal)
    act(deal, "2 Ks 3 7c 0 7s 2 Qs 3 8c 0 As 0 8s")
    view = deal.view(1)
    assert [trick.winner for trick in view.tricks] == [2, 0]
    assert [str(card) for card in view.tricks[1].cards] == ["Qs", "8c", "As"]
    assert view.winner_so_far == (0, FRENCH.parse("8s"))
    assert (view.tricks_taken, view.trick.seats) == ((1, 0, 1, 0), (0, 2, 3))


FOLLOWING = [  # the card led, the hand, what it may play
    *(("Ts", "7s Kh 8c Jc", "7s"), ("Ts", "7h Kh Ac 9d", "7h Kh")),
    *(("Ts", "8d Qc 9c Jc", "9c Jc Qc 8d"), ("7h", "7s Kh 8c 9h", "9h Kh")),
    ("7h", "7s Ks 8c 9d", "8c 9d 7s Ks"),
]


@pytest.mark.parametrize(("led", "held", "may"), FOLLOWING)
def test_rule_7_follow_suit_else_trump(led: str, held: str, may: str) -> None:
    """Rule 7, the examples, hearts being trumps: nobody has to beat."""
    deal = stacked([f"{led} Ad Kd Qd", held], "Ah")
    skip(act(deal, "0 look 0 frap 1 whist"))
    assert asks(act(deal, f"0 {led}")) == f"1 {may}"


TRICKS = {"Ts Ks 7s": 1, "Ts 7h As": 1, "Ts 7h 8h": 2, "8s Ac Kd": 0, "7h Kh Qh": 1, "7h As Ks": 0}


@pytest.mark.parametrize("trick", TRICKS)
def test_rule_7_who_wins(trick: str) -> None:
    """Rule 7: the highest trump, hearts, else the highest card of the suit led."""
    one, two, three = trick.split()
    deal = stacked([f"{one} 7c 8c 9c", f"{two} Tc Jc Qc", f"{three} 7d 9d Td"], "Ah")
    skip(act(deal, "0 look 0 frap 1 whist 2 whist"))
    view = act(deal, f"0 {one} 1 {two} 2 {three}").view(0)
    assert deal.seat == view.trick_leader == view.tricks[0].winner == TRICKS[trick]


def decided(tricks: int, *, blind: bool, trump: str, options: str = "", pot: int = 0) -> FrapDeal:
    """Three players, seat 0 frapper against a whister, winning its first so many tricks."""
    high, low = ["Ac", "Kc", "Qc", "Jc"], ["7d", "8d", "9d", "Td"]
    good, bad = ["Ad", "Kd", "Qd", "Jd"], ["7c", "8c", "9c", "Tc"]
    mine, other = high[:tricks] + low[tricks:], bad[:tricks] + good[tricks:]
    start = {"pot": pot} if pot else None
    deal = stacked([" ".join(mine), " ".join(other), ""], trump, options=options, start=start)
    act(deal, "0 blind 1 whist 2 pass" if blind else "0 look 0 frap 1 whist 2 pass")
    if blind:
        act(deal, f"0 discard:{trump}")
    skip(deal)
    for number in range(4):
        pair = [(0, mine[number]), (1, other[number])]
        for seat, card in pair if number <= tricks else pair[::-1]:
            act(deal, f"{seat} {card}")
    return deal


UNITS = [  # blind, penalty, trump card: what a frapper with 0 and with 1 trick pays, in pots
    *((False, "seed", "7h", 2, 1), (False, "seed", "Ah", 2, 1), (False, "graded", "Ah", 2, 1)),
    *((True, "seed", "7h", 2, 4), (True, "seed", "Ah", 2, 3)),
    *((True, "graded", "7h", 4, 2), (True, "graded", "Ah", 4, 3)),
]


@pytest.mark.parametrize(("blind", "penalty", "trump", "none", "one"), UNITS)
def test_rule_8_what_is_paid(blind: bool, penalty: str, trump: str, none: int, one: int) -> None:
    """Rule 8: each trick takes a quarter; then frapper and whister pay for too few."""
    for tricks, unit in enumerate([none, one, 0, 0, 0]):
        deal = decided(tricks, blind=blind, trump=trump, options=f"blind-penalty={penalty}")
        whister = 12 * (tricks == 4)
        assert deal.scores == (3 * tricks - 4 - 12 * unit, 8 - 3 * tricks - whister, -4)
        pot = 12 * unit + whister
        result = {"pot": pot, "tricks": [tricks, 4 - tricks, 0], "frapper": 0, "blind": blind}
        assert deal.result == result
        assert deal.next_start == {"pot": pot, "ante": True}
        assert deal.leftover == (pot // 3,) * 3


@pytest.mark.parametrize(
    ("options", "pot", "unit"),
    [("", 120, 132), ("", 360, 192), ("pot-cap=24", 120, 24), ("pot-cap=none", 12 * 10**30, 0)],
)
def test_rule_8_option_pot_cap(options: str, pot: int, unit: int) -> None:
    """Rule 8: payments count min(B, cap); tricks are paid out of the whole pot."""
    unit = unit or pot + 12
    deal = decided(0, blind=False, trump="7h", options=options, pot=pot)
    assert deal.scores == (-4 - 2 * unit, pot + 8, -4)
    assert deal.result is not None
    assert deal.result["pot"] == 2 * unit


def test_rule_8_undercutters_owe_a_trick_too() -> None:
    """Rule 8: an undercutter without a trick pays as a whister does."""
    deal = stacked(["Ah Kh Qh Jh", "", ""], "7h", "7c 7d 7s 8s 9s")
    act(deal, "0 look 0 frap 1 pass 2 pass 0 stand 1 decline 2 undercut:stock 2 discard:9s")
    act(deal, "2 7c 0 Ah 0 Kh 2 7d 0 Qh 2 7s 0 Jh 2 8s")
    assert deal.scores == (8, -4, -16)


def test_rule_9_the_example() -> None:
    """The worked example of the rules: tricks 1-3, -13, +5, -4, pot 12."""
    deal = stacked(["", "Ad Ks Th 7c", "As 7d Qh 8c"], "Kd")
    act(deal, "0 look 0 pass 1 look 1 frap 2 whist 0 pass 1 stand 2 stand 0 decline")
    act(deal, "1 Ad 2 7d 1 Ks 2 As 2 Qh 1 Th 2 8c 1 7c")
    assert deal.scores == (-4, -13, 5)
    assert deal.result == {"pot": 12, "tricks": [0, 1, 3], "frapper": 1, "blind": False}


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ({"chips": 12}, "start: expected pot or ante, got 'chips'"),
        *(({"pot": bad}, f"whole number of chips, got {bad!r}") for bad in ("12", 12.0, True)),
        ({"pot": [10**5000]}, "pot: expected a whole number of chips, got something"),
        ({"pot": -12}, r"pot: expected 0 to 10\*\*2000 chips, got -12"),
        ({"pot": 12 * 10**2000}, r"pot: expected 0 to 10\*\*2000 chips, got 120+\.\.\.0+$"),
        ({"pot": 12 * 10**9000}, r"pot: expected 0 to 10\*\*2000 chips, got something"),
        ({"pot": 16}, "pot: expected a multiple of 12, got 16"),
        *(({"ante": bad}, f"expected true or false, got {bad!r}") for bad in (1, "off", None)),
    ],
)
def test_rule_9_start_that_is_none(start: dict[Any, Any], error: str) -> None:
    """Rule 9: only a pot of whole shares and whether antes are paid."""
    with pytest.raises(BadRecordError, match=error):
        shuffled(3, start=start)


LONG = {"pot": 12 * 10**1000, "ante": False}


@pytest.mark.parametrize("start", [{"pot": 24}, {"pot": 24, "ante": True}, {"ante": False}, LONG])
def test_rule_9_start_is_kept_for_the_record(start: dict[str, Any]) -> None:
    """Rule 9: what differs from the defaults stands in the record, which replays."""
    deal = play(shuffled(3, start=start), random.Random(1))
    again = replay(DealRecord.of(deal))
    assert (deal.start, again.start, again.scores) == (start, start, deal.scores)
    assert again.view(0) == deal.view(0)
    assert shuffled(3, start={"pot": 0, "ante": True}).start == {}


def play_match(text: str, deals: int, choose: str, players: int = 3) -> list[FrapDeal]:
    """The deals of a match; sums of scores and pots are checked on the way."""
    generator = random.Random(f"{text}{deals}")
    match = Match(variant(players, text), bytes(32), MatchFormat("deals", deals))
    played: list[FrapDeal] = []
    while not match.over:
        deal = match.deal
        assert isinstance(deal, FrapDeal)
        assert sum(match.deal_sums) == -deal.view(0).start_pot
        if played:
            last = played[-1]
            assert deal.dealer == (last.dealer + (not last.dealt_again)) % players
            assert last.result is not None
            assert deal.view(0).start_pot == last.result["pot"]
            assert deal.view(0).ante_paid == (not last.dealt_again or "reante=on" in text)
        if choose == "pass":
            all_pass(deal, 3)
        else:
            play(deal, generator)
        assert deal.scores is not None
        assert deal.result is not None
        assert sum(deal.scores) == deal.view(0).start_pot - deal.result["pot"]
        played.append(deal)
        match.advance()
    assert sum(match.deal_sums) == 0  # the pot that is left was split
    assert match.scores == tuple(match.deal_sums)
    assert len(played) == deals
    return played


@pytest.mark.parametrize(
    ("options", "pots"),
    [
        ("", [48, 192, 768, 1344]),  # the cap is 192
        ("reante=on", [48, 240, 828, 1416]),
        ("pot-cap=none", [48, 192, 768, 3072]),
        ("pot-cap=12", [48, 84, 120, 156]),
    ],
)
def test_rule_10_thrice_passed_deals(options: str, pots: list[int]) -> None:
    """Rules 3 and 10: the same dealer, no antes unless `reante`, payments up to the cap."""
    deals = play_match(options, 4, "pass")
    assert [deal.result and deal.result["pot"] for deal in deals] == pots
    assert len({deal.dealer for deal in deals}) == 1
    assert deals[-1].leftover == (pots[-1] // 3,) * 3


@pytest.mark.parametrize("options", ["", "pot-cap=none", "ante=8&reante=on&blind-penalty=graded"])
def test_rule_10_the_pot_goes_from_deal_to_deal(options: str) -> None:
    """Rule 10: what one deal leaves the next one begins with, and nothing is lost."""
    deals = play_match(options, 40, "random")
    assert {deal.dealt_again for deal in deals} == {True, False}
    assert {deal.view(0).start_pot > 0 for deal in deals} == {True, False}


@pytest.mark.parametrize("players", PLAYERS)
def test_rule_10_default_format_and_most_deals(players: int) -> None:
    """Rule 10: deals:2N; without a cap a match stays short, as pots can grow 64-fold a deal."""
    assert FRAP.default_match_format(variant(players)) == f"deals:{2 * players}"
    assert FRAP.most_deals(variant(players)) == 1000
    assert FRAP.most_deals(variant(players, "pot-cap=none")) == 60
    progress = MatchProgress(format="deals:4", deal=2, scores=(1.0,) * players)
    shuffles = SeededShuffles(bytes(32), 2)
    deal = FRAP.deal(variant(players), shuffles, dealer=0, match=progress)
    assert deal.view(0).match == progress


def test_view_shows_nothing_of_a_hand_that_was_not_looked_at() -> None:
    """View: before a seat looks, its view does not depend on its hand, nor does any other."""
    for seed in range(5):
        one, two = stacked(["", "", ""], "Ah"), shuffled(3, seed=seed, dealer=2)
        deck = two.shuffles[0]
        deck.remove(FRENCH.parse("Ah"))
        deck.insert(12, int(FRENCH.parse("Ah")))
        two = lay_out(two.variant, deck, dealer=2)
        assert one.hand(0) != two.hand(0)
        assert [one.view(seat) for seat in range(3)] == [two.view(seat) for seat in range(3)]
        for deal in (one, two):
            act(deal, "0 look 0 pass 1 blind")
        assert one.view(1) == two.view(1)
        assert one.view(0) != two.view(0)


def test_view_shows_discards_to_their_owner_alone() -> None:
    """View: how many a seat exchanged is public, which cards is not."""
    views = []
    for mine, other in [("7c 8c", "Kh"), ("Tc 9c", "9h")]:
        deal = stacked(["7c 8c 9c Tc", "", ""], "Ah", "Qd Qs Kh Jh Th 9h 8h")
        act(deal, "0 look 0 frap 1 whist 2 pass")
        act(deal, " ".join(f"0 discard:{card}" for card in mine.split()))
        act(deal, f"0 stand 1 stand 2 undercut:stock 2 discard:{other}")
        first, second = mine.split()
        one, two, three = (deal.view(seat) for seat in range(3))
        assert (codes(one.discards), codes(three.discards)) == (mine, other)
        own = f"discard:{first} discard:{second} stand stand undercut:stock"
        assert " ".join(str(event.action) for event in one.history[4:]) == own
        assert str(three.history[-1].action) == f"discard:{other}"
        assert not any(str(event.action).startswith("discard") for event in two.history)
        assert [event.seat for event in two.history] == [0, 0, 1, 2, 0, 1, 2]
        views.append([one, two, three])
    assert [one == two for one, two in zip(*views, strict=True)] == [False, True, False]


def test_view_does_not_tell_whether_the_trump_card_was_kept() -> None:
    """View: that it was taken is public, what the taker discarded is not."""
    views = []
    for card in ("Ah", "Kh"):
        deal = answer(act(stacked(["", "", ""], "Ah", "Kh Qh Jh Th"), "0 look 0 frap"))
        act(deal, f"0 stand 1 undercut:trump 1 discard:{card}")
        views.append([deal.view(seat) for seat in (0, 2)])
    assert views[0] == views[1]
    assert views[0][0].trump_taker == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_every_card_is_in_one_place(players: int) -> None:
    """The law of conservation, and what views say of places, at every step of random deals."""
    generator = random.Random(players)
    for seed in range(6):
        options = generator.choice(["", "blind-draws=on", "undercut=off", "pot-cap=none"])
        deal = shuffled(players, options, seed=seed, dealer=seed % players)
        while deal.seat is not None:
            play(deal, generator, most=1)
            views = [deal.view(seat) for seat in range(players)]
            public = views[0]
            cards = [*deal.stock(), *public.past_cards, *public.trick_cards, *public.dead_trumps]
            for seat, view in enumerate(views):
                cards += [*deal.hand(seat), *view.discards, *bits(view.thrown_in)]
                assert view.hand == (deal.hand(seat) if view.looked >> seat & 1 else ())
                assert view.hand_counts[seat] == len(deal.hand(seat))
                assert not set(view.unseen) & set(view.hand)
            if public.trump_taker is None:
                cards.append(public.trump_card)
            assert sorted(cards) == sorted(deal.shuffles[0])
        assert json.loads(json.dumps(public.to_json())) == public.to_json()
        with pytest.raises(IllegalActionError, match="the deal is over"):
            deal.apply(0)
