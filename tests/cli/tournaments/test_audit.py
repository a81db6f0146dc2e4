"""`mazzo audit`, on a store that was made without playing."""

from __future__ import annotations

import re

import pytest

from mazzo.v1 import standings_pb2, tournament_pb2
from mazzo_server.serving.presenting import describe_audit, list_match_commands
from mazzo_server.settings import Settings
from mazzo_server.storage import open_store
from support.audited_tournaments import add_audited
from support.command import Home


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A tournament in which bot-02 gives 30 points of each deal to bot-04; one with too little."""
    home = Home(tmp_path_factory.mktemp("audited") / "home")
    store = open_store(Settings(home=home.path).store)
    add_audited(store, groups=6, gift=30)
    add_audited(store, groups=1)
    store.close()
    return home


def test_it_names_the_pair_and_accuses_nobody(audited: Home) -> None:
    """Promise: who is further behind whom, by how much, how sure that is, and what it may mean."""
    out = " ".join(audited.inside("audit", "1").out.split())
    assert "bot-02 does much worse against bot-04 than the results of all others explain" in out
    assert re.search(r"\(99\.\d+ % interval \d", out)
    assert "it is no proof of anything" in out
    assert "mazzo matches --tournament 1 --bot bot-04 --opponent bot-02" in out
    assert "there would stand out, 19 times in 20: " in out
    for word in ("cheat", "collu", "guilty", "suspect"):
        assert word not in out.lower()


@pytest.mark.slow
def test_the_json_has_every_pair_and_the_table_those_that_matter(audited: Home) -> None:
    """Promise: all 15 pairs, the one that stands out first; the table fits 80 columns."""
    pairs = audited("audit", "1", "--json").json["pairs"]
    assert len(pairs) == 15
    assert (pairs[0]["name"], pairs[0]["opponent"]) == ("bot-04", "bot-02")
    assert [pair["lead"]["stands_out"] for pair in pairs] == [True] + [False] * 14
    lead = pairs[0]["lead"]
    assert lead["low"] < 60 < lead["high"]
    assert pairs[0]["groups"] == 4 * 6
    out = audited.inside("audit", "1", "--legend").out
    rows = out[out.index("bot     with") :].splitlines()
    assert len(rows[0]) <= 80
    assert sum(row.startswith("bot-") for row in rows) == 11
    assert "and 4 more pairs" in out
    assert "what it means" in out


def test_too_little_is_said(audited: Home) -> None:
    """Promise: without enough groups there is no verdict, and the words say what is needed."""
    out = audited.inside("audit", "2").out
    assert "Too little to tell" in out
    assert "stands out" not in out
    assert audited("audit", "2", "--json").json["pairs"] == []


def test_unknown_tournaments_are_refused(audited: Home) -> None:
    """Promise: one line on standard error."""
    assert "there is no tournament 9" in audited.inside("audit", "9", status=2).err


def test_pairs_that_help_each_other_are_told_with_both_parts() -> None:
    """Promise: what both have together, and each of them; at tables of two nothing of this."""

    def make_excess(points: float, *, found: bool) -> standings_pb2.Excess:
        return standings_pb2.Excess(
            points=points,
            low=points - 1,
            high=points + 1,
            confidence=0.999,
            stands_out=found,
            detectable=2.0,
            detectable_later=1.0,
        )

    answer = standings_pb2.GetAuditResponse(
        tournament=tournament_pb2.Tournament(id=7, variant="briscola/3"),
        pairs=[
            standings_pb2.AuditedPair(
                name="a",
                opponent="b*2",
                joint=make_excess(3.0, found=True),
                lead=make_excess(0.5, found=False),
            )
        ],
    )
    lines = describe_audit(answer).findings
    assert lines[0] == (
        "a and b*2 together score 3.00 points a deal more where they meet than the results of all "
        "others explain (99.9 % interval 2.00 to 4.00; a +1.75, b*2 +1.25)."
    )
    assert list_match_commands(answer) == ["mazzo matches --tournament 7 --bot a --opponent b"]
    assert "with any number" not in lines[-1]
    answer.pairs[0].joint.stands_out = False
    assert describe_audit(answer).findings[0].startswith("Nothing stands out: all 1 pairs")
