"""Ladders that a real server plays: killed, joined, followed and ended."""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path

import pytest

from mazzo_server.storage import Store, open_store
from support.command import Home, kill, until
from support.sample_bots import enter, write_bot
from support.served import serving

LAST = "return view.legal[-1]"  # plays otherwise than the usual one
SEED = ("--seed", "ab" * 32)
FIRST = ("ladder", "create", "briscola/2", "--isolation", "none", *SEED, "--confidence", "0.999")


def make_club(folder: Path, name: str) -> Home:
    """A home with three bots, which always answer alike."""
    home = Home(folder / name)
    bots = (("ann", "return view.legal[0]"), ("bob", LAST), ("cleo", "return min(view.legal)"))
    enter(home, *(write_bot(folder / f"{name}-bots", bot, act=act) for bot, act in bots))
    home(*FIRST)
    return home


def count(store: Store, season: int = 1) -> int:
    return store.tournament(season).matches_played


def read_results(store: Store) -> dict[tuple[int, int], tuple[object, ...]]:
    return {
        (match.group, match.seating): (match.entrants, match.match_scores, match.decisions)
        for match in store.outcomes(1, with_deals=False)
    }


@pytest.mark.slow
def test_a_ladder_whose_servers_are_killed_is_the_one_of_a_server_that_was_not(
    tmp_path: Path,
) -> None:
    calm, killed = make_club(tmp_path, "calm"), make_club(tmp_path, "killed")
    with closing(open_store(calm.path / "mazzo.db")) as store:
        with serving(calm, "--isolation", "none") as (server, _):
            until(lambda: count(store) >= 100)
            kill(server, signal.SIGTERM)
        expected = read_results(store)
    with closing(open_store(killed.path / "mazzo.db")) as store:
        for matches in (1, 30, 100):
            with serving(killed, "--isolation", "none") as (server, _):
                until(lambda matches=matches: count(store) >= matches)  # type: ignore[misc]
                kill(server, signal.SIGKILL)
        found = read_results(store)
    common = expected.keys() & found.keys()
    assert len(common) >= 70
    assert {key: found[key] for key in common} == {key: expected[key] for key in common}


@pytest.mark.slow
def test_a_ladder_follows_its_bots_and_its_season_ends_with_a_final(tmp_path: Path) -> None:
    """A new version joins by itself, a retired bot leaves, the next season begins at once.

    After a kill the next server plays the final on, too.
    """
    home = make_club(tmp_path, "home")
    with (
        closing(open_store(home.path / "mazzo.db")) as store,
        serving(home, "--isolation", "none") as (server, (address,)),
    ):
        served = Home(home.path, {"MAZZO_SERVER": address})
        until(lambda: count(store) >= 30)
        enter(home, write_bot(tmp_path / "new", "ann", act=LAST))

        def list_active() -> set[tuple[str, int]]:
            rows = served("ladder", "show", "briscola/2", "--json").json["rows"]
            return {(row["bot"], row["version"]) for row in rows if row["active"]}

        until(lambda: ("ann", 2) in list_active())
        joined = store.tournament(1).definition.changes[-1]
        assert joined.inherited is not None
        served("bots", "retire", "cleo")
        until(lambda: all(bot != "cleo" for bot, _ in list_active()))
        ended = served("ladder", "season", "end", "briscola/2", "--finalists", "2", "--json").json
        assert (ended["season"]["state"], ended["final"], ended["next"]["season"]) == ("over", 2, 2)
        assert sorted(ended["next"]["bots"]) == ["ann", "bob"]
        until(lambda: count(store, 2) >= 10 and count(store, 3) >= 10)
        final = store.tournament(2).definition
        assert [(one.name, one.version) for one in final.entrants] == [("ann", 2), ("bob", 1)]
        assert final.is_rated
        shown = served("ladder", "show", "briscola/2", "--season", "1")
        assert "Its final: mazzo tournament show 2" in shown.out
        assert served("ladder", "show", "briscola/2", "--json").json["final"] is None
        kill(server, signal.SIGKILL)
        played = count(store, 2)
        with serving(home, "--isolation", "none"):
            until(lambda: count(store, 2) > played)
