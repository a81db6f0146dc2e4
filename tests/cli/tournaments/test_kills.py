"""Killed at random moments, a tournament gives what it gives undisturbed (issue bar 2)."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from support.kills import Kept, Size, Stage, moments, staged
from support.postgres import Databases, started
from support.ray_cluster import run_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="isolation is Linux's"),
]

SMALL = Size(bots=3, length=("--groups", "10"))
FULL = Size(bots=5, length=("--groups", "20"))
LARGE = Size(bots=5, length=("--groups", "250"), seconds=900.0)
SWISS = Size(bots=5, length=("--pairing", "swiss", "--rounds", "5", "--groups", "20"))
DOUBLE = Size(
    bots=5,
    length=("--pairing", "double-elimination", "--groups", "20", "--confidence", "0.99"),
    seconds=600.0,
)
KNOCK_OUT = Size(
    bots=5,
    length=("--pairing", "knock-out", "--groups", "20", "--confidence", "0.99"),
    seconds=600.0,
)
POOLS = Size(
    bots=5,
    length=("--pairing", "knock-out", "--pools", "2", "--groups", "20", "--confidence", "0.99"),
    seconds=600.0,
)
SEPARATED = Size(bots=4, length=("--until-separated", "0.9", "--max-deals", "70"))


@pytest.fixture(scope="module")
def postgres() -> Iterator[Databases]:
    """A PostgreSQL server of our own, for it is killed."""
    with started() as databases:
        yield databases


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What the small tournament gives undisturbed."""
    whole = undisturbed(tmp_path_factory.mktemp("small"), SMALL)
    assert len(whole.matches) == 60
    return whole


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What the full one gives undisturbed."""
    whole = undisturbed(tmp_path_factory.mktemp("full"), FULL)
    assert len(whole.matches) == 400
    return whole


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What a large one gives undisturbed."""
    whole = undisturbed(tmp_path_factory.mktemp("large"), LARGE)
    assert len(whole.matches) == 5000
    return whole


@pytest.fixture
def by() -> random.Random:
    """Chance, another one in each run; its seed is printed, so that a failure can be told."""
    seed = random.SystemRandom().getrandbits(32)
    print(f"killed by random.Random({seed})")
    return random.Random(seed)


def undisturbed(folder: Path, size: Size) -> Kept:
    with staged(folder, size) as stage:
        stage.run()
        kept = stage.kept()
        assert kept.shown["state"] == "finished"
        assert len(kept.records) == len(set(kept.records)) == kept.shown["matches_played"]
        assert kept.shown["standings"]["faults"], "ada never killed itself"
        return kept


def survives(stage: Stage, by: random.Random, kills: dict[str, int], whole: Kept) -> None:
    """Play with so many kills of each kind, then compare."""
    kinds = [kind for kind, count in kills.items() for _ in range(count)]
    by.shuffle(kinds)
    stage.run()
    for moment, kind in zip(moments(by, len(kinds), len(whole.matches)), kinds, strict=True):
        stage.reach(moment)
        print(f"after {moment} matches: {kind}")
        match kind:
            case "player":
                stage.kill_player()
            case "supervisor":
                stage.kill_supervisor(by)
            case "worker":
                stage.kill_worker(by)
            case "relay":
                stage.kill_relay(by)
            case "node":
                stage.kill_node(by)
            case "database":
                stage.kill_database()
    kept = stage.kept()
    assert len(kept.matches) == len(set(kept.matches))
    for field in fields(Kept):
        assert getattr(kept, field.name) == getattr(whole, field.name), field.name


def test_on_sqlite(tmp_path: Path, by: random.Random, small: Kept) -> None:
    """The command that plays, and a sandbox under it."""
    with staged(tmp_path, SMALL) as stage:
        survives(stage, by, {"player": 2, "supervisor": 2}, small)


def test_on_postgres(tmp_path: Path, by: random.Random, small: Kept, postgres: Databases) -> None:
    """A server outlives its database, and plays on when that is back."""
    with staged(tmp_path, SMALL, databases=postgres, served=True) as stage:
        survives(stage, by, {"database": 1, "supervisor": 1}, small)


def test_with_workers(tmp_path: Path, by: random.Random, small: Kept) -> None:
    """The outcomes are those of one process; workers end with the process that they play for."""
    with staged(tmp_path, SMALL, workers=2) as stage:
        survives(stage, by, {"player": 1, "worker": 2}, small)


@pytest.mark.prove
@pytest.mark.parametrize("served", [False, True], ids=["command", "server"])
def test_with_workers_at_full_size(
    tmp_path: Path, by: random.Random, full: Kept, postgres: Databases, served: bool
) -> None:
    databases = postgres if served else None
    with staged(tmp_path, FULL, databases=databases, served=served, workers=2) as stage:
        kills = {"player": 5, "worker": 5, "supervisor": 3}
        survives(stage, by, kills | ({"database": 2} if served else {}), full)


@pytest.mark.prove
@pytest.mark.parametrize("served", [False, True], ids=["command", "server"])
def test_on_a_cluster_at_full_size(
    tmp_path: Path, by: random.Random, large: Kept, postgres: Databases, served: bool
) -> None:
    """Thirty kills: of workers, the actors that hold them, nodes, sandboxes, and who schedules."""
    databases = postgres if served else None
    with (
        run_cluster(1, 1) as cluster,
        staged(
            tmp_path, LARGE, databases=databases, served=served, workers=2, cluster=cluster
        ) as stage,
    ):
        kills = {"player": 6, "worker": 8, "relay": 6, "node": 4, "supervisor": 6}
        survives(stage, by, kills | ({"database": 2} if served else {}), large)


@pytest.mark.prove
@pytest.mark.parametrize("served", [False, True], ids=["command", "server"])
def test_full_size_on_sqlite(tmp_path: Path, by: random.Random, full: Kept, served: bool) -> None:
    with staged(tmp_path, FULL, served=served) as stage:
        survives(stage, by, {"player": 10, "supervisor": 5}, full)


@pytest.mark.prove
@pytest.mark.parametrize("served", [False, True], ids=["command", "server"])
def test_full_size_on_postgres(
    tmp_path: Path, by: random.Random, full: Kept, postgres: Databases, served: bool
) -> None:
    with staged(tmp_path, FULL, databases=postgres, served=served) as stage:
        survives(stage, by, {"database": 5, "player": 2, "supervisor": 3}, full)


@pytest.mark.prove
@pytest.mark.parametrize("size", [SWISS, SEPARATED], ids=["swiss", "until separated"])
def test_where_results_decide_what_is_played(
    tmp_path: Path, by: random.Random, postgres: Databases, size: Size
) -> None:
    """Each round is made from the results before it, and so is the same after any kill."""
    (tmp_path / "whole").mkdir()
    whole = undisturbed(tmp_path / "whole", size)
    print(f"{len(whole.matches)} matches in all")
    with staged(tmp_path, size, databases=postgres) as stage:
        survives(stage, by, {"database": 3, "player": 3, "supervisor": 3}, whole)


@pytest.mark.prove
@pytest.mark.parametrize("on_postgres", [False, True], ids=["sqlite", "postgres"])
@pytest.mark.parametrize(
    "size", [KNOCK_OUT, DOUBLE, POOLS], ids=["knock-out", "double elimination", "pools"]
)
def test_a_bracket_after_thirty_kills(
    tmp_path: Path, by: random.Random, postgres: Databases, size: Size, on_postgres: bool
) -> None:
    """Who goes on follows from the results alone, so the bracket is the same after any kill."""
    (tmp_path / "whole").mkdir()
    whole = undisturbed(tmp_path / "whole", size)
    rounds = whole.shown["standings"]["bracket"]["rounds"]
    print(f"{len(whole.matches)} matches in all, {len(rounds)} rounds")
    kills = {"player": 15, "supervisor": 15}
    if on_postgres:
        kills = {"database": 6, "player": 12, "supervisor": 12}
    with staged(tmp_path, size, databases=postgres if on_postgres else None) as stage:
        survives(stage, by, kills, whole)
