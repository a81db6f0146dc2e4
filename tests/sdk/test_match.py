"""Match formats, dealers, replays and rankings, with scripted deals and with real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.cards import ITALIAN
from mazzo.errors import IllegalActionError, MatchFormatError
from mazzo.game import Action, Deal, Game, MatchProgress, Setting, Variant, View, WorldSource
from mazzo.games import parse_variant
from mazzo.layout import Layout
from mazzo.match import Match, MatchFormat, ranks
from mazzo.shuffle import SeededShuffles, Shuffles, Stream
from support.strategies import play, seeds, variants

ZEROS = bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedGame(Game):
    """A game of one action a deal, whose deals score what the script says."""

    script: Callable[[int], Sequence[int]]
    tables: Mapping[int, tuple[tuple[int, ...], ...]]

    def sides(self, players: int) -> tuple[tuple[int, ...], ...]:
        return self.tables[players]

    def default_match_format(self, variant: Variant) -> str:
        return "deals:1"

    def new_deal(self, setting: Setting, shuffles: Shuffles) -> ScriptedDeal:
        assert setting.draws == "top"
        deck = shuffles.draw("deck", 0, self.pack.cards)
        return ScriptedDeal(setting, deck, tuple(self.script(setting.match.deal)))

    def layouts(self, view: View) -> list[Layout]:
        raise AssertionError("nobody searches here")

    def worlds(self, view: View) -> WorldSource:
        raise AssertionError("nobody searches here")

    def deal_winners(self, deal: Deal) -> tuple[int, ...]:
        scores = deal.scores
        assert scores is not None
        sides = deal.variant.sides
        return tuple(i for i, side in enumerate(sides) if scores[side[0]] == max(scores))


class ScriptedDeal(Deal):
    """A deal that is over after one action."""

    __slots__ = ("scripted",)

    def __init__(self, setting: Setting, deck: list[int], scripted: tuple[int, ...]) -> None:
        super().__init__(setting, deck)
        self.scripted = scripted
        self.seat = 0
        self.legal = 1

    def apply(self, action: int) -> None:
        if action or self.seat is None:
            raise IllegalActionError("no")
        self.actions.append(action)
        self.seat, self.legal = None, 0

    def view(self, seat: int) -> View:
        raise NotImplementedError

    def copy(self) -> ScriptedDeal:
        raise NotImplementedError

    @property
    def scores(self) -> tuple[int, ...] | None:
        return self.scripted if self.seat is None else None

    @property
    def result(self) -> dict[str, Any] | None:
        return {} if self.seat is None else None


PAIRS = {2: ((0,), (1,)), 3: ((0,), (1,), (2,)), 4: ((0, 2), (1, 3))}
A, B, LEVEL = (70, 50), (50, 70), (60, 60)


def scripted(
    script: Sequence[Sequence[int]], text: str, *, counts_wins: bool = True, seed: bytes = ZEROS
) -> Match:
    """A match whose deals score in turn what the script says, its last line for ever."""
    game = ScriptedGame(
        id="scripted",
        title="",
        summary="",
        pack=ITALIAN,
        players=(2, 3, 4),
        options=(),
        actions=(Action(0, "end"),),
        draw_modes=("top",),
        counts_wins=counts_wins,
        script=lambda number: script[min(number, len(script) - 1)],
        tables=PAIRS,
    )
    return Match(Variant.of(game, len(script[0])), seed, MatchFormat.parse(text))


def score(*values: float | Fraction) -> tuple[Fraction, ...]:
    """Match scores, exactly."""
    return tuple(Fraction(value) for value in values)


def play_out(match: Match) -> list[int]:
    """Play a scripted match; the dealers of its deals."""
    dealers = []
    while not match.over:
        dealers.append(match.deal.dealer)
        match.deal.apply(0)
        match.advance()
        assert len(dealers) < 200
    return dealers


# Texts.


@pytest.mark.parametrize(
    ("text", "kind", "number", "planned"),
    [
        ("deals:1", "deals", 1, 1),
        ("deals:24", "deals", 24, 24),
        ("best-of:1", "best-of", 1, 1),
        ("best-of:3", "best-of", 3, 3),
        ("target:61", "target", 61, None),
    ],
)
def test_formats(text: str, kind: str, number: int, planned: int | None) -> None:
    """Rules, "Match formats": the three formats, read and written."""
    match_format = MatchFormat.parse(text)
    assert (match_format.kind, match_format.number) == (kind, number)
    assert str(match_format) == text
    assert match_format.planned_deals == planned


@pytest.mark.parametrize(
    "text",
    [
        "",
        "deals",
        "deals:",
        "deals:0",
        "deals:-1",
        "deals:+1",
        "deals:1.5",
        "deals: 3",
        "deals:03",
        "deals:3:3",
        "deals:３",
        "deals:²",
        "deals:1_0",
        "deals:" + "9" * 5000,
        "Deals:3",
        "best-of:2",
        "best-of:0",
        "best_of:3",
        "target:0",
        "target:x",
        "first-to:3",
    ],
)
def test_formats_that_are_none(text: str) -> None:
    """Rules, "Match formats": anything else is refused; N of best-of is odd."""
    with pytest.raises(MatchFormatError, match="expected"):
        MatchFormat.parse(text)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_ranks(keys: list[tuple[int, int]]) -> None:
    """Rules, "Match formats": a rank is one more than how many are better; ties share it."""
    expected = tuple(1 + sum(other > key for other in keys) for key in keys)
    assert ranks(keys) == expected


# deals:N


def test_deals_format_plays_that_many() -> None:
    """`deals:N`: N deals, whoever leads; a drawn deal counts and gives each half a deal."""
    match = scripted([A, A, A, LEVEL, B], "deals:5", seed=ZEROS)
    assert len(play_out(match)) == 5
    assert match.scores == (Fraction(7, 2), Fraction(3, 2))
    assert match.deal_sums == [70 * 3 + 60 + 50, 50 * 3 + 60 + 70]
    assert match.ranking == (1, 2)
    assert match.replays == 0


def test_the_deal_passes_to_the_next_seat() -> None:
    """Rules, "Randomness": after the first dealer the deal passes to the next seat."""
    for players, line in [(2, A), (3, (1, 2, 3)), (4, (70, 50, 70, 50))]:
        for number in range(20):
            seed = bytes([number]) * 32
            first = Stream(seed, "first-dealer").below(players)
            dealers = play_out(scripted([line], "deals:7", seed=seed))
            assert dealers == [(first + k) % players for k in range(7)]


def test_every_deal_has_a_shuffle_of_its_own() -> None:
    """Rules, "Randomness": `deal/K/deck`, K counting every deal, replayed ones too."""
    match = scripted([LEVEL, A, LEVEL, A], "best-of:3")
    number = 0
    while not match.over:
        assert match.deal_number == match.deal.match.deal == number
        deck = SeededShuffles(ZEROS, number).draw("deck", 0, ITALIAN.cards)
        assert match.deal.shuffles == [deck]
        match.deal.apply(0)
        match.advance()
        number += 1
    assert number == 4


# best-of:N


@pytest.mark.parametrize(
    ("text", "script", "deals", "scores"),
    [
        ("best-of:1", [B], 1, (0, 1)),
        ("best-of:3", [A, A], 2, (2, 0)),
        ("best-of:3", [A, B, A], 3, (2, 1)),
        ("best-of:3", [B, A, B], 3, (1, 2)),
        ("best-of:5", [A, B, A, A], 4, (3, 1)),
        ("best-of:5", [A, A, B, B, B], 5, (2, 3)),
        ("best-of:3", [LEVEL, A, LEVEL, A], 4, (2, 0)),
        ("best-of:1", [LEVEL] * 5 + [A], 6, (1, 0)),
    ],
)
def test_best_of(
    text: str, script: list[tuple[int, int]], deals: int, scores: tuple[int, int]
) -> None:
    """`best-of:N`: until a side has won more than N/2 deals; drawn deals are played again."""
    match = scripted(script, text)
    assert len(play_out(match)) == deals
    assert match.scores == score(*scores)
    assert match.replays == script[:deals].count(LEVEL)


def test_best_of_replays_are_dealt_by_the_same_dealer() -> None:
    """`best-of:N`: a drawn deal is played again by the same dealer, then the deal passes on."""
    first = Stream(ZEROS, "first-dealer").below(2)
    dealers = play_out(scripted([LEVEL, LEVEL, A, LEVEL, B, A], "best-of:3"))
    assert dealers == [first, first, first, 1 - first, 1 - first, first]


@pytest.mark.parametrize(
    ("script", "dealer_moves", "scores"),
    [
        # Five replays, the sixth drawn deal counts, half a deal each; then two more deals.
        ([LEVEL] * 6 + [A, A], [0] * 6 + [1, 0], (Fraction(5, 2), Fraction(1, 2))),
        ([LEVEL] * 6 + [A, B], [0] * 6 + [1, 0], (Fraction(3, 2), Fraction(3, 2))),
        # The five are for the whole match, not for each deal.
        ([LEVEL] * 3 + [A] + [LEVEL] * 3 + [B], [0] * 4 + [1] * 3 + [0], (1.5, 1.5)),
        ([LEVEL] * 8, [0] * 6 + [1, 0], (1.5, 1.5)),
    ],
)
def test_best_of_replays_at_most_five_in_a_match(
    script: list[tuple[int, int]], dealer_moves: list[int], scores: tuple[Fraction, Fraction]
) -> None:
    """`best-of:N`: after five replays in the match drawn deals count as drawn."""
    match = scripted([*script, LEVEL], "best-of:3")
    first = Stream(ZEROS, "first-dealer").below(2)
    dealers = play_out(match)
    assert dealers == [(first + move) % 2 for move in dealer_moves]
    assert match.replays == 5
    assert match.counted == 3
    assert match.scores == score(*scores)
    if scores[0] == scores[1]:
        assert match.ranking == (1, 1)


def test_drawn_deals_are_replayed_in_best_of_only() -> None:
    """Rules, "Match formats": `deals:N` counts a drawn deal, `target:P` its points."""
    for text in ("deals:2", "target:120"):
        match = scripted([LEVEL, A], text)
        assert len(play_out(match)) == 2
        assert match.replays == 0
        assert match.scores == (Fraction(3, 2), Fraction(1, 2))


def test_teams_share_the_score_of_their_side() -> None:
    """Rules, "Match formats": the ranking is one of seats, partners together."""
    match = scripted([(50, 70, 50, 70)], "best-of:3")
    play_out(match)
    assert match.scores == score(0, 2, 0, 2)
    assert match.ranking == (2, 1, 2, 1)
    assert match.deal_sums == [100, 140, 100, 140]


@pytest.mark.parametrize(
    ("text", "full"), [("deals:1", 1), ("deals:4", 4), ("best-of:1", 1), ("best-of:3", 2)]
)
def test_full_score_is_what_a_clean_sweep_gives(text: str, full: int) -> None:
    """Design, "Time and faults": the match's full score, which a forfeit gives to the other."""
    match = scripted([A], text)
    assert match.full_score == full
    play_out(match)
    assert match.scores == score(full, 0)


# target:P


@pytest.mark.parametrize(
    ("script", "text", "deals"),
    [
        ([(30, 20), (30, 20), (1, 0)], "target:61", 3),  # 60 is not enough, 61 is
        ([(61, 0)], "target:61", 1),
        ([(61, 61), (5, 5), (0, 1)], "target:61", 3),  # level at the top: go on
        ([(10, 0)], "target:1000", 40),  # never: 40 deals
        ([(0, 0)], "target:1", 40),
    ],
)
def test_target(script: list[tuple[int, int]], text: str, deals: int) -> None:
    """`target:P`: until someone has P and is alone at the top; at most 40 deals."""
    match = scripted(script, text, counts_wins=False)
    assert len(play_out(match)) == deals
    assert match.scores == tuple(Fraction(total) for total in match.deal_sums)


def test_target_with_three_seats_the_highest_must_be_alone() -> None:
    """`target:P`: two may pass P at once; a tie below the top does not matter."""
    match = scripted([(30, 30, 0), (0, 0, 20), (1, 0, 5)], "target:25", counts_wins=False)
    assert len(play_out(match)) == 3
    assert match.scores == score(31, 30, 25)
    match = scripted([(30, 10, 10)], "target:25", counts_wins=False)
    assert len(play_out(match)) == 1
    assert match.ranking == (1, 2, 2)


# Scores and rankings.


def test_three_players_share_the_deals_they_tie() -> None:
    """Rules, "Match formats": k sides level at the top get 1/k each, exactly."""
    match = scripted([(40, 40, 40), (50, 50, 20), (10, 90, 20)], "deals:3")
    play_out(match)
    assert match.scores == (Fraction(5, 6), Fraction(11, 6), Fraction(1, 3))
    assert match.ranking == (2, 1, 3)
    match = scripted([(40, 40, 40)], "deals:3")
    play_out(match)
    assert match.scores == score(1, 1, 1)
    assert match.ranking == (1, 1, 1)


def test_three_players_in_best_of_do_not_replay() -> None:
    """Rules, "Match formats": only a deal drawn between two sides is played again."""
    match = scripted([(50, 50, 20), (20, 80, 20), (50, 20, 50)], "best-of:3")
    assert len(play_out(match)) == 3
    assert match.replays == 0


@pytest.mark.parametrize(
    ("script", "scores", "ranking"),
    [
        ([(70, 50), (59, 61)], (1, 1), (1, 2)),  # one deal each, 129 points to 111
        ([(61, 59), (50, 70)], (1, 1), (2, 1)),
        ([(70, 50), (50, 70)], (1, 1), (1, 1)),
        ([(120, 0), (59, 61), (59, 61)], (1, 2), (2, 1)),  # deals before points
    ],
)
def test_ranking_by_deals_won_then_points(
    script: list[tuple[int, int]], scores: tuple[int, int], ranking: tuple[int, int]
) -> None:
    """Rules, "Match formats": deals won, the sum of the deal scores to separate equals."""
    match = scripted(script, f"deals:{len(script)}")
    play_out(match)
    assert match.scores == score(*scores)
    assert match.ranking == ranking


def test_ranking_by_points_where_deals_won_do_not_count() -> None:
    """Rules, "Match formats": for the other games the sum of the deal scores is the score."""
    match = scripted([(120, 0), (59, 61), (59, 61)], "deals:3", counts_wins=False)
    play_out(match)
    assert match.scores == score(238, 122)
    assert match.ranking == (1, 2)


def test_advancing_too_early_or_too_late_is_refused() -> None:
    """A match counts a deal once, when it is over, and none after its end."""
    match = scripted([A], "deals:2")
    with pytest.raises(ValueError, match="finished deal"):
        match.advance()
    assert match.counted == 0
    play_out(match)
    with pytest.raises(ValueError, match="not over"):
        match.advance()
    assert match.counted == 2
    assert match.deal_sums == [140, 100]


# Real deals.


@given(variants(), seeds(), st.data())
def test_a_match_follows_from_its_seed(variant: Variant, seed: bytes, data: st.DataObject) -> None:
    """Law: dealers, cards and the views' progress follow from the seed and the actions."""
    draws = data.draw(st.sampled_from(variant.game.draw_modes))
    text = data.draw(st.sampled_from([variant.game.default_match_format(variant), "deals:2"]))
    match = Match(variant, seed, MatchFormat.parse(text), draws=draws)
    assert match.deal.dealer == Stream(seed, "first-dealer").below(variant.players)
    generator = Random(seed)
    number = 0
    while not match.over:
        deal = match.deal
        assert deal.draws == draws
        assert deal.shuffles[0] == SeededShuffles(seed, number).draw("deck", 0, deal.shuffles[0])
        expected = MatchProgress(
            format=text, deal=number, scores=tuple(float(score) for score in match.scores)
        )
        assert all(deal.view(seat).match == expected for seat in range(variant.players))
        play(deal, generator)
        match.advance()
        number += 1
    keys = [(match.scores[side[0]], match.deal_sums[side[0]]) for side in variant.sides]
    for side, rank in zip(variant.sides, ranks(keys), strict=True):
        assert all(match.ranking[seat] == rank for seat in side)


def play_briscola(text: str, match_format: str, seed: bytes) -> tuple[Match, list[Deal]]:
    """A match in which everybody always plays the lowest card."""
    match = Match(parse_variant(text), seed, MatchFormat.parse(match_format))
    deals = []
    while not match.over:
        while match.deal.seat is not None:
            match.deal.apply((match.deal.legal & -match.deal.legal).bit_length() - 1)
        deals.append(match.deal)
        match.advance()
    return match, deals


def drawn_seeds(text: str, match_format: str, most: int = 400) -> list[bytes]:
    """Seeds whose first deal is level, 60 to 60."""
    found = []
    for number in range(most):
        seed = number.to_bytes(32, "big")
        _, deals = play_briscola(text, "deals:1", seed)
        if deals[0].scores in ((60, 60), (60,) * 4):
            found.append(seed)
    assert found
    return found


@pytest.mark.parametrize("players", [2, 4])
def test_briscola_60_60_is_played_again_by_the_same_dealer(players: int) -> None:
    """Briscola, rule 7, the ruling: a level deal of a best-of match is replayed."""
    text = f"briscola/{players}?talk=off"
    for seed in drawn_seeds(text, "best-of:3"):
        match, deals = play_briscola(text, "best-of:3", seed)
        assert match.replays >= 1
        assert deals[1].dealer == deals[0].dealer
        assert deals[1].match.scores == (0.0,) * players
        assert deals[1].match.deal == 1
        assert len(deals) == match.counted + match.replays


@pytest.mark.parametrize("players", [2, 4])
def test_briscola_60_60_goes_to_the_last_trick(players: int) -> None:
    """Briscola, rule 7, option `tie`: the deal is won, counts, and the scores stay 60-60."""
    text = f"briscola/{players}?talk=off&tie=last-trick"
    for seed in drawn_seeds(text, "best-of:3"):
        match, deals = play_briscola(text, "best-of:3", seed)
        assert deals[0].result is not None
        last = deals[0].result["last"]
        won = tuple(float(seat % 2 == last % 2) for seat in range(players))
        assert deals[1].match.scores == won
        assert deals[1].dealer == (deals[0].dealer + 1) % players
        assert deals[0].scores == (60,) * players
        assert match.replays == 0


def test_briscola_with_three_shares_a_deal() -> None:
    """Briscola, rules 6 and 7: three players, ties share, progress in fractions of a deal."""
    shared = 0
    for number in range(150):
        match, deals = play_briscola("briscola/3", "deals:3", number.to_bytes(32, "big"))
        expected = [Fraction(0)] * 3
        for deal in deals:
            assert deal.match.scores == tuple(float(score) for score in expected)
            assert deal.scores is not None
            level = [seat for seat in range(3) if deal.scores[seat] == max(deal.scores)]
            shared += len(level) > 1
            for seat in level:
                expected[seat] += Fraction(1, len(level))
        assert match.scores == tuple(expected)
        assert sum(match.scores) == 3
    assert shared


@given(variants(), seeds())
def test_a_copy_of_a_match_plays_on_independently(variant: Variant, seed: bytes) -> None:
    """Law: it comes to what the match comes to, and changes nothing in it."""
    match = Match(variant, seed, MatchFormat.parse("deals:2"))
    play(match.deal, Random(1))
    copied = match.copy()
    copied.advance()
    play(copied.deal, Random(2))
    copied.advance()
    assert copied.over
    assert (match.deal_number, match.deal_sums, match.over) == (0, [0] * variant.players, False)
    match.advance()
    play(match.deal, Random(2))
    match.advance()
    assert (match.deal_sums, match.ranking) == (copied.deal_sums, copied.ranking)
