"""The examples of the rules against the reference of Frap, and what holds in every deal."""

from __future__ import annotations

import random

import pytest

from support.reference_frap import ACTIONS, CARDS, ReferenceFrap, pack, playable

STOCK = {2: 23, 3: 19, 4: 15, 5: 15, 6: 27, 7: 23, 8: 19, 9: 15, 10: 11, 11: 7, 12: 3}
LIMIT = {2: 4, 3: 4, 4: 3, 5: 3, 6: 4, 7: 3, 8: 3, 9: 3, 10: 3, 11: 3, 12: 3}


def arranged(hands: list[str], trump: str) -> list[list[str]]:
    """The only shuffle of a deal from seat 0 on that gives these hands and this trump card.

    A hand is given as its cards with spaces between them; an empty one is filled up.
    """
    named = [card for text in [*hands, trump] for card in text.split()]
    others = [card for card in pack(len(hands)) if card not in named]
    full = [hand.split() or [others.pop(0) for _ in range(4)] for hand in hands]
    return [[*(hand[k] for k in range(4) for hand in full), trump, *others]]


def follow(deal: ReferenceFrap, script: str) -> None:
    """Apply `seat code` pairs, written `0 look, 0 pass`."""
    for step in script.split(", "):
        seat, code = step.split()
        assert deal.to_move == int(seat), step
        deal.apply(code)


def play_out(deal: ReferenceFrap, cards: str) -> None:
    """Seat 0 plays these four cards in this order, the others what comes first."""
    order = cards.split()
    while deal.to_move is not None:
        deal.apply(order.pop(0) if deal.to_move == 0 else deal.legal()[0])


def test_numbers_of_the_actions() -> None:
    assert len(ACTIONS) == 113
    assert ACTIONS[:3] == ["2c", "3c", "4c"]
    assert ACTIONS[51:54] == ["As", "look", "blind"]
    assert ACTIONS[57:63] == [
        *("stand", "undercut:stock", "undercut:trump", "decline"),
        *("discard:2c", "discard:3c"),
    ]
    assert ACTIONS[112] == "discard:As"


@pytest.mark.parametrize("players", STOCK)
def test_stock_after_the_deal_and_limit(players: int) -> None:
    deal = ReferenceFrap(players, {}, 0, [pack(players)])
    assert len(deal.stock) == STOCK[players]
    assert deal.draw_limit == LIMIT[players]
    assert deal.trump_card not in deal.stock


@pytest.mark.parametrize(
    ("players", "deck", "stock", "limit"), [(5, "52", 31, 4), (6, "36", 11, 3)]
)
def test_other_deck(players: int, deck: str, stock: int, limit: int) -> None:
    deal = ReferenceFrap(players, {"deck": deck}, 0, [pack(players, deck)])
    assert len(deal.stock) == stock
    assert deal.draw_limit == limit


def test_cards_are_dealt_one_at_a_time() -> None:
    deck = pack(3)
    deal = ReferenceFrap(3, {}, 1, [deck])
    assert deal.to_move == 2
    assert deal.hands[2] == [deck[0], deck[3], deck[6], deck[9]]
    assert deal.hands[1] == [deck[2], deck[5], deck[8], deck[11]]
    assert deal.trump_card == deck[12]
    assert deal.stock == deck[13:]


def test_example_of_a_deal() -> None:
    shuffles = arranged(["", "Ad Ks Th 7c", "As 7d Qh 8c"], "Kd")
    deal = ReferenceFrap(3, {}, 2, shuffles)
    assert deal.opening_pot == 12
    assert deal.legal() == ["look", "blind"]
    follow(deal, "0 look, 0 pass, 1 look, 1 frap, 2 whist, 0 pass, 1 stand")
    assert deal.legal() == ["stand", "discard:8c", "discard:7d", "discard:Qh", "discard:As"]
    follow(deal, "2 stand")
    assert deal.legal() == ["undercut:stock", "undercut:trump", "decline"]
    follow(deal, "0 decline, 1 Ad")
    assert deal.legal() == ["7d"]
    with pytest.raises(ValueError, match="As"):
        deal.apply("As")
    assert deal.legal() == ["7d"]
    follow(deal, "2 7d, 1 Ks, 2 As, 2 Qh, 1 Th, 2 8c")
    assert not deal.scores
    follow(deal, "1 7c")
    assert deal.scores == [-4, -13, 5]
    assert deal.result == {"pot": 12, "tricks": [0, 1, 3], "frapper": 1, "blind": False}
    assert deal.to_move is None
    assert deal.legal() == []
    with pytest.raises(ValueError, match="7c"):
        deal.apply("7c")


def test_example_of_three_rounds_of_passes() -> None:
    deck = pack(4)
    deal = ReferenceFrap(4, {}, 3, [deck])
    pots = [deal.pot]
    for looking in ("look", "", ""):
        for seat in range(4):
            if looking:
                follow(deal, f"{seat} look")
            assert deal.to_move == seat
            assert deal.legal() == ["frap", "pass"]
            deal.apply("pass")
        pots.append(deal.pot)
    assert pots == [16, 32, 48, 64]
    assert deal.dead_trump_cards == deck[16:18]
    assert deal.trump_card == deck[18]
    assert deal.scores == [-16] * 4
    assert deal.result == {"pot": 64, "tricks": [0] * 4, "frapper": None, "blind": False}
    again = ReferenceFrap(4, {}, 3, [deck], {"pot": 64, "ante": False})
    assert again.opening_pot == 64
    assert ReferenceFrap(4, {}, 3, [deck], {"pot": 64}).opening_pot == 80


@pytest.mark.parametrize(
    ("hand", "cards"),
    [("7s Kh 8c", "7s"), ("7h Kh Ac 9d", "7h Kh"), ("8d Qc 9c", "8d Qc 9c")],
)
def test_examples_of_following(hand: str, cards: str) -> None:
    assert playable(hand.split(), "s", "h") == cards.split()
    assert playable(hand.split(), None, "h") == hand.split()


def test_cap_on_passes() -> None:
    deal = ReferenceFrap(2, {"pot-cap": "8"}, 1, [pack(2)], {"pot": 40})
    follow(deal, "0 look, 0 pass, 1 look, 1 pass")
    assert (deal.opening_pot, deal.pot) == (48, 56)
    follow(deal, "0 pass, 1 pass, 0 pass, 1 pass")
    assert deal.scores == [-16, -16]
    assert deal.result == {"pot": 72, "tricks": [0, 0], "frapper": None, "blind": False}


def test_frap_in_a_later_round_and_unopposed() -> None:
    deal = ReferenceFrap(3, {"draw-limit": "3"}, 2, [pack(3)])
    follow(deal, "0 look, 0 pass, 1 look, 1 pass, 2 look, 2 pass, 0 pass, 1 frap, 2 pass, 0 pass")
    # The frapper exchanges although nobody has whisted; at his limit he stands by itself.
    before, top = list(deal.hands[1]), deal.stock[:3]
    for card in before[:3]:
        assert deal.to_move == 1
        deal.apply("discard:" + card)
    assert deal.hands[1] == [before[3], *top]
    follow(deal, "0 decline, 2 decline")
    assert deal.scores == [-8, 16, -8]
    assert deal.result == {"pot": 0, "tricks": [0, 4, 0], "frapper": 1, "blind": False}


def test_discards_leave_the_hand_before_the_cards_come() -> None:
    deal = ReferenceFrap(2, {}, 1, [pack(2)])
    follow(deal, "0 look, 0 frap, 1 whist")
    first, stock = deal.hands[0][0], list(deal.stock)
    deal.apply("discard:" + first)
    assert "discard:" + first not in deal.legal()
    assert "discard:" + stock[0] not in deal.legal()
    assert deal.stock == stock
    deal.apply("stand")
    assert stock[0] in deal.hands[0]
    assert deal.stock == stock[1:]


# Two players, 8 chips in the pot: U is 8, and each trick takes 2.
BLIND = [
    # penalty, trump card, what the frapper keeps and plays in this order, tricks, units to pay
    ("seed", "7d", "8d 7c 7h 7s", 0, 2),
    ("seed", "Ad", "8d 7c 7h 7s", 0, 2),
    ("seed", "7d", "Ad 7c 7h 7s", 1, 4),
    ("seed", "Kd", "Ad 7c 7h 7s", 1, 4),
    ("seed", "Ad", "Ad 7c 7h 7s", 1, 3),
    ("seed", "Ad", "Kd 7c 7h 7s", 1, 3),
    ("seed", "7d", "Ad Kd 7h 7s", 2, 0),
    ("graded", "7d", "8d 7c 7h 7s", 0, 4),
    ("graded", "Ad", "8d 7c 7h 7s", 0, 4),
    ("graded", "7d", "Ad 7c 7h 7s", 1, 2),
    ("graded", "Ad", "Ad 7c 7h 7s", 1, 3),
    ("graded", "Ad", "Ad Kd 7h 7s", 2, 0),
]


@pytest.mark.parametrize(("penalty", "trump", "kept", "tricks", "units"), BLIND)
def test_blind_frapper(penalty: str, trump: str, kept: str, tricks: int, units: int) -> None:
    """He keeps the trump card, and gives the eight of clubs away, or the other way round."""
    thrown = "8c" if trump in kept else trump
    shuffles = arranged([kept.replace(trump, "8c"), "9d Ac Ah As"], trump)
    deal = ReferenceFrap(2, {"blind-penalty": penalty}, 1, shuffles)
    follow(deal, "0 blind, 1 whist")
    five = {*kept.split(), thrown}
    assert deal.legal() == ["discard:" + card for card in CARDS if card in five]
    follow(deal, f"0 discard:{thrown}, 1 stand")
    play_out(deal, kept)
    assert deal.result == {
        "pot": 8 * units,
        "tricks": [tricks, 4 - tricks],
        "frapper": 0,
        "blind": True,
    }
    assert deal.scores == [-4 + 2 * tricks - 8 * units, -4 + 2 * (4 - tricks)]


# the frapper's cards and tricks, and the units that he and the whister pay
SEEING = [("8d 7c 7h 7s", 0, 2, 0), ("Ad 7c 7h 7s", 1, 1, 0), ("Ad Kd Qd Jd", 4, 0, 1)]


@pytest.mark.parametrize(("cards", "tricks", "frapper_pays", "whister_pays"), SEEING)
def test_settlement(cards: str, tricks: int, frapper_pays: int, whister_pays: int) -> None:
    shuffles = arranged([cards, "9d Ac Ah As"], "7d")
    deal = ReferenceFrap(2, {"pot-cap": "16"}, 1, shuffles, {"pot": 40})
    follow(deal, "0 look, 0 frap, 1 whist, 0 stand, 1 stand")
    play_out(deal, cards)
    # The pot of 48 gives 12 a trick, but nobody pays more than 16 a unit.
    assert deal.scores == [
        -4 + 12 * tricks - 16 * frapper_pays,
        -4 + 12 * (4 - tricks) - 16 * whister_pays,
    ]
    assert deal.result is not None
    assert deal.result["pot"] == 16 * (frapper_pays + whister_pays)


def test_blind_frapper_is_asked_though_nobody_whisted() -> None:
    deal = ReferenceFrap(2, {}, 1, [pack(2)])
    follow(deal, "0 blind, 1 pass")
    assert len(deal.legal()) == 5
    deal.apply("discard:" + deal.trump_card)
    # He has taken the trump card, whether he kept it or not.
    assert deal.legal() == ["undercut:stock", "decline"]
    follow(deal, "1 decline")
    assert deal.scores == [4, -4]
    assert deal.result == {"pot": 0, "tricks": [4, 0], "frapper": 0, "blind": True}


def test_blind_frapper_who_draws() -> None:
    deal = ReferenceFrap(2, {"blind-draws": "on"}, 1, [pack(2)])
    follow(deal, "0 blind, 1 whist")
    top = deal.stock[:4]
    deal.apply("discard:" + deal.trump_card)
    assert len(deal.hands[0]) == 4
    for card in list(deal.hands[0]):
        assert deal.legal()[0] == "stand"
        deal.apply("discard:" + card)
    assert deal.hands[0] == top
    assert deal.to_move == 1


def test_undercuts_need_cards() -> None:
    """Ten players: eleven cards of stock, of which the exchange leaves five, then none."""
    deal = ReferenceFrap(10, {}, 9, [pack(10)])
    follow(deal, "0 look, 0 pass, 1 look, 1 frap, 2 whist")
    for seat in (3, 4, 5, 6, 7, 8, 9, 0):
        follow(deal, f"{seat} pass")
    for seat in (1, 2):
        for card in deal.hands[seat][:3]:
            follow(deal, f"{seat} discard:{card}")
    assert (deal.to_move, deal.legal()) == (0, ["undercut:stock", "undercut:trump", "decline"])
    follow(deal, "0 decline, 3 undercut:trump")
    assert deal.trump_card in deal.hands[3]
    assert deal.to_move == 3
    assert len(deal.legal()) == 5
    deal.apply("discard:" + deal.trump_card)
    # One card of stock is left: nobody else is asked, and the undercutter leads.
    assert deal.stock == [CARDS[51]]
    assert deal.to_move == 3
    deal.apply(deal.legal()[0])
    assert deal.to_move == 1


def test_undercut_of_the_stock_leaves_the_trump_card() -> None:
    deal = ReferenceFrap(3, {}, 2, [pack(3)])
    follow(deal, "0 look, 0 frap, 1 pass, 2 pass, 0 stand, 1 undercut:stock")
    deal.apply(deal.legal()[0])
    assert (deal.to_move, deal.legal()) == (2, ["undercut:stock", "decline"])
    follow(deal, "2 undercut:stock")
    deal.apply(deal.legal()[0])
    # The first of the two leads, then seat order.
    for seat in (1, 2, 0):
        assert deal.to_move == seat
        deal.apply(deal.legal()[0])


def test_undercutter_without_a_trick_pays() -> None:
    deal = ReferenceFrap(2, {}, 1, arranged(["Ad Kd Qd Jd", ""], "7d"))
    follow(deal, "0 look, 0 frap, 1 pass, 0 stand, 1 undercut:trump")
    assert "discard:7d" in deal.legal()
    deal.apply("discard:7d")
    assert deal.to_move == 1
    play_out(deal, "Ad Kd Qd Jd")
    assert deal.scores == [4, -12]
    assert deal.result == {"pot": 8, "tricks": [4, 0], "frapper": 0, "blind": False}


def test_no_undercuts_without_the_option() -> None:
    deal = ReferenceFrap(3, {"undercut": "off"}, 0, [pack(3)])
    follow(deal, "1 look, 1 frap, 2 pass, 0 pass, 1 stand")
    assert deal.scores == [-4, 8, -4]


def test_four_cards_are_enough_with_the_trump_card() -> None:
    deal = ReferenceFrap(11, {"draw-limit": "3"}, 10, [pack(11)])
    follow(deal, "0 look, 0 frap")
    for seat in range(1, 11):
        follow(deal, f"{seat} pass")
    for card in deal.hands[0][:3]:
        deal.apply("discard:" + card)
    assert (deal.to_move, deal.legal()) == (1, ["undercut:trump", "decline"])


def test_nobody_is_asked_without_stock() -> None:
    deal = ReferenceFrap(12, {}, 11, [pack(12)])
    follow(deal, "0 blind, 1 whist, 2 whist")
    for seat in range(3, 12):
        follow(deal, f"{seat} pass")
    deal.apply(deal.legal()[0])
    for card in deal.hands[1][:3]:
        follow(deal, f"1 discard:{card}")
    # The second whister finds no stock, and no passer may undercut.
    assert deal.stock == []
    assert deal.to_move == 0
    assert len(deal.legal()) == 4


def random_options(players: int, rng: random.Random) -> dict[str, str]:
    """Some of the options, with any of their values."""
    values = {
        "deck": ["auto", "36", "52"] if players in (5, 6) else ["auto"],
        "ante": ["4", "8", "12"],
        "draw-limit": ["auto", "3", "4"],
        "reante": ["off", "on"],
        "undercut": ["on", "off"],
        "blind-draws": ["off", "on"],
        "blind-penalty": ["seed", "graded"],
        "pot-cap": ["auto", "none", str(4 * players), str(40 * players)],
    }
    return {name: rng.choice(of) for name, of in values.items() if rng.randrange(2)}


def check_deal(deal: ReferenceFrap, rng: random.Random, start_pot: int) -> int:
    """Play a deal at random; return the pot that it leaves."""
    multiple = 4 * deal.players
    # Some tables seldom frap, so that later rounds and thrice-passed deals are seen.
    shy = rng.randrange(3)
    while deal.to_move is not None:
        codes = deal.legal()
        assert codes == sorted(set(codes), key=ACTIONS.index)
        assert deal.pot % multiple == 0
        held = [card for cards in [*deal.hands, *deal.discards, deal.stock] for card in cards]
        assert len(held) == len(set(held))
        code = rng.choice(codes)
        if code in ("blind", "frap") and shy and rng.randrange(shy * deal.players):
            code = "look" if code == "blind" else "pass"
        deal.apply(code)
    assert deal.scores is not None
    assert deal.result is not None
    pot = deal.result["pot"]
    assert isinstance(pot, int)
    assert pot >= 0
    assert pot % multiple == 0
    assert sum(deal.scores) == start_pot - pot
    assert deal.result["frapper"] == deal.frapper
    assert deal.result["tricks"] == deal.tricks
    assert sum(deal.tricks) == (0 if deal.frapper is None else 4)
    return pot


@pytest.mark.parametrize("players", range(2, 13))
def test_what_holds_in_every_deal(players: int) -> None:
    rng = random.Random(players)
    for _ in range(6):
        options = random_options(players, rng)
        start: dict[str, object] = {}
        pot = 0
        for _ in range(5):
            deck = pack(players, options.get("deck", "auto"))
            rng.shuffle(deck)
            deal = ReferenceFrap(players, options, rng.randrange(players), [deck], start)
            pot = check_deal(deal, rng, pot)
            ante = deal.frapper is not None or options.get("reante") == "on"
            start = {"pot": pot, "ante": ante}
