"""What authors use at home: `new`, `check`, `arena`; and what a machine is asked."""

from __future__ import annotations

from goldens.bots import SAMPLE_BOTS, enter_bots, write_bot
from goldens.scenarios.scenario import Scenario
from goldens.session import BOTS_SEED, SEED, Session
from mazzo_server.settings import RAY_ADDRESS_VARIABLE
from support.ray_cluster import run_cluster

__all__ = ["SCENARIOS"]

_FIXED = ("--seed", SEED, "--json")
_CHECK = ("--isolation", "none", "--seed", BOTS_SEED, "--json")


def _check(session: Session) -> None:
    """Good bots and bad ones, with a chosen seed."""
    two = ("briscola/2",)
    good = write_bot(session, "ada", games=two, capacity=4)
    session("check", good, *_CHECK)
    session("check", good, "--isolation", "none", "--seed", BOTS_SEED)
    illegal = write_bot(
        session, "cheat", "return min(set(range(40)) - set(map(int, view.legal)))", games=two
    )
    session("check", illegal, *_CHECK, status=1)
    session("check", illegal, "--isolation", "none", "--seed", BOTS_SEED, status=1)
    absent = write_bot(session, "absent", main="sys.exit('not today')", act="pass", games=two)
    session("check", absent, *_CHECK, status=1)
    session("check", session.folder / "nowhere", *_CHECK, status=2)
    session("check", good, "--isolation", "none", "--seed", "no", "--json", status=2)


def _check_all(session: Session) -> None:
    """Sample bots, and one that raises in one game; what sample bots hold may change."""
    for name in ("random", "greedy", "counting"):
        session("check", SAMPLE_BOTS / name, *_CHECK, left_out=("content_hash",))
    act = "assert view.players == 2, 'unheard of'\n        return view.legal[0]"
    raiser = write_bot(session, "raiser", act, games=("briscola", "frusta"), capacity=1)
    session("check", raiser, *_CHECK, status=1, left_out=("log",))


def _arenas(session: Session) -> None:
    """Every shape of a schedule."""
    for bots, variant, deals in (
        (("random", "greedy"), "briscola/2", 40),
        (("random", "greedy"), "briscola/4", 16),
        (("random", "greedy", "counting"), "briscola/6", 8),
        (("random", "greedy", "expert"), "frap/3?ante=8", 24),
        (("random", "greedy"), "frap/6?ante=8", 24),
        (("random", "greedy"), "briscola-chiamata/5", 20),
        (("random", "random"), "frusta/2", 8),
    ):
        arena = ("arena", *bots, "--variant", variant, "--deals", str(deals), *_FIXED)
        session(*arena, "--workers", "1")


def _arena(session: Session) -> None:
    fixed = _FIXED
    arena = ("arena", "random", "greedy", "counting", "--deals", "12", *fixed)
    session(*arena, "--workers", "2")
    arena = ("arena", "random", "greedy", "--deals", "8", "--seed", SEED, "--workers", "1")
    session(*arena)
    session(*arena, "--time", "60+0", "--json")
    session("arena", "random", *fixed, status=2)
    session("arena", "random", "nobody", *fixed, status=2)
    first = write_bot(session, "bea", "return 0")
    session("arena", str(first), "random", "--deals", "4", *fixed, "--workers", "1", status=1)


def _doctor(session: Session) -> None:
    """What a machine gives is its own; the names and what they mean are not."""
    own = ("given", "finding", "remedy")
    session("doctor", "--json", status=None, left_out=own)
    session("doctor", "--json", status=2, variables={"MAZZO_REQUIRE": "luck"})


def _cluster(session: Session) -> None:
    """What its machines are is their own."""
    own = ("node", "name", "source_hash", "python", "cores", "decisions_per_second", "lacking")
    with run_cluster(2) as cluster:
        variables = {RAY_ADDRESS_VARIABLE: cluster.address, **cluster.secret}
        session("cluster", "status", "--json", left_out=own, variables=variables)
    session("cluster", "status", "--json", status=2)
    session("cluster", "status", "--ray-address", "127.0.0.1:1", status=1)
    session("cluster", "up", "--slots", "0", status=2)


def _cluster_plan(session: Session) -> None:
    """A plan for a cluster, whose machines are their own."""
    own = ("name", "decisions_per_second", "speed_difference")
    enter_bots(session, "ada", "bea")
    plan = ("tournament", "plan", "briscola/2", "--isolation", "none", "--cpu", "shared")
    ray = (*plan, "--executor", "ray")
    with run_cluster(1, 1) as cluster:
        variables = {RAY_ADDRESS_VARIABLE: cluster.address, **cluster.secret}
        session(*ray, "--json", left_out=own, variables=variables)
    session(*ray, "--json", status=2)
    session(*ray, "--ray-address", "127.0.0.1:1", status=1)
    session(*plan, "--nodes-alike", status=2)


def _new(session: Session) -> None:
    session("new", session.folder / "made", status=2)
    session("new", "ann", "--lang", "rust", status=2)
    session("new", "Ann", status=2)


SCENARIOS = {
    "check": Scenario(play=_check),
    "check-samples": Scenario(play=_check_all, long=True),
    "arena": Scenario(play=_arena),
    "arena-shapes": Scenario(play=_arenas, long=True),
    "doctor": Scenario(play=_doctor),
    "cluster": Scenario(play=_cluster, long=True),
    "cluster-plan": Scenario(play=_cluster_plan, long=True),
    "new": Scenario(play=_new),
}
