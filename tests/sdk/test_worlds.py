"""`mazzo.worlds`: exactly uniform over what a view leaves open.

The law that a world gives the same view stands with the other laws. Here are χ² tests
against counts that are made in another way: by trying every arrangement of the unseen cards.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import cast

import pytest
from scipy.stats import chisquare

from mazzo import worlds
from mazzo.cards import ITALIAN, bits, mask_of, nth_bit
from mazzo.errors import IllegalActionError
from mazzo.game import Deal, View
from mazzo.games import parse_variant
from mazzo.games.frap import FrapDeal, FrapView
from mazzo.games.frusta import FrustaView
from mazzo.shuffle import GivenShuffles, SeededShuffles
from mazzo.worlds.matching import Matching
from support.strategies import choose, play, start_of

DOUBT = 1e-4  # the seeds are fixed: a p-value below means a sampler that is not uniform


def fits(expected: dict[Hashable, int | Fraction], sampled: Counter[Hashable]) -> None:
    """The sampled frequencies, against weights that are proportional to the probabilities."""
    assert set(sampled) <= set(expected)
    if len(expected) > 1:
        total = sum(sampled.values())
        weights = [float(expected[key] / Fraction(sum(expected.values()))) for key in expected]
        counts = [sampled[key] for key in expected]
        assert chisquare(counts, [total * weight for weight in weights]).pvalue > DOUBT


def random_matching(generator: random.Random) -> tuple[int, list[tuple[int, int]]]:
    """Some cards, and groups of places that are open to some of them."""
    size = generator.randint(1, 6)
    cards = generator.sample(range(12), size)
    groups, left = [], size
    while left:
        group = generator.randint(1, left)
        allowed = mask_of(card for card in cards if generator.random() < 0.7)
        groups.append((group, allowed | 1 << 40))
        left -= group
    if generator.random() < 0.5:
        groups[-1] = (groups[-1][0], mask_of(range(12)))
    return mask_of(cards), groups


def all_arrangements(cards: int, groups: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    allowed = [mask for size, mask in groups for _ in range(size)]
    return [
        order
        for order in permutations(bits(cards))
        if all(mask >> card & 1 for mask, card in zip(allowed, order, strict=True))
    ]


def test_matching_counts_every_arrangement() -> None:
    """The number of arrangements is exact, 0 included."""
    generator = random.Random(1)
    totals = []
    for _ in range(400):
        cards, groups = random_matching(generator)
        totals.append(Matching(cards, groups).total)
        assert totals[-1] == len(all_arrangements(cards, groups))
    assert 0 in totals
    assert max(totals) == 720


def test_matching_is_uniform() -> None:
    """Every arrangement is drawn equally often."""
    generator = random.Random(2)
    checked = 0
    while checked < 12:
        cards, groups = random_matching(generator)
        arrangements = all_arrangements(cards, groups)
        if 4 <= len(arrangements) <= 60:
            matching = Matching(cards, groups)
            drawn: Counter[Hashable] = Counter(
                tuple(card for group in matching.sample(generator) for card in group)
                for _ in range(60 * len(arrangements))
            )
            fits(dict.fromkeys(arrangements, 1), drawn)
            checked += 1


def test_matching_wants_as_many_cards_as_places() -> None:
    """What does not fit is refused, not dealt."""
    with pytest.raises(ValueError, match="as many cards as places"):
        Matching(0b111, [(2, 0b111)])


def hidden(deal: Deal, seat: int) -> Hashable:
    """What a world may choose: the other hands, and what is left of the pack in order."""
    hands = tuple(deal.view(other).hand_mask for other in range(deal.variant.players))
    gone = {action for action in deal.actions if action < len(deal.variant.game.pack)}
    held = sum(hands)
    rest = tuple(card for card in deal.shuffles[0] if card not in gone and not held >> card & 1)
    return hands, rest


def every_world(position: Deal, view: View) -> Iterator[Deal]:
    """Every deal that gives the view, with the unseen cards in each other's places."""
    deck = position.shuffles[0]
    places = [place for place, card in enumerate(deck) if card in view.unseen]
    for order in permutations([deck[place] for place in places]):
        other = list(deck)
        for place, card in zip(places, order, strict=True):
            other[place] = card
        deal = position.variant.game.deal(
            position.variant,
            GivenShuffles([other], position.overheard or ()),
            dealer=position.dealer,
        )
        try:
            for action in position.actions:
                deal.apply(action)
        except IllegalActionError:
            continue
        if deal.view(view.seat) == view:
            yield deal


@pytest.mark.parametrize(
    "text",
    [
        "briscola/2",
        "briscola/3",
        "briscola/4?talk=signal",
        "briscola-chiamata/5",
        "tressette-meta-mazzo/2",
        "tressette-pizzichino/2",
        "tressette-pizzichino/2?packets=peek",
    ],
)
def test_small_endings_are_uniform(text: str) -> None:
    """χ² over every arrangement, where few enough cards are unseen to try them all."""
    variant = parse_variant(text)
    generator = random.Random(3)
    checked = constrained = number = 0
    # In Metà Mazzo a suit that was not followed rules arrangements out.
    while checked < 5 or not (constrained or variant.game.id != "tressette-meta-mazzo"):
        number += 1
        start = start_of(variant, number, draws="top")
        deal = start.deal()
        while deal.seat is not None:
            view = deal.view(generator.randrange(variant.players))
            if 3 <= len(view.unseen) <= 5:
                found = Counter(hidden(world, view.seat) for world in every_world(deal, view))
                sampler = worlds.Sampler(view)
                sampled = Counter(
                    hidden(sampler.sample(generator), view.seat) for _ in range(25 * len(found))
                )
                fits(dict(found), sampled)
                checked += 1
                constrained += found.total() < [0, 1, 2, 6, 24, 120][len(view.unseen)]
                break
            deal.apply(choose(deal, generator))


def ways_to_place(rows: list[tuple[bool, int]], dealt: int) -> int:
    """The number of ways to lay each card among those dealt, or in one of its later places.

    A row has whether the card may have been dealt, and the set of its later places.
    """
    ways = {(0, 0): 1}  # by the number of cards among the dealt ones and the places taken
    for may_be_dealt, later in rows:
        after: Counter[tuple[int, int]] = Counter()
        for (first, taken), count in ways.items():
            if may_be_dealt and first < dealt:
                after[first + 1, taken] += count
            for place in bits(later & ~taken):
                after[first, taken | 1 << place] += count
        ways = after
    return sum(ways.values())


def dealt_in_how_many_ways(view: FrustaView, held: list[int]) -> int:
    """How many ways the other hand, played and held, can have come by its cards."""
    other, voids, losses = 1 - view.seat, [], []
    played: dict[int, int] = {}
    for number, trick in enumerate((*view.tricks, view.trick)):
        for seat, card in trick.plays:
            if seat == other:
                played[int(card)] = number
        if len(trick.cards) == 2 and trick.seats[1] == other:
            led, answer = trick.cards
            if answer.suit != led.suit:
                voids.append((number, led.suit))
        if number < min(10, len(view.trick_winners)) and trick.winner != other:
            losses.append(number + 1)
    rows = []
    came = dict.fromkeys(held, 99) | played  # until which trick each card was held
    for identity, until in came.items():
        if identity in view.prizes:
            continue
        open_since = [
            since <= until
            and not any(
                since <= number < until and ITALIAN.cards[identity].suit == suit
                for number, suit in voids
            )
            for since in (0, *losses)
        ]
        later = mask_of(place for place, is_open in enumerate(open_since[1:]) if is_open)
        rows.append((open_since[0], later))
    assert len(rows) == 10 + len(losses)
    return ways_to_place(rows, 10)


def test_frusta_weighs_how_the_cards_can_have_come() -> None:
    """χ² where a suit that was missing may have been drawn face down since."""
    variant = parse_variant("frusta")
    generator = random.Random(4)
    checked = uneven = number = 0
    while checked < 6 or uneven < 2:
        number += 1
        deal = start_of(variant, number).deal()
        play(deal, generator, most=generator.choice((17, 18, 19)))
        view = deal.view(generator.randrange(2))
        assert isinstance(view, FrustaView)
        hand = list(view.unseen)
        size = view.hand_counts[1 - view.seat] - len(view.known(1 - view.seat))
        if not 1 <= len(hand) - size <= 2:
            continue
        expected: dict[Hashable, int | Fraction] = {}
        for stock in permutations(hand, len(hand) - size):
            held = [int(card) for card in hand if card not in stock]
            ways = dealt_in_how_many_ways(view, held)
            if ways:
                expected[mask_of(held)] = expected.get(mask_of(held), 0) + ways
        sampler = worlds.Sampler(view)
        known = view.known_masks[1 - view.seat]
        sampled: Counter[Hashable] = Counter(
            sampler.sample(generator).view(1 - view.seat).hand_mask & ~known
            for _ in range(40 * len(expected))
        )
        fits(expected, sampled)
        checked += 1
        uneven += len(set(expected.values())) > 1


def test_frap_the_last_card_may_be_any_that_is_not_void() -> None:
    """χ² over the last card of an opponent: unseen cards of suits that it may have."""
    variant = parse_variant("frap/3")
    generator = random.Random(5)
    checked = constrained = number = 0
    while checked < 6:
        number += 1
        deal = start_of(variant, number).deal()
        while deal.seat is not None:
            view = deal.view(generator.randrange(3))
            assert isinstance(view, FrapView)
            others = [s for s in view.seats_in_play if s != view.seat and view.hand_counts[s] == 1]
            if len(view.trick_winners) == 3 and others and view.trump_taker is None:
                void = {
                    suit
                    for trick in view.tricks
                    for seat, card in trick.plays[1:]
                    if seat == others[0] and card.suit != trick.cards[0].suit
                    for suit in (
                        {trick.cards[0].suit}
                        if card.suit == view.trump
                        else {trick.cards[0].suit, view.trump}
                    )
                }
                open_cards = [card for card in view.unseen if card.suit not in void]
                expected: dict[Hashable, int | Fraction] = {1 << c: 1 for c in open_cards}
                # Somebody else's voids take cards of other suits out of its reach as well.
                if len(others) == 1:
                    sampler = worlds.Sampler(view)
                    sampled: Counter[Hashable] = Counter(
                        sampler.sample(generator).view(others[0]).hand_mask
                        for _ in range(40 * len(expected))
                    )
                    fits(expected, sampled)
                    checked += 1
                    constrained += bool(void)
                    break
            deal.apply(choose(deal, generator))
    assert constrained


@pytest.mark.parametrize("exchanged", [0, 1, 2, 3])
def test_frap_a_blind_frapper_keeps_the_trump_card_as_often_as_he_can(exchanged: int) -> None:
    """He discards one of five and then some of four: what he did is as likely as anything."""
    variant = parse_variant("frap/2?blind-draws=on")
    generator = random.Random(6)
    deal = cast(FrapDeal, start_of(variant, 11).deal())
    codes = ["blind", "pass"]
    game = variant.game
    for code in codes:
        deal.apply(game.parse_action(code))
    trump = deal.view(0).trump_card
    frapper = deal.seat
    assert frapper is not None
    for _ in range(1 + exchanged):
        discards = [a for a in game.actions_of(deal.legal) if a.code.startswith("discard:")]
        deal.apply(discards[0])
    if exchanged < 4 and game.parse_action("stand") in game.actions_of(deal.legal):
        deal.apply(game.parse_action("stand"))
    view = deal.view(1 - frapper)
    sampler = worlds.Sampler(view)
    kept = Counter(
        bool(sampler.sample(generator).view(frapper).hand_mask >> trump & 1) for _ in range(1500)
    )
    fits({True: Fraction(4 - exchanged, 5), False: Fraction(1 + exchanged, 5)}, Counter(kept))


def test_samples_are_independent_deals() -> None:
    """A sampler gives new deals: playing one on changes neither the next nor the view."""
    deal = start_of(parse_variant("frusta"), 7).deal()
    generator = random.Random(7)
    play(deal, generator, most=12)
    view = deal.view(0)
    sampler = worlds.Sampler(view)
    first = sampler.sample(generator)
    play(first, generator)
    assert sampler.sample(generator).view(0) == view == deal.view(0)


def test_the_same_generator_gives_the_same_worlds() -> None:
    """A world follows from the view and the generator."""
    view = start_of(parse_variant("frap/6"), 8).position().view(2)
    one, two = (worlds.sample(view, random.Random(9)) for _ in range(2))
    assert (one.shuffles, one.actions) == (two.shuffles, two.actions)


@pytest.mark.parametrize("variant", ["briscola/2", "briscola/4?talk=off", "tressette-meta-mazzo/2"])
def test_a_world_may_go_on_in_mode_seats(variant: str) -> None:
    """Then each seat draws the same cards, whoever wins the tricks."""
    rules, different = parse_variant(variant), 0
    for number in range(20):
        deal = rules.game.deal(rules, SeededShuffles(bytes(32), number), dealer=0)
        dice = random.Random(number)
        for _ in range(9):
            deal.apply(nth_bit(deal.legal, dice.randrange(deal.legal.bit_count())))
        assert deal.seat is not None
        world = worlds.sample(deal.view(deal.seat), dice)
        world.draws = "seats"
        ends = []
        for way in range(4):
            twin, others = world.copy(), random.Random(way)
            had = list(twin.hands)
            while twin.seat is not None:
                twin.apply(nth_bit(twin.legal, others.randrange(twin.legal.bit_count())))
                had = [cards | hand for cards, hand in zip(had, twin.hands, strict=True)]
            ends.append((had, twin.view(0).trick_winners))
        last = rules.game.id == "briscola"  # the trump card's round goes by who won
        for had, _ in ends:
            rounds = zip(had, ends[0][0], strict=True)
            assert all((mine ^ first).bit_count() <= 2 * last for mine, first in rounds)
        different += len({winners for _, winners in ends}) > 1
    assert different > 15
