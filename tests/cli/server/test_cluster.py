"""`mazzo cluster status` and `tournament show` say which machines played, and what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from mazzo.v1 import tournament_pb2
from mazzo_server.model import ORGANISER, PUBLIC, Caller, Role
from mazzo_server.serving.grpc.calls import CALLER, Context
from mazzo_server.serving.grpc.tournaments import TournamentService
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, TournamentStatus, open_store
from support.command import Home
from support.made_up_nodes import make_node, make_status
from support.stored_rows import add_tournament, outcome

GROUPS = 40
STATUS = ("cluster", "status", "--ray-address", "127.0.0.1:1")


def fill(store: Store) -> int:
    """A tournament of which h/a played one half, where no bot was late, and h/b the other."""
    number = add_tournament(store)
    matches = [outcome(group, seating) for group in range(GROUPS) for seating in range(2)]
    store.add_outcomes(
        number,
        [
            replace(match, faults=(), counted=(), node="h/b")
            if match.group % 2
            else replace(match, faults=(), counted=(), node="h/a", late=(0, 0))
            for match in matches
        ],
    )
    return number


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A store with one tournament that is being played, on two nodes of three."""

    async def examine(*_: object) -> object:
        return make_status(*(make_node(name, 1000.0) for name in "abc"))

    monkeypatch.setattr("mazzo_server.tournaments.executor.cluster.examine_apart", examine)
    monkeypatch.setattr("mazzo_server.cli.server.cluster._WATCH_SECONDS", 0.01)
    made = Home(tmp_path / "home")
    made.inside("tournament", "list")
    with closing(open_store(made.path / "mazzo.db")) as store:
        number = fill(store)
        claim = store.claim(number)
        assert claim is not None
        store.set_status(number, TournamentStatus.RUNNING)
        yield made
        claim.release()


def test_the_status_of_a_cluster_says_what_each_node_plays(home: Home) -> None:
    """And names the node on which the same bots are late more often."""
    nodes = {node["facts"]["name"]: node for node in home.inside(*STATUS, "--json").json["nodes"]}
    assert [nodes[name]["tournaments"] for name in ("h/a", "h/b", "h/c")] == [[1], [1], []]
    assert [nodes[name]["matches"] for name in ("h/a", "h/b", "h/c")] == [GROUPS, GROUPS, 0]
    assert nodes["h/b"]["late_decisions"] == 2 * GROUPS
    assert nodes["h/b"]["current_speed"] == 0
    late = [name for name, node in nodes.items() if node["late_by_more_than_luck"]]
    assert late == ["h/b"]
    out = home.inside(*STATUS).out
    assert "On h/b bots are late more often than the same bots elsewhere" in out
    assert "On h/a" not in out


def test_a_tournament_says_where_it_was_played(home: Home) -> None:
    """Promise: `show` says how the matches were spread, to people and to scripts."""
    out = home.inside("tournament", "show", "1").out
    assert "Where it was played" in out
    assert "On h/b bots are late more often" in out
    assert [
        node["name"] for node in home.inside("tournament", "show", "1", "--json").json["nodes"]
    ] == [
        "h/a",
        "h/b",
    ]


def test_nobody_but_an_organiser_learns_the_names_of_machines(tmp_path: Path) -> None:
    """They are those of the organiser's network."""

    async def main() -> list[int]:
        platform = await Platform.open(Settings(home=tmp_path / "home"))
        with closing(open_store(tmp_path / "home" / "mazzo.db")) as store:
            request = tournament_pb2.GetTournamentRequest(id=fill(store))
        service = TournamentService(platform, isolation="none")
        seen = []
        for caller in (ORGANISER, Caller(role=Role.AUTHOR, subject="ann"), PUBLIC):
            CALLER.set(caller)
            answer = await service.GetTournament(request, cast(Context, None))
            seen.append(len(answer.tournament.nodes))
        await platform.close(grace=0)
        return seen

    assert asyncio.run(main()) == [2, 0, 0]
