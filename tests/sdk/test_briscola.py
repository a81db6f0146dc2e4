"""Briscola, rule by rule.

The tests are named after the numbered rules of the game's file.
"""

from __future__ import annotations

import random
from itertools import permutations
from typing import cast

import pytest
from hypothesis import given

from mazzo.cards import ITALIAN
from mazzo.errors import BadRecordError
from mazzo.games import parse_variant
from mazzo.games.briscola import BRISCOLA, POINTS, BriscolaDeal
from mazzo.match import MatchFormat
from mazzo.shuffle import GivenShuffles
from support import reference_briscola as reference
from support.strategies import (
    Start,
    all_variants,
    choose,
    legal_codes,
    play,
    starts,
)

PLAYERS = [2, 3, 4, 6]
SEATS = [(players, dealer) for players in PLAYERS for dealer in range(players)]


def lay_out(
    text: str, deck: list[str], *, dealer: int = 0, draws: str | None = None
) -> BriscolaDeal:
    """A deal of this variant from a pack of codes, top first."""
    variant = parse_variant(text)
    shuffle = [int(ITALIAN.parse(code)) for code in deck]
    deal = variant.game.deal(variant, GivenShuffles([shuffle]), dealer=dealer, draws=draws)
    return cast(BriscolaDeal, deal)


def stacked(text: str, hands: list[str], trump_card: str, stock: str = "") -> BriscolaDeal:
    """A deal with these hands by seat, seat 0 leading; the other cards fill up, ascending."""
    players = parse_variant(text).players
    fixed = [hand.split() for hand in hands]
    named = [*(card for hand in fixed for card in hand), trump_card, *stock.split()]
    others = iter(card for card in reference.pack(players) if card not in named)
    deck: list[str] = []
    for hand in [*fixed, *([] for _ in range(players - len(fixed)))]:
        deck += hand
        deck += [next(others) for _ in range(3 - len(hand))]
    return lay_out(text, [*deck, trump_card, *stock.split(), *others], dealer=players - 1)


def act(deal: BriscolaDeal, codes: str) -> None:
    """Take these actions, one after the other."""
    for code in codes.split():
        deal.apply(BRISCOLA.parse_action(code))


def hand(deal: BriscolaDeal, seat: int) -> set[str]:
    return {card.code for card in deal.hand(seat)}


def shuffled_pack(players: int, seed: int = 1) -> list[str]:
    deck = reference.pack(players)
    random.Random(seed).shuffle(deck)
    return deck


# What is in the pack, and what it is worth.


@pytest.mark.parametrize(("players", "size"), [(2, 40), (3, 39), (4, 40), (6, 36)])
def test_pack_for_each_number_of_players(players: int, size: int) -> None:
    """The pack: three players leave out 2d, six all the 2s; nobody may smuggle one in."""
    deck = shuffled_pack(players)
    assert len(deck) == size
    lay_out(f"briscola/{players}", deck)
    full = [card.code for card in ITALIAN.cards]
    if size < 40:
        with pytest.raises(BadRecordError):
            lay_out(f"briscola/{players}", full)
    with pytest.raises(BadRecordError):
        lay_out(f"briscola/{players}", deck[1:])


def test_points_of_the_cards() -> None:
    """A 11, 3 10, K 4, H 3, J 2, others 0; 120 in all, and so without the 2s."""
    assert {card.code: POINTS[card] for card in ITALIAN.cards} == {
        card: reference.WORTH[card[0]] for card in reference.pack(2)
    }
    for players in PLAYERS:
        assert sum(reference.WORTH[card[0]] for card in reference.pack(players)) == 120


@pytest.mark.parametrize(
    ("players", "sides"),
    [
        (2, ((0,), (1,))),
        (3, ((0,), (1,), (2,))),
        (4, ((0, 2), (1, 3))),
        (6, ((0, 2, 4), (1, 3, 5))),
    ],
)
def test_teams(players: int, sides: tuple[tuple[int, ...], ...]) -> None:
    """Two and three play each for themselves, four and six in two teams; views say so."""
    deal = lay_out(f"briscola/{players}", shuffled_pack(players))
    assert deal.variant.sides == sides
    for side in sides:
        for seat in side:
            assert deal.view(seat).partners == tuple(other for other in side if other != seat)


# Rule 1: the deal.


@pytest.mark.parametrize(("players", "dealer"), SEATS)
def test_rule_1_three_cards_at_a_time_from_the_first_seat_on(players: int, dealer: int) -> None:
    """Rule 1: seat D+1+k gets indices 3k to 3k+2 of the pack."""
    deck = shuffled_pack(players)
    deal = lay_out(f"briscola/{players}", deck, dealer=dealer)
    for k in range(players):
        seat = (dealer + 1 + k) % players
        assert hand(deal, seat) == set(deck[3 * k : 3 * k + 3])
        assert {card.code for card in deal.view(seat).hand} == set(deck[3 * k : 3 * k + 3])


def test_rule_1_two_players_by_hand() -> None:
    """Rule 1: indices 0-2 to the non-dealer, 3-5 to the dealer, 6 is the trump card."""
    deck = shuffled_pack(2)
    deal = lay_out("briscola/2", deck, dealer=1)
    assert hand(deal, 0) == set(deck[0:3])
    assert hand(deal, 1) == set(deck[3:6])
    assert deal.view(0).trump_card.code == deck[6]


@pytest.mark.parametrize(("players", "dealer"), SEATS)
def test_rule_1_trump_card_is_shown_to_all_and_lies_under_the_stock(
    players: int, dealer: int
) -> None:
    """Rule 1: index 3N is shown, its suit is trump, and it is the last of the stock."""
    deck = shuffled_pack(players, seed=dealer)
    deal = lay_out(f"briscola/{players}", deck, dealer=dealer)
    stock = [card.code for card in deal.stock()]
    assert stock == [*deck[3 * players + 1 :], deck[3 * players]]
    for seat in range(players):
        view = deal.view(seat)
        assert view.trump_card.code == deck[3 * players]
        assert view.trump == deck[3 * players][1]
        assert view.trump_holder is None
        assert view.stock_count == len(deck) - 3 * players
        assert list(view.hand_counts) == [3] * players


# Rule 2: leading and playing.


@pytest.mark.parametrize(("players", "dealer"), SEATS)
def test_rule_2_first_seat_leads_and_play_goes_round(players: int, dealer: int) -> None:
    """Rule 2: seat D+1 leads the first trick, then play goes in seat order."""
    deal = lay_out(f"briscola/{players}", shuffled_pack(players), dealer=dealer)
    for k in range(players):
        assert deal.seat == (dealer + 1 + k) % players
        assert deal.view(deal.seat).trick.leader == (dealer + 1) % players
        deal.apply(int(deal.hand(deal.seat)[0]))


@given(starts(parse_variant("briscola/4?talk=off")))
def test_rule_2_any_card_may_be_played(start: Start) -> None:
    """Rule 2: the legal actions are the whole hand, whatever was led."""
    deal = cast(BriscolaDeal, start.deal())
    generator = start.random()
    while deal.seat is not None:
        assert legal_codes(deal) == [card.code for card in deal.hand(deal.seat)]
        deal.apply(choose(deal, generator))


def test_rule_2_nobody_has_to_follow_suit_or_to_trump() -> None:
    """Rule 2: with the suit led and a trump in hand, a third suit may be thrown off."""
    deal = stacked("briscola/2", ["As", "4s 2c 5b"], "7c")
    act(deal, "As")
    assert legal_codes(deal) == ["2c", "4s", "5b"]
    act(deal, "5b")
    assert deal.seat == 0


# Rule 3: who wins the trick.

TRICKS = [  # trump cups; one card a seat, seat 0 leading; the winner and the points won
    ("Kb 3b", 1, 14),
    ("As 2c", 1, 11),
    ("7d 5d", 0, 0),
    ("2d As", 0, 11),
    ("5d 7d", 1, 0),
    ("Kd 3d", 1, 14),
    ("Ad 3d", 0, 21),
    ("3d Ad", 1, 21),
    ("2c Ad", 0, 11),
    ("2c 4c", 1, 0),
    ("Kc 3c", 1, 14),
    ("Ac 3c", 0, 21),
    ("Js Hs", 1, 5),
    ("Hs Ks", 1, 7),
    ("7s Js", 1, 2),
    ("As Ab Ad", 0, 33),
    ("4s Ab 5s", 2, 11),
    ("4s 4c As", 1, 11),
    ("4s 4c 5c", 2, 0),
    ("4c As 5s 6s", 0, 11),
    ("4s 4c 5c 6c", 3, 0),
    ("4s Ab Ad 3b", 0, 32),
    ("4s 6c Ad 5c", 1, 11),
    ("6d 5d Jd Kd 3b 4d", 3, 16),
    ("4s Ab 4c Ac As 3c", 3, 43),
]


@pytest.mark.parametrize(("trick", "winner", "points"), TRICKS, ids=[row[0] for row in TRICKS])
def test_rule_3_worked_examples(trick: str, winner: int, points: int) -> None:
    """Rule 3: the highest trump, else the highest card of the suit led."""
    cards = trick.split()
    spare = next(card for card in ["Hc", "7c"] if card not in cards)
    deal = stacked(f"briscola/{len(cards)}", cards, spare)
    for card in cards:
        assert deal.seat == cards.index(card)
        act(deal, card)
    view = deal.view(0)
    assert deal.seat == view.trick_leader == winner
    assert view.tricks[0].winner == winner
    assert view.points == tuple(points if seat == winner else 0 for seat in range(len(cards)))


@pytest.mark.parametrize("trump_card", ["7d", "7c", "7s", "7b"])
def test_rule_3_every_pair_of_cards(trump_card: str) -> None:
    """Rule 3: every lead against every answer, with every suit as trump."""
    low_to_high = "24567JHK3A"
    for led, answer in permutations(reference.pack(2), 2):
        if trump_card in (led, answer):
            continue
        deal = stacked("briscola/2", [led, answer], trump_card)
        act(deal, f"{led} {answer}")
        if led[1] == answer[1]:
            follower_wins = low_to_high.index(answer[0]) > low_to_high.index(led[0])
        else:
            follower_wins = answer[1] == trump_card[1]
        assert deal.seat == int(follower_wins), (led, answer, trump_card)


# Rule 4: drawing.


@pytest.mark.parametrize("draws", ["top", "seats"])
@pytest.mark.parametrize(
    ("players", "rounds", "tricks"), [(2, 17, 20), (3, 10, 13), (4, 7, 10), (6, 3, 6)]
)
def test_rule_4_rounds_of_drawing(players: int, rounds: int, tricks: int, draws: str) -> None:
    """Rule 4: how many tricks are followed by drawing, with every number of players."""
    deal = lay_out(f"briscola/{players}", shuffled_pack(players), draws=draws)
    counted = drawn = 0
    generator = random.Random(players)
    while deal.seat is not None:
        before = len(deal.stock())
        play(deal, generator, most=1)
        if (won := len(deal.view(0).tricks)) > counted:
            counted = won
            drawn += len(deal.stock()) < before
            assert before - len(deal.stock()) in (0, players)
    assert (drawn, counted) == (rounds, tricks)


def test_rule_4_winner_draws_first_then_the_others_in_seat_order() -> None:
    """Rule 4: four players, seat 2 wins, and takes the top card; 3, 0 and 1 the next ones."""
    deal = stacked("briscola/4?talk=off", ["4s", "5s", "As", "6s"], "2c", "Ad Kd Hd Jd")
    act(deal, "4s 5s As 6s")
    for seat, card in [(2, "Ad"), (3, "Kd"), (0, "Hd"), (1, "Jd")]:
        assert card in hand(deal, seat)


def test_rule_4_two_players_the_loser_gets_the_trump_card() -> None:
    """Rule 4: the trump card is drawn last, by the loser of the 17th trick, and all know it."""
    deal = lay_out("briscola/2", shuffled_pack(2), dealer=1)
    play(deal, random.Random(5), most=33)
    loser_known = {deal.view(seat).trump_holder for seat in (0, 1)}
    assert loser_known == {None}
    assert deal.view(0).stock_count == 2
    play(deal, random.Random(6), most=1)
    winner = deal.view(0).tricks[16].winner
    assert winner is not None
    trump_card = deal.view(0).trump_card
    assert trump_card in deal.hand(1 - winner)
    assert deal.view(0).trump_holder == deal.view(1).trump_holder == 1 - winner
    assert deal.view(0).stock_count == 0


@pytest.mark.parametrize("draws", ["top", "seats"])
def test_rule_4_six_players_draw_4_5_0_1_2_3(draws: str) -> None:
    """Rule 4, the example: seat 4 wins trick 3, so the trump card goes to seat 3."""
    found = 0
    for seed in range(60):
        deal = lay_out("briscola/6?talk=off", shuffled_pack(6, seed), dealer=seed % 6, draws=draws)
        play(deal, random.Random(seed), most=17)
        last_round = deal.stock()
        held = [set(deal.hand(seat)) for seat in range(6)]
        held[deal.seat or 0].clear()
        play(deal, random.Random(seed), most=1)
        if deal.view(0).tricks[2].winner != 4:
            continue
        found += 1
        assert deal.view(0).trump_holder == 3
        if draws == "top":
            for seat, card in zip([4, 5, 0, 1, 2, 3], last_round, strict=True):
                assert card in deal.hand(seat)
        else:
            first = (seed % 6 + 1) % 6
            bound = [seat % 6 for seat in range(first, first + 6) if seat % 6 != 3]
            for seat, card in zip([*bound, 3], last_round, strict=True):
                assert card in deal.hand(seat)
    assert found >= 5


@pytest.mark.parametrize("players", PLAYERS)
def test_rule_4_drawn_cards_are_private_but_the_trump_card_is_known(players: int) -> None:
    """Rule 4: until it is played, every view says who holds the drawn trump card."""
    deal = lay_out(f"briscola/{players}", shuffled_pack(players))
    generator = random.Random(players)
    while deal.seat is not None:
        play(deal, generator, most=1)
        trump_card = deal.view(0).trump_card
        holders = [seat for seat in range(players) if trump_card in deal.hand(seat)]
        for seat in range(players):
            view = deal.view(seat)
            assert view.trump_holder == (holders[0] if holders else None)
            assert view.hand == deal.hand(seat)


@pytest.mark.parametrize(("players", "dealer"), SEATS)
def test_rule_4_seats_mode_binds_cards_to_seats(players: int, dealer: int) -> None:
    """Drawing mode `seats`: whoever wins, each seat gets the same cards, save in the last round.

    In round r the stock's cards rN to rN+N-1 belong to the seats from D+1 on.
    """
    deck = shuffled_pack(players, seed=9)
    stock = deck[3 * players + 1 :]
    bound: list[set[str]] = [set() for _ in range(players)]
    for place, card in enumerate(stock[: len(stock) // players * players]):
        bound[(dealer + 1 + place) % players].add(card)
    text = f"briscola/{players}"
    got: list[list[set[str]]] = []
    for seed in range(6):
        deal = lay_out(text, deck, dealer=dealer, draws="seats")
        had = [hand(deal, seat) for seat in range(players)]
        generator = random.Random(seed)
        while deal.seat is not None and len(deal.stock()) > players:
            play(deal, generator, most=1)
            for seat in range(players):
                had[seat] |= hand(deal, seat)
        got.append(had)
        start = [
            set(deck[3 * k : 3 * k + 3])
            for k in ((seat - dealer - 1) % players for seat in range(players))
        ]
        assert had == [first | later for first, later in zip(start, bound, strict=True)]
    assert all(had == got[0] for had in got)


def test_rule_4_top_mode_lets_the_winner_have_the_top_card() -> None:
    """Drawing mode `top` is the default and depends on who wins; `seats` does not."""
    ends = {}
    for draws in (None, "top", "seats"):
        for wins in (0, 1):
            hands = ["As 4s", "3s 5s"] if wins == 0 else ["4s As", "5s 3s"]
            deal = stacked("briscola/2", hands, "2c", "Ad Kd")
            deck = [ITALIAN.cards[card].code for card in deal.shuffles[0]]
            deal = lay_out("briscola/2", deck, dealer=1, draws=draws)
            act(deal, "As 3s" if wins == 0 else "4s 5s")
            ends[draws, wins] = "Ad" in hand(deal, 0)
    assert ends == {
        (None, 0): True,
        (None, 1): False,
        ("top", 0): True,
        ("top", 1): False,
        ("seats", 0): True,
        ("seats", 1): True,
    }


# Rule 5: the next lead, and the end.


@pytest.mark.parametrize("players", PLAYERS)
def test_rule_5_winner_leads_and_the_deal_ends_with_empty_hands(players: int) -> None:
    """Rule 5: each trick's winner leads the next; the deal ends exactly when hands are empty."""
    deal = lay_out(f"briscola/{players}", shuffled_pack(players))
    generator = random.Random(players)
    while deal.seat is not None:
        assert any(deal.hand(seat) for seat in range(players))
        assert deal.scores is None
        assert deal.result is None
        play(deal, generator, most=1)
        view = deal.view(0)
        if view.tricks and not view.trick_cards:
            assert deal.seat in (view.tricks[-1].winner, None)
            assert view.trick_leader == view.tricks[-1].winner
    assert not any(deal.hand(seat) for seat in range(players))
    tricks = deal.view(0).tricks
    assert [trick.leader for trick in tricks[1:]] == [trick.winner for trick in tricks[:-1]]
    assert len(tricks) == {2: 20, 3: 13, 4: 10, 6: 6}[players]


# Rule 6: scores and result.


@given(starts())
def test_rule_6_scores_and_result(start: Start) -> None:
    """Rule 6: card points taken, teams together; the last trick; 120 points a deal."""
    if start.variant.game is not BRISCOLA:
        return
    deal = cast(BriscolaDeal, start.finished())
    scores, result = deal.scores, deal.result
    assert scores is not None
    assert result is not None
    tricks = deal.view(0).tricks
    took = [0] * start.variant.players
    for trick in tricks:
        assert trick.winner is not None
        took[trick.winner] += sum(reference.WORTH[card.rank] for card in trick.cards)
    assert sum(took) == 120
    assert result == {"points": took, "last": tricks[-1].winner}
    for side in start.variant.sides:
        for seat in side:
            assert scores[seat] == sum(took[member] for member in side)


def test_rule_6_the_deal_is_played_out_after_61_points() -> None:
    """Rule 6: more than half of the points end nothing."""
    beyond = 0
    for seed in range(10):
        deal = lay_out("briscola/2", shuffled_pack(2, seed))
        play(deal, random.Random(seed), most=38)
        beyond += max(deal.view(0).points) > 60
        assert deal.seat is not None
    assert beyond


def deal_with_scores(text: str, wanted: tuple[int, ...]) -> BriscolaDeal:
    """A finished deal with these points by side, found by playing at random."""
    variant = parse_variant(text)
    for seed in range(20_000):
        deal = lay_out(text, shuffled_pack(variant.players, seed), dealer=0)
        play(deal, random.Random(seed))
        assert deal.scores is not None
        if tuple(deal.scores[side[0]] for side in variant.sides) == wanted:
            return deal
    raise AssertionError(f"no deal of {text} with {wanted}")


@pytest.mark.parametrize("players", [2, 4, 6])
def test_rule_6_level_deals_are_drawn(players: int) -> None:
    """Rule 6: 60-60 is drawn: both sides are level at the top."""
    deal = deal_with_scores(f"briscola/{players}?tie=replay", (60, 60))
    assert BRISCOLA.deal_winners(deal) == (0, 1)
    assert deal.scores == (60,) * players


@pytest.mark.parametrize("players", [2, 4, 6])
def test_rule_6_highest_score_wins_the_deal(players: int) -> None:
    """Rule 6: a single point decides."""
    assert BRISCOLA.deal_winners(deal_with_scores(f"briscola/{players}", (61, 59))) == (0,)
    assert BRISCOLA.deal_winners(deal_with_scores(f"briscola/{players}", (59, 61))) == (1,)


def test_rule_6_three_players_share_a_tie() -> None:
    """Rule 6: with three players those level at the top share the deal, the third does not."""
    winners: dict[tuple[int, ...], int] = {}
    for seed in range(400):
        deal = lay_out("briscola/3", shuffled_pack(3, seed))
        play(deal, random.Random(seed))
        assert deal.scores is not None
        best = max(deal.scores)
        level = tuple(seat for seat in range(3) if deal.scores[seat] == best)
        assert BRISCOLA.deal_winners(deal) == level
        winners[level] = winners.get(level, 0) + 1
    assert any(len(level) == 2 for level in winners)


def test_an_unfinished_deal_has_no_winner() -> None:
    """Asking too early is a mistake of the caller, and said so."""
    with pytest.raises(ValueError, match="not over"):
        BRISCOLA.deal_winners(lay_out("briscola/2", shuffled_pack(2)))


# Rule 7: the match, and ties.


@pytest.mark.parametrize(
    ("players", "expected"), [(2, "best-of:3"), (3, "deals:3"), (4, "best-of:3"), (6, "best-of:3")]
)
def test_rule_7_default_match_formats(players: int, expected: str) -> None:
    """Rule 7: best-of:3 for 2, 4 and 6 players, deals:3 for 3, with any options."""
    for variant in all_variants(BRISCOLA):
        if variant.players == players:
            text = BRISCOLA.default_match_format(variant)
            assert str(MatchFormat.parse(text)) == expected
    assert BRISCOLA.counts_wins


@pytest.mark.parametrize("players", [2, 4, 6])
def test_rule_7_option_tie_last_trick(players: int) -> None:
    """Rule 7, the ruling: at 60-60 the side that won the last trick wins; the scores stay."""
    deal = deal_with_scores(f"briscola/{players}?tie=last-trick", (60, 60))
    assert deal.result is not None
    last = deal.view(0).tricks[-1].winner
    assert last is not None
    assert BRISCOLA.deal_winners(deal) == (last % 2,)
    assert deal.scores == (60,) * players
    decided = deal_with_scores(f"briscola/{players}?tie=last-trick", (61, 59))
    assert BRISCOLA.deal_winners(decided) == (0,)


def test_rule_7_option_tie_has_no_effect_with_three_players() -> None:
    """Rule 7: with three players the option is dropped from the variant."""
    assert parse_variant("briscola/3?tie=last-trick") == parse_variant("briscola/3")
    assert str(parse_variant("briscola/3?tie=last-trick")) == "briscola/3"


# The view's own helpers.


@given(starts())
def test_view_tells_what_the_rules_list(start: Start) -> None:
    """View: past tricks with winners, unseen cards, the winner so far, worth of cards."""
    if start.variant.game is not BRISCOLA:
        return
    deal = cast(BriscolaDeal, start.position())
    cards = set(reference.pack(start.variant.players))
    for seat in range(start.variant.players):
        view = deal.view(seat)
        played = {event.action.code for event in view.history if event.action.card is not None}
        known = played | hand(deal, seat) | {view.trump_card.code}
        assert {card.code for card in view.unseen} == cards - known
        assert {card.code for trick in view.tricks for card in trick.cards} | {
            card.code for card in view.trick.cards
        } == played
        best = view.winner_so_far
        assert (best is None) == (not view.trick.cards)
        if best is not None:
            table = [(other, card.code) for other, card in view.trick.plays]
            suit = view.trump if any(code[1] == view.trump for _, code in table) else table[0][1][1]
            suited = [play for play in table if play[1][1] == suit]
            top = max(suited, key=lambda play: "24567JHK3A".index(play[1][0]))
            assert (best[0], best[1].code) == top
        for card in ITALIAN.cards:
            assert view.card_points(card) == reference.WORTH[card.rank]


def test_a_deal_inherits_nothing() -> None:
    """The deal record's `start` has nothing to say for this game."""
    variant = parse_variant("briscola/2")
    with pytest.raises(BadRecordError, match="inherits nothing"):
        BRISCOLA.deal(variant, GivenShuffles([list(range(40))]), dealer=0, start={"pot": 24})
