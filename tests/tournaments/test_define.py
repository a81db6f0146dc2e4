"""What an organiser may ask for, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Cpu, Definition, TournamentRequest
from mazzo_server.model.manifest import Manifest
from mazzo_server.pairing import RoundRobin
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.pairing.swiss import Swiss
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments.define import check_request, define
from support.finished_tournaments import define as define_finished
from support.finished_tournaments import finish
from support.stored_rows import add_version, qualify


def defined(
    variant: str = "briscola/2",
    bots: int | Sequence[str] = 6,
    *,
    capacity: int = 1,
    remote: bool = False,
    bounds_cores: bool = False,
    **options: Any,
) -> Definition:
    store = MemoryStore()
    names = [f"bot-{index:03}" for index in range(bots if isinstance(bots, int) else 3)]
    for name in names:
        manifest = Manifest(
            name=name,
            games=("briscola", "frap"),
            command=("x",),
            runtime="python",
            capacity=capacity if name.endswith("0") else 64,
            author="",
            licence="",
            description=None,
        )
        store.add_version(name, content_hash="", manifest=manifest, create_time=0.0, remote=remote)
        if not remote:
            qualify(store, name)
    given = {"allow_remote_mirror": True, **options}
    request = TournamentRequest(
        variant=variant, bots=names if isinstance(bots, int) else bots, **given
    )
    return define(request, store, bounds_cores=bounds_cores)


@pytest.mark.parametrize(
    ("given", "cpu"),
    [
        ({"bounds_cores": True}, Cpu.FAIR),
        ({"bounds_cores": True, "capacity": 2}, Cpu.SHARED),
        ({"bounds_cores": True, "remote": True}, Cpu.SHARED),
        ({"bounds_cores": True, "cpu": "shared"}, Cpu.SHARED),
        ({"bounds_cores": True, "capacity": 2, "cpu": "fair"}, Cpu.FAIR),
        ({}, Cpu.SHARED),
    ],
)
def test_fair_is_the_default_where_one_takes_a_decision_at_a_time(
    given: dict[str, Any], cpu: Cpu
) -> None:
    """Fair cpu: where an entrant that runs here has capacity 1, and the machine can."""
    assert defined(**given).cpu is cpu


def test_a_round_robin_unless_it_is_said() -> None:
    definition = defined()
    assert definition.name == f"briscola/2: {len(definition.entrants)} bots, round robin"
    assert (definition.pairing, definition.tables, definition.hero) == ("round-robin", None, "")
    assert make_pairing(definition).total() == 15 * definition.groups


def test_the_default_name_tells_who_plays() -> None:
    """Promise: the names of tournaments differ where their bots do, and are short."""
    assert defined(bots=2).name == "briscola/2: bot-000, bot-001"
    assert defined(bots=2, name="evening").name == "evening"
    request = TournamentRequest(variant="briscola/2")
    variant = parse_variant("briscola/2")
    long = [letter * 32 for letter in "abc"]
    assert request.choose_name(variant, long) == "briscola/2: 3 bots, round robin"


def test_copies_are_entrants_with_names_of_their_own() -> None:
    """Copies: the same version of a bot, the first under its own name, all in order of names."""
    definition = defined(bots=["bot-001*11", "bot-000"])
    names = [entrant.name for entrant in definition.entrants]
    assert names[:4] == ["bot-000", "bot-001", "bot-001*10", "bot-001*11"]
    assert names == sorted(names)
    assert len(names) == 12
    assert {(entrant.bot, entrant.version) for entrant in definition.entrants} == {
        ("bot-000", 1),
        ("bot-001", 1),
    }
    assert definition.name == "briscola/2: bot-000, bot-001*11"
    assert definition.has_copies
    assert not defined(bots=["bot-001*1", "bot-000"]).has_copies
    alone = defined(bots=["bot-001*2"], hero="bot-001")
    assert (alone.hero, [entrant.name for entrant in alone.entrants]) == (
        "bot-001",
        ["bot-001", "bot-001*2"],
    )


@pytest.mark.parametrize("pairing", ["round-robin", "swiss"])
def test_every_pairing_takes_copies_for_different_entrants(pairing: str) -> None:
    """Copies: they meet each other, and nobody itself; their deals have different seeds."""
    definition = defined(bots=["bot-001*4"], pairing=pairing, groups=1)
    first = [*make_pairing(definition).next(0)][:2]
    assert all(len(set(group.table)) == 2 for group in first)
    assert first[0].seed != first[1].seed


def test_copies_of_a_remote_bot_are_asked_for_in_words() -> None:
    """Copies: the bot is named once, however many there are."""
    with pytest.raises(InvalidInputError, match="exchanged, and bot-001, which plays from another"):
        defined(bots=["bot-001*3"], remote=True, allow_remote_mirror=False)


def test_a_hero_makes_a_gauntlet() -> None:
    definition = defined(hero="bot-002", groups=1)
    assert definition.pairing == "gauntlet"
    others = len(definition.entrants) - 1
    assert definition.name == f"briscola/2: bot-002 and {others} others, gauntlet"
    assert isinstance(make_pairing(definition), RoundRobin)
    assert all(2 in group.table for group in make_pairing(definition).next(0))


def test_a_swiss_tournament_has_its_rounds() -> None:
    schedule = make_pairing(defined(pairing="swiss", rounds=4, groups=5))
    assert isinstance(schedule, Swiss)
    assert schedule.total() == 4 * 5 * 3
    assert make_pairing(defined(pairing="swiss", groups=1)).total() == 4 * 3


def test_a_choice_is_played_where_every_combination_is_too_much() -> None:
    assert make_pairing(defined("frap/4", bots=12, tables=20, groups=1)).total() == 24
    assert make_pairing(defined("frap/12", bots=30, tables=31, groups=1)).total() in (60, 90)
    with pytest.raises(InvalidInputError, match="at most 250000 tables of entrants, got 86493225"):
        defined("frap/12", bots=30)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cpu": "mine"}, "cpu: expected fair or shared, got 'mine'"),
        ({"pairing": "ladder"}, "expected round-robin or gauntlet or swiss or .* got 'ladder'"),
        ({"pairing": "gauntlet"}, "a gauntlet needs the bot that meets all others"),
        ({"hero": "zoe"}, "hero: expected one of the bots that take part .* got 'zoe'"),
        ({"pairing": "swiss", "tables": 9}, "tables: expected only with .* gauntlet, got swiss"),
        ({"pairing": "swiss", "hero": "bot-001"}, "hero: expected only with the pairing gauntlet"),
        ({"rounds": 3}, "rounds: expected only with the pairing swiss, got round-robin"),
        ({"pairing": "swiss", "rounds": 0}, "rounds: expected a whole number from 1 to 100, got 0"),
        (
            {"pairing": "swiss", "rounds": 101},
            "rounds: expected .* 1 to 100, got 101",
        ),
        ({"tables": 0}, "tables: expected a whole number from 1 to 2147483647, got 0"),
        ({"bots": ["bot-001", "bot-001"]}, "every bot once, .* bot-001.2 means two copies of it"),
        ({"bots": ["bot-001*0", "bot-002"]}, "bots: expected a number of copies from 1 to 999"),
        ({"isolation": "chroot"}, "isolation: expected bubblewrap or docker or none, got 'chroot'"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    """Promise: what was asked for is played, or refused with the reason."""
    with pytest.raises(InvalidInputError, match=message):
        defined(**options)


def test_a_bracket_is_seeded_by_the_ranking() -> None:
    """Promise: by the ratings at creation, then by lot; the definition has the order."""
    store = MemoryStore()
    names = [f"bot-{index:03}" for index in range(6)]
    for name in names:
        add_version(store, name)
        qualify(store, name)
    ranked = names[2:5]
    finish(store, define_finished([(name, 1) for name in ranked], groups=20), best=ranked[::-1])
    request = TournamentRequest(
        variant="briscola/2", bots=names, pairing="knock-out", seed="7" * 64
    )
    seeds = [names[seed] for seed in define(request, store).seeds]
    assert seeds[:3] == ranked[::-1]
    assert sorted(seeds) == names
    drawn = {define(replace(request, seeding="drawn"), store).seeds for _ in range(3)}
    assert len(drawn) == 1
    other = define(replace(request, seeding="drawn", seed="8" * 64), store).seeds
    assert other not in drawn


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairing": "swiss", "seeding": "drawn"}, "seeding: expected only with the pairing"),
        ({"confidence": 0.9}, "confidence: expected only with the pairing"),
        ({"pairing": "double-elimination", "advance": 1}, "advance: expected only with"),
        ({"pairing": "knock-out", "advance": 2}, "advance: expected 1 of the two sides"),
        ({"pairing": "knock-out", "until_separated": 0.9, "max_deals": 9}, "until-separated"),
        ({"pairing": "double-elimination", "variant": "frap/3"}, "is for two sides"),
        ({"pools": 2}, "pools: expected only with the pairing knock-out"),
        ({"pairing": "double-elimination", "pools": 2}, "pools: expected only with"),
        ({"pairing": "knock-out", "qualify": 2}, "qualify: expected only with pools"),
        ({"pairing": "knock-out", "pools": 40}, "pools: expected 2 bots or more in each"),
    ],
)
def test_what_no_bracket_takes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        defined(**options)


def test_half_of_a_table_goes_on_unless_it_is_said() -> None:
    assert defined("frap/5", pairing="knock-out").advance == 2
    assert defined("frap/5", pairing="knock-out", advance=4).advance == 4
    assert defined(pairing="knock-out").advance is None
    assert defined(pairing="knock-out").confidence == 0.95
    assert defined(pairing="knock-out").pools is None
    assert defined(pairing="knock-out", pools=1).qualify == 2
    assert defined(pairing="knock-out", pools=1, qualify=3).qualify == 3


@pytest.mark.parametrize(
    ("options", "bots", "said"),
    [
        ({"hero": "one", "pairing": "gauntlet"}, 3, ""),
        ({"pairing": "swiss"}, 3, ""),
        ({"pairing": "knock-out", "seeding": "ranking"}, 5, ""),
        ({"variant": "briscola/3", "pairing": "knock-out", "advance": 3}, 6, "advance"),
        ({"pairing": "double-elimination"}, 65, "64"),
        ({"match_format": "target:101"}, 4, "--groups"),
        ({"variant": "briscola/4"}, 1, "bots"),
    ],
)
def test_a_request_is_checked_before_anybody_has_entered(
    options: dict[str, Any], bots: int, said: str
) -> None:
    """As with bots of another store: what would be refused with them is refused."""
    request = TournamentRequest(**{"variant": "briscola/2", "isolation": "none"} | options)
    if not said:
        check_request(request, bots=bots)
        return
    with pytest.raises(MazzoError, match=said):
        check_request(request, bots=bots)
