"""What `make bench-strength` says is true, and a run that was stopped goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench.comparisons import COMPARISONS, TWO_PLAYERS, Comparison, Rule
from bench.strength import Kept, Result, judged, key_of, play, searcher_met
from mazzo import Action, Bot, View
from mazzo.games import GAMES, parse_variant
from mazzo.local import play_match
from mazzo.match import MatchFormat
from mazzo.view import Clock
from mazzo_server.home.arena import ArenaTally
from mazzo_server.home.arena.crew import Crew
from mazzo_server.home.arena.match import PARTS_OF_A_DEAL, Outcome
from mazzo_server.home.arena.messages import Work
from mazzo_server.home.bots import find_home_bot
from mazzo_server.pairing import Group
from mazzo_server.stats.intervals import Interval

GREEDY = Comparison(
    better="greedy", worse="random", variant="briscola/2", deals=40, rule=Rule.BEATS_99
)


def tally_of(
    comparison: Comparison,
    groups: Sequence[Sequence[tuple[int, ...]]],
    *,
    decisions: int = 1,
    late: int = 0,
) -> ArenaTally:
    """Groups of one deal in each seating, given by the scores of the sides; bot 0 leads the rows.

    So of each seating the first number is what the better bot has. Its late decisions are of
    the first group.
    """
    variant = parse_variant(comparison.variant)
    sides = len(variant.sides)
    tally = ArenaTally(variant, 2, alone=sides > 2)
    for number, matches in enumerate(groups):
        outcomes = [
            Outcome(
                deals=1,
                scores=scores,
                won=tuple(PARTS_OF_A_DEAL * (score == max(scores)) for score in scores),
                places=tuple(2 + 2 * sum(other > score for other in scores) for score in scores),
                decisions=(decisions,) * variant.players,
                late=(0 if number else late, *[0] * (variant.players - 1)),
                micros=(1,) * variant.players,
            )
            for scores in matches
        ]
        seatings = ((0, *[1] * (sides - 1)),) * len(matches)
        group = Group(
            number=number, table=(0, 1), number_at_table=number, seed=b"", seatings=seatings
        )
        tally.add(group, outcomes)
    return tally


def test_every_variant_is_compared_as_often_as_its_game_asks() -> None:
    """Each pair of bots once in each of the eleven variants; all cards differ."""
    variants = {each.variant for each in COMPARISONS}
    assert len(variants) == 11
    assert set(TWO_PLAYERS) == {
        str(parse_variant(f"{game.id}/2")) for game in GAMES.values() if 2 in game.players
    }
    pairs = [("greedy", "random"), ("expert", "greedy"), ("ismcts", "expert")]
    for better, worse in pairs:
        own = [each for each in COMPARISONS if (each.better, each.worse) == (better, worse)]
        assert sorted(each.variant for each in own) == sorted(variants)
    assert len({each.name for each in COMPARISONS}) == len(COMPARISONS) == 34
    assert len({each.seed for each in COMPARISONS}) == len(COMPARISONS)
    assert all(each.deals >= 1000 for each in COMPARISONS if each.rule is Rule.BEATS_95)


@pytest.mark.parametrize(
    ("groups", "mean", "met"),
    [
        ([[(70, 50)], [(64, 56)], [(66, 54)]], 40 / 3, False),  # not sure enough with three
        ([[(70, 50)], [(64, 56)], [(66, 54)]] * 4, 40 / 3, True),
        ([[(50, 70)], [(56, 64)], [(54, 66)]] * 4, -40 / 3, False),
    ],
)
def test_a_bot_is_better_where_the_end_of_its_interval_is(
    groups: list[list[tuple[int, ...]]], mean: float, met: bool
) -> None:
    result = judged(GREEDY, tally_of(GREEDY, groups))
    assert (result.measure, result.even, result.met) == ("ahead", 0.0, met)
    assert result.interval.mean == pytest.approx(mean)


def test_frap_is_judged_by_place_and_less_is_better() -> None:
    frap = replace(GREEDY, variant="frap/4")
    lost = [[(-9, 3, 3, 3)], [(-6, 2, 2, 2)]] * 8
    won = [[(1, 0, 0, -1)], [(1, 2, 0, -3)]] * 8  # first, then second
    assert judged(frap, tally_of(frap, lost)).met is False
    result = judged(frap, tally_of(frap, won))
    assert (result.measure, result.even, result.met) == ("place", 2.5, True)
    assert result.interval.mean == 1.5


@pytest.mark.parametrize(("lost", "met"), [(1, True), (2, False)])
def test_nine_of_ten_matches_have_to_be_won(lost: int, met: bool) -> None:
    matches = replace(GREEDY, rule=Rule.WINS_90, match_format=MatchFormat("best-of", 3))
    groups = [[(1, 0)] if number >= lost else [(0, 1)] for number in range(10)]
    result = judged(matches, tally_of(matches, groups))
    assert (result.measure, result.met) == ("matches", met)
    assert result.interval.mean == pytest.approx(1 - lost / 10)


@pytest.mark.parametrize(
    ("variant", "scores", "nearly"),
    [
        ("briscola/2", (59, 61), True),  # 2 % of an even 60 are 1.2 points
        ("briscola/2", (58, 62), False),
        ("briscola/3", (40, 41, 39), True),
        ("briscola/3", (38, 41, 41), False),
        ("frap/2", (5, -5), True),
        ("frap/2", (-5, 5), False),
        ("briscola-chiamata/5", (2, 1, -1, -1, -1), True),
        ("briscola-chiamata/5", (-1, 2, 1, -1, -1), False),
        ("briscola-chiamata/5", (1, 2, -1, -1, -1), False),
    ],
)
def test_nearly_even_is_two_percent_of_what_is_even(
    variant: str, scores: tuple[int, ...], nearly: bool
) -> None:
    """By points, by deals won where points are won from each other, by place in Frap."""
    comparison = replace(GREEDY, variant=variant)
    assert judged(comparison, tally_of(comparison, [[scores], [scores]])).nearly is nearly


def test_points_that_are_won_from_each_other_are_even_at_nothing() -> None:
    """Guards against a rounding error that made of 0 points a share of them."""
    chiamata = replace(GREEDY, variant="briscola-chiamata/5")
    for ahead in range(1, 200):
        lost = [[(-ahead, ahead + 1, 1, -1, -1)], [(-1, 1, 0, 0, 0)], [(-2, 1, 1, 0, 0)]]
        assert judged(chiamata, tally_of(chiamata, lost)).nearly is False
        few = [[(ahead, -ahead, 0, 0, 0)], [(-1, 1, 0, 0, 0)], [(-1, 1, 0, 0, 0)]]
        assert judged(chiamata, tally_of(chiamata, few)).nearly is True


@pytest.mark.parametrize(("late", "verdict"), [(1, True), (2, False)])
def test_who_is_late_more_than_once_in_ten_thousand_decisions_meets_no_bar(
    late: int, verdict: bool
) -> None:
    groups = [[(70, 50)], [(64, 56)]] * 5
    tally = tally_of(GREEDY, groups, decisions=1000, late=late)
    result = judged(GREEDY, tally)
    assert (result.late, result.met, result.nearly) == (late, verdict, verdict)


class Hurried(Bot):
    """Any card; notes what time the sample bot `ismcts` would take, and lets its clock run."""

    def __init__(self, comparison: Comparison) -> None:
        assert comparison.control is not None
        kind = find_home_bot(comparison.better, parse_variant(comparison.variant)).kind
        self.budget = sys.modules[kind.__module__].budget
        self.control = comparison.control
        self.spent = 0.0
        self.budgets: set[float] = set()

    def act(self, view: View) -> Action:
        bank, increment = self.control.bank, self.control.increment
        view.clock = Clock(
            bank=bank - self.spent, increment=increment, limit=self.control.limit, latency=0.0
        )
        self.budgets.add(self.budget(view, 0.25))
        self.spent += 0.25
        return view.random.choice(view.legal)


@pytest.mark.parametrize("variant", sorted({each.variant for each in COMPARISONS if each.control}))
def test_a_bot_that_searches_has_its_quarter_of_a_second_for_every_decision(variant: str) -> None:
    for comparison in COMPARISONS:
        if comparison.control is not None and comparison.variant == variant:
            bot = Hurried(comparison)
            players = parse_variant(variant).players
            play_match(
                parse_variant(variant), [bot] * players, seed=bytes(32), match_format="deals:1"
            )
            assert bot.budgets == {0.25}


def _result(variant: str, *, met: bool, nearly: bool) -> Result:
    return Result(
        comparison=replace(GREEDY, variant=variant),
        measure="ahead",
        interval=Interval(mean=0.0, low=0.0, high=0.0, deals=1),
        even=0.0,
        deals=1,
        late=0,
        met=met,
        nearly=nearly,
    )


@pytest.mark.parametrize(
    ("better", "elsewhere", "verdict"), [(3, True, True), (2, True, False), (5, False, False)]
)
def test_a_searcher_is_better_in_three_variants_and_bad_in_none(
    better: int, elsewhere: bool, verdict: bool
) -> None:
    """Larger tables do not count among the three."""
    two = [_result(v, met=n < better, nearly=True) for n, v in enumerate(TWO_PLAYERS)]
    results = [*two, _result("briscola/4", met=True, nearly=elsewhere)]
    assert searcher_met(results) == (better, verdict)


def test_a_run_that_was_stopped_goes_on_and_comes_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept is not played again; a line that was cut off is played anew."""
    file = tmp_path / "kept" / "strength.jsonl"
    whole = play(GREEDY, Kept(file), workers=1)
    assert whole.deals == 40
    lines = file.read_text().splitlines()
    assert sum(line != "" for line in lines) == 10
    file.write_text("\n".join(lines[:6]) + lines[6][:20])

    asked: list[int] = []

    class Counting(Crew):
        def play(self, groups: Iterable[Group]) -> Iterator[tuple[Group, tuple[Outcome, ...]]]:
            wanted = list(groups)
            asked.extend(group.number for group in wanted)
            return super().play(wanted)

    monkeypatch.setattr("bench.strength.Crew", Counting)
    assert play(GREEDY, Kept(file), workers=1) == whole
    assert 4 <= len(asked) <= 6
    asked.clear()
    assert play(GREEDY, Kept(file), workers=1) == whole
    assert asked == []


def test_a_bot_that_was_changed_plays_anew(tmp_path: Path) -> None:
    first, other = (tmp_path / name for name in ("first", "other"))
    for folder, code in ((first, "pass"), (other, "...")):
        folder.mkdir()
        (folder / "bot.py").write_text(code)
    work = Work(variant="frap/2", bots=(), match_format="deals:2", control=None)
    key = key_of(GREEDY, work, (first, first))
    assert key_of(GREEDY, work, (other, first)) != key != key_of(GREEDY, work, (first, other))
    (other / "bot.py").write_text("pass")
    assert key_of(GREEDY, work, (other, first)) == key
    assert key_of(replace(GREEDY, variant="frap/2"), work, (first, first)) != key
