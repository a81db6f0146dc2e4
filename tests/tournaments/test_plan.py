"""What a tournament would play, and how long that would take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mazzo_server.model import PairingScheme
from mazzo_server.model.trial_report import TrialMatch
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments.planning.plan import Speed, estimate, make_plan
from mazzo_server.tournaments.planning.speed import measure_speed
from support.manual_tournaments import Club, definition_of
from support.stored_rows import manifest_of, trial_of

UNKNOWN = Speed(matches=0, seconds=0.0, decision_seconds={})
TRIED = {0: 0.001, 1: 0.002, 2: 0.003}


def test_a_plan_counts_what_is_played() -> None:
    definition = definition_of(groups=5)
    plan = make_plan(definition, make_pairing(definition))
    assert plan.tables == {(0, 1): 5, (0, 2): 5, (1, 2): 5}
    assert (plan.groups, plan.matches, plan.deals) == (15, 30, 60)
    assert not plan.is_adaptive


def test_a_match_to_a_target_has_no_number_of_deals() -> None:
    definition = definition_of(match_format="target:3")
    assert make_plan(definition, make_pairing(definition)).deals is None


@pytest.mark.parametrize(
    "options",
    [{"pairing": PairingScheme.SWISS, "rounds": 2}, {"until_separated": 0.95, "groups": 40}],
)
def test_where_results_decide_a_plan_has_the_most_and_no_tables(options: dict[str, Any]) -> None:
    definition = definition_of(**options)
    plan = make_plan(definition, make_pairing(definition))
    assert plan.is_adaptive
    assert plan.tables == {}
    assert plan.groups == make_pairing(definition).total() > 0


def test_tournaments_of_the_same_kind_tell_how_long_it_takes() -> None:
    definition = definition_of(groups=5)
    plan = make_plan(definition, make_pairing(definition))
    speed = Speed(matches=600, seconds=60.0, decision_seconds=TRIED)
    found = estimate(definition, plan, speed)
    assert found is not None
    assert found.seconds == pytest.approx(3.0)
    assert "600 matches of finished tournaments of briscola/2, 10 a second" in found.basis


def test_else_the_trials_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 cards are 20 decisions of each of two players, whatever they play."""
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    definition = definition_of(groups=5)
    plan = make_plan(definition, make_pairing(definition))
    short = Speed(matches=600, seconds=9.9, decision_seconds=TRIED)
    found = estimate(definition, plan, short)
    assert found is not None
    assert found.seconds == pytest.approx(30 * 2 * 40 * 0.002 / 4)
    assert "2,400 decisions of 2.0 ms" in found.basis


def test_what_nobody_measured_is_not_guessed() -> None:
    definition = definition_of()
    plan = make_plan(definition, make_pairing(definition))
    assert estimate(definition, plan, UNKNOWN) is None
    assert estimate(definition, plan, replace(UNKNOWN, decision_seconds={0: 1.0, 1: 1.0})) is None


def test_a_tournament_in_which_no_bot_started_tells_no_speed() -> None:
    """It took as long as its bots had time to start, and played nothing."""
    definition = definition_of()
    plan = make_plan(definition, make_pairing(definition))
    assert estimate(definition, plan, replace(UNKNOWN, seconds=60.0)) is None


def test_a_plan_of_the_longest_tournament_does_not_walk_through_it() -> None:
    entrants = tuple(replace(definition_of().entrants[0], name=f"bot-{i:02}") for i in range(40))
    for options in ({}, {"tables": 80}, {"pairing": PairingScheme.GAUNTLET, "hero": "bot-07"}):
        definition = definition_of(entrants=entrants, groups=1_000_000, **options)
        plan = make_plan(definition, make_pairing(definition))
        assert set(plan.tables.values()) == {1_000_000}
        assert sum(plan.tables.values()) == plan.groups


def store_with_trials() -> MemoryStore:
    store = MemoryStore()
    for name in ("ann", "bob", "cleo"):
        for version in (1, 2):
            store.add_version(name, content_hash="0" * 64, manifest=manifest_of(), create_time=0.0)
            matches = tuple(
                TrialMatch(variant=variant, passed=True, decision_seconds=seconds)
                for variant, seconds in (("briscola/2", version / 1000), ("briscola/4", 0.5))
            )
            store.set_trial(name, version, trial=trial_of(matches=matches))
    return store


def test_only_finished_tournaments_of_the_kind_and_of_all_these_bots_are_measured() -> None:
    store = store_with_trials()
    measured = Club(store=store, groups=1)
    for group in range(3):
        for seating in range(2):
            measured.play(group, seating)
    others = [
        Club(store=store, match_format="deals:4"),
        Club("briscola/3", store=store),
        Club(store=store, entrants=definition_of().entrants[:2]),
    ]
    for club in (measured, *others):
        store.add_run_time(club.id, 12.5)
        store.set_status(club.id, TournamentStatus.FINISHED, end_time=1.0)
    running = Club(store=store)
    store.add_run_time(running.id, 1000.0)
    speed = measure_speed(store, definition_of())
    assert (speed.matches, speed.seconds) == (6, 12.5)
    assert speed.decision_seconds == {0: 0.002, 1: 0.002, 2: 0.002}  # of the version that plays


def test_the_first_match_of_a_trial_shows_also_how_a_bot_warms_up() -> None:
    store = MemoryStore()
    for name, timed in (
        ("ann", [("briscola/2", 0.003), ("briscola/3", 0.0002), ("briscola/4", 0.0001)]),
        ("bob", [("briscola/4", 0.003), ("briscola/2", 0.001)]),
        ("cleo", [("briscola/2", 0.003)]),
    ):
        store.add_version(name, content_hash="0" * 64, manifest=manifest_of(), create_time=0.0)
        matches = tuple(
            TrialMatch(variant=variant, passed=True, decision_seconds=seconds)
            for variant, seconds in timed
        )
        store.set_trial(name, 1, trial=trial_of(matches=matches))
    entrants = tuple(replace(entrant, version=1) for entrant in definition_of().entrants)
    speed = measure_speed(store, definition_of(entrants=entrants))
    assert speed.decision_seconds == {0: pytest.approx(0.00015), 1: 0.001, 2: 0.003}
