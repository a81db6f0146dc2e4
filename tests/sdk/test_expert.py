"""The odd decisions of the sample bot `expert`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from mazzo import Action, Card, View
from mazzo.game import Deal
from mazzo.games import parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.games.frap import FrapView
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import PizzichinoView, TressetteView
from mazzo.shuffle import SeededShuffles
from sdk.test_sample_bots import module, sample, seed

HIGH, LOW = "A3KHJ", "24567"  # ranks of Frusta
PLAYS: dict[str, Callable[[View], Action | Card]] = module("expert").PLAYS


def decisions(variant: str, deals: int, company: str) -> Iterator[tuple[View, Action]]:
    """What the expert in seat 0 is asked and answers, among copies of a sample bot."""
    played, expert, other = parse_variant(variant), sample("expert"), sample(company)
    for number in range(deals):
        dealer = number % played.players
        deal: Deal = played.game.deal(played, SeededShuffles(seed("odd"), number), dealer=dealer)
        while deal.seat is not None:
            view = deal.view(deal.seat)
            view.number = len(deal.actions)
            action = played.game.actions[(other if deal.seat else expert).act(view)]
            if deal.seat == 0:
                yield view, action
            deal.apply(action)


def test_briscola_tells_the_truth_and_nothing_twice() -> None:
    """Among talkers at random, whose lies it believes."""
    ranks, said = {"ace": "A", "three": "3", "king": "K", "horse": "H"}, 0
    for view, action in decisions("briscola/4", 60, "random"):
        assert isinstance(view, BriscolaView)
        if action.card is None:
            rank = ranks[action.code.removeprefix("say:trump-")]
            assert f"{rank}{view.trump}" in [card.code for card in view.hand]
            told = [f"say:{talk.token}" for talk in view.talk if talk.seat == view.seat]
            assert action.code not in told
            said += 1
    assert said > 20


def test_briscola_believes_nobody_about_a_card_of_its_own() -> None:
    """What another seat says of a card that this one holds changes nothing."""
    variant, expert, asked = parse_variant("briscola/4"), sample("expert"), 0
    lie = variant.game.parse_action("say:trump-ace")
    for number in range(60):
        quiet = variant.game.deal(variant, SeededShuffles(seed("lies"), number), dealer=3)
        loud = quiet.copy()
        loud.apply(lie)  # by seat 0
        while (seat := quiet.seat) is not None:
            view, told = quiet.view(seat), loud.view(seat)
            assert isinstance(view, BriscolaView)
            action: int = view.playable[0]
            if seat and f"A{view.trump}" in [card.code for card in view.hand]:
                action = expert.act(view)
                assert expert.act(told) == action
                asked += 1
            quiet.apply(action)
            loud.apply(action)
    assert asked > 100


@pytest.mark.parametrize("variant", ["tressette-meta-mazzo/2", "tressette-pizzichino/2"])
@pytest.mark.parametrize("option", ["buongiochi=off", "declare-scope=dealt", ""])
def test_tressette_keeps_cards_for_combinations_only_where_these_count(
    variant: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played() -> list[Action]:
        return [action for _, action in decisions(f"{variant}?{option}".strip("?"), 12, "greedy")]

    before = played()
    module_of = PLAYS[variant.split("/")[0]].__globals__
    monkeypatch.setitem(module_of, "comb", lambda cards, missing: 0)  # no chance of any
    assert (played() == before) == bool(option)


def test_frap_calls_with_high_trumps_and_never_with_a_hopeless_hand() -> None:
    called = passed = 0
    for view, action in decisions("frap/4", 300, "greedy"):
        assert isinstance(view, FrapView)
        if view.asked == "call" and view.first_pot < 100:
            trumps = {card.rank for card in view.hand if card.suit == view.trump}
            if not trumps:
                assert action.code == "pass"
                passed += 1
            if {"A", "K"} <= trumps and len(trumps) > 2:
                assert action.code == "frap"
                called += 1
    assert passed > 50
    assert called > 0


def test_frap_plays_for_a_pot_that_has_outgrown_the_payments() -> None:
    """The same hands call more, for the most that they can lose is a part of the pot."""
    variant, act = parse_variant("frap/4"), PLAYS["frap"]
    calls = {0: 0, 16_000: 0}
    for pot in calls:
        for number in range(60):
            shuffles = SeededShuffles(seed("pot"), number)
            deal = variant.game.deal(variant, shuffles, dealer=3, start={"pot": pot})
            deal.apply(act(deal.view(0)))
            calls[pot] += act(deal.view(0)) == variant.game.parse_action("frap")
    assert calls[0] < 10
    assert calls[16_000] > 40


def test_frap_leads_no_trump_that_somebody_may_beat_if_it_has_another_card() -> None:
    leads = 0
    for view, action in decisions("frap/4", 500, "greedy"):
        assert isinstance(view, FrapView)
        if view.asked != "play" or view.trick_cards or action.card is None:
            continue
        if action.card.suit == view.trump and {card.suit for card in view.hand} != {view.trump}:
            assert not any(view.beats(other, action.card) for other in view.unseen)
            leads += 1
    assert leads > 10


def test_frusta_takes_a_high_trump_for_a_low_card_and_leaves_a_low_prize() -> None:
    taken = left = 0
    for view, action in decisions("frusta/2", 140, "random"):
        assert isinstance(view, FrustaView)
        if view.prize is None or not view.trick_cards or action.card is None:
            continue
        led = view.trick_cards[0]
        takers = [card for card in view.playable if view.beats(card, led)]
        cheap = [card for card in takers if card.rank not in "A3" and card.suit != view.trump]
        if cheap and view.prize.suit == view.trump and view.prize.rank in HIGH:
            assert action.card in takers
            taken += 1
        dear = [card for card in takers if card.suit == view.trump]
        poor = view.prize.suit != view.trump and view.prize.rank in LOW
        if poor and dear == takers != [] and len(view.playable) > len(takers):
            assert action.card not in takers
            left += 1
    assert taken > 3
    assert left > 10


@pytest.mark.parametrize("variant", ["tressette-meta-mazzo/2", "tressette-pizzichino/2"])
def test_tressette_gives_up_no_combination_and_no_honour(variant: str) -> None:
    declared = plucked = 0
    for view, action in decisions(variant, 50, "greedy"):
        assert isinstance(view, TressetteView)
        codes = [option.code for option in view.legal]
        if any(code.startswith("declare:") for code in codes):
            assert action.code.startswith("declare:")
            declared += 1
        elif isinstance(view, PizzichinoView) and any(code[:6] == "pluck:" for code in codes):
            assert action.code.startswith("pluck:")
            plucked += 1
    assert declared > 20
    assert plucked > 100 or variant == "tressette-meta-mazzo/2"
