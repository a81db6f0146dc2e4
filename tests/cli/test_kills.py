"""Killed at random moments, a tournament gives what it gives undisturbed (issue bar 2)."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from cli.killing import Kept, Size, Stage, moments, staged
from server.databases import Databases, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is Linux's")

SMALL = Size(bots=3, groups=10)
FULL = Size(bots=5, groups=20)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Databases]:
    """A PostgreSQL server of our own, for it is killed."""
    with started() as databases:
        yield databases


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What the small tournament gives undisturbed."""
    return undisturbed(tmp_path_factory.mktemp("small"), SMALL)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What the full one gives undisturbed."""
    return undisturbed(tmp_path_factory.mktemp("full"), FULL)


@pytest.fixture
def by() -> random.Random:
    """Chance, another one in each run; its seed is printed, so that a failure can be told."""
    seed = random.SystemRandom().getrandbits(32)
    print(f"killed by random.Random({seed})")
    return random.Random(seed)


def undisturbed(folder: Path, size: Size) -> Kept:
    with staged(folder, size) as stage:
        stage.run()
        stage.finish()
        kept = stage.kept()
        assert kept.shown["state"] == "finished"
        assert len(kept.records) == len(set(kept.records)) == size.matches
        assert kept.shown["standings"]["faults"], "ada never killed itself"
        return kept


def survives(
    stage: Stage, size: Size, by: random.Random, kills: dict[str, int], whole: Kept
) -> None:
    """Play with so many kills of each kind, then compare."""
    kinds = [kind for kind, count in kills.items() for _ in range(count)]
    by.shuffle(kinds)
    stage.run()
    for moment, kind in zip(moments(by, len(kinds), size.matches), kinds, strict=True):
        stage.reach(moment)
        print(f"after {moment} matches: {kind}")
        match kind:
            case "player":
                stage.kill_player()
            case "supervisor":
                stage.kill_supervisor(by)
            case "database":
                stage.kill_database()
    stage.finish()
    kept = stage.kept()
    assert len(kept.matches) == len(set(kept.matches)) == size.matches
    for field in fields(Kept):
        assert getattr(kept, field.name) == getattr(whole, field.name), field.name


def test_on_sqlite(tmp_path: Path, by: random.Random, small: Kept) -> None:
    """The command that plays, and a sandbox under it."""
    with staged(tmp_path, SMALL) as stage:
        survives(stage, SMALL, by, {"player": 2, "supervisor": 1}, small)


def test_on_postgres(tmp_path: Path, by: random.Random, small: Kept, postgres: Databases) -> None:
    """A server outlives its database, and plays on when that is back."""
    with staged(tmp_path, SMALL, databases=postgres, served=True) as stage:
        survives(stage, SMALL, by, {"database": 1, "supervisor": 1}, small)


@pytest.mark.prove
@pytest.mark.parametrize("served", [False, True], ids=["command", "server"])
def test_full_size_on_sqlite(tmp_path: Path, by: random.Random, full: Kept, served: bool) -> None:
    with staged(tmp_path, FULL, served=served) as stage:
        survives(stage, FULL, by, {"player": 10, "supervisor": 5}, full)


@pytest.mark.prove
@pytest.mark.parametrize("served", [False, True], ids=["command", "server"])
def test_full_size_on_postgres(
    tmp_path: Path, by: random.Random, full: Kept, postgres: Databases, served: bool
) -> None:
    with staged(tmp_path, FULL, databases=postgres, served=served) as stage:
        survives(stage, FULL, by, {"database": 5, "player": 2, "supervisor": 3}, full)
