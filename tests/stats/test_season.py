"""The ratings of a season: all results explain each other, whatever their order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.stats import BETA, Rating, Ratings
from mazzo_server.stats.season import compute_season_ratings
from mazzo_server.stats.trueskill import PRIOR

DRAWS = 0.1

Results = Sequence[Mapping[int, int]]


def play_season(bots: int, results: int, *, sides: int = 2, seed: int = 1) -> list[dict[int, int]]:
    """So many results between these bots, of whom a higher number is better; some are ties."""
    random = Random(seed)
    found = []
    for _ in range(results):
        table = random.sample(range(bots), sides)
        shown = {bot: round(random.gauss(2 * bot, BETA) / 2) for bot in table}
        found.append(
            {bot: sum(other > own for other in shown.values()) for bot, own in shown.items()}
        )
    return found


def rate_plainly(results: Results, *, sweeps: int) -> dict[int, Rating]:
    """Each result on its own and with a message of its own, renewed again and again.

    Of duels alone: there `Ratings` says what one result tells.
    """
    ratings = Ratings(draw_probability=DRAWS)
    beliefs = dict.fromkeys({bot for ranks in results for bot in ranks}, to_density(PRIOR))
    messages: list[dict[int, tuple[float, float]]] = [
        dict.fromkeys(one, (0.0, 0.0)) for one in results
    ]
    for _ in range(sweeps):
        for ranks, said in zip(results, messages, strict=True):
            without = {
                bot: (beliefs[bot][0] - said[bot][0], beliefs[bot][1] - said[bot][1])
                for bot in ranks
            }
            for bot, density in without.items():
                ratings[bot] = to_rating(density)
            ratings.rate(ranks)
            for bot, (precision, pull) in without.items():
                beliefs[bot] = to_density(ratings[bot])
                said[bot] = beliefs[bot][0] - precision, beliefs[bot][1] - pull
    return {bot: to_rating(belief) for bot, belief in beliefs.items()}


def to_density(rating: Rating) -> tuple[float, float]:
    return rating.sigma**-2, rating.mu * rating.sigma**-2


def to_rating(density: tuple[float, float]) -> Rating:
    precision, pull = density
    return Rating(mu=pull / precision, sigma=precision**-0.5)


def check_close(
    found: Mapping[int, Rating], wanted: Mapping[int, Rating], *, within: float
) -> None:
    assert found.keys() == wanted.keys()
    for bot, rating in wanted.items():
        assert found[bot].mu == pytest.approx(rating.mu, abs=within)
        assert found[bot].sigma == pytest.approx(rating.sigma, abs=within)


@given(st.data())
def test_one_game_is_rated_as_the_package_rates_it(data: st.DataObject) -> None:
    sides = data.draw(st.integers(2, 6))
    ranks = data.draw(st.lists(st.integers(0, 5), min_size=sides, max_size=sides, unique=sides > 2))
    start = [
        Rating(mu=data.draw(st.floats(0, 50)), sigma=data.draw(st.floats(1, 9)))
        for _ in range(sides)
    ]
    model = trueskill.TrueSkill(beta=BETA, tau=0.0, draw_probability=DRAWS)
    groups = [(model.create_rating(one.mu, one.sigma),) for one in start]
    wanted = [one[0] for one in model.rate(groups, ranks=ranks, min_delta=1e-9)]
    found = compute_season_ratings(
        [dict(enumerate(ranks))], draw_probability=DRAWS, inherited=dict(enumerate(start))
    )
    check_close(
        found,
        {bot: Rating(mu=one.mu, sigma=one.sigma) for bot, one in enumerate(wanted)},
        within=2e-3,
    )


@pytest.mark.parametrize(("bots", "results"), [(2, 30), (4, 60), (7, 90)])
def test_all_results_are_rated_as_messages_that_are_renewed_one_by_one(
    bots: int, results: int
) -> None:
    """That results which are alike share a message, and a level is known, only saves time."""
    played = play_season(bots, results)
    check_close(
        compute_season_ratings(played, draw_probability=DRAWS),
        rate_plainly(played, sweeps=250),
        within=1e-3,
    )


@pytest.mark.parametrize("sides", [2, 3, 5])
def test_the_order_of_results_changes_not_a_bit(sides: int) -> None:
    played = play_season(6, 200, sides=sides)
    found = compute_season_ratings(played, draw_probability=DRAWS)
    for seed in range(3):
        others = [dict(Random(seed).sample(sorted(one.items()), len(one))) for one in played]
        Random(seed).shuffle(others)
        assert compute_season_ratings(others, draw_probability=DRAWS) == found


def test_what_becomes_known_later_explains_what_was_before() -> None:
    """Who beat somebody that turned out strong is strong; one result after the other misses it."""
    later = [{1: 0, 2: 1}] * 20
    first = compute_season_ratings([{0: 0, 1: 1}, *later], draw_probability=DRAWS)
    last = compute_season_ratings([*later, {0: 0, 1: 1}], draw_probability=DRAWS)
    assert first == last
    one_by_one = Ratings(draw_probability=DRAWS)
    for ranks in [{0: 0, 1: 1}, *later]:
        one_by_one.rate(ranks)
    assert first[0].mu > one_by_one[0].mu + 1


@pytest.mark.parametrize("sides", [2, 4])
def test_skills_are_found(sides: int) -> None:
    """The order of all, and each within its uncertainty."""
    found = compute_season_ratings(play_season(8, 2000, sides=sides), draw_probability=DRAWS)
    assert sorted(found, key=lambda bot: found[bot].mu) == list(range(8))
    level = sum(found[bot].mu - 2 * bot for bot in found) / len(found)
    for bot, rating in found.items():
        assert abs(rating.mu - 2 * bot - level) < max(5 * rating.sigma, 0.6)


def test_the_common_level_stays_where_it_was_known() -> None:
    """Results tell differences alone; a rating of which much was known moves little."""
    inherited = {0: Rating(mu=40.0, sigma=0.5), 1: Rating(mu=25.0, sigma=8.0)}
    found = compute_season_ratings(
        [{0: 0, 1: 1}, {1: 0, 0: 1}] * 50, draw_probability=DRAWS, inherited=inherited
    )
    assert found[0].mu == pytest.approx(40.0, abs=0.2)
    assert found[1].mu == pytest.approx(40.0, abs=0.5)
    weights = {bot: rating.sigma**-2 for bot, rating in inherited.items()}
    moved = sum(weights[bot] * (found[bot].mu - inherited[bot].mu) for bot in inherited)
    assert moved == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("wins", [1, 100, 100_000])
def test_a_bot_that_always_wins_is_rated_too(wins: int) -> None:
    """However often: nothing overflows, and it is never less sure."""
    found = compute_season_ratings([{0: 0, 1: 1}] * wins, draw_probability=DRAWS)
    assert all(math.isfinite(one.mu) and 0 < one.sigma < PRIOR.sigma for one in found.values())
    assert found[0].mu > found[1].mu


def test_who_has_not_played_has_no_rating() -> None:
    assert compute_season_ratings([], draw_probability=DRAWS) == {}
    inherited = {7: Rating(mu=30.0, sigma=2.0)}
    found = compute_season_ratings([{0: 0, 1: 0}], draw_probability=DRAWS, inherited=inherited)
    assert found.keys() == {0, 1}
