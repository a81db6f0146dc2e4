"""Telling another instance something by the state of files and of the kernel."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attacks.battle import ISOLATION, Battle, Battlefield, denied
from mazzo_server.model import Mirror

pytestmark = pytest.mark.alone

PLACES = range(3)  # at which each channel can be marked

# What the /proc of a container tells all the same; docs/reference/isolation.md says so.
TOLD_BY_DOCKER = {
    "count events",
    "count /proc/net/sockstat",
    "count /proc/self/cgroup",
    "count /proc/self/mountinfo",
}

# Each container has devices of its own, with dates and a number of their own.
OWN_IN_DOCKER = ["before dates: devices", "before rights: devices"]

# The twin plays later, in the next seating; the partner at the same time, in the same match.
OTHERS: dict[str, dict[str, Any]] = {
    "twin": {"mirror": Mirror.ROTATIONS},
    "partner": {"variant": "briscola/4"},
}


def play(field: Battlefield, options: dict[str, Any], **planted: Any) -> Battle:
    """Two instances of a bot of which each leaves marks and looks for the other's."""
    cold = random.sample(sorted(map(str, Path("/usr/share/doc").glob("*/copyright"))), len(PLACES))
    attacker = field.attacker("channels", cold=cold, **planted)
    for place in PLACES:
        (attacker.bundle / f"place{place}").write_bytes(bytes(8192))
    specs = [field.good(), field.good(), attacker]
    battle = field.play(specs, concurrency=1, **options)  # so that one looks after the other
    assert battle.terminations == set()
    assert len(battle.reports) == 2
    return battle


def list_told(battle: Battle) -> list[str]:
    """The channels at which the second instance first saw something else than the first one."""
    first, second = sorted(battle.reports, key=lambda report: float(report["began"]))
    before = [name for name in first if name.startswith("before ")]
    return [name for name in before if second[name] != first[name]]


@pytest.mark.parametrize("other", OTHERS)
def test_no_mark_is_seen_by_another_instance(field: Battlefield, other: str) -> None:
    """Locks, hints, dates, attributes and numbers of files, and what the kernel has in memory."""
    battle = play(field, OTHERS[other])
    assert len(battle.reports[0]) > 150
    assert list_told(battle) == (OWN_IN_DOCKER if ISOLATION == "docker" else [])


def test_the_kernel_counts_nothing_for_a_bot(field: Battlefield) -> None:
    """What it counts for the whole machine, by calls and by files, is refused or not there."""
    battle = play(field, OTHERS["partner"])
    counts = {name: out for name, out in battle.reports[0].items() if name.startswith("count ")}
    assert len(counts) > 25
    hidden = ["ENOENT", "ENOTTY", "ENOPROTOOPT", "done: b''"]
    told = {name for name, out in counts.items() if not denied(out, *hidden)}
    assert told == (TOLD_BY_DOCKER if ISOLATION == "docker" else set())


def test_the_attack_by_marks_is_a_real_one(field: Battlefield) -> None:
    """Without isolation the partner sees locks, of which nothing is left, and can count."""
    # Not of /dev/null, which other programs of the machine may have locked.
    kinds = ("open file lock of /dev/zero", "record lock of /dev/full", "lock of whole files")
    locks = [kinds[0], kinds[1], f"{kinds[2]}: devices"]
    counter = "memory and processes"
    open_field = replace(field, isolation="none")
    # Nothing else: it would change the machine's own files.
    battle = play(open_field, OTHERS["partner"], only=[*locks, counter])
    assert list_told(battle) == [f"before {lock}" for lock in locks]
    assert battle.reports[0][f"count {counter}"].startswith("done")
