"""Which processors the platform uses, and which of them a ladder's bots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mazzo_server.settings import list_usable_processors


def write_topology(folder: Path, *cores: str) -> Path:
    """Say of each processor which are threads of its core, as the kernel does."""
    for number, siblings in enumerate(cores):
        place = folder / f"cpu{number}" / "topology"
        place.mkdir(parents=True)
        (place / "thread_siblings_list").write_text(f"{siblings}\n")
    return folder


@pytest.mark.parametrize(
    ("usable", "share", "found"),
    [
        ({0, 1, 2, 3}, 1.0, [0, 1, 2, 3]),
        ({0, 1, 2, 3}, 0.5, [2, 3]),
        ({0, 1, 2, 3}, 0.74, [2, 3]),  # rounded down
        ({0, 1, 2, 3}, 0.01, [3]),  # one at least
        ({0, 2, 5}, 0.5, [5]),
        ({7}, 0.5, [7]),
        ({*range(50)}, 0.58, [*range(21, 50)]),  # 28.999999999999996 of them as a float
    ],
)
def test_a_share_has_the_last_ones(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    usable: set[int],
    share: float,
    found: list[int],
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable)
    assert list_usable_processors(share, topology=tmp_path) == found


@pytest.mark.parametrize(
    ("cores", "found"),
    [
        (["0,4", "1,5", "2,6", "3,7"] * 2, [2, 3, 6, 7]),
        (["0-1", "0-1", "2-3", "2-3", "4-5", "4-5", "6-7", "6-7"], [4, 5, 6, 7]),
        ([""] * 8, [4, 5, 6, 7]),
    ],
)
def test_a_share_has_whole_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: list[str], found: list[int]
) -> None:
    """Else each of a ladder's bots would share its core with a bot of a tournament."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(8)})
    topology = write_topology(tmp_path, *cores)
    assert list_usable_processors(0.5, topology=topology) == found
    assert list_usable_processors(topology=topology) == [*range(8)]
