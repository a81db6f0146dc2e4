"""Packs, card ids and codes, as the rules number them."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.cards import FRENCH, ITALIAN, Card, CardError, Pack, bits, mask_of, nth_bit
from mazzo.tricks import beats_table, winning_index

PACKS = [
    (ITALIAN, "A 2 3 4 5 6 7 J H K", "d c s b"),
    (FRENCH, "2 3 4 5 6 7 8 9 T J Q K A", "c d h s"),
]


@pytest.mark.parametrize(("pack", "ranks", "suits"), PACKS, ids=["italian", "french"])
def test_ids_are_suit_index_times_ranks_plus_rank_index(pack: Pack, ranks: str, suits: str) -> None:
    """Rules, "Cards": the id of every card of both packs, and its code, rank then suit."""
    expected = [rank + suit for suit in suits.split() for rank in ranks.split()]
    assert [str(card) for card in pack.cards] == expected
    assert [int(card) for card in pack.cards] == list(range(len(expected)))
    assert len(pack) == len(expected)
    for number, code in enumerate(expected):
        card = pack.parse(code)
        assert (card, card.rank, card.suit, card.code) == (number, code[0], code[1], code)


@pytest.mark.parametrize(
    ("pack", "code", "number"),
    [
        (ITALIAN, "Ad", 0),
        (ITALIAN, "Kd", 9),
        (ITALIAN, "7b", 36),
        (ITALIAN, "Hs", 28),
        (FRENCH, "2c", 0),
        (FRENCH, "Tc", 8),
        (FRENCH, "Ad", 25),
        (FRENCH, "As", 51),
    ],
)
def test_ids_worked_by_hand(pack: Pack, code: str, number: int) -> None:
    """Rules, "Cards": some ids, computed by hand."""
    assert int(pack.parse(code)) == number


@pytest.mark.parametrize(
    "code", ["", "A", "d", "dA", "AD", "ad", " Ad", "Ad ", "Ad\n", "10d", "8d", "Qd", "Ax", "AdAd"]
)
def test_codes_are_compared_exactly(code: str) -> None:
    """Rules, "Actions": codes are compared exactly; the error shows what was given."""
    with pytest.raises(CardError, match="expected a card") as caught:
        ITALIAN.parse(code)
    assert repr(code) in str(caught.value)


@pytest.mark.parametrize("card", [*ITALIAN.cards, *FRENCH.cards], ids=repr)
def test_a_card_survives_repr_and_pickling(card: Card) -> None:
    """House style: `repr` rebuilds; a card pickled for another process is the same card."""
    assert eval(repr(card), {"ITALIAN": ITALIAN, "FRENCH": FRENCH}) is card
    assert pickle.loads(pickle.dumps(card)) is card
    assert f"{card}" == card.code


@given(st.sets(st.integers(min_value=0, max_value=300)))
def test_masks_are_sets(numbers: set[int]) -> None:
    """A bit mask and a set of numbers are the same thing, in ascending order."""
    mask = mask_of(numbers)
    assert mask == sum(2**number for number in numbers)
    assert list(bits(mask)) == sorted(numbers)
    assert [nth_bit(mask, index) for index in range(len(numbers))] == sorted(numbers)


@given(st.sets(st.sampled_from(ITALIAN.cards)))
def test_sets_of_cards_are_shown_in_ascending_id(cards: set[Card]) -> None:
    """Rules, "Cards": sets of cards are shown in ascending id."""
    assert ITALIAN.of(mask_of(cards)) == tuple(sorted(cards))


@pytest.mark.parametrize("trump", [*ITALIAN.suits, None])
def test_a_card_beats_what_the_rules_say(trump: str | None) -> None:
    """The table of trick winners against the sentence: a higher one of the suit, or a trump."""
    order = "A3KHJ76542"
    beats = beats_table(ITALIAN, order, trump)
    for low in ITALIAN.cards:
        for card in ITALIAN.cards:
            if card.suit == low.suit:
                expected = order.index(card.rank) < order.index(low.rank)
            else:
                expected = card.suit == trump
            assert bool(beats[low] >> card & 1) == expected, (low, card, trump)


def test_the_winner_is_found_in_order_of_play() -> None:
    """The index counts plays; one card alone wins; a card of another suit never does."""
    beats = beats_table(ITALIAN, "A3KHJ76542", "c")
    for trick, winner in [
        ("4s", 0),
        ("4s Ab", 0),
        ("4s Ab 5s", 2),
        ("4s 2c 3s 4c Ac 3c", 4),
        ("4s Ab Ad 3b", 0),
    ]:
        cards = [ITALIAN.parse(code) for code in trick.split()]
        assert winning_index(cards, beats) == winner, trick
