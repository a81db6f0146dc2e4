"""Randomness: labels, words, shuffles, commitments, all recomputed here from SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.cards import FRENCH, ITALIAN
from mazzo.errors import BadRecordError
from mazzo.shuffle import (
    GivenShuffles,
    SeededShuffles,
    SeedError,
    Stream,
    StreamRandom,
    bot_seed,
    commitment,
    parse_seed,
    seating_salt,
    shuffle_cards,
)
from support.strategies import deal_numbers, seeds

ZEROS = bytes(32)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def words_by_hand(seed: bytes, label: str) -> Iterator[int]:
    """The words of a label, straight from the sentence in the rules."""
    counter = 0
    while True:
        text = seed + b"\x00" + label.encode("ascii") + b"\x00" + counter.to_bytes(8, "big")
        digest = hashlib.sha256(text).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        counter += 1


def below_by_hand(words: Iterator[int], bound: int) -> int:
    while True:
        word = next(words)
        if word < 2**32 - 2**32 % bound:
            return word % bound


def shuffle_by_hand(seed: bytes, label: str, cards: list[int]) -> list[int]:
    order, words = sorted(cards), words_by_hand(seed, label)
    for i in range(len(order) - 1, 0, -1):
        j = below_by_hand(words, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


class ScriptedStream(Stream):
    """A stream whose words are written down, to meet the rare ones."""

    def __init__(self, words: list[int]) -> None:
        super().__init__(ZEROS, "scripted")
        self._words = words[::-1]

    def digest(self) -> bytes:
        raise AssertionError("more words were drawn than were written down")

    @property
    def left(self) -> list[int]:
        return self._words[::-1]


def test_published_words() -> None:
    """Rules, "Randomness", check: the first words of `first-dealer` for the seed of zeros."""
    stream = Stream(ZEROS, "first-dealer")
    assert [stream.word() for _ in range(3)] == [1628296618, 2224471485, 2359609236]


def test_published_number_below_five() -> None:
    """Rules, "Randomness", check: the first dealer of five."""
    assert Stream(ZEROS, "first-dealer").below(5) == 3


def test_published_shuffle() -> None:
    """Rules, "Randomness", check: the top of the first deal's Italian pack."""
    pack = SeededShuffles(ZEROS, 0).draw("deck", 0, ITALIAN.cards)
    top = " ".join(ITALIAN.cards[card].code for card in pack[:10])
    assert top == "2s Kd 5s 7b 5b As Ab Jd 4d Ac"


@given(seeds(), st.sampled_from(["first-dealer", "deal/0/deck", "bot/3", "substitute/1/20"]))
def test_words_are_one_continuing_stream(seed: bytes, label: str) -> None:
    """Rules, "Randomness": eight big-endian words a digest, counter after counter."""
    stream, by_hand = Stream(seed, label), words_by_hand(seed, label)
    assert [stream.word() for _ in range(30)] == [next(by_hand) for _ in range(30)]


@given(seeds(), st.lists(st.integers(min_value=1, max_value=2**32), max_size=20))
def test_numbers_below_a_bound(seed: bytes, bounds: list[int]) -> None:
    """Rules, "Randomness": numbers below m are drawn like the places of a shuffle."""
    stream, words = Stream(seed, "overhear"), words_by_hand(seed, "overhear")
    for bound in bounds:
        assert stream.below(bound) == below_by_hand(words, bound)


@pytest.mark.parametrize(
    ("bound", "words", "expected"),
    [
        (5, [2**32 - 1, 7], 2),  # 2³² mod 5 = 1: the largest word is refused
        (5, [2**32 - 2], 4),  # and the one before it taken
        (3, [2**32 - 1, 2**32 - 1, 4], 1),
        (40, [2**32 - 16, 41], 1),  # 2³² mod 40 = 16
        (40, [2**32 - 17], 39),
        (1, [2**32 - 1], 0),
        (2, [2**32 - 1], 1),  # a power of two refuses nothing
        (2**31 + 1, [2**31 + 1, 2**31], 2**31),  # nearly half of all words are refused
    ],
)
def test_words_that_would_bias_are_refused(bound: int, words: list[int], expected: int) -> None:
    """Rules, "Randomness": draw until w < 2³² − (2³² mod m), exactly at the edge."""
    stream = ScriptedStream(words)
    assert stream.below(bound) == expected
    assert stream.left == []


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ([2, 1], [0, 1, 2]),
        ([0, 0], [1, 2, 0]),
        ([1, 0], [2, 0, 1]),
        ([2**32 - 1, 0, 2**32 - 1], [2, 1, 0]),  # 2³² mod 3 = 1: refused once; below 2: 1
    ],
)
def test_shuffle_swaps_from_the_last_place_down(words: list[int], order: list[int]) -> None:
    """Rules, "Randomness": which places are swapped, worked by hand, one refused word too."""
    stream = ScriptedStream(words)
    assert stream.shuffle(3) == order
    assert stream.left == []


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_to_shuffle_draws_nothing(size: int) -> None:
    """Rules, "Randomness": i goes from n − 1 down to 1."""
    assert ScriptedStream([]).shuffle(size) == list(range(size))


@given(seeds(), deal_numbers(), st.sampled_from(["deck", "redraw/2"]), st.data())
def test_deal_shuffles(seed: bytes, number: int, purpose: str, data: st.DataObject) -> None:
    """Rules, "Randomness": label `deal/K/…`, the start in ascending id whatever was given."""
    pack = data.draw(st.sampled_from([ITALIAN, FRENCH]))
    cards = data.draw(st.lists(st.sampled_from(pack.cards), unique=True))
    expected = shuffle_by_hand(seed, f"deal/{number}/{purpose}", [int(card) for card in cards])
    assert SeededShuffles(seed, number).draw(purpose, 0, cards) == expected
    assert shuffle_cards(seed, f"deal/{number}/{purpose}", cards) == expected
    assert sorted(expected) == sorted(cards)


def test_deal_numbers_are_written_in_decimal() -> None:
    """Rules, "Randomness": K in decimal, so deal 10 is `deal/10/deck`."""
    expected = shuffle_by_hand(ZEROS, "deal/10/deck", list(range(40)))
    assert SeededShuffles(ZEROS, 10).draw("deck", 0, ITALIAN.cards) == expected


def test_shuffles_are_even() -> None:
    """Every card is as likely at every place: χ² of 4,000 shuffles of eight cards."""
    counts = [[0] * 8 for _ in range(8)]
    for number in range(4000):
        for place, card in enumerate(SeededShuffles(ZEROS, number).draw("even", 0, range(8))):
            counts[place][card] += 1
    chi2 = sum((count - 500) ** 2 / 500 for row in counts for count in row)
    assert 20 < chi2 < 90  # 49 degrees of freedom; fixed seed, so never a matter of luck


@given(seeds(), st.integers(min_value=0, max_value=11), st.integers(min_value=0, max_value=99))
def test_commitment_salt_and_bot_seed(seed: bytes, seat: int, seating: int) -> None:
    """Rules, "Randomness": the commitment, each seating's salt, each bot's own seed."""
    first = (0).to_bytes(8, "big")
    salt = sha256(seed, b"\0", f"salt/{seating}".encode(), b"\0", first)
    own = sha256(salt, sha256(seed, b"\0", f"bot/{seat}".encode(), b"\0", first))
    assert seating_salt(seed, seating) == salt
    assert bot_seed(seed, salt, seat) == own
    assert commitment(seed, salt) == sha256(b"mazzo-commit/1", salt, seed)


def test_seatings_of_one_seed_look_unrelated() -> None:
    """Promise 4: salts, commitments and bots' seeds of a match's seatings all differ."""
    salts = [seating_salt(ZEROS, seating) for seating in range(20)]
    values = [*salts, *(commitment(ZEROS, salt) for salt in salts)]
    values += [bot_seed(ZEROS, salt, seat) for salt in salts for seat in range(12)]
    assert len(set(values)) == len(values)


def test_a_digest_starts_the_words_anew() -> None:
    """A whole digest is never half of words that were drawn already."""
    stream = Stream(ZEROS, "x")
    stream.word()
    assert stream.digest() == sha256(ZEROS, b"\0x\0", (1).to_bytes(8, "big"))
    third = sha256(ZEROS, b"\0x\0", (2).to_bytes(8, "big"))
    assert stream.word() == int.from_bytes(third[:4], "big")


@given(seeds(), st.lists(st.integers(min_value=0, max_value=130), max_size=10))
def test_a_bots_dice_are_the_words_of_a_label(seed: bytes, sizes: list[int]) -> None:
    """Promise 5: `getrandbits` takes whole words, the first one highest, the lowest bits drop."""
    dice, words = StreamRandom(seed, "decision/1"), words_by_hand(seed, "decision/1")
    for size in sizes:
        taken = [next(words) for _ in range(-(-size // 32))]
        digits = "".join(f"{word:032b}" for word in taken)[:size]
        assert dice.getrandbits(size) == int(digits or "0", 2)
    high, low = next(words), next(words)
    assert dice.random() == ((high << 32 | low) >> 11) / 2**53


def test_a_bots_dice_cannot_be_loaded() -> None:
    """Promise 5: neither a new seed nor a state; the library's other methods just work."""
    dice = StreamRandom(ZEROS, "decision/1")
    with pytest.raises(TypeError):
        dice.seed(1)
    with pytest.raises(TypeError):
        dice.getstate()
    with pytest.raises(TypeError):
        dice.setstate(())
    again = StreamRandom(ZEROS, "decision/1")
    for thrower in (dice, again):
        assert sorted(thrower.sample(range(40), 40)) == list(range(40))
        assert thrower.choice("abc") in "abc"
    assert dice.gauss(0, 1) == again.gauss(0, 1)
    assert dice.random() == again.random()


def test_given_shuffles_are_handed_out_in_order() -> None:
    """Rules, "The deal record": shuffles by their number; copies of a deal may ask twice."""
    given_shuffles = GivenShuffles([[2, 0, 1], [5, 4]])
    for _ in range(2):
        assert given_shuffles.draw("deck", 0, [0, 1, 2]) == [2, 0, 1]
        assert given_shuffles.draw("again", 1, [4, 5]) == [5, 4]
    with pytest.raises(BadRecordError, match="got none"):
        given_shuffles.draw("more", 2, [1])


@pytest.mark.parametrize("wrong", [[], [0, 1], [0, 1, 1], [0, 1, 3], [0, 1, 2, 2], [0, 1, 2, 3]])
def test_given_shuffles_must_be_permutations(wrong: list[int]) -> None:
    """Rules, "The deal record": no permutation of the cards is a bad record."""
    given_shuffles = GivenShuffles([wrong])
    with pytest.raises(BadRecordError, match="shuffle 0"):
        given_shuffles.draw("deck", 0, [0, 1, 2])


def test_what_was_given_is_never_changed() -> None:
    """A deal may do with its shuffle what it likes; the record keeps its own."""
    kept = [[2, 0, 1]]
    GivenShuffles(kept).draw("deck", 0, [0, 1, 2]).clear()
    assert kept == [[2, 0, 1]]


@given(seeds())
def test_seeds_in_hexadecimal(seed: bytes) -> None:
    """A seed is read back from its 64 digits."""
    assert parse_seed(seed.hex()) == seed


@pytest.mark.parametrize(
    "text", ["", "00", "0" * 63, "0" * 65, "0" * 66, "g" * 64, " " + "0" * 63, "00 " * 31 + "00"]
)
def test_seeds_that_are_none(text: str) -> None:
    """Anything but 64 digits is refused and shown."""
    with pytest.raises(SeedError, match="64 hexadecimal digits"):
        parse_seed(text)
