"""`mazzo challenge` at a server that is killed, with a quota, and with callers who may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo_server.settings import Settings
from mazzo_server.storage import TournamentStatus, open_store
from support.command import Home, kill, until
from support.sample_bots import enter, write_bot
from support.served import serving

SLOWLY = "time.sleep(0.002)\n        return view.random.choice(view.legal)"


def token_of(home: Home, *role: str) -> str:
    text: str = home("auth", "create", *role, "--json").json["text"]
    return text


@pytest.mark.slow
def test_a_challenge_goes_on_after_a_kill_and_then_the_next_ones_in_their_order(
    tmp_path: Path,
) -> None:
    """What follows from the store alone: nothing of it is lost, and nothing is played twice."""
    home = Home(tmp_path / "home")
    enter(home, *(write_bot(tmp_path, name, act=SLOWLY) for name in ("ann", "bob")))
    store = open_store(Settings(home=home.path).store)
    with serving(home, "--isolation", "none") as (server, (address,)):
        served = Home(home.path, {"MAZZO_SERVER": address})
        for _ in range(3):
            served.inside("challenge", "ann", "bob", "--groups", "20", "--json")
        until(lambda: store.tournament(1).matches_played > 4, server)
        kill(server)
    before = store.outcomes(1, with_deals=True)
    assert store.tournament(1).status is TournamentStatus.RUNNING
    assert 4 < len(before) < 40
    listed = home.inside("challenges", "list", "--json").json
    assert [(one["id"], one["state"], one["place"]) for one in listed] == [
        (1, "waiting", 1),
        (2, "waiting", 2),
        (3, "waiting", 3),
    ]
    with serving(home, "--isolation", "none") as (server, _):
        until(lambda: store.tournament(3).status.is_over, server)
    rows = [store.tournament(number) for number in (1, 2, 3)]
    assert [row.status for row in rows] == [TournamentStatus.FINISHED] * 3
    assert [row.matches_played for row in rows] == [40] * 3
    ends = [row.end_time or 0.0 for row in rows]
    assert ends == sorted(ends)
    after = {(one.group, one.seating): one for one in store.outcomes(1, with_deals=True)}
    assert all(after[one.group, one.seating] == one for one in before)
    store.close()


@pytest.mark.slow
def test_an_author_has_a_quota_and_nothing_but_own_bots(tmp_path: Path) -> None:
    """As others see it, with its number, at a server that asks for tokens."""
    home = Home(tmp_path / "home", {"MAZZO_CHALLENGES_PER_DAY": "1"})
    enter(home, *(write_bot(tmp_path, name) for name in ("ann", "bob")))
    kim, lee = (token_of(home, "author", name) for name in ("kim", "lee"))
    with serving(home, "--isolation", "none", "--listen", "127.0.0.1:0") as (_, (address,)):
        where = {"MAZZO_SERVER": address}
        as_kim, as_lee = (Home(home.path, where | {"MAZZO_ACCESS_TOKEN": t}) for t in (kim, lee))
        as_kim("bots", "submit", str(write_bot(tmp_path / "own", "kims")))
        made = as_kim.inside("challenge", "kims", "bob", "--groups", "500", "--json").json
        assert (made["author"], made["bot"], made["opponent"]) == ("kim", "kims", "bob")
        refused = as_kim.inside("challenge", "kims", "bob", status=1)
        assert "expected at most 1 challenges of an author on a day" in refused.err
        assert "belongs to the organiser" in as_kim.inside("challenge", "bob", "ann", status=2).err
        assert "belongs to kim" in as_lee.inside("challenge", "kims", "bob", status=2).err
        number = str(made["id"])
        refused = as_lee.inside("challenges", "cancel", number, status=2)
        assert "was asked for by kim, not by lee" in refused.err
        assert (
            "you have asked for 1. An author may ask for 1 a day"
            in as_kim.inside("challenges", "list").out
        )
        assert (
            "you have asked for 0. An author may ask for 1 a day"
            in as_lee.inside("challenges", "list").out
        )
        as_kim.inside("challenges", "cancel", number)
        shown = as_lee.inside("tournament", "show", number, "--json").json
        assert (shown["kind"], shown["hero"]) == ("challenge", "kims")
        assert as_lee.inside("tournament", "list", "--json").json == []
        stranger = Home(home.path, where)
        assert "access token" in stranger.inside("challenge", "ann", "bob", status=2).err
