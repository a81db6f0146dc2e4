"""`--nodes-alike` and the nodes of a plan, on a cluster whose facts are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mazzo_server.settings import RAY_ADDRESS_VARIABLE
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus
from support.command import Home
from support.made_up_nodes import make_node, make_status
from support.sample_bots import enter, write_bot

ALIKE = make_status(make_node("a", 1_000_000.0, slots=2), make_node("b", 950_000.0))
UNLIKE = make_status(*ALIKE.nodes, make_node("c", 500_000.0))
LAME = make_status(*ALIKE.nodes, make_node("c", None, slots=4, unfit="it cannot run this Mazzo"))
RAY = ("--executor", "ray", "--ray-address", "127.0.0.1:1")
GAME = ("briscola/2", "--isolation", "none", "--groups", "1")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Two bots, and no tournament."""
    folder = tmp_path_factory.mktemp("alike")
    made = Home(folder / "home")
    enter(made, write_bot(folder, "ann"), write_bot(folder, "bob"))
    return made


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> list[ClusterStatus]:
    """What a look at the cluster finds, a look after the other; the last one again and again."""
    found = [ALIKE]

    async def examine(*_: object, **__: object) -> ClusterStatus:
        return found.pop(0) if len(found) > 1 else found[0]

    monkeypatch.setattr("mazzo_server.tournaments.executor.cluster.pool.examine_apart", examine)
    return found


def list_tournaments(home: Home) -> list[Any]:
    found: list[Any] = home.inside("tournament", "list", "--json").json
    return found


@pytest.mark.usefixtures("clusters")
def test_a_plan_has_the_nodes_their_speeds_and_how_much_they_differ(home: Home) -> None:
    """So an organiser sees before a tournament how fair its machines are; nothing is refused."""
    plan = ("tournament", "plan", *GAME, *RAY)
    value = home.inside(*plan, "--json").json
    assert value["nodes"] == [
        {"name": "h/a", "slots": 2, "decisions_per_second": 1_000_000.0, "unfit": ""},
        {"name": "h/b", "slots": 1, "decisions_per_second": 950_000.0, "unfit": ""},
    ]
    assert value["speed_difference"] == pytest.approx(0.05)
    assert value["workers"] == 3
    told = home.inside(*plan).out
    assert "3 processes would play, since the nodes that may play have 3 slots" in told
    assert "The slowest node that may play is 5.0 % slower than the fastest." in told


def test_a_plan_says_why_a_node_may_not_play(home: Home, clusters: list[ClusterStatus]) -> None:
    """It is not counted: neither its slots nor its speed."""
    clusters[:] = [LAME]
    plan = ("tournament", "plan", *GAME, *RAY)
    value = home.inside(*plan, "--json").json
    assert value["nodes"][2] == {
        "name": "c",
        "slots": 4,
        "decisions_per_second": None,
        "unfit": "it cannot run this Mazzo",
    }
    assert value["workers"] == 3
    assert "c: it cannot run this Mazzo" in home.inside(*plan).out


def test_a_plan_without_a_cluster_has_no_nodes(home: Home) -> None:
    """An address in the settings is not enough: only `--executor ray` looks at the cluster."""
    near = Home(home.path, {RAY_ADDRESS_VARIABLE: "127.0.0.1:1"})
    value = near.inside("tournament", "plan", *GAME, "--json").json
    assert (value["nodes"], value["speed_difference"]) == ([], None)


def test_a_plan_and_a_run_refuse_nodes_that_differ(
    home: Home, clusters: list[ClusterStatus]
) -> None:
    """Before anything is created; without the option a plan only tells."""
    clusters[:] = [UNLIKE]
    for command in ("plan", "run"):
        refused = home.inside("tournament", command, *GAME, *RAY, "--nodes-alike", status=1)
        assert "h/a with 1,000,000 decisions/s beside h/c with 500,000 (50.0 % less)" in refused.err
        assert "leave out --nodes-alike" in refused.err
    assert list_tournaments(home) == []
    assert "50.0 % slower" in home.inside("tournament", "plan", *GAME, *RAY).out


def test_start_and_resume_refuse_nodes_that_differ(
    tmp_path: Path, clusters: list[ClusterStatus]
) -> None:
    """Before anything is played; and they look themselves, whatever a plan has seen before."""
    home = Home(tmp_path / "home")
    enter(home, write_bot(tmp_path, "ann"), write_bot(tmp_path, "bob"))
    home.inside("tournament", "create", *GAME)
    for command in ("start", "resume"):
        clusters[:] = [UNLIKE]
        refused = home.inside("tournament", command, "1", *RAY, "--nodes-alike", status=1)
        assert "h/c with 500,000 (50.0 % less)" in refused.err
    clusters[:] = [ALIKE, UNLIKE]
    home.inside("tournament", "run", *GAME, *RAY, "--nodes-alike", status=1)
    assert [(each["state"], each["matches_played"]) for each in list_tournaments(home)] == [
        ("created", 0),
        ("created", 0),
    ]


@pytest.mark.parametrize("executor", [(), ("--executor", "processes")])
def test_nodes_alike_without_a_cluster_is_a_mistake_of_the_command_line(
    home: Home, executor: tuple[str, ...]
) -> None:
    """Status 2, and nothing is created: the option would promise what nobody keeps."""
    for command in (("plan", *GAME), ("run", *GAME), ("start", "1"), ("resume", "1")):
        refused = home.inside("tournament", *command, *executor, "--nodes-alike", status=2)
        assert "--nodes-alike: expected --executor ray, got processes" in refused.err
    assert list_tournaments(home) == []
