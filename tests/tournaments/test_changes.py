"""Entrants that join or are retired while a tournament is played."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model import Change, Entrant, Mirror, PairingScheme
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results.checkpoints import keep_standings, read_standings
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments.changes import (
    add_entrant,
    find_free_group,
    list_playing,
    retire_entrant,
)
from mazzo_server.tournaments.running.director import Director
from support.in_process_bots import PromptSpec
from support.manual_tournaments import Club, definition_of, entrants_of
from support.scripted_tournaments import Arena

DORA = Entrant(name="dora", version=3, content_hash="1" * 64)


def test_who_joins_comes_after_the_others_and_plays_from_that_group_on() -> None:
    before = definition_of()
    after = add_entrant(before, 4, entrant=DORA)
    assert after.entrants == (*before.entrants, DORA)
    assert after.changes == (Change(entrant=3, first_group=4, joins=True),)
    assert list_playing(after) == [0, 1, 2, 3]
    assert add_entrant(before, 4, entrant=DORA) == after


def test_who_is_retired_stays_in_the_definition() -> None:
    after = retire_entrant(definition_of(), 4, name="bob")
    assert [entrant.name for entrant in after.entrants] == ["ann", "bob", "cleo"]
    assert after.changes == (Change(entrant=1, first_group=4, joins=False),)
    assert list_playing(after) == [0, 2]


def test_nobody_joins_twice_or_comes_back() -> None:
    again = replace(DORA, name="bob")
    with pytest.raises(ConflictError, match="bob takes part already"):
        add_entrant(definition_of(), 4, entrant=again)
    with pytest.raises(ConflictError, match="bob takes part already, or was retired"):
        add_entrant(retire_entrant(definition_of(), 2, name="bob"), 4, entrant=again)


def test_a_copy_is_retired_by_its_own_name() -> None:
    """Copies: the others of the bot play on, and the bot joins no more."""
    copies = definition_of(entrants=entrants_of("ann", "bob", "bob*2"))
    after = retire_entrant(copies, 4, name="bob*2")
    assert after.changes == (Change(entrant=2, first_group=4, joins=False),)
    with pytest.raises(NotFoundError, match=r"expected a bot that takes part \(ann, bob\)"):
        retire_entrant(after, 4, name="bob*2")
    with pytest.raises(ConflictError, match="bob takes part already"):
        add_entrant(retire_entrant(copies, 4, name="bob"), 4, entrant=replace(DORA, name="bob"))


def test_a_remote_bot_does_not_slip_into_mirrored_deals() -> None:
    remote = replace(DORA, remote=True)
    with pytest.raises(InvalidInputError, match="dora, which plays from another machine"):
        add_entrant(definition_of(), 4, entrant=remote)
    assert add_entrant(definition_of(mirror=Mirror.OFF), 4, entrant=remote).entrants[-1] == remote


def test_enough_bots_for_a_table_stay() -> None:
    two = retire_entrant(definition_of(), 4, name="bob")
    with pytest.raises(ConflictError, match="needs 2 bots, and there would be 1"):
        retire_entrant(two, 4, name="ann")
    with pytest.raises(NotFoundError, match=r"expected a bot that takes part \(ann, cleo\)"):
        retire_entrant(two, 4, name="bob")
    with pytest.raises(NotFoundError, match="got 'zoe'"):
        retire_entrant(two, 4, name="zoe")


def test_the_hero_of_a_gauntlet_stays() -> None:
    gauntlet = definition_of(pairing=PairingScheme.GAUNTLET, hero="ann")
    with pytest.raises(ConflictError, match="ann meets all others"):
        retire_entrant(gauntlet, 0, name="ann")
    retire_entrant(gauntlet, 0, name="bob")


def test_what_is_stored_keeps_its_place() -> None:
    """The first free group comes after every group of which a match is stored."""
    club = Club()
    row = club.store.tournament(club.id)
    assert find_free_group(club.store, row) == 0
    club.play(0, 0)
    assert find_free_group(club.store, row) == 1
    club.play(3, 1)
    assert find_free_group(club.store, row) == 4


def test_nobody_leaves_before_it_joined() -> None:
    """A process that is killed after a change may have stored fewer groups than had begun."""
    club = Club()
    club.play(0, 0)
    club.store.amend(club.id, add_entrant(club.definition, 4, entrant=DORA))
    row = club.store.tournament(club.id)
    first = find_free_group(club.store, row)
    assert first == 4
    before = list(list_groups(make_pairing(club.definition)))
    after = list(list_groups(make_pairing(retire_entrant(row.definition, first, name="dora"))))
    assert after[:4] == before[:4]


def test_nobody_leaves_before_it_joined_while_it_is_played_again() -> None:
    store = MemoryStore()
    definition = add_entrant(Arena(Path()).definition(3, groups=30), 60, entrant=DORA)
    store.add_tournament(definition, concurrency=1, create_time=0.0)
    changes: list[asyncio.Task[int]] = []

    def begins(director: Director) -> None:
        if not changes:
            leave = director.change(lambda now, first: retire_entrant(now, first, name="dora"))
            changes.append(asyncio.create_task(leave))

    Arena(Path()).play([PromptSpec()] * 4, store=store, concurrency=1, begins=begins)
    assert changes[0].result() == 60
    assert store.finished_matches(1) == {(group, 0) for group in range(90)}


def test_what_a_remote_bot_has_begun_keeps_its_place() -> None:
    """It may remember the cards, which another group would have again."""
    club = Club()
    club.play(0, 0)
    club.store.begin_matches(club.id, [(0, 0), (2, 0)])
    assert find_free_group(club.store, club.store.tournament(club.id)) == 3


def test_who_was_withdrawn_does_not_fill_a_table() -> None:
    with pytest.raises(ConflictError, match="there would be 1"):
        retire_entrant(definition_of(), 4, name="bob", withdrawn={0})
    with pytest.raises(NotFoundError, match="got 'ann'"):
        retire_entrant(definition_of(), 4, name="ann", withdrawn={0})


def run_with_changes(concurrency: int) -> tuple[MemoryStore, list[tuple[str, int]]]:
    """A tournament of three, of which `dora` becomes the fourth and `bob` is retired."""
    store = MemoryStore()
    join: list[asyncio.Task[int]] = []
    leave: list[asyncio.Task[int]] = []
    begun = seen = 0

    def begins(director: Director) -> None:
        nonlocal begun, seen
        begun += 1
        if not join and begun > 10:
            coming = director.change(
                lambda definition, first: add_entrant(definition, first, entrant=DORA), PromptSpec()
            )
            join.append(asyncio.create_task(coming))
        elif join and join[0].done() and not leave:
            seen = seen or begun
            if begun > seen + 10:
                going = director.change(
                    lambda definition, first: retire_entrant(definition, first, name="bot-01")
                )
                leave.append(asyncio.create_task(going))

    result = Arena(Path()).play(
        [PromptSpec()] * 3,
        store=store,
        concurrency=concurrency,
        groups=30,
        mirror=Mirror.ROTATIONS,
        begins=begins,
    )
    assert result.finished
    return store, [("join", join[0].result()), ("retire", leave[0].result())]


@pytest.mark.parametrize("concurrency", [1, 16])
def test_changes_in_mid_play_count_from_the_groups_that_had_not_begun(concurrency: int) -> None:
    """The newcomer catches up, the retired bot keeps its results, and nothing is played twice."""
    store, made = run_with_changes(concurrency)
    (row,) = store.tournaments()
    assert [(change.joins, change.first_group) for change in row.definition.changes] == [
        (kind == "join", first) for kind, first in made
    ]
    assert row.definition.entrants[3] == DORA
    groups = list(list_groups(make_pairing(row.definition)))
    assert 0 < made[0][1] <= made[1][1] < len(groups)
    stored = store.finished_matches(row.id)
    assert stored == {(group.number, seating) for group in groups for seating in (0, 1)}
    for group in groups:
        assert 3 not in group.table or group.number >= made[0][1]
        assert 1 not in group.table or group.number < made[1][1]
    rounds = Counter(group.table for group in groups)
    assert {table: rounds[table] for table in ((0, 2), (0, 3), (2, 3))} == {
        (0, 2): 30,
        (0, 3): 30,
        (2, 3): 30,
    }
    for outcome in store.outcomes(row.id, with_deals=False):
        assert set(outcome.entrants) == set(groups[outcome.group].table)


def test_standings_of_what_was_kept_and_what_came_since_are_those_of_the_whole() -> None:
    """Also across a change, and after a withdrawal, which makes what was kept worthless."""
    club = Club(groups=3)
    for group in range(4):
        for seating in range(2):
            club.play(group, seating)
    keep_standings(club.store, club.id)
    kept = club.store.checkpoint(club.id)
    assert kept is not None
    assert kept[0] == 4
    club.play(4, 0)
    club.play(5, 0)
    club.play(5, 1)
    row = club.store.tournament(club.id)
    shown = read_standings(club.store, row)
    assert shown.counted == 5  # group 4 is not complete, group 5 is
    assert shown.groups == 9
    whole = MemoryStore()
    whole.add_tournament(club.definition, concurrency=1, create_time=0.0)
    whole.add_outcomes(1, club.store.outcomes(club.id, with_deals=True))
    assert read_standings(whole, whole.tournament(1)) == shown
    club.store.add_withdrawal(club.id, 0, reason="does not start")
    assert club.store.checkpoint(club.id) is None
    after = read_standings(club.store, club.store.tournament(club.id))
    assert [item.name for item in after.withdrawn] == ["ann"]
    assert after.counted == 2


def test_a_tournament_that_is_over_is_shown_from_what_was_kept() -> None:
    club = Club(groups=1)
    for group in range(3):
        for seating in range(2):
            club.play(group, seating)
    before = read_standings(club.store, club.store.tournament(club.id))
    keep_standings(club.store, club.id)
    club.store.set_status(club.id, TournamentStatus.FINISHED, end_time=1.0)
    club.store.outcomes = None  # type: ignore[assignment, method-assign]
    assert read_standings(club.store, club.store.tournament(club.id)) == before
