"""Everything random in a match, from one 32-byte seed, by label.

A label's words are SHA-256(seed ‖ 0x00 ‖ label ‖ 0x00 ‖ counter), the counter counting
from 0 as 8 bytes, big end first, each digest cut into eight big-endian 32-bit words.
A number below m is drawn by rejection, so it is exactly uniform; a shuffle is
Fisher and Yates' (Durstenfeld 1964), from the last place down.

Commitments follow the same hash: they are checked with `commitment(seed, salt)`.
"""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn, Protocol, Self

from mazzo.cards import nth_bit
from mazzo.errors import BadRecordError, MazzoError, quote_value

__all__ = [
    "SEED_BYTES",
    "GivenShuffles",
    "SeedError",
    "SeededShuffles",
    "Shuffles",
    "Stream",
    "StreamRandom",
    "attempt_seed",
    "bot_seed",
    "commitment",
    "parse_seed",
    "seating_salt",
    "shuffle_cards",
    "substitute_action",
]

SEED_BYTES = 32
_TOP = 1 << 32  # one more than the largest word
_WORDS = struct.Struct(">8I")


class SeedError(MazzoError):
    """A seed that is not 32 bytes in hexadecimal."""


@lru_cache(maxsize=64)
def _steps(size: int) -> tuple[tuple[int, int, int], ...]:
    """Of a shuffle: each place, how many cards may go there, and which words are too large."""
    return tuple([(i, i + 1, _TOP - _TOP % (i + 1)) for i in range(size - 1, 0, -1)])


class Stream:
    """The continuing stream of 32-bit words of one label."""

    __slots__ = ("_counter", "_prefix", "_words")

    def __init__(self, seed: bytes, label: str) -> None:
        self._prefix = seed + b"\x00" + label.encode() + b"\x00"
        self._counter = 0
        self._words: list[int] = []  # of the last digest, the next one last

    def digest(self) -> bytes:
        """Return the next whole digest, 32 bytes; skip what is left of the last one."""
        counter = self._counter
        self._counter = counter + 1
        self._words = []
        return hashlib.sha256(self._prefix + counter.to_bytes(8, "big")).digest()

    def _refill(self) -> list[int]:
        """Return the words of the next digest, the next one last."""
        counter = self._counter
        self._counter = counter + 1
        digest = hashlib.sha256(self._prefix + counter.to_bytes(8, "big")).digest()
        self._words = words = list(_WORDS.unpack(digest))
        words.reverse()
        return words

    def word(self) -> int:
        """Return the next word, 0 to 2³² − 1."""
        return (self._words or self._refill()).pop()

    def below(self, bound: int) -> int:
        """Return a uniform number from 0 to `bound` − 1."""
        limit = _TOP - _TOP % bound
        while (word := self.word()) >= limit:
            pass
        return word % bound

    def shuffle(self, size: int) -> list[int]:
        """Return a uniform permutation of the numbers from 0 to `size` − 1."""
        order = list(range(size))
        words = self._words
        for i, bound, limit in _steps(size):
            if not words:
                words = self._refill()
            word = words.pop()
            while word >= limit:
                word = self.word()
                words = self._words
            j = word % bound
            order[i], order[j] = order[j], order[i]
        return order


class StreamRandom(random.Random):
    """Python's `random.Random` over the words of one label: cheap to make, the same anywhere.

    `getrandbits(k)` takes as many words as it needs, the first one highest, and drops the
    lowest bits that are too many; everything else follows from it as in Python's library.
    """

    def __new__(cls, seed: bytes, label: str) -> Self:
        """Leave the library's own generator unseeded: seeding is what costs time there."""
        return super().__new__(cls)

    def __init__(self, seed: bytes, label: str) -> None:
        """Begin at the start of the label's stream."""
        self._stream = Stream(seed, label)
        self.gauss_next = None

    def getrandbits(self, k: int, /) -> int:
        """Return `k` random bits."""
        if 0 < k <= 32:
            stream = self._stream
            return (stream._words or stream._refill()).pop() >> 32 - k
        words = (k + 31) // 32
        value = 0
        for _ in range(words):
            value = value << 32 | self._stream.word()
        return value >> 32 * words - k

    def random(self) -> float:
        """Return a multiple of 2⁻⁵³ from 0 to below 1."""
        return self.getrandbits(53) * 2.0**-53

    def seed(self, a: Any = None, version: int = 2) -> NoReturn:
        """Raise `TypeError`: the stream is what makes a match repeatable."""
        raise TypeError("a StreamRandom cannot be seeded again")

    def getstate(self) -> NoReturn:
        """Raise `TypeError`."""
        raise TypeError("a StreamRandom has no state to take: keep its seed and label")

    def setstate(self, state: Any) -> NoReturn:
        """Raise `TypeError`."""
        raise TypeError("a StreamRandom has no state to set: make one from seed and label")


def shuffle_cards(seed: bytes, label: str, cards: Iterable[int]) -> list[int]:
    """Return the cards in the order that the label's stream gives them; index 0 is the top."""
    ascending: Sequence[int] = sorted(cards)
    return [ascending[index] for index in Stream(seed, label).shuffle(len(ascending))]


class Shuffles(Protocol):
    """Where a deal gets everything random from; the same question has the same answer."""

    def draw(self, purpose: str, number: int, cards: Iterable[int]) -> list[int]:
        """Return the cards, shuffled for this purpose.

        `number` counts the shuffles of the deal: 0 with purpose "deck" is the pack.
        """
        ...

    def overhears(self, trick: int, speaker: int, opponent: int, thousandths: int) -> bool:
        """Return whether an opponent overhears what the speaker says before he plays to a trick.

        It happens `thousandths` times out of 1000.
        """
        ...


class SeededShuffles:
    """The randomness of one deal of a match, by the labels `deal/K/PURPOSE`."""

    __slots__ = ("_number", "_seed")

    def __init__(self, seed: bytes, number: int) -> None:
        self._seed = seed
        self._number = number

    def draw(self, purpose: str, number: int, cards: Iterable[int]) -> list[int]:
        """Return the cards in the order that the seed gives them for this deal and purpose."""
        return shuffle_cards(self._seed, f"deal/{self._number}/{purpose}", cards)

    def overhears(self, trick: int, speaker: int, opponent: int, thousandths: int) -> bool:
        """Return what the seed says for this deal."""
        label = f"deal/{self._number}/overhear/{trick}/{speaker}/{opponent}"
        return Stream(self._seed, label).below(1000) < thousandths


class GivenShuffles:
    """What was written down beforehand, as in a deal record."""

    __slots__ = ("_given", "_overheard")

    def __init__(
        self, given: Sequence[Sequence[int]], overheard: Iterable[tuple[int, int, int]] = ()
    ) -> None:
        """Take the shuffles in the order of their use, and (trick, speaker, opponent) of talk."""
        self._given = given
        self._overheard = frozenset(overheard)

    def draw(self, purpose: str, number: int, cards: Iterable[int]) -> list[int]:
        """Shuffle `number`; `BadRecordError` if there is none or it is not of these cards."""
        if number >= len(self._given):
            raise BadRecordError(f"expected a shuffle for {purpose!r}, got none")
        shuffle = list(self._given[number])
        expected = sorted(cards)
        if sorted(shuffle) != expected:
            raise BadRecordError(
                f"shuffle {number}: expected each of the {len(expected)} cards of the "
                f"{purpose!r} shuffle once, got {len(shuffle)} cards, "
                f"{len(set(shuffle) & set(expected))} of them different ones of these"
            )
        return shuffle

    def overhears(self, trick: int, speaker: int, opponent: int, thousandths: int) -> bool:
        """Return what was written down; nobody overheard what was not."""
        return (trick, speaker, opponent) in self._overheard


def attempt_seed(seed: bytes, attempt: int) -> bytes:
    """Return the seed with which a match is played at an attempt, the first one being 0.

    Attempt 0 has the seed itself. A later one has the first digest of `attempt/N`, where
    somebody may remember the cards of the attempt before.
    """
    return Stream(seed, f"attempt/{attempt}").digest() if attempt else seed


def substitute_action(seed: bytes, seat: int, number: int, legal: int) -> int:
    """Return what the substitute plays in a seat: choice `number`, from 0, of the legal actions."""
    return nth_bit(legal, Stream(seed, f"substitute/{seat}/{number}").below(legal.bit_count()))


def seating_salt(seed: bytes, seating: int) -> bytes:
    """Return the 32-byte salt of one seating of a match's deals."""
    return Stream(seed, f"salt/{seating}").digest()


def commitment(seed: bytes, salt: bytes) -> bytes:
    """Return what is shown before the first card, so that seed and salt can be checked later."""
    return hashlib.sha256(b"mazzo-commit/1" + salt + seed).digest()


def bot_seed(seed: bytes, salt: bytes, seat: int) -> bytes:
    """Return the seed of a bot's own randomness in a seat; it says nothing of the match's."""
    return hashlib.sha256(salt + Stream(seed, f"bot/{seat}").digest()).digest()


def parse_seed(text: str) -> bytes:
    """Return a seed from its 64 hexadecimal digits; raises `SeedError`."""
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != SEED_BYTES or len(text) != 2 * SEED_BYTES:
        raise SeedError(
            f"expected a seed of {2 * SEED_BYTES} hexadecimal digits, got {quote_value(text)}"
        )
    return seed
