"""Endings, and the sample bot that plays them, against brute force that shares nothing with them.

`best_difference` plays on the deals themselves, copied and continued with every legal action,
and looks at nothing but their scores. That is too slow for ten tricks, so `Tricks` plays these
with the rules written once more, and remembers what a position came to; it is itself held
against the other one. Neither cuts anything off.
"""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

from mazzo.cards import bits, mask_of, nth_bit
from mazzo.endings import Ending, make_ending_rules, open_hands, solve
from mazzo.game import Clock, Deal
from mazzo.games import parse_variant
from mazzo.games.frusta import FrustaDeal
from mazzo.shuffle import SeededShuffles
from sdk.test_sample_bots import sample, seed

BRISCOLA = "briscola/2"
FRUSTA = "frusta/2"
META_MAZZO = "tressette-meta-mazzo/2"
PIZZICHINO = "tressette-pizzichino/2"
RANKS = "A234567JHK"
ORDER = {FRUSTA: "A3KHJ76542", META_MAZZO: "32AKHJ7654"}
SUIT = 10  # cards
DISCARDS = 20


def ending(variant: str, number: int, *, tricks: int) -> Deal:
    """A deal with so many tricks to play, reached by random play, and nothing but plays left."""
    choose = random.Random(number)
    rules = parse_variant(variant)
    deal = rules.game.deal(rules, SeededShuffles(seed("ending"), number), dealer=number % 2)
    cards = (1 << len(rules.game.pack)) - 1
    while len(deal.view(0).past_cards) < 40 - 2 * tricks or deal.legal > cards:
        deal.apply(nth_bit(deal.legal, choose.randrange(deal.legal.bit_count())))
    return deal


def solved(deal: Deal) -> tuple[int, float]:
    """What is best, and the value for the seat to move."""
    assert deal.seat is not None
    found = solve(deal.view(deal.seat))
    assert found is not None
    return int(found[0]), found[1]


def difference(deal: Deal) -> float:
    """Of the scores of a finished deal, seat 0 less seat 1.

    Five tricks each in Frusta are worth the mean over all cards that the tie-break could draw.
    """
    assert deal.scores is not None
    if not isinstance(deal, FrustaDeal) or not (deal.result or {})["tiebreak"]:
        return deal.scores[0] - deal.scores[1]
    view = deal.view(0)
    leader = view.trick_winners[-1]
    pairs = list(permutations(view.past_cards[:DISCARDS], 2))
    taken = sum(
        wins(FRUSTA, answer, led, view.trump) == (leader == 1) or -1 for led, answer in pairs
    )
    return taken / len(pairs)


def wins(variant: str, answer: int, led: int, trump: str | None) -> bool:
    """Whether the answer takes the trick."""
    if answer // SUIT == led // SUIT:
        order = ORDER[variant]
        return order.index(RANKS[answer % SUIT]) < order.index(RANKS[led % SUIT])
    return trump is not None and answer // SUIT == "dcsb".index(trump)


def best_difference(deal: Deal, known: dict[Any, float]) -> float:
    """The final difference, seat 0 less seat 1, when both see everything and play perfectly."""
    if deal.seat is None:
        return difference(deal)
    view = deal.view(deal.seat)
    names = ("points", "thirds", "tricks_taken", "buongiochi")
    taken = str([getattr(view, name, None) for name in names])
    key = deal.seat, deal.legal, mask_of(deal.actions), view.trick_cards, view.hand_mask, taken
    if key not in known:
        values = []
        for action in bits(deal.legal):
            after = deal.copy()
            after.apply(action)
            values.append(best_difference(after, known))
        known[key] = min(values) if deal.seat else max(values)
    return known[key]


def check(deal: Deal) -> None:
    """To the end of the deal, value and play are those of brute force."""
    known: dict[Any, float] = {}
    while deal.seat is not None:
        sign = -1 if deal.seat else 1
        best = sign * best_difference(deal, known)
        action, value = solved(deal)
        assert value == pytest.approx(best, abs=1e-9)
        deal.apply(action)
        assert sign * best_difference(deal, known) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("tenth", range(10))
def test_briscolas_last_three_tricks_are_exact(tenth: int) -> None:
    """500 of them."""
    for number in range(50 * tenth, 50 * (tenth + 1)):
        check(ending(BRISCOLA, number, tricks=3))


@pytest.mark.parametrize("variant", [FRUSTA, FRUSTA + "?follow=free-discard", META_MAZZO])
def test_the_last_tricks_are_exact(variant: str) -> None:
    for number in range(50):
        check(ending(variant, number, tricks=4))


def test_pizzichino_is_played_exactly_once_everything_is_seen() -> None:
    """Plucks and declarations included, whose points the value leaves out."""
    bot, played = sample("endgame"), 0
    for number in range(250):
        deal = ending(PIZZICHINO, number, tricks=3)
        known: dict[Any, float] = {}
        while (seat := deal.seat) is not None:
            view = deal.view(seat)
            if open_hands(view) is None:
                deal.apply(view.legal[0])
                continue
            best = best_difference(deal, known)
            deal.apply(bot.act(view))
            assert best_difference(deal, known) == best
            played += len(view.legal) > 1
    assert played > 100


class Tricks:
    """Memoised minimax of what is still to come, leader less follower; cuts nothing off."""

    def __init__(self, variant: str, trump: str | None) -> None:
        frusta = variant == FRUSTA
        cards = range(len(RANKS) * 4)
        self.higher = [mask_of(a for a in cards if wins(variant, a, led, trump)) for led in cards]
        self.worth = [0 if frusta else 3 if card % SUIT == 0 else 1 for card in cards]
        for card in () if frusta else (c for c in cards if RANKS[c % SUIT] in "4567"):
            self.worth[card] = 0
        self.trick, self.last = (2, 1) if frusta else (0, 3)
        self.known: dict[tuple[int, int], int] = {}

    def value(self, mine: int, theirs: int) -> int:
        """The best of all cards that may be led, each with the worst of all answers."""
        if not mine:
            return 0
        if (mine, theirs) not in self.known:
            self.known[mine, theirs] = max(self.led(card, mine, theirs) for card in bits(mine))
        return self.known[mine, theirs]

    def led(self, led: int, mine: int, theirs: int) -> int:
        suit = (1 << SUIT) - 1 << led // SUIT * SUIT
        rest, higher = mine ^ 1 << led, self.higher[led]
        gain = self.worth[led] + self.trick + (0 if rest else self.last)
        values = []
        for answer in bits(theirs & suit or theirs):
            left, brought = theirs ^ 1 << answer, gain + self.worth[answer]
            if higher >> answer & 1:
                values.append(-brought - self.value(left, rest))
            else:
                values.append(brought + self.value(rest, left))
        return min(values)


def check_against_tricks(variant: str, number: int, *, tricks: int) -> None:
    deal = ending(variant, number, tricks=tricks)
    assert deal.seat is not None
    view = deal.view(deal.seat)
    hands = open_hands(view)
    assert hands is not None
    mine, theirs = hands
    assert mine.bit_count() == theirs.bit_count() == tricks
    _, value = Ending(make_ending_rules(view), lambda: False).best(mine, theirs, None)
    assert value == Tricks(variant, getattr(view, "trump", None)).value(mine, theirs)


@pytest.mark.parametrize("variant", [FRUSTA, META_MAZZO])
def test_seven_tricks_are_exact(variant: str) -> None:
    for number in range(25):
        check_against_tricks(variant, number, tricks=7)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("variant", [FRUSTA, META_MAZZO])
def test_all_ten_tricks_are_exact(variant: str, part: int) -> None:
    """500 of each: Frusta's second stage, and Tressette's last ten tricks."""
    for number in range(25 * part, 25 * (part + 1)):
        check_against_tricks(variant, number, tricks=10)


def test_a_seat_that_is_not_to_move_gets_no_value_of_another_position() -> None:
    """The last tricks of both seats' views are open, but only one of them has a decision."""
    deal = ending(META_MAZZO, 0, tricks=2)
    while deal.seat is not None:
        other = 1 - deal.seat
        with pytest.raises(ValueError, match=f"the view of a decision, got .* seat {other} waits"):
            solve(deal.view(other))
        deal.apply(solved(deal)[0])
    with pytest.raises(ValueError, match="seat 0 waits"):
        solve(deal.view(0))


def test_without_time_it_plays_on_as_before() -> None:
    """An ending that takes longer than the clock allows is no reason to be late."""
    bot = sample("endgame")
    for number in range(10):
        deal = ending(META_MAZZO, number, tricks=10)
        while (seat := deal.seat) is not None:
            view = deal.view(seat)
            view.clock = Clock(bank=0.001, increment=0.001, limit=5.0, latency=0.0)
            action = bot.act(view)
            assert deal.legal >> action & 1
            deal.apply(action)
