"""The laws that every game keeps, over every variant of `GAMES` in every drawing mode.

A law is a function of a `Start`; adding a game to `GAMES` puts it under all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from itertools import groupby

import pytest

from mazzo import codec, worlds
from mazzo.cards import bits, mask_of
from mazzo.errors import IllegalActionError
from mazzo.game import Clock, Deal, Variant, View
from mazzo.games import parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frap import FrapView
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView
from mazzo.record import DealRecord, replay, replay_line
from mazzo.shuffle import GivenShuffles
from mazzo.v1 import play_pb2, view_pb2
from support.strategies import CASES, Start, choose, examine, legal_codes, play

CASE_NAMES = [f"{variant}-{draws}" for variant, draws in CASES]


def frozen(value: object) -> object:
    """The value as it is now, whatever is done to its lists later."""
    if isinstance(value, list):
        nested = value and isinstance(value[0], list | dict)
        return tuple([frozen(item) for item in value]) if nested else tuple(value)
    if isinstance(value, dict):
        return tuple([(key, frozen(item)) for key, item in value.items()])
    return bytes(value) if isinstance(value, bytearray) else value


def everything(deal: Deal) -> dict[str, object]:
    """All that a deal holds, and what it shows to one seat, so that any change of it shows."""
    slots = [name for kind in type(deal).__mro__ for name in getattr(kind, "__slots__", ())]
    state = {name: frozen(getattr(deal, name)) for name in slots if name != "_shuffles"}
    seat = len(deal.actions) % deal.variant.players
    return state | {"view": deal.view(seat), "scores": deal.scores, "result": frozen(deal.result)}


def law_legal_is_never_empty_until_over(start: Start) -> None:
    """Law: exactly one seat to move, with legal actions of the game's list, until the end."""
    deal, generator = start.deal(), start.random()
    seats, size = range(start.variant.players), len(start.variant.game.actions)
    while deal.seat is not None:
        assert deal.seat in seats
        assert 0 < deal.legal < 1 << size
        assert deal.scores is None
        assert deal.result is None
        seat = generator.choice(seats)
        assert deal.view(seat).legal_mask == (deal.legal if seat == deal.seat else 0)
        deal.apply(choose(deal, generator))
        assert len(deal.actions) <= 1000
    assert deal.legal == 0
    assert deal.scores is not None
    assert len(deal.scores) == len(seats)
    assert all(type(score) is int for score in deal.scores)
    assert deal.result == json.loads(json.dumps(deal.result))
    assert all(deal.view(seat).legal_mask == 0 for seat in seats)
    winners = start.variant.game.deal_winners(deal)
    assert winners
    assert set(winners) <= set(range(len(start.variant.sides)))


def law_totals(start: Start) -> None:
    """Rules, scores: what a deal is worth adds up as each game says."""
    deal = start.finished()
    scores, result = deal.scores, deal.result
    assert scores is not None
    assert result is not None
    match start.variant.game.id:
        case "briscola":
            assert sum(result["points"]) == 120
            assert sum(scores[side[0]] for side in start.variant.sides) == 120
        case "briscola-chiamata":
            assert sum(scores) == 0
            assert not result or sum(result["points"]) == 120
        case "frusta":
            assert sum(scores) == 10 + result["tiebreak"]
            assert scores[0] != scores[1]
        case "tressette-meta-mazzo" | "tressette-pizzichino":
            assert sum(result["thirds"]) == 35
            assert sum(scores) == 11 + sum(result["buongiochi"])
        case "frap":
            assert sum(scores) == deal.start.get("pot", 0) - result["pot"]
            assert sum(result["tricks"]) == (0 if result["frapper"] is None else 4)
            assert result["pot"] % (4 * start.variant.players) == 0
        case unknown:
            raise AssertionError(f"no totals for {unknown}")


def law_no_score_is_below_the_worst(start: Start) -> None:
    """Law: the worst score is known before the first action, and nobody can have less."""
    deal = start.finished()
    assert deal.worst_score == start.deal().worst_score
    assert deal.scores is not None
    assert min(deal.scores) >= deal.worst_score


def law_every_legal_action_can_be_taken(start: Start) -> None:
    """Law: what the mask shows may be done, and becomes the last event of the history."""
    deal = start.position()
    for action in bits(deal.legal):
        twin = deal.copy()
        twin.apply(action)
        assert twin.actions == deal.actions + bytes([action])


def law_illegal_actions_change_nothing(start: Start) -> None:
    """Law: every other number is refused, at any position and after the end."""
    size = len(start.variant.game.actions)
    beyond = [-(2**64), -size, -41, -2, -1, size, size + 1, 255, 256, 2**31, 2**64, 1 << 300]
    for deal in (start.position(), start.finished()):
        before = everything(deal)
        some = start.random("illegal").sample(range(size), 20)
        for action in (*some, *beyond):
            if action < 0 or not deal.legal >> action & 1:
                with pytest.raises(IllegalActionError) as caught:
                    deal.apply(action)
                assert (deal.seat is None) == ("over" in str(caught.value))
        assert everything(deal) == before


def law_copies_play_on_independently(start: Start) -> None:
    """Law: neither a deal nor its copy sees what happens to the other."""
    deal = start.position()
    before = everything(deal)
    twin = deal.copy()
    assert everything(twin) == before
    play(twin, start.random("twin"))
    assert everything(deal) == before
    kept = everything(twin)
    third = deal.copy()
    for action in twin.actions[len(deal.actions) :]:
        deal.apply(action)
    assert everything(twin) == kept
    assert everything(deal) == kept
    assert everything(third) == before
    twin.shuffles[0].reverse()
    assert everything(deal) == kept


def places(views: list[View]) -> tuple[list[int], int]:
    """Where the cards are: sets that are known to somebody, and how many nobody has seen."""
    first = views[0]
    sets = [view.hand_mask for view in views]
    sets += [1 << card for card in (*first.past_cards, *first.trick_cards)]
    hidden = sum(first.hand_counts) - sum(view.hand_mask.bit_count() for view in views)
    match first:
        case BriscolaView() | MetaMazzoView():
            hidden += first.stock_count
        case ChiamataView():
            pass
        case FrustaView():
            hidden += first.stock_count - (first.prize is not None)
            sets += [1 << first.prize] if first.prize is not None else []
        case PizzichinoView():
            for shown, left in zip(first.packet_shown, first.packet_counts, strict=True):
                hidden += left - (1 if shown and left else 0)
                sets += [1 << shown[-1]] if shown and left else []
        case FrapView():
            hidden += first.stock_count
            sets += [1 << card for card in first.dead_trumps]
            sets += [1 << first.trump_card] if first.trump_taker is None else []
            for view in views:
                assert isinstance(view, FrapView)
                sets += [view.thrown_in, *(1 << card for card in view.discards)]
        case unknown:
            raise AssertionError(f"no places for {type(unknown).__name__}")
    return sets, hidden


def law_cards_are_conserved(start: Start) -> None:
    """Law: every card is in exactly one place at every step."""
    deal, generator = start.deal(), start.random()
    pack = mask_of(deal.shuffles[0])
    while True:
        if deal.seat is None or generator.random() < 0.2:
            sets, hidden = places([deal.view(seat) for seat in range(start.variant.players)])
            together = 0
            for cards in sets:
                assert not together & cards
                together |= cards
            assert not together & ~pack
            assert together.bit_count() + hidden == len(deal.shuffles[0])
        if deal.seat is None:
            return
        deal.apply(choose(deal, generator))


def law_same_shuffles_and_actions_give_the_same(start: Start) -> None:
    """Law: a deal is exactly its shuffles, its start and its actions."""
    position = start.position()
    given_shuffles = GivenShuffles(
        [list(shuffle) for shuffle in position.shuffles], position.overheard or ()
    )
    again = start.variant.game.deal(
        start.variant, given_shuffles, dealer=start.dealer, draws=start.draws, start=position.start
    )
    for action in position.actions:
        again.apply(action)
    assert everything(again) == everything(position)


def law_records_come_back(start: Start) -> None:
    """Law: a record through JSON replays to the same position, with shuffles or with a seed."""
    for deal in [start.position(), start.finished()][: 1 + start.choices % 2]:
        record = DealRecord.of(deal)
        line = json.dumps(record.to_json())
        read = DealRecord.from_json(json.loads(line))
        assert read == record
        assert read.to_json() == record.to_json()
        assert everything(replay(read)) == everything(deal)
        answer = replay_line(line, trace=True, views=True)
        assert "error" not in answer
        assert answer["to_move"] == deal.seat
        assert answer["legal"] == legal_codes(deal)
        assert answer["over"] == (deal.seat is None)
        assert answer["scores"] == deal.scores
        assert answer["result"] == deal.result
        assert [step["action"] for step in answer["steps"]] == list(record.actions)
        assert all(step["action"] in step["legal"] for step in answer["steps"])
        assert len(answer["views"]) == start.variant.players
        seat = start.choices % start.variant.players
        assert answer["views"][seat] == deal.view(seat).to_json()
        seeded = replace(record, shuffles=None, seed=start.seed, deal=start.number)
        read = DealRecord.from_json(json.loads(json.dumps(seeded.to_json())))
        assert read == seeded
        assert everything(replay(read)) == everything(deal)


def law_talk_is_bounded(start: Start) -> None:
    """Rules of talk: at most three tokens a turn, none twice, then a card."""
    if start.variant.game.id != "briscola":
        return
    deal = start.deal()
    generator = start.random("talkative")
    turn: list[int] = []
    while deal.seat is not None:
        says = [n for n in bits(deal.legal) if deal.variant.game.actions[n].card is None]
        cards = [n for n in bits(deal.legal) if n not in says]
        says = [n for n in says if deal.variant.game.actions[n].code.startswith("say:")]
        assert not set(says) & set(turn)
        assert len(turn) < 3 or not says
        seat = deal.seat
        if says and generator.random() < 0.9:
            turn.append(generator.choice(says))
            deal.apply(turn[-1])
            assert deal.seat == seat
        else:
            turn = []
            deal.apply(generator.choice(cards or says or list(bits(deal.legal))))
    played = bytes(deal.actions)
    codes = [deal.variant.game.actions[n].code for n in played]
    for say, run in groupby(codes, key=lambda code: code.startswith("say:")):
        tokens = list(run)
        assert not say or len(set(tokens)) == len(tokens) <= 3


def decided(view: View, clock: Clock) -> View:
    """The view as a bot gets it in a decision: nothing of it is read yet."""
    started = play_pb2.MatchStarted(variant=view.variant.text, bot_seed=b"own")
    started.time_control.increment_seconds = clock.increment
    started.time_control.limit_seconds = clock.limit
    decision = play_pb2.Decision(number=7, bank_seconds=clock.bank, view=codec.encode_view(view))
    decision.latency_seconds = clock.latency
    return codec.MatchReader.of(started).view(decision)


def law_views_survive_the_wire(start: Start) -> None:
    """Law of the codec: decode(encode(view)) == view, and equal views give equal bytes."""
    deal = start.position()
    for seat in range(start.variant.players):
        view = deal.view(seat)
        clock = Clock(bank=9.5, increment=0.1, limit=5.0, latency=0.001)
        message = view_pb2.View.FromString(codec.view_bytes(view))
        back = codec.decode_view(message, clock=clock, number=7, seed=b"own")
        assert back == view
        assert (back.clock, back.number, back.seed) == (clock, 7, b"own")
        assert codec.view_bytes(back) == codec.view_bytes(view)
        assert codec.decode_view(codec.encode_view(view)) == view
        assert [decided(view, clock).legal, decided(view, clock)] == [view.legal, view]
        late = copy(decided(view, clock))
        assert (late, late.clock, late.number, late.seed) == (view, clock, 7, b"own")
        assert back.to_json() == view.to_json() == json.loads(json.dumps(view.to_json()))
        assert back.hand == view.hand
        assert back.legal == view.legal
        played = [(seat, int(card)) for seat, card in view.plays]
        history = [
            (event.seat, int(event.action))
            for event in view.history
            if event.action.card is not None
        ]
        assert played == history


def law_worlds_agree_with_the_view(start: Start) -> None:
    """Law of worlds: a world gives the seat the same view, and can be played on."""
    position = start.position()
    generator = start.random("world")
    view = position.view(generator.randrange(start.variant.players))
    world = worlds.sample(view, generator)
    assert world.view(view.seat) == view
    assert world.seat == position.seat
    play(world, generator)
    assert world.scores is not None


LAWS: list[Callable[[Start], None]] = [
    law_legal_is_never_empty_until_over,
    law_totals,
    law_no_score_is_below_the_worst,
    law_every_legal_action_can_be_taken,
    law_illegal_actions_change_nothing,
    law_copies_play_on_independently,
    law_cards_are_conserved,
    law_same_shuffles_and_actions_give_the_same,
    law_records_come_back,
    law_talk_is_bounded,
    law_views_survive_the_wire,
    law_worlds_agree_with_the_view,
]
QUICK = 50  # deals of each case
LEAST = 20  # of them, where a deal is put under all laws


def keeps_all_laws(start: Start) -> None:
    for law in LAWS:
        law(start)


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_laws(variant: Variant, draws: str) -> None:
    """Every law, on 20 deals of every variant in every drawing mode."""
    examine(keeps_all_laws, variant, draws, examples=LEAST)


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_laws_on_more_deals(variant: Variant, draws: str) -> None:
    """Every law, on 50 deals of every variant in every drawing mode."""
    examine(keeps_all_laws, variant, draws, examples=QUICK)


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_laws_at_length(variant: Variant, draws: str) -> None:
    """Every law, on 2,000 deals of every variant in every drawing mode."""
    examine(keeps_all_laws, variant, draws, examples=2000)


# Promise 2: a view cannot leak.

Look = Callable[[Deal, int], View]


def honest(deal: Deal, seat: int) -> View:
    return deal.view(seat)


class Tally:
    """How many views were compared, and how many re-deals were really different."""

    def __init__(self) -> None:
        self.positions = 0
        self.different = 0  # in cards that are still hidden: another hand, or the stock
        self.other_hands = 0  # in another hand


def hidden_from(deal: Deal, seat: int) -> tuple[list[int], list[int]]:
    """What a re-deal may change: the other seats' hands, and what is left of the pack."""
    hands = [deal.view(other).hand_mask for other in range(deal.variant.players) if other != seat]
    gone = {action for action in deal.actions if action < len(deal.variant.game.pack)}
    in_hand = deal.view(seat).hand_mask | sum(hands)
    stock = [card for card in deal.shuffles[0] if card not in gone and not in_hand >> card & 1]
    return hands, stock


def no_leak(start: Start, seat: int, look: Look, tally: Tally) -> None:
    """A seat's view of a position, against its view of a re-deal of what it cannot see."""
    position = start.position()
    other = worlds.sample(position.view(seat), start.random(f"redeal {seat}"))
    tally.positions += 1
    before, after = hidden_from(position, seat), hidden_from(other, seat)
    tally.different += after != before
    tally.other_hands += after[0] != before[0]
    seen, again = look(position, seat), look(other, seat)
    assert codec.view_bytes(seen) == codec.view_bytes(again)
    assert seen == again
    assert json.dumps(seen.to_json()) == json.dumps(again.to_json())


def prove_no_leak(variant: Variant, draws: str, *, examples: int) -> Tally:
    tally = Tally()

    def check(start: Start) -> None:
        seats = range(variant.players) if examples > QUICK else [start.choices % variant.players]
        for seat in seats:
            no_leak(start, seat, honest, tally)

    examine(check, variant, draws, examples=examples)
    return tally


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_promise_2_views_cannot_leak(variant: Variant, draws: str) -> None:
    """Promise 2: a re-deal of what a seat cannot see moves no byte of its view."""
    tally = prove_no_leak(variant, draws, examples=QUICK)
    assert tally.positions >= QUICK
    # In the second half of some games nothing is hidden any more.
    assert tally.different >= QUICK // 4
    assert tally.other_hands >= QUICK // 5


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_promise_2_views_cannot_leak_at_length(variant: Variant, draws: str) -> None:
    """Promise 2 at full size: at least 500 positions, and 500 really different re-deals."""
    tally = prove_no_leak(variant, draws, examples=max(500, 2400 // variant.players))
    assert tally.positions >= 500
    assert tally.different >= 500
    assert tally.other_hands >= 400


def leak_next_hand(deal: Deal, seat: int) -> View:
    """Something of the next seat's hand, smuggled into the history."""
    view = deal.view(seat)
    other = deal.view((seat + 1) % deal.variant.players)
    if view.actors:
        view.actors = bytes([other.hand_mask % 3]) + view.actors[1:]
    return view


def leak_legal_of_the_seat_to_move(deal: Deal, seat: int) -> View:
    """The mask of whoever is to move."""
    view = deal.view(seat)
    view.legal_mask = deal.legal
    return view


def leak_where_the_pack_was_cut(deal: Deal, seat: int) -> View:
    """A hash of the shuffle, such as an id that survives it."""
    view = deal.view(seat)
    view.match = replace(view.match, format=f"deals:{sum(deal.shuffles[0][:20])}")
    return view


def leak_finished_tricks_in_other_order(deal: Deal, seat: int) -> View:
    """Finished tricks in an order that depends on another hand."""
    view = deal.view(seat)
    if deal.view((seat + 1) % deal.variant.players).hand_mask % 3:
        view.past_cards = view.past_cards[::-1]
    return view


def leak_the_secret_of_the_game(deal: Deal, seat: int) -> View:
    """What each game hides best: a card of the stock, the holder, a covered card, discards."""
    view = deal.view(seat)
    _, stock = hidden_from(deal, seat)
    match view:
        case ChiamataView() if view.called is not None:
            called = view.called
            hands = [deal.view(other).hand_mask for other in range(5)]
            holders = [other for other, hand in enumerate(hands) if hand >> called & 1]
            view.holder = holders[0] if holders else view.holder
        case PizzichinoView() if stock:
            view.packet_shown = (bytes([stock[-1]]), *view.packet_shown[1:])
        case FrapView():
            other = deal.view((seat + 1) % deal.variant.players)
            assert isinstance(other, FrapView)
            view.discards = other.discards or bytes(stock[-1:])
        case FrustaView():
            other = deal.view(1 - seat)
            view.known_masks = tuple(
                deal.view(number).hand_mask if number != seat else mask
                for number, mask in enumerate(view.known_masks)
            )
        case BriscolaView() | MetaMazzoView() if stock:
            view.stock_count = stock[-1]
    return view


LEAKS: list[Look] = [
    leak_next_hand,
    leak_legal_of_the_seat_to_move,
    leak_where_the_pack_was_cut,
    leak_finished_tricks_in_other_order,
    leak_the_secret_of_the_game,
]


@pytest.mark.parametrize(
    "text",
    [
        "briscola/2",
        "briscola/3",
        "briscola/4",
        "briscola/6?talk=signal",
        "briscola-chiamata/5",
        "frusta/2",
        "tressette-meta-mazzo/2",
        "tressette-pizzichino/2",
        "frap/3",
        "frap/8",
    ],
)
@pytest.mark.parametrize("leak", LEAKS, ids=[leak.__name__ for leak in LEAKS])
def test_promise_2_a_leak_would_be_found(leak: Look, text: str) -> None:
    """The test above can fail: every one of these leaks is caught within 60 positions."""
    variant = parse_variant(text)
    caught = 0
    for number, start in enumerate(fixed_starts(variant, 60)):
        try:
            no_leak(start, number % variant.players, leak, Tally())
        except AssertionError:
            caught += 1
    assert caught >= 3


def fixed_starts(variant: Variant, count: int) -> Iterator[Start]:
    """Starts that are the same in every run, for tests that count."""
    for number in range(count):
        yield Start(
            variant=variant,
            draws=variant.game.draw_modes[number % len(variant.game.draw_modes)],
            dealer=number % variant.players,
            seed=bytes([number]) * 32,
            number=number,
            choices=number,
        )
