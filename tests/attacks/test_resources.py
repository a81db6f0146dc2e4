"""Using up what all share: memory, processes, disk, output and processors."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from attacks.battle import Battle, Battlefield, denied
from mazzo_server.sandbox import Limits
from support.stored_rows import text_of

pytestmark = pytest.mark.alone

MIB = 1024 * 1024
GIB = 1024 * MIB


def available() -> int:
    """Memory of the machine that anybody may have, in bytes."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    (found,) = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found) * 1024


def reached(battle: Battle) -> int:
    """The most memory that any of the attacker's instances said to have had, in MiB."""
    steps = [name for report in battle.reports for name in report if name.endswith(" MiB")]
    told = [report["memory"] for report in battle.reports if "memory" in report]
    return max([int(text.split(" ")[0]) for text in (*steps, *told)], default=0)


def test_one_process_gets_no_8_gib(field: Battlefield) -> None:
    """It asks for more until it is refused, holds what it has and plays on, or dies of it."""
    before = available()
    battle = field.fight("memory", way="private", goal=8 * GIB, keeps=True)
    assert 128 <= reached(battle) <= 512
    assert available() > before - GIB


@pytest.mark.prove
@pytest.mark.parametrize("way", ["shared", "nameless", "system_v", "pipes", "forked"])
def test_an_instance_gets_no_8_gib_in_all(field: Battlefield, way: str) -> None:
    """Memory of no process, of the kernel, of many processes: the control group counts it."""
    assert available() > 10 * GIB
    before = available()
    battle = field.fight("memory", way=way, goal=8 * GIB, each=256 * MIB, keeps=True)
    assert reached(battle) <= 3 * 512
    assert available() > before - GIB


@pytest.mark.parametrize(
    ("way", "most"),
    [
        ("processes", 100),
        ("threads", 1000),
        pytest.param("processes", 1_000_000, marks=pytest.mark.prove),
    ],
)
def test_a_bomb_goes_off_in_its_own_sandbox(field: Battlefield, way: str, most: int) -> None:
    """The limit of the instance stops it, and everything that was started ends with it."""
    battle = field.fight("bomb", way=way, most=most)
    started = [int(report[way]) for report in battle.reports if way in report]
    assert started
    assert 16 <= max(started) < 64


def test_what_the_kernel_counts_by_user_is_left_to_others(field: Battlefield) -> None:
    """An instance may be of the platform's own user, who needs signals and memory too."""
    battle = field.fight("bomb", way="counted", most=MIB)
    assert battle.terminations == set()
    assert int(battle.report["signals"]) <= 1024
    assert int(battle.report["locked"]) <= 64 * 1024
    # There is no room for one, or no place.
    assert denied(battle.report["queue"], "EMFILE", "EROFS", "ENOSPC"), battle.report


def test_no_more_is_written_than_scratch_holds(field: Battlefield) -> None:
    """No file over its limit, and in all no more than the folder's size."""
    battle = field.fight("disk", way="large", files=10, goal=GIB)
    assert battle.terminations == set()
    total, _, outcome = battle.report["written"].partition(": ")
    assert outcome == "OSError"
    assert int(battle.report["largest file"]) <= 64 * MIB
    assert 32 * MIB <= int(total) <= 64 * MIB


@pytest.mark.prove
def test_a_million_files_are_its_own_trouble(field: Battlefield) -> None:
    """They are memory of the kernel, which the control group counts; with it they end."""
    before = available()
    less = Limits(memory_bytes=128 * MIB)  # it is there sooner
    battle = field.fight("disk", limits=less, way="many", files=1_000_000)
    assert all(not report.get("files", "").endswith("all of them") for report in battle.reports)
    assert available() > before - GIB


def test_closed_streams_are_no_reason_to_stop(field: Battlefield) -> None:
    """Nothing is written, and the bot plays on."""
    battle = field.fight("output", way="close")
    assert battle.terminations == set()
    assert battle.report == {"streams": "closed"}


def test_a_pipe_that_is_changed_is_the_bots_alone(field: Battlefield) -> None:
    """Made small, made to refuse, read from: nobody waits for it."""
    battle = field.fight("output", way="obstruct")
    assert battle.terminations == set()
    assert battle.report == {"pipe": "changed"}


def test_what_it_writes_deceives_nobody(
    field: Battlefield, caplog: pytest.LogCaptureFixture
) -> None:
    """Its author reads it, without the token; nothing of it is in what the platform says."""
    with caplog.at_level("DEBUG", "mazzo_server"):
        battle = field.fight("output", way="deceive")
    assert battle.terminations == {"crashed"}
    faults = [fault for match in battle.result.outcomes for fault in match.faults]
    for token in [life.token for life in battle.lives]:
        assert all(token not in text_of(fault) and token not in fault.reason for fault in faults)
    assert all("[session token]" in text_of(fault) for fault in faults)
    assert all("won" in text_of(fault) and "won" not in fault.reason for fault in faults)
    said = [record.getMessage() for record in caplog.records]
    assert said
    assert all("won" not in text and "\x1b" not in text for text in said)


@pytest.mark.parametrize("goal", [64 * MIB, pytest.param(GIB, marks=pytest.mark.prove)])
def test_a_flood_of_output_is_read_and_thrown_away(field: Battlefield, goal: int) -> None:
    """The platform keeps the end of it, and needs no more memory for more of it."""
    gc.collect()
    battle = field.fight("output", way="flood", goal=goal)
    assert battle.terminations == set()
    assert battle.report == {"flood": "written"}
    assert len(battle.logs[0]) <= 256 * 1024
    assert max(life.grown for life in battle.lives) < 64 * 1024


def test_busy_processors_delay_the_others_and_change_nothing(field: Battlefield) -> None:
    """It spins on more processors than there are until it is ended."""
    battle = field.fight("processor")
    assert battle.terminations == set()
    assert int(battle.report["spinners"]) >= 2
