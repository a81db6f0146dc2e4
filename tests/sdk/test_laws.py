"""The laws that every game keeps, over every variant of `GAMES` in every drawing mode.

A law is a function of a `Start`; adding a game to `GAMES` puts it under all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby

import pytest

from mazzo import codec
from mazzo.cards import bits, mask_of
from mazzo.errors import IllegalActionError, ProtocolError
from mazzo.game import Clock, Deal, MatchProgress, Variant, View
from mazzo.games import GAMES, parse_variant
from mazzo.games.briscola import BRISCOLA, BriscolaView
from mazzo.record import DealRecord, replay, replay_line
from mazzo.shuffle import GivenShuffles, SeededShuffles
from mazzo.v1 import view_pb2
from sdk.strategies import CASES, Start, choose, examine, legal_codes, play

CASE_NAMES = [f"{variant}-{draws}" for variant, draws in CASES]


def frozen(value: object) -> object:
    """The value as it is now, whatever is done to its lists later."""
    if isinstance(value, list):
        return tuple([frozen(item) for item in value])
    if isinstance(value, dict):
        return tuple([(key, frozen(item)) for key, item in value.items()])
    return bytes(value) if isinstance(value, bytearray) else value


def everything(deal: Deal) -> dict[str, object]:
    """All that a deal holds and shows, so that any change of it shows."""
    slots = [name for kind in type(deal).__mro__ for name in getattr(kind, "__slots__", ())]
    state = {name: frozen(getattr(deal, name)) for name in slots}
    for seat in range(deal.variant.players):
        state[f"view {seat}"] = deal.view(seat)
    return state | {"scores": deal.scores, "result": frozen(deal.result)}


def law_legal_is_never_empty_until_over(start: Start) -> None:
    """Law: exactly one seat to move, with legal actions of the game's list, until the end."""
    deal, generator = start.deal(), start.random()
    seats, size = range(start.variant.players), len(start.variant.game.actions)
    while deal.seat is not None:
        assert deal.seat in seats
        assert 0 < deal.legal < 1 << size
        assert deal.scores is None
        assert deal.result is None
        for seat in seats:
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
        for action in (*(n for n in range(size) if not deal.legal >> n & 1), *beyond):
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


def law_cards_are_conserved(start: Start) -> None:
    """Law: every card is in exactly one place, a hand, a trick or the stock, at every step."""
    deal, generator = start.deal(), start.random()
    pack = mask_of(deal.shuffles[0])
    while True:
        views = [deal.view(seat) for seat in range(start.variant.players)]
        first = views[0]
        places = [view.hand_mask for view in views]
        played = [*first.trick_cards, *getattr(first, "past_cards", b"")]
        places += [1 << card for card in played]
        together = 0
        for place in places:
            assert not together & place
            together |= place
        assert not together & ~pack
        if isinstance(first, BriscolaView):
            stock = pack & ~together
            assert stock.bit_count() == first.stock_count
            assert [view.hand_mask.bit_count() for view in views] == list(first.hand_counts)
        if deal.seat is None:
            return
        deal.apply(choose(deal, generator))


def law_same_shuffles_and_actions_give_the_same(start: Start) -> None:
    """Law: a deal is exactly its shuffles, its start and its actions."""
    position = start.position()
    given_shuffles = GivenShuffles([list(shuffle) for shuffle in position.shuffles])
    again = start.variant.game.deal(
        start.variant, given_shuffles, dealer=start.dealer, draws=start.draws, start=position.start
    )
    for action in position.actions:
        again.apply(action)
    assert everything(again) == everything(position)


def law_records_come_back(start: Start) -> None:
    """Law: a record through JSON replays to the same position, with shuffles or with a seed."""
    for deal in (start.position(), start.finished()):
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
        seats = range(start.variant.players)
        assert answer["views"] == [deal.view(seat).to_json() for seat in seats]
        seeded = replace(record, shuffles=None, seed=start.seed, deal=start.number)
        read = DealRecord.from_json(json.loads(json.dumps(seeded.to_json())))
        assert read == seeded
        assert everything(replay(read)) == everything(deal)


def law_talk_is_bounded(start: Start) -> None:
    """Rules of talk: at most three tokens a turn, none twice, then a card."""
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
        assert back.to_json() == view.to_json() == json.loads(json.dumps(view.to_json()))
        assert back.hand == view.hand
        assert back.legal == view.legal


LAWS: list[Callable[[Start], None]] = [
    law_legal_is_never_empty_until_over,
    law_every_legal_action_can_be_taken,
    law_illegal_actions_change_nothing,
    law_copies_play_on_independently,
    law_cards_are_conserved,
    law_same_shuffles_and_actions_give_the_same,
    law_records_come_back,
    law_talk_is_bounded,
    law_views_survive_the_wire,
]
LAW_NAMES = [law.__name__ for law in LAWS]


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
@pytest.mark.parametrize("law", LAWS, ids=LAW_NAMES)
def test_law(law: Callable[[Start], None], variant: Variant, draws: str) -> None:
    """Every law, on 50 deals of every variant in every drawing mode."""
    examine(law, variant, draws, examples=50)


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
@pytest.mark.parametrize("law", LAWS, ids=LAW_NAMES)
def test_law_at_length(law: Callable[[Start], None], variant: Variant, draws: str) -> None:
    """Every law, on 2,000 deals of every variant in every drawing mode."""
    examine(law, variant, draws, examples=2000)


# Promise 2: a view cannot leak.

Look = Callable[[Deal, int], View]


def honest(deal: Deal, seat: int) -> View:
    return deal.view(seat)


def hidden_places_in_briscola(deal: Deal, seat: int) -> list[int]:
    """The places of the pack whose cards the seat cannot know.

    It knows its own cards, whatever has been played, and the trump card.
    """
    deck = deal.shuffles[0]
    known = {deck[3 * deal.variant.players]}
    known |= {action for action in deal.actions if action < len(deal.variant.game.pack)}
    known |= set(bits(deal.view(seat).hand_mask))
    return [place for place, card in enumerate(deck) if card not in known]


HIDDEN_PLACES: dict[str, Callable[[Deal, int], list[int]]] = {
    BRISCOLA.id: hidden_places_in_briscola
}
"""For each game whose deals stay legal when the cards in these places are permuted."""


def redealt(start: Start, position: Deal, seat: int) -> Deal:
    """The same position but for the cards that the seat cannot see, which are dealt anew."""
    deck = list(position.shuffles[0])
    places = HIDDEN_PLACES[start.variant.game.id](position, seat)
    mixed = list(places)
    start.random(f"redeal {seat}").shuffle(mixed)
    for place, other in zip(places, mixed, strict=True):
        deck[place] = position.shuffles[0][other]
    deal = start.variant.game.deal(
        start.variant, GivenShuffles([deck]), dealer=start.dealer, draws=start.draws
    )
    for action in position.actions:
        deal.apply(action)
    return deal


def hidden_from(deal: Deal, seat: int) -> tuple[list[int], list[int]]:
    """What a re-deal may change: the other seats' hands, and what is left of the pack."""
    hands = [deal.view(other).hand_mask for other in range(deal.variant.players) if other != seat]
    gone = {action for action in deal.actions if action < len(deal.variant.game.pack)}
    in_hand = deal.view(seat).hand_mask | sum(hands)
    stock = [card for card in deal.shuffles[0] if card not in gone and not in_hand >> card & 1]
    return hands, stock


class Tally:
    """How many views were compared, and how many re-deals were really different."""

    def __init__(self) -> None:
        self.positions = 0
        self.to_move = 0  # really different, the seat being to move
        self.waiting = 0  # really different, another seat being to move
        self.other_hands = 0  # with another hand changed, not only the stock


def no_leak(start: Start, look: Look, tally: Tally) -> None:
    """Each seat's view of a position, against its view of a re-deal of what it cannot see."""
    position = start.position()
    tally.positions += 1
    for seat in range(start.variant.players):
        other = redealt(start, position, seat)
        before, after = hidden_from(position, seat), hidden_from(other, seat)
        if after != before and seat == position.seat:
            tally.to_move += 1
        elif after != before:
            tally.waiting += 1
        tally.other_hands += after[0] != before[0]
        seen, again = look(position, seat), look(other, seat)
        assert codec.view_bytes(seen) == codec.view_bytes(again)
        assert seen == again
        assert json.dumps(seen.to_json()) == json.dumps(again.to_json())


LEAK_CASES = [case for case in CASES if case[0].game.id in HIDDEN_PLACES]
LEAK_NAMES = [f"{variant}-{draws}" for variant, draws in LEAK_CASES]


def prove_no_leak(variant: Variant, draws: str, examples: int) -> Tally:
    tally = Tally()

    def check(start: Start) -> None:
        no_leak(start, honest, tally)

    examine(check, variant, draws, examples=examples)
    return tally


@pytest.mark.parametrize(("variant", "draws"), LEAK_CASES, ids=LEAK_NAMES)
def test_promise_2_views_cannot_leak(variant: Variant, draws: str) -> None:
    """Promise 2: a re-deal of what a seat cannot see moves no byte of its view."""
    tally = prove_no_leak(variant, draws, 50)
    assert tally.positions >= 50
    assert tally.to_move >= 25
    assert tally.waiting >= 25
    assert tally.other_hands >= 50


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), LEAK_CASES, ids=LEAK_NAMES)
def test_promise_2_views_cannot_leak_at_length(variant: Variant, draws: str) -> None:
    """Promise 2 at full size: at least 500 really different re-deals of each kind."""
    tally = prove_no_leak(variant, draws, 2000)
    assert tally.positions >= 2000
    assert min(tally.to_move, tally.waiting, tally.other_hands) >= 500


def test_promise_2_is_checked_for_every_game() -> None:
    """Promise 2: a game without a way to deal its hidden cards anew is not proved."""
    assert set(HIDDEN_PLACES) == set(GAMES)


def leak_trumps_of_next_hand(deal: Deal, seat: int) -> View:
    """How many trumps the next seat holds, smuggled into the points."""
    view = deal.view(seat)
    assert isinstance(view, BriscolaView)
    other = deal.view((seat + 1) % deal.variant.players)
    trumps = sum(card.suit == view.trump for card in other.hand)
    view.points = (view.points[0] + trumps, *view.points[1:])
    return view


def leak_legal_of_the_seat_to_move(deal: Deal, seat: int) -> View:
    """The mask of whoever is to move."""
    view = deal.view(seat)
    view.legal_mask = deal.legal
    return view


def leak_best_card_left(deal: Deal, seat: int) -> View:
    """Whether the lowest card that is still hidden is in the stock, in the deal's number."""
    view = deal.view(seat)
    _, stock = hidden_from(deal, seat)
    view.match = replace(view.match, deal=int(len(stock) > 1 and stock[0] > stock[1]))
    return view


def leak_where_the_pack_was_cut(deal: Deal, seat: int) -> View:
    """A hash of the shuffle, such as an id that survives it."""
    view = deal.view(seat)
    view.match = replace(view.match, format=f"deals:{sum(deal.shuffles[0][:20])}")
    return view


def leak_hand_in_other_order(deal: Deal, seat: int) -> View:
    """Finished tricks in an order that depends on another hand."""
    view = deal.view(seat)
    assert isinstance(view, BriscolaView)
    if deal.view((seat + 1) % deal.variant.players).hand_mask % 3:
        view.past_cards = view.past_cards[::-1]
    return view


LEAKS: list[Look] = [
    leak_trumps_of_next_hand,
    leak_legal_of_the_seat_to_move,
    leak_best_card_left,
    leak_where_the_pack_was_cut,
    leak_hand_in_other_order,
]


@pytest.mark.parametrize("text", ["briscola/2", "briscola/3", "briscola/4", "briscola/6?talk=off"])
@pytest.mark.parametrize("leak", LEAKS, ids=[leak.__name__ for leak in LEAKS])
def test_promise_2_a_leak_would_be_found(leak: Look, text: str) -> None:
    """The test above can fail: every one of these leaks is caught within 50 positions."""
    variant = parse_variant(text)
    caught = 0
    for start in fixed_starts(variant, 50):
        try:
            no_leak(start, leak, Tally())
        except AssertionError:
            caught += 1
    assert caught >= 5


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


# The codec, beside the laws.


@pytest.mark.parametrize(
    "match",
    [
        MatchProgress(),
        MatchProgress(format="best-of:3", deal=2, scores=(1.0, 0.0)),
        MatchProgress(format="deals:3", deal=1, scores=(1 / 3, 0.5, 0.0)),
        MatchProgress(format="target:61", deal=39, scores=(-12.0, 0.0)),
    ],
)
def test_codec_carries_the_progress_of_the_match(match: MatchProgress) -> None:
    """Law of the codec: the match so far is the same on the other side."""
    for players in (2, 3):
        variant = parse_variant(f"briscola/{players}")
        deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0, match=match)
        view = deal.view(1)
        back = codec.decode_view(view_pb2.View.FromString(codec.view_bytes(view)))
        assert back.match == match
        assert back == view


def test_codec_tells_absent_from_seat_zero() -> None:
    """The holder of the trump card: nobody, seat 0, and seat 1 are three different things."""
    variant = parse_variant("briscola/2")
    deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0)
    view = deal.view(0)
    assert isinstance(view, BriscolaView)
    found = {}
    for holder in (None, 0, 1):
        view.trump_holder = holder
        found[codec.view_bytes(view)] = holder
    assert len(found) == 3
    for message, holder in found.items():
        back = codec.decode_view(view_pb2.View.FromString(message))
        assert isinstance(back, BriscolaView)
        assert back.trump_holder == holder


def test_codec_the_seats_own_clock_is_no_part_of_the_view() -> None:
    """Promise 2: clock, number and seed stand beside the view and change no byte of it."""
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0).view(0)
    plain = codec.view_bytes(view)
    view.number, view.seed = 12, b"secret"
    view.clock = Clock(bank=1.0, increment=0.0, limit=1.0, latency=0.0)
    assert codec.view_bytes(view) == plain
    assert b"secret" not in plain
    assert "secret" not in repr(view)


def wire_message() -> view_pb2.View:
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0).view(0)
    return codec.encode_view(view)


def test_codec_refuses_what_it_cannot_read() -> None:
    """A view of an unknown game, variant or card is a fault of the peer, and said so."""
    with pytest.raises(ProtocolError, match="update mazzo"):
        codec.decode_view(view_pb2.View())
    for variant in ("", "poker/2", "briscola/5", "briscola/4?talk=loud"):
        message = wire_message()
        message.variant = variant
        with pytest.raises(ProtocolError):
            codec.decode_view(message)
    message = wire_message()
    message.briscola.trump_card = 40
    with pytest.raises(ProtocolError):
        codec.decode_view(message)


def test_codec_knows_every_game() -> None:
    """Every game has a wire message; a view of something else is the caller's mistake."""
    for variant, draws in CASES:
        start = replace(next(fixed_starts(variant, 1)), draws=draws)
        assert codec.view_bytes(start.deal().view(0))
    view = next(fixed_starts(parse_variant("briscola/2"), 1)).deal().view(0)
    stranger = View(**{name: getattr(view, name) for name in View.__slots__})
    with pytest.raises(TypeError, match="no wire message"):
        codec.encode_view(stranger)
