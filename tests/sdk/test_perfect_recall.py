"""The law of perfect recall: views differ exactly where a seat was shown something different.

Two courses of a deal with equal actions, as far as a seat knows of them, are compared: what the
seat was shown in each, as `support.observations` tells it from the rules, and its two views.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from mazzo import codec, worlds
from mazzo.errors import BadRecordError, IllegalActionError
from mazzo.game import Deal, Variant, View
from mazzo.games import parse_variant
from mazzo.receipts import pack_receipt
from mazzo.shuffle import GivenShuffles
from support.observations import Course, Log, actions_in, observe, receipts_in
from support.strategies import CASES, Start, start_of

CASE_NAMES = [f"{variant}-{draws}" for variant, draws in CASES]
QUICK = 12  # pairs of each case
LONG = 500
_TRIES = 12  # at another course, before another kind of it is tried

Look = Callable[[Deal, int], View]
Change = Callable[[Deal, int, random.Random], Deal | None]


def honest(deal: Deal, seat: int) -> View:
    return deal.view(seat)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two courses of a deal with equal actions, as far as a seat knows of them."""

    seat: int
    deal: Deal
    other: Deal
    logs: list[Log]  # of the deal, by seat
    other_logs: list[Log]
    only_talk: bool  # whether the cards are the same

    @property
    def log(self) -> Log:
        """What the seat was shown."""
        return self.logs[self.seat]

    @property
    def other_log(self) -> Log:
        """What the seat was shown in the other course."""
        return self.other_logs[self.seat]


@dataclass(slots=True)
class Tally:
    """How many pairs of each kind were compared."""

    pairs: int = 0
    same: int = 0  # the seat was shown the same, and another seat something different
    unheard: int = 0  # of these: with different talk, or others who overheard it
    order: int = 0  # the seat got the same cards at other times
    other: int = 0  # it was shown other cards, or other facts

    def count(self, pair: Pair) -> None:
        """Add a pair."""
        self.pairs += 1
        if pair.log == pair.other_log:
            differs = pair.logs != pair.other_logs
            self.same += differs
            self.unheard += differs and pair.only_talk
            return
        cards, other_cards = cards_received(pair.log), cards_received(pair.other_log)
        reordered = sorted(cards) == sorted(other_cards) and cards != other_cards
        self.order += reordered
        self.other += not reordered


def cards_received(log: Log) -> list[str]:
    """The seat's own cards in the order in which they came."""
    return [card for _, cards in receipts_in(log) for card in cards]


def course_of(deal: Deal) -> Course:
    """The course that the deal has taken."""
    variant, game = deal.variant, deal.variant.game
    return Course(
        game=game.id,
        players=variant.players,
        options=dict(variant.options),
        dealer=deal.dealer,
        draws=deal.draws,
        shuffles=[[game.pack.cards[card].code for card in shuffle] for shuffle in deal.shuffles],
        actions=[game.actions[action].code for action in deal.actions],
        overheard=frozenset(deal.overheard or ()),
    )


def replayed(
    deal: Deal,
    deck: list[int],
    actions: bytes | bytearray,
    overheard: frozenset[tuple[int, int, int]],
) -> Deal | None:
    """The deal with another pack, other actions or other hearers; None if the rules forbid it."""
    shuffles = GivenShuffles([deck, *deal.shuffles[1:]], overheard)
    other = deal.variant.game.deal(
        deal.variant, shuffles, dealer=deal.dealer, draws=deal.draws, start=deal.start
    )
    try:
        for action in actions:
            other.apply(action)
    except (IllegalActionError, BadRecordError):
        return None
    return other


def swapped(deal: Deal, *pairs: tuple[int, int]) -> Deal | None:
    """The same actions with these cards in each other's places."""
    deck = deal.shuffles[0][:]
    for one, two in pairs:
        first, second = deck.index(one), deck.index(two)
        deck[first], deck[second] = two, one
    return replayed(deal, deck, deal.actions, frozenset(deal.overheard or ()))


def another_world(deal: Deal, seat: int, dice: random.Random) -> Deal:
    """What the seat cannot see, dealt anew."""
    return worlds.sample(deal.view(seat), dice)


def own_cards_in_another_order(deal: Deal, seat: int, dice: random.Random) -> Deal | None:
    """Two cards that the seat got at different times, each at the other one's time."""
    parse = deal.variant.game.pack.parse
    log = observe(course_of(deal))[seat]
    receipts = [[int(parse(card)) for card in cards] for _, cards in receipts_in(log)]
    pairs = [
        (one, two)
        for number, cards in enumerate(receipts)
        for later in receipts[number + 1 :]
        for one in cards
        for two in later
        if one != two
    ]
    for pair in dice.sample(pairs, min(_TRIES, len(pairs))):
        other = swapped(deal, pair)
        if other is not None:
            return other
    return None


def any_cards_exchanged(deal: Deal, seat: int, dice: random.Random) -> Deal | None:
    """Up to three pairs of any cards in each other's places."""
    for _ in range(_TRIES):
        cards = dice.sample(deal.shuffles[0], 2 * dice.randint(1, 3))
        other = swapped(deal, *zip(cards[::2], cards[1::2], strict=True))
        if other is not None:
            return other
    return None


def other_talk_unheard(deal: Deal, seat: int, dice: random.Random) -> Deal | None:
    """Talk that the seat does not hear: other tokens, none, and others who overhear it."""
    variant = deal.variant
    if dict(variant.options).get("talk") != "signal":
        return None
    pack = len(variant.game.pack)
    tokens = range(pack, len(variant.game.actions))
    leaders = [(deal.dealer + 1) % variant.players, *deal.view(seat).trick_winners]
    side = next(side for side in variant.sides if seat in side)
    told = {(trick, speaker) for trick, speaker, who in deal.overheard or () if who == seat}
    turns = [bytearray()]  # what is said before each play, and the play
    for action in deal.actions:
        turns[-1].append(action)
        if action < pack:
            turns.append(bytearray())
    actions, overheard = bytearray(), set()
    for number, turn in enumerate(turns):
        trick, laid = divmod(number, variant.players)
        speaker = (leaders[trick] + laid) % variant.players if trick < len(leaders) else -1
        mine = speaker in side or (trick, speaker) in told
        card = turn[-1:] if turn and turn[-1] < pack else b""
        said = turn[: len(turn) - len(card)]
        if not mine and (card or said):  # before the end somebody may be in the middle of a turn
            said = bytearray(dice.sample(tokens, dice.randint(0, 3)))
        actions += said + card
        opponents = [who for who in range(variant.players) if (who - speaker) % 2]
        heard_by = [who for who in opponents if who != seat and dice.random() < 0.5]
        overheard |= {(trick, speaker, who) for who in heard_by}
    overheard |= {(trick, speaker, seat) for trick, speaker in told}
    return replayed(deal, deal.shuffles[0], actions, frozenset(overheard))


CHANGES: list[Change] = [
    another_world,
    own_cards_in_another_order,
    any_cards_exchanged,
    other_talk_unheard,
]


def tell_apart(pair: Pair, look: Look) -> None:
    """The law: the two views differ exactly where the seat was shown something different."""
    one, two = look(pair.deal, pair.seat), look(pair.other, pair.seat)
    same = pair.log == pair.other_log
    assert (codec.view_bytes(one) == codec.view_bytes(two)) == same
    assert (one == two) == same
    assert (json.dumps(one.to_json()) == json.dumps(two.to_json())) == same


def tell_what_came(view: View, log: Log) -> None:
    """`received` is what the rules say that the seat got, and when."""
    expected = [[after, sorted(cards)] for after, cards in receipts_in(log)]
    told = view.to_json()["received"]
    assert [[after, sorted(cards)] for after, cards in told] == expected
    parse = view.variant.game.pack.parse
    assert all(cards == sorted(cards, key=parse) for _, cards in told)
    assert max([0, *(after for after, _ in told)]) <= len(view.actions)


def pair_of(start: Start, number: int) -> Pair:
    """A position of the start's deal, and another course of the kind that the number stands for.

    The next kind where the first gives none, or one with other actions of other seats.
    """
    dice = start.random("recall")
    deal = start.position()
    seat = dice.randrange(start.variant.players)
    logs = observe(course_of(deal))
    for step in range(len(CHANGES)):
        change = CHANGES[(number + step) % len(CHANGES)]
        other = change(deal, seat, dice)
        if other is None:
            continue
        other_logs = observe(course_of(other))
        if actions_in(other_logs[seat]) == actions_in(logs[seat]):
            return Pair(
                seat=seat,
                deal=deal,
                other=other,
                logs=logs,
                other_logs=other_logs,
                only_talk=change is other_talk_unheard,
            )
    raise AssertionError("there is always another world")


def check_pairs(variant: Variant, draws: str, pairs: int) -> Tally:
    """The law over this many pairs of a variant."""
    tally = Tally()
    for number in range(pairs):
        pair = pair_of(start_of(variant, number, draws=draws), number)
        tell_apart(pair, honest)
        tell_what_came(honest(pair.deal, pair.seat), pair.log)
        tell_what_came(honest(pair.other, pair.seat), pair.other_log)
        tally.count(pair)
    return tally


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_views_differ_where_the_seat_was_shown_something_different(
    variant: Variant, draws: str
) -> None:
    """Promise 2 and perfect recall, on a few pairs of every variant in every drawing mode."""
    tally = check_pairs(variant, draws, QUICK)
    assert tally.pairs == QUICK
    assert tally.same >= QUICK // 4


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_views_differ_where_the_seat_was_shown_something_different_at_length(
    variant: Variant, draws: str
) -> None:
    """The same at full size: 500 pairs, many of each kind."""
    tally = check_pairs(variant, draws, LONG)
    assert tally.pairs == LONG
    assert tally.same >= 100
    assert tally.other >= 5
    if "talk=signal" in variant.text:
        assert tally.unheard >= 100
    if variant.game.id not in ("briscola-chiamata", "frap") or variant.text == "frap/2":
        assert tally.order >= 20


def forget_what_came(deal: Deal, seat: int) -> View:
    """A view as it would be without `received`."""
    view = deal.view(seat)
    view.received_bytes = b""
    return view


def forget_in_which_order(deal: Deal, seat: int) -> View:
    """A view that knows which cards came, but not in which order."""
    view = deal.view(seat)
    cards = [card for receipt in view.received for card in receipt.cards]
    view.received_bytes = pack_receipt(0, cards)
    return view


def leak_a_card(deal: Deal, seat: int) -> View:
    """A view that tells one card of another hand."""
    view = deal.view(seat)
    others = [hand for other, hand in enumerate(deal.hands) if other != seat and hand]
    if others:
        view.received_bytes += bytes((0, 1, others[0].bit_length() - 1))
    return view


def leak_how_much_was_said(deal: Deal, seat: int) -> View:
    """A view that counts all actions, those too that the seat has not heard."""
    view = deal.view(seat)
    view.received_bytes += bytes((len(deal.actions), 0))
    return view


DRAWING = ["briscola/2", "briscola/3", "briscola/6?talk=signal", "frusta/2", "frap/2", "frap/6"]
FAULTS: list[tuple[Look, str]] = [
    *((forget_what_came, text) for text in (*DRAWING, "tressette-pizzichino/2?packets=peek")),
    *((forget_in_which_order, text) for text in DRAWING),
    *((leak_a_card, text) for text in (*DRAWING, "briscola-chiamata/5", "tressette-meta-mazzo/2")),
    (leak_how_much_was_said, "briscola/4?talk=signal"),
]


@pytest.mark.parametrize(
    ("look", "text"), FAULTS, ids=[f"{look.__name__}-{text}" for look, text in FAULTS]
)
def test_what_a_view_forgets_or_leaks_would_be_found(look: Look, text: str) -> None:
    """The law can fail: each of these faults is caught three times within 300 pairs."""
    variant = parse_variant(text)
    caught = number = 0
    while caught < 3:
        assert number < 300
        pair = pair_of(start_of(variant, number), number)
        try:
            tell_apart(pair, look)
        except AssertionError:
            caught += 1
        number += 1
