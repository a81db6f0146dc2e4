"""Telling another instance of oneself what it must not know: the mirror twin, and the partner."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attacks.battle import Battle, Battlefield, denied
from mazzo_server.model import Mirror
from mazzo_server.sandbox.caches import has_cache_access

pytestmark = pytest.mark.alone

MIRRORED = {"mirror": Mirror.ROTATIONS}
SLOW = 0.7  # times what an unknown name takes


def found(battle: Battle) -> set[str]:
    """What an instance of the attacker saw of another one."""
    looks = [
        name
        for report in battle.reports
        for name, outcome in report.items()
        if name.startswith("look for") and outcome.startswith("done")
    ]
    return set(looks)


def left(battle: Battle) -> set[str]:
    """What the first instance left and saw itself."""
    return {
        name.removeprefix("look again for ")
        for name, outcome in battle.reports[0].items()
        if name.startswith("look again") and outcome.startswith("done")
    }


def test_a_mirror_twin_finds_nothing(field: Battlefield) -> None:
    """Files, processes, sockets, keys, queues and shared memory end with whoever left them."""
    battle = field.fight("twin", options=MIRRORED, folders=[str(field.arena.folder)])
    assert battle.terminations == set()
    assert len(battle.reports) == 2
    assert len(left(battle)) > 1, "nothing was left that could be found"
    assert found(battle) == set()
    assert [report["processes"] for report in battle.reports] == ["[]", "[]"]


def test_a_mirror_twin_learns_nothing_by_how_fast_names_are_found(field: Battlefield) -> None:
    """Bug: 325,000 bits a second, by names of files that are not there.

    Root alone may make the machine forget; as another user the attack shows that it is a real one.
    """
    battle = field.fight("names", options=MIRRORED)
    assert battle.terminations == set()
    first, second = battle.reports
    assert float(first["speed"]) > SLOW
    assert float(first["speed again"]) < SLOW, "what is known is found no faster"
    assert (float(second["speed"]) > SLOW) is has_cache_access()


def test_the_attack_by_what_is_left_is_a_real_one(field: Battlefield) -> None:
    """Without isolation the twin finds a file in a folder of everybody's."""
    common = field.arena.folder / "common"
    common.mkdir()
    look = f"file in {common}"
    only = [f"{how} {look}" for how in ("look for", "leave", "look again for")]
    battle = replace(field, isolation="none").fight(
        "twin", options=MIRRORED, folders=[str(common)], only=only
    )
    assert found(battle) == {f"look for {look}"}


def test_no_twin_lives_while_the_other_does(field: Battlefield) -> None:
    """Every instance of a seating has ended before the first one of the next begins."""
    specs = [field.good(), field.good(), field.attacker("twin", folders=[])]
    lives = field.play(specs, groups=2, **MIRRORED).lives
    assert len(lives) == 6
    first, second = lives[:3], lives[3:]
    assert max(life.ended for life in first) <= min(life.began for life in second)


def test_partners_cannot_signal_by_the_files_that_both_see(field: Battlefield) -> None:
    """Two instances of one bundle at the same time: no locks, no watches, no look at the cache."""
    attacker = field.attacker("partner")
    (attacker.bundle / "signal").write_bytes(bytes(8192))
    battle = field.play([field.good(), field.good(), attacker], variant="briscola/4")
    assert battle.terminations == set()
    reports = {name: outcome for report in battle.reports for name, outcome in report.items()}
    assert reports.pop("opened by the other") == "0"
    # A lock does nothing, so both have it.
    locks = ["take by flock", "take by flock of the system's", "take by open file", "tell by flock"]
    assert all(reports.pop(lock).startswith("done") for lock in locks)
    assert len(reports) == 9
    wrong = {name: outcome for name, outcome in reports.items() if not denied(outcome)}
    assert wrong == {}
