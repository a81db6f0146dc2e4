"""The table: one match as a state machine, fed with made-up times (promises 5 and 6)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.cards import bits
from mazzo.game import Deal
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import SeededShuffles
from mazzo_server.model import TimeControl
from mazzo_server.model.outcome import Fault, MatchOutcome, Owner, Termination
from mazzo_server.play.table import Ask, Effect, Ended, Table

SEED = bytes(range(32))
CONTROL = TimeControl(bank=2.0, increment=0.5, limit=1.5)
VARIANTS = (
    "briscola/2",
    "briscola/3",
    "briscola/4",
    "briscola/6?talk=off",
    "briscola-chiamata/5",
    "tressette-pizzichino/2",
    "frap/6",
)


def table_of(
    variant: str = "briscola/2",
    match_format: str = "deals:2",
    *,
    seed: bytes = SEED,
    control: TimeControl = CONTROL,
    substituted: Sequence[int] = (),
) -> Table:
    known = parse_variant(variant)
    draws = known.game.draw_modes[-1]
    match = Match(known, seed, MatchFormat.parse(match_format), draws=draws)
    return Table(match, control, substituted=substituted)


def lowest(ask: Ask) -> int:
    return next(bits(ask.view.legal_mask))


def illegal(ask: Ask) -> int:
    return next(number for number in range(64) if not ask.view.legal_mask >> number & 1)


def asked(effect: Effect) -> Ask:
    assert isinstance(effect, Ask)
    return effect


def play_on(table: Table, effect: Effect, *, elapsed: float = 0.01) -> Ended:
    """Answer everything with the lowest legal action, to the end."""
    while isinstance(effect, Ask):
        effect = table.answer(lowest(effect), elapsed)
    return effect


def outcome_of(table: Table) -> MatchOutcome:
    players = table.match.variant.players
    return table.outcome(group=5, seating=1, entrants=tuple(range(players)))


def substitute_choice(seed: bytes, label: str, legal: int) -> int:
    """The substitute's action, worked out from the words of its label alone."""
    options = list(bits(legal))
    digest = hashlib.sha256(seed + b"\x00" + label.encode() + b"\x00" + bytes(8)).digest()
    word = int.from_bytes(digest[:4], "big")
    assert word < 2**32 - 2**32 % len(options), "choose another seed: this word is rejected"
    return options[word % len(options)]


# Clocks


def test_a_bank_pays_for_decisions_and_gets_the_increment() -> None:
    """Time and faults: the clock of the seat alone runs, the increment comes afterwards."""
    table = table_of()
    first = asked(table.start())
    assert (first.number, first.bank, first.allowance) == (1, 2.0, 1.5)
    second = asked(table.answer(lowest(first), 1.25))
    assert (second.seat, second.number, second.bank) == (1 - first.seat, 1, 2.0)
    effect: Effect = second
    while not (isinstance(effect, Ask) and effect.seat == first.seat):
        effect = table.answer(lowest(asked(effect)), 0.0)
    assert (effect.number, effect.bank) == (2, 2.0 - 1.25 + 0.5)


def test_banks_are_filled_anew_each_deal() -> None:
    """Time and faults: the bank is filled anew each deal."""
    table = table_of()
    effect: Effect = table.start()
    while isinstance(effect, Ask) and table.match.deal_number == 0:
        effect = table.answer(lowest(effect), 0.55)
    following = asked(effect)
    assert following.bank == 2.0
    assert following.number == 21  # the count of a seat's decisions runs on


def test_the_limit_binds_when_the_bank_is_full_and_the_bank_when_it_is_not() -> None:
    """Time and faults: a limit for one decision, whatever the bank holds."""
    control = TimeControl(bank=2.0, increment=0.0, limit=1.5)
    table = table_of(control=control)
    first = asked(table.start())
    effect: Effect = table.answer(lowest(first), 1.5)  # exactly the limit is in time
    while asked(effect).seat != first.seat:
        effect = table.answer(lowest(asked(effect)), 0.0)
    assert asked(effect).bank == asked(effect).allowance == 0.5
    play_on(table, table.answer(lowest(asked(effect)), 0.5625), elapsed=0.0)
    assert outcome_of(table).late[first.seat] == 1


@pytest.mark.parametrize("how", ["expire", "answer"])
def test_two_late_decisions_are_the_substitutes_and_the_third_forfeits(how: str) -> None:
    """Time and faults: twice the substitute, from `substitute/SEAT/N`; then the forfeit."""
    table = table_of("briscola/2", "deals:3")
    effect: Effect = table.start()
    seat = asked(effect).seat
    expected: list[int] = []
    while isinstance(effect, Ask):
        if effect.seat != seat:
            effect = table.answer(lowest(effect), 0.0)
            continue
        legal, at = effect.view.legal_mask, len(table.match.deal.actions)
        effect = table.expire(9.0) if how == "expire" else table.answer(lowest(effect), 9.0)
        if not isinstance(effect, Ended):
            choice = substitute_choice(SEED, f"substitute/{seat}/{len(expected)}", legal)
            assert table.match.deal.actions[at] == choice
            expected.append(at)
    outcome = outcome_of(table)
    assert len(expected) == 2
    assert outcome.deals[0].substituted == tuple(expected)
    assert outcome.late[seat] == 3
    assert outcome.late[1 - seat] == 0
    assert outcome.faults == (
        Fault(
            seat=seat,
            termination=Termination.OUT_OF_TIME,
            owner=Owner.BOT,
            reason="late for the third time in the match",
            deal=0,
            decision=3,
        ),
    )


def test_late_decisions_are_counted_over_the_whole_match() -> None:
    """Time and faults: twice in a match, not twice in a deal."""
    table = table_of("briscola/2", "deals:3")
    effect: Effect = table.start()
    late_in: set[int] = set()
    while isinstance(effect, Ask):
        deal = table.match.deal_number
        if effect.seat == 0 and deal not in late_in:
            late_in.add(deal)
            effect = table.expire(1.6)
        else:
            effect = table.answer(lowest(effect), 0.0)
    (fault,) = outcome_of(table).faults
    assert (fault.seat, fault.deal) == (0, 2)


# Forfeits


@pytest.mark.parametrize(
    ("variant", "match_format", "full"),
    [
        ("briscola/2", "deals:2", 2),
        ("briscola/2", "deals:7", 7),
        ("briscola/2", "best-of:3", 2),
        ("briscola/4", "best-of:5", 3),
        ("briscola/6", "deals:1", 1),
        ("frusta/2", "deals:2", 2),
        ("tressette-meta-mazzo/2", "deals:2", 22),
        ("tressette-meta-mazzo/2", "target:51", 51),
        ("frap/2?ante=8", "deals:4", 32),
    ],
)
def test_with_two_sides_a_forfeit_ends_the_match(
    variant: str, match_format: str, full: int
) -> None:
    """Time and faults: the match ends at once, the other side gets its full score."""
    table = table_of(variant, match_format)
    effect: Effect = table.start()
    for _ in range(5):
        effect = table.answer(lowest(asked(effect)), 0.01)
    guilty = asked(effect)
    ended = table.answer(illegal(guilty), 0.01)
    assert isinstance(ended, Ended)
    sides = table.match.variant.sides
    lost = next(side for side in sides if guilty.seat in side)
    for seat in range(table.match.variant.players):
        assert ended.scores[seat] == (0 if seat in lost else full)
        assert ended.ranking[seat] == (2 if seat in lost else 1)
    outcome = outcome_of(table)
    (fault,) = outcome.faults
    assert (fault.seat, fault.owner) == (guilty.seat, Owner.BOT)
    assert fault.termination is Termination.ILLEGAL_ACTION
    # What goes to every seat names no card: the legal actions would show the hand (promise 2).
    assert ended.reason == f"seat {guilty.seat} forfeited: illegal-action"
    assert (fault.deal, fault.decision) == (0, guilty.number)
    assert outcome.match_scores == ended.scores
    (deal,) = outcome.deals
    assert deal.forfeited
    assert deal.scores == ()
    assert len(deal.actions) == 5
    assert table.asked is None


@pytest.mark.parametrize("action", [-1, 40, 2**32 - 1])
def test_an_action_that_does_not_exist_is_illegal(action: int) -> None:
    """Time and faults: an illegal action forfeits, whatever number it is."""
    table = table_of()
    effect = table.start()
    legal = asked(effect).view.legal_mask
    assert action < 0 or not legal >> action & 1
    assert isinstance(table.answer(action, 0.0), Ended)
    assert outcome_of(table).faults[0].termination is Termination.ILLEGAL_ACTION


@pytest.mark.parametrize("owner", list(Owner))
def test_a_loss_is_recorded_as_it_was_told(owner: Owner) -> None:
    """Promise 6: termination, owner and reason are those of the loss."""
    table = table_of()
    seat = asked(table.start()).seat
    table.lose(Termination.CRASHED, owner, "exploded")
    outcome = outcome_of(table)
    assert outcome.faults == (
        Fault(
            seat=seat,
            termination=Termination.CRASHED,
            owner=owner,
            reason="exploded",
            deal=0,
            decision=1,
        ),
    )
    assert outcome.decisions[seat] == 1
    assert outcome.decisions[1 - seat] == 0


def test_with_three_seats_the_substitute_plays_on() -> None:
    """Time and faults: the others finish; deals from the forfeit on are flagged."""
    table = table_of("briscola/3", "deals:3")
    effect: Effect = table.start()
    while table.match.deal_number == 0:
        effect = table.answer(lowest(asked(effect)), 0.01)
    guilty = asked(effect)
    effect = table.lose(Termination.CRASHED, Owner.BOT, "its process exited with status 3")
    asked_later = []
    while isinstance(effect, Ask):
        asked_later.append(effect.seat)
        effect = table.answer(lowest(effect), 0.01)
    assert set(asked_later) == {0, 1, 2} - {guilty.seat}
    outcome = outcome_of(table)
    assert [deal.forfeited for deal in outcome.deals] == [False, True, True]
    assert [len(deal.scores) for deal in outcome.deals] == [3, 3, 3]
    assert len(outcome.faults) == 1
    for deal, play in enumerate(outcome.deals):
        dealt = replay(table.match, deal, play.dealer)
        mine = []
        for index, action in enumerate(play.actions):
            if dealt.seat == guilty.seat:
                mine.append(index)
            dealt.apply(action)
        assert play.substituted == (tuple(mine) if deal else ())
        assert all(play.micros[index] == 0 for index in play.substituted)
    sums = [sum(scores) for scores in zip(*(deal.scores for deal in outcome.deals), strict=True)]
    assert table.match.deal_sums == sums


def settle(table: Table, deal: int) -> tuple[int, MatchOutcome]:
    """Play to the first decision in this deal, forfeit it, play on; the seat and the outcome."""
    effect: Effect = table.start()
    while table.match.deal_number < deal:
        effect = table.answer(lowest(asked(effect)), 0.01)
    effect = table.answer(lowest(asked(effect)), 0.01)
    guilty = asked(effect).seat
    play_on(table, table.lose(Termination.CRASHED, Owner.BOT, "its process exited"))
    return guilty, outcome_of(table)


@pytest.mark.parametrize(
    ("variant", "match_format", "whole", "worst"),
    [
        ("briscola/2", "deals:3", 120, 0),
        ("briscola/3", "deals:3", 120, 0),
        ("briscola/4", "deals:3", 240, 0),
        ("briscola-chiamata/5", "deals:3", 0, -4),
    ],
)
def test_after_a_forfeit_the_simple_player_settles_what_counts(
    variant: str, match_format: str, whole: int, worst: int
) -> None:
    """Time and faults: the forfeiter has the worst score there and in all later deals."""
    table = table_of(variant, match_format)
    guilty, outcome = settle(table, 1)
    assert len(outcome.counted) == 3
    assert outcome.counted[0] == outcome.deals[0].scores
    side = next(side for side in table.match.variant.sides if guilty in side)
    for scores in outcome.counted[1:]:
        assert {scores[seat] for seat in side} == {worst}
        assert sum(scores) <= whole
    again = settle(table_of(variant, match_format), 1)[1]
    assert again.counted == outcome.counted


def test_what_counts_after_a_forfeit_is_not_what_the_others_make_of_it() -> None:
    """B.8: a weak player in one seat alone would give points away to the others."""
    _, outcome = settle(table_of("briscola/3", "deals:3"), 1)
    assert outcome.counted[1:] != tuple(deal.scores for deal in outcome.deals[1:])
    assert [deal.forfeited for deal in outcome.deals] == [False, True, True]


def test_who_forfeits_later_has_the_worst_from_there_on() -> None:
    """Time and faults: each forfeiter keeps what the simple player made for it until then."""
    table = table_of("briscola/3", "deals:3")
    effect: Effect = table.start()
    first = asked(effect).seat
    effect = table.lose(Termination.LEFT, Owner.BOT, "left")
    while table.match.deal_number < 2:
        effect = table.answer(lowest(asked(effect)), 0.01)
    second = asked(effect).seat
    play_on(table, table.lose(Termination.LEFT, Owner.BOT, "left"))
    counted = outcome_of(table).counted
    assert [scores[first] for scores in counted] == [0, 0, 0]
    assert counted[2][second] == 0
    assert counted[0][second] + counted[1][second] > 0


def test_a_match_without_forfeits_counts_as_it_was_played() -> None:
    """Standings then take the scores of the deals."""
    table = table_of("briscola/2", "deals:2")
    play_on(table, table.start())
    assert outcome_of(table).counted == ()


def test_the_pot_that_is_left_enters_the_last_deal() -> None:
    """Rule 10 of Frap: what is left is split, so that the scores of a match add up to 0."""
    left = 0
    for number in range(20):
        table = table_of("frap/4", "deals:2", seed=bytes([number]) * 32)
        play_on(table, table.start())
        outcome = outcome_of(table)
        sums = [sum(s) for s in zip(*(deal.scores for deal in outcome.deals), strict=True)]
        assert sums == table.match.deal_sums == [int(score) for score in outcome.match_scores]
        assert sum(sums) == 0
        left += sum(table.match.deal.leftover) > 0
    assert left


def test_when_every_seat_has_forfeited_the_substitute_finishes_the_match() -> None:
    """Time and faults: with more than two sides the match always has its deals."""
    table = table_of("briscola/3", "deals:3")
    effect: Effect = table.start()
    for _ in range(3):
        effect = table.lose(Termination.LEFT, Owner.BOT, "left")
    assert isinstance(effect, Ended)
    outcome = outcome_of(table)
    assert sorted(fault.seat for fault in outcome.faults) == [0, 1, 2]
    assert len(outcome.deals) == 3
    assert all(deal.scores for deal in outcome.deals)


def test_house_seats_are_the_substitutes_from_the_start_and_nobodys_fault() -> None:
    """Trials: the substitute plays the other seats, and nobody forfeits for it."""
    table = table_of("briscola/4", "deals:2", substituted=(0, 1, 3))
    seats = set()
    effect: Effect = table.start()
    while isinstance(effect, Ask):
        seats.add(effect.seat)
        effect = table.answer(lowest(effect), 0.01)
    outcome = outcome_of(table)
    assert seats == {2}
    assert outcome.faults == ()
    assert not any(deal.forfeited for deal in outcome.deals)
    assert [outcome.decisions[seat] for seat in (0, 1, 3)] == [0, 0, 0]
    assert outcome.decisions[2] == 20
    for play in outcome.deals:
        assert len(play.actions) - len(play.substituted) == 10


# What is left of a match


def replay(match: Match, deal: int, dealer: int, start: Mapping[str, Any] | None = None) -> Deal:
    """The deal of that number, laid out from the match's seed alone."""
    return match.variant.game.deal(
        match.variant,
        SeededShuffles(match.seed, deal),
        dealer=dealer,
        draws=match.draws,
        start=start,
    )


def test_nothing_can_happen_before_the_start_or_after_the_end() -> None:
    """One effect for each input: there is no open decision to answer twice."""
    table = table_of(match_format="deals:1")
    with pytest.raises(ValueError, match="no decision is open"):
        table.answer(0, 0.0)
    with pytest.raises(ValueError, match="not ended"):
        outcome_of(table)
    play_on(table, table.start())
    inputs: list[Callable[[], Effect]] = [
        lambda: table.answer(0, 0.0),
        lambda: table.expire(9.0),
        lambda: table.lose(Termination.LEFT, Owner.BOT, "left"),
    ]
    for too_late in inputs:
        with pytest.raises(ValueError, match="no decision is open"):
            too_late()


def test_the_outcome_says_what_was_played_by_whom_and_how_long_it_took() -> None:
    """Promise 1: plays, times and counts agree with what the table was told."""
    table = table_of("briscola/2", "deals:2")
    ended = play_on(table, table.start(), elapsed=0.25)
    outcome = outcome_of(table)
    assert (outcome.group, outcome.seating, outcome.entrants) == (5, 1, (0, 1))
    assert outcome.match_scores == ended.scores
    assert sum(ended.scores) == 2
    assert outcome.faults == ()
    assert ended.reason == ""
    assert outcome.late == (0, 0)
    assert outcome.decisions == (40, 40)
    assert outcome.thinking_seconds == (10.0, 10.0)
    for number, play in enumerate(outcome.deals):
        assert set(play.micros) == {250_000}
        assert (len(play.actions), play.substituted, play.forfeited) == (40, (), False)
        dealt = replay(table.match, number, play.dealer)
        for action in play.actions:
            dealt.apply(action)
        assert dealt.scores == play.scores
    assert outcome.deals[1].dealer == 1 - outcome.deals[0].dealer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Habits:
    """How the bots at a table behave, as chances in a hundred."""

    late: int
    illegal: int
    lost: int


@given(
    variant=st.sampled_from(VARIANTS),
    match_format=st.sampled_from(("deals:1", "deals:3", "best-of:3")),
    seed=st.binary(min_size=32, max_size=32),
    substituted=st.sets(st.integers(0, 5)),
    habits=st.builds(
        _Habits,
        late=st.sampled_from((0, 3, 50)),
        illegal=st.sampled_from((0, 1, 20)),
        lost=st.sampled_from((0, 1, 20)),
    ),
    choices=st.integers(0, 2**63 - 1),
)
def test_whatever_the_bots_do_every_match_ends(
    variant: str,
    match_format: str,
    seed: bytes,
    substituted: set[int],
    habits: _Habits,
    choices: int,
) -> None:
    """Promises 1, 5 and 6: it ends, each input has one effect, and what is left adds up."""
    generator = random.Random(choices)
    players = parse_variant(variant).players
    table = table_of(
        variant,
        match_format,
        seed=seed,
        substituted=[seat for seat in sorted(substituted) if seat < players],
    )
    guilty: dict[int, Termination] = {}
    asks = [0] * players
    late = [0] * players
    effect = table.start()
    inputs = 0
    while isinstance(effect, Ask):
        seat = effect.seat
        assert table.asked is effect
        assert seat not in substituted
        assert seat not in guilty
        asks[seat] += 1
        assert effect.number == asks[seat]
        assert 0.0 < effect.allowance <= CONTROL.limit
        assert effect.view.seat == seat
        roll, before = generator.randrange(100), effect
        if roll < habits.late:
            late[seat] += 1
            if late[seat] == 3:
                guilty[seat] = Termination.OUT_OF_TIME
            effect = table.expire(generator.choice((1.6, 99.0)))
        elif roll < habits.late + habits.illegal:
            guilty[seat] = Termination.ILLEGAL_ACTION
            effect = table.answer(illegal(effect), 0.0)
        elif roll < habits.late + habits.illegal + habits.lost:
            guilty[seat] = Termination.CRASHED
            effect = table.lose(Termination.CRASHED, Owner.BOT, "lost")
        else:
            action = generator.choice(list(bits(effect.view.legal_mask)))
            effect = table.answer(action, generator.random() * 0.5)
        assert effect is not before
        inputs += 1
        assert inputs < 2000
    assert table.asked is None
    outcome = outcome_of(table)
    assert {fault.seat: fault.termination for fault in outcome.faults} == guilty
    assert outcome.decisions == tuple(asks)
    assert outcome.late == tuple(late)
    two_sided = len(table.match.variant.sides) == 2
    assert len(guilty) <= 1 or not two_sided
    start: Mapping[str, Any] = {}
    for number, play in enumerate(outcome.deals):
        dealt = replay(table.match, number, play.dealer, start)
        for action in play.actions:
            dealt.apply(action)
        start = dealt.next_start if dealt.scores else {}
        scores = dealt.scores or ()
        if scores and play is outcome.deals[-1]:
            scores = tuple(map(add, scores, dealt.leftover))
        assert scores == play.scores
        assert len(play.micros) == len(play.actions)
        assert play.scores or (two_sided and guilty and play is outcome.deals[-1])
        first_fault = min((fault.deal for fault in outcome.faults), default=number + 1)
        assert play.forfeited == (number >= first_fault)
    if two_sided and guilty:
        assert sorted(set(outcome.match_scores)) == [Fraction(0), table.match.full_score]
