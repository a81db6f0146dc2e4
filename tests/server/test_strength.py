"""What `make bench-strength` says is true, and a run that was stopped goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench.comparisons import COMPARISONS, TWO_PLAYERS, Comparison, Rule
from bench.strength import Kept, Result, judged, key_of, play, searcher_met
from mazzo.games import GAMES, parse_variant
from mazzo.match import MatchFormat
from mazzo_server.arena import Outcome, Tally
from mazzo_server.arena.match import PARTS_OF_A_DEAL
from mazzo_server.cli.arena_crew import Crew
from mazzo_server.cli.arena_messages import Work
from mazzo_server.pairing import Group
from mazzo_server.statistics import Interval

GREEDY = Comparison(
    better="greedy", worse="random", variant="briscola/2", deals=40, rule=Rule.BEATS_99
)


def tally_of(comparison: Comparison, groups: Sequence[Sequence[tuple[int, ...]]]) -> Tally:
    """Groups of one deal in each seating, given by the scores of the sides; bot 0 leads the rows.

    So of each seating the first number is what the better bot has.
    """
    variant = parse_variant(comparison.variant)
    sides = len(variant.sides)
    tally = Tally(variant, 2, alone=sides > 2)
    for number, matches in enumerate(groups):
        outcomes = [
            Outcome(
                deals=1,
                scores=scores,
                won=tuple(PARTS_OF_A_DEAL * (score == max(scores)) for score in scores),
                places=tuple(2 + 2 * sum(other > score for other in scores) for score in scores),
                decisions=(1,) * variant.players,
                late=(0,) * variant.players,
                micros=(1,) * variant.players,
            )
            for scores in matches
        ]
        seatings = ((0, *[1] * (sides - 1)),) * len(matches)
        group = Group(number=number, table=(0, 1), round=number, seed=b"", seatings=seatings)
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
    ],
)
def test_nearly_even_is_two_percent_of_what_is_even(
    variant: str, scores: tuple[int, ...], nearly: bool
) -> None:
    """By points, by deals won where points are won from each other, by place in Frap."""
    comparison = replace(GREEDY, variant=variant)
    assert judged(comparison, tally_of(comparison, [[scores], [scores]])).nearly is nearly


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
