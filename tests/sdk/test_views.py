"""The helpers of views, against the deals that they speak of."""

from __future__ import annotations

import pickle
import random
from copy import copy, deepcopy
from itertools import product

import pytest

from mazzo import codec, worlds
from mazzo.cards import mask_of
from mazzo.errors import BotError
from mazzo.game import Action, Clock, Deal, Trick, Variant, View
from mazzo.games import GAMES, parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frusta import FrustaView
from mazzo.shuffle import SeededShuffles
from mazzo.v1 import play_pb2
from support.strategies import CASES, Start, choose, examine, start_of

CASE_NAMES = [f"{variant}-{draws}" for variant, draws in CASES]
FOLLOWED = ["frusta", "tressette-meta-mazzo", "tressette-pizzichino", "frap"]


def the_strongest_card_wins(view: View) -> None:
    """Strength says which of two cards wins, where one is of the suit led or a trump."""
    if isinstance(view, ChiamataView) and view.trump is None:
        return  # nobody lays a card yet
    trump = getattr(view, "trump", None)
    cards = view.variant.game.pack.cards
    strengths = [view.strength(card) for card in cards]
    assert min(strengths) >= 0
    for led, answer in product(cards, cards):
        follows = answer.suit in (led.suit, trump)
        assert view.beats(answer, led) == (follows and strengths[answer] > strengths[led])
    for card, other in product(cards, cards):
        if trump and card.suit == trump != other.suit:
            assert strengths[card] > strengths[other]


def the_trick_is_told(view: View, deal: Deal) -> None:
    """Who wins so far, who is still to play, and what may be played."""
    trick = view.trick
    assert trick.winner_so_far == view.winner_so_far
    assert (trick.winner_so_far is None) == (not trick.cards)
    if trick.winner_so_far is not None:
        assert trick.winner_so_far in trick.plays
        _, best = trick.winner_so_far
        after = trick.cards[trick.cards.index(best) + 1 :]
        assert not any(view.beats(card, best) for card in after)
    for finished in view.tricks:
        assert finished.winner_so_far is not None
        assert finished.winner_so_far[0] == finished.winner
        assert finished.winner_so_far in finished.plays
    if view.legal_mask:
        assert view.playable == tuple([a.card for a in view.legal if a.card is not None])
        assert [view.action(action.code) for action in view.legal] == list(view.legal)
    else:
        assert view.playable == ()
    if view.playable:
        seats: list[int] = []
        twin = deal.copy()
        twin.apply(view.playable[0])
        while len(twin.view(0).trick_winners) == len(view.trick_winners) and twin.seat is not None:
            if not seats or seats[-1] != twin.seat:
                seats.append(twin.seat)
            twin.apply(choose(twin, random.Random(0)))
        assert view.later_seats == tuple(seats[: len(view.later_seats)])
        assert len(trick.cards) + 1 + len(view.later_seats) == len(view.seats_in_play)


def voids_are_true(deal: Deal) -> int:
    """No hand holds a card of a suit that it was proved to be void in; how many were proved."""
    view, proved = deal.view(0), 0
    for seat in range(deal.variant.players):
        if void := view.void_in(seat):
            assert not {card.suit for card in deal.view(seat).hand} & set(void)
            proved += len(void)
    return proved


def keeps_its_word(start: Start) -> None:
    deal, generator = start.deal(), start.random()
    while True:
        voids_are_true(deal)
        if deal.seat is None or generator.random() < 0.05:
            view = deal.view(generator.randrange(start.variant.players))
            the_trick_is_told(view, deal)
            the_same_elsewhere(view)
            every_void_has_its_trick(view)
            everybody_knows_the_same_voids(deal)
        if deal.seat is None:
            break
        if generator.random() < 0.1:
            the_trick_is_told(deal.view(deal.seat), deal)
        deal.apply(choose(deal, generator))
    the_strongest_card_wins(start.position().view(0))


def every_void_has_its_trick(view: View) -> None:
    """What is shown is what `lacks` says of each card of each trick."""
    told = [
        (number, seat, suits)
        for number, trick in enumerate((*view.tricks, view.trick))
        for seat, card in trick.plays[1:]
        if (suits := view.lacks(trick.cards[0], card))
    ]
    assert list(view.voids_shown) == told


def everybody_knows_the_same_voids(deal: Deal) -> None:
    players = range(deal.variant.players)
    views = [deal.view(seat) for seat in players]
    for seat in players:
        assert len({view.void_in(seat) for view in views}) == 1


def the_same_elsewhere(view: View) -> None:
    """A view can be copied, and sent to another process."""
    view.clock, view.number, view.seed = Clock(bank=1, increment=2, limit=3, latency=4), 5, b"own"
    again: View
    for again in (copy(view), deepcopy(view), pickle.loads(pickle.dumps(view))):
        assert again == view
        assert (again.clock, again.number, again.seed) == (view.clock, 5, b"own")
        assert again.variant.game is view.variant.game
        assert again.to_json() == view.to_json()


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_the_helpers_agree_with_the_deal(variant: Variant, draws: str) -> None:
    """Strength, the trick, voids, and copies, on deals of every variant."""
    examine(keeps_its_word, variant, draws, examples=2)


@pytest.mark.parametrize("game", FOLLOWED)
def test_voids_are_proved(game: str) -> None:
    """Every game in which suit is followed proves voids, and takes some proofs back."""
    variant = parse_variant(game if game != "frap" else "frap/4")
    proved = taken_back = 0
    for number in range(40):
        start = start_of(variant, number)
        deal, generator = start.deal(), start.random()
        before = [""] * variant.players
        while deal.seat is not None:
            deal.apply(choose(deal, generator))
            now = [deal.view(0).void_in(seat) for seat in range(variant.players)]
            proved += now != before
            taken_back += any(set(b) - set(n) for b, n in zip(before, now, strict=True))
            before = now
    assert proved > 20
    assert (taken_back > 0) == (game != "frap")  # where nobody draws, a proof stands


@pytest.mark.parametrize("text", [*FOLLOWED[:3], "frusta?follow=free-discard", "frap/3", "frap/6"])
def test_worlds_assume_what_is_proved(text: str) -> None:
    """No sampled world gives a seat a card of a suit that it was proved to be void in."""
    variant = parse_variant(text)
    proved = 0
    for number in range(60):
        start = start_of(variant, number)
        deal, generator = start.position(), start.random("worlds")
        view = deal.view(generator.randrange(variant.players))
        for world in view.worlds(2, generator):
            proved += voids_are_true(world)
            assert world.view(view.seat) == view
    assert proved > 10


@pytest.mark.parametrize("text", ["briscola/2", "briscola/4", "briscola-chiamata"])
def test_games_without_following_prove_no_void(text: str) -> None:
    """In Briscola anything may be played, so that no play proves anything."""
    deal = start_of(parse_variant(text), 3).finished()
    assert {deal.view(0).void_in(seat) for seat in range(deal.variant.players)} == {""}


def test_a_card_drawn_face_down_ends_a_proof() -> None:
    """Frusta: who does not follow is void until he loses a trick of the first stage."""
    variant = parse_variant("frusta")
    ended = 0
    for number in range(40):
        deal, generator = start_of(variant, number).deal(), random.Random(number)
        while deal.seat is not None:
            view = deal.view(0)
            assert isinstance(view, FrustaView)
            before = [view.void_in(seat) for seat in (0, 1)]
            finished, stage = len(view.trick_winners), view.stage
            deal.apply(choose(deal, generator))
            after = deal.view(0)
            if stage == 1 and len(after.trick_winners) > finished:
                loser = 1 - after.trick_winners[-1]
                assert after.void_in(loser) == ""
                ended += bool(before[loser])
    assert ended


def test_worlds_are_drawn_by_the_views_own_generator() -> None:
    """Without a generator the same decision gets the same worlds; `mazzo.worlds` makes them."""
    view = start_of(parse_variant("briscola/2"), 1).position().view(0)
    view.seed, view.number = b"seed", 3
    first = [world.shuffles for world in view.worlds(5)]
    assert first == [world.shuffles for world in view.worlds(5)]
    assert len({str(shuffles) for shuffles in first}) > 1
    sampler, rng = worlds.Sampler(view), view.random
    assert first == [sampler.sample(rng).shuffles for _ in range(5)]
    view.number = 4
    assert first != [world.shuffles for world in view.worlds(5)]


def test_an_action_by_its_code() -> None:
    """The legal action; otherwise an error that lists what is legal."""
    variant = parse_variant("briscola/2")
    deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0)
    view = deal.view(1)
    assert view.action(view.legal[1].code) is view.legal[1]
    others = [card.code for card in variant.game.pack.cards if card not in view.hand]
    codes = " ".join(card.code for card in view.hand)
    for code in (others[0], "say:mine", "xx", ""):
        with pytest.raises(BotError, match=rf"expected a legal action \({codes}\), got {code!r}"):
            view.action(code)
    with pytest.raises(BotError, match="not to move"):
        deal.view(0).action(view.legal[0].code)


def test_hidden_cards_are_those_that_others_may_hold() -> None:
    """Briscola: the trump card is hidden nowhere, but may be held once it was drawn."""
    seen = set()
    for number in range(200):
        deal = start_of(parse_variant("briscola/4"), number).position()
        view = deal.view(number % 4)
        assert isinstance(view, BriscolaView)
        others = mask_of(view.hidden)
        assert list(view.hidden) == sorted(view.hidden)
        assert set(view.unseen) <= set(view.hidden) <= {*view.unseen, view.trump_card}
        for seat in range(4):
            if seat != view.seat:
                assert not deal.view(seat).hand_mask & ~others
        held = view.trump_holder not in (None, view.seat)
        assert (view.trump_card in view.hidden) == held
        seen.add(held)
    assert seen == {True, False}


def test_the_partner_of_a_caller_is_told_once_known() -> None:
    """Chiamata: partners are known ones; the others learn them when the card is played."""
    known = 0
    for number in range(60):
        deal = start_of(parse_variant("briscola-chiamata"), number).position()
        for seat in range(5):
            view = deal.view(seat)
            assert isinstance(view, ChiamataView)
            partner = view.known_partner
            assert view.partners == (() if partner is None else (partner,))
            known += partner is not None
    assert known


def test_actions_are_the_same_elsewhere() -> None:
    """An action that was copied or pickled has its number, code and card."""
    for game in GAMES.values():
        for action in game.actions:
            for again in (copy(action), deepcopy(action), pickle.loads(pickle.dumps(action))):
                assert type(again) is Action
                assert (int(again), again.code) == (int(action), action.code)
                assert again.card is action.card


def test_a_game_and_a_variant_are_the_same_elsewhere() -> None:
    """There is one of each game in a process, whatever comes from another."""
    for game in GAMES.values():
        variant = Variant.of(game, game.players[-1])
        for again in (deepcopy(variant), pickle.loads(pickle.dumps(variant))):
            assert again == variant
            assert again.game is game


def test_an_unread_view_can_be_sent() -> None:
    """A decision that the bot has not looked at yet goes to another process whole."""
    deal = start_of(parse_variant("frap/3"), 4).position()
    view = deal.view(1)
    started = play_pb2.MatchStarted(variant=view.variant.text, bot_seed=b"own")
    decision = play_pb2.Decision(number=7, bank_seconds=2, view=codec.encode_view(view))
    unread = codec.MatchReader.of(started).view(decision)
    again: View = pickle.loads(pickle.dumps(unread))
    assert (again, again.number, again.seed) == (view, 7, b"own")


def test_a_trick_that_is_empty_has_no_winner() -> None:
    """As on the table before a lead."""
    assert Trick(seats=(0, 1), cards=()).winner_so_far is None
