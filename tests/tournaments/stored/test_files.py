"""A tournament goes from one store to another by a file, whole and proven, or not at all."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ServerUnavailableError,
    StoreError,
)
from mazzo_server.model import (
    Change,
    Definition,
    InstanceLimits,
    Mirror,
    PairingScheme,
    Seeding,
    make_remote_manifest,
)
from mazzo_server.model.manifest import KNOWN_GAMES
from mazzo_server.model.outcome import MatchOutcome, Owner, Termination
from mazzo_server.play.table import Ask, Table
from mazzo_server.results.checkpoints import read_standings
from mazzo_server.results.rounds import read_rounds
from mazzo_server.storage import MatchQuery, MemoryStore, Store, TournamentStatus, VersionRow
from mazzo_server.tournaments.stored.exporting import Export
from mazzo_server.tournaments.stored.header import format_standings
from mazzo_server.tournaments.stored.importing import import_tournament
from mazzo_server.tournaments.stored.prune import prune_tournaments
from support.manual_tournaments import Answer, Club, definition_of, entrants_of, legal
from support.play_command import VARIANTS
from support.stored_rows import log_of, manifest_of

END = 1e9  # Unix seconds


def submit_entrants(store: Store, definition: Definition) -> None:
    """Give a store the versions that a definition names."""
    for entrant in definition.entrants:
        manifest = manifest_of(entrant.bot, licence="MIT")
        if entrant.remote:
            manifest = make_remote_manifest(
                entrant.bot, games=["briscola"], capacity=2, author="ann", known_games=KNOWN_GAMES
            )
        version = VersionRow(
            bot=entrant.bot,
            number=entrant.version,
            content_hash=entrant.content_hash,
            manifest=manifest,
            trial=None,
            create_time=5.25,
        )
        remote = [entrant.bot] if entrant.remote else []
        store.import_versions([version], remote=remote)


def play_through(definition: Definition, answer: Answer = legal) -> MemoryStore:
    """A store with the tournament, finished."""
    store = MemoryStore()
    submit_entrants(store, definition)
    club = Club(definition.variant, store=store, **_list_options(definition))
    for groups in read_rounds(store, store.tournament(club.id)):
        club.groups = [*club.groups[: groups[0].number], *groups]
        for group in groups:
            for seating in range(definition.seatings):
                club.play(group.number, seating, answer)
    store.set_status(club.id, TournamentStatus.FINISHED, end_time=END)
    return store


def _list_options(definition: Definition) -> dict[str, Any]:
    return {
        name: getattr(definition, name)
        for name in Definition.__dataclass_fields__
        if name != "variant"
    }


def export(store: Store) -> list[str]:
    return list(Export(store, 1).list_lines())


def take(lines: list[str], store: Store | None = None) -> Store:
    store = MemoryStore() if store is None else store
    import_tournament(store, iter(lines))
    return store


def standings_of(store: Store) -> str:
    return format_standings(read_standings(store, store.tournament(1)))


def check_same(one: Store, two: Store) -> None:
    """Whatever is stored of tournament 1 is the same."""
    rows = [replace(store.tournament(1), revision=0) for store in (one, two)]
    assert rows[0] == rows[1]
    found = [store.outcomes(1, with_deals=True) for store in (one, two)]
    assert found[0] == found[1]
    unseen = [[(match.end_time, match.spoilt) for match in matches] for matches in found]
    assert unseen[0] == unseen[1]
    assert standings_of(one) == standings_of(two)
    assert one.withdrawals(1) == two.withdrawals(1)
    assert export(one) == export(two)


def late_and_illegal(table: Table, ask: Ask, generator: random.Random) -> object:
    """Seat 0 is late three times, seat 1 loses its process, and bots say what they think."""
    if ask.seat == 0 and ask.number in (2, 3, 5):
        return table.expire(60.0, owner=Owner.NETWORK)
    if ask.seat == 1 and ask.number == 6:
        return table.lose(Termination.CRASHED, Owner.BOT, "it crashed: \udcff")
    legal_action = generator.choice([n for n in range(200) if ask.view.legal_mask >> n & 1])
    return table.answer(legal_action, 0.125, "sì" if ask.number % 4 == 1 else "")


@pytest.mark.parametrize("answer", [legal, late_and_illegal])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_game_comes_through_whole(variant: str, answer: Answer) -> None:
    """With late decisions, forfeits, what counts after them, notes and logs."""
    sides = len(parse_variant(variant).sides)
    names = [f"bot-{number}" for number in range(sides)]
    entrants = tuple(replace(definition_of().entrants[0], name=name) for name in names)
    played = play_through(
        definition_of(
            variant,
            entrants=entrants,
            groups=1,
            match_format=f"deals:{2 if sides == 2 else 1}",
            limits=InstanceLimits(memory_mib=200, disk_mib=1),
        ),
        answer,
    )
    outcomes = played.outcomes(1, with_deals=True)
    assert answer is legal or any(outcome.faults for outcome in outcomes)
    check_same(played, take(export(played)))


def test_what_no_record_has_comes_through() -> None:
    """When a match ended, how often it was spoilt, and what a bot wrote before it failed."""
    played = play_through(definition_of(), late_and_illegal)
    known = played.outcomes(1, with_deals=True)
    changed = MemoryStore()
    submit_entrants(changed, definition_of())
    club = Club(store=changed)
    told = [
        replace(
            outcome,
            end_time=1e9 + number / 8,
            spoilt=number % 3,
            faults=tuple(
                replace(fault, log=log_of("\x1b[31mè", (0, 1))) for fault in outcome.faults
            ),
        )
        for number, outcome in enumerate(known)
    ]
    changed.add_outcomes(club.id, told)
    changed.add_run_time(1, 17.5)
    changed.set_status(club.id, TournamentStatus.FINISHED, end_time=END)
    check_same(changed, take(export(changed)))


PAIRINGS: dict[str, dict[str, Any]] = {
    "tables": {"variant": "briscola/3", "entrants": 5, "tables": 5, "match_format": "deals:3"},
    "teams": {"variant": "briscola/4"},
    "gauntlet": {"pairing": PairingScheme.GAUNTLET, "hero": "bob"},
    "swiss": {"pairing": PairingScheme.SWISS, "rounds": 4, "entrants": 5},
    "pools": {
        **{"pairing": PairingScheme.KNOCK_OUT, "entrants": 5, "pools": 2, "qualify": 1},
        **{"seeding": Seeding.DRAWN, "seeds": (4, 2, 0, 1, 3), "confidence": 0.9},
    },
    "until separated": {"until_separated": 0.8, "groups": 8},
    "changes": {"groups": 4, "changes": (Change(entrant=1, first_group=6, joins=False),)},
    "all seatings": {"variant": "briscola/3", "mirror": Mirror.ALL, "match_format": "deals:3"},
    "target": {"match_format": "target:70"},
}


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_every_pairing_comes_through_whole(pairing: str) -> None:
    """Also those in which results decide who meets next."""
    options = dict(PAIRINGS[pairing])
    count = options.pop("entrants", 3)
    one = definition_of().entrants[0]
    entrants = tuple(
        replace(one, name=name) for name in ("ann", "bob", "cleo", "dora", "eve")[:count]
    )
    played = play_through(
        definition_of(options.pop("variant", "briscola/2"), entrants=entrants, **options)
    )
    assert len(played.outcomes(1, with_deals=False)) >= 6
    check_same(played, take(export(played)))


@pytest.mark.parametrize("names", [("ann", "ann*2"), ("ann", "ann*2", "ann*3", "bob")])
def test_copies_of_a_bot_come_through_whole(names: Sequence[str]) -> None:
    """Copies: the bot comes once, with one version, and its matches are found by its name."""
    played = play_through(definition_of(entrants=entrants_of(*names)), late_and_illegal)
    taken = take(export(played))
    check_same(played, taken)
    assert [bot.name for bot in taken.bots()] == sorted({name[:3] for name in names})
    assert len(taken.versions("ann")) == 1
    query = MatchQuery(bot="ann", opponent="ann")
    found = taken.find_matches(query, limit=1000)
    assert found == played.find_matches(query, limit=1000)
    matches = {(match.outcome.group, match.outcome.seating) for match in found}
    assert len(found) == 2 * len(matches) > 0


def test_copies_of_a_bot_go_with_what_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies: no bot stays of a tournament that does not come, also none of a later name."""
    lines = export(play_through(definition_of(entrants=entrants_of("ann", "ann*2", "bob"))))
    store = MemoryStore()

    def fail(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(store, "set_status", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        take(lines, store)
    assert store.tournaments() == []
    assert store.bots() == []


def test_a_cancelled_one_comes_with_its_unfinished_groups() -> None:
    store = MemoryStore()
    submit_entrants(store, definition_of())
    club = Club(store=store)
    for group, seating in ((0, 0), (0, 1), (2, 1), (4, 0)):
        club.play(group, seating)
    store.set_status(1, TournamentStatus.CANCELLED, end_time=END)
    check_same(store, take(export(store)))


def test_a_withdrawn_entrant_comes_with_the_reason() -> None:
    store = MemoryStore()
    submit_entrants(store, definition_of())
    club = Club(store=store)
    gone = club.groups[0].table[0]
    club.play(0, 0)
    store.add_withdrawal(1, gone, reason="does not start \udcff", log=log_of("no module", (0, 1)))
    for group in club.groups:
        if gone not in group.table:
            for seating in range(2):
                club.play(group.number, seating)
    store.set_status(1, TournamentStatus.FINISHED, end_time=END)
    check_same(store, take(export(store)))


def test_another_attempt_of_a_remote_bot_has_its_own_cards() -> None:
    """And only where a remote bot is at the table: elsewhere it would be a choice of cards."""
    one = definition_of()
    remote = replace(one.entrants[0], remote=True, content_hash="")
    definition = replace(one, entrants=(remote, *one.entrants[1:]))
    store = MemoryStore()
    submit_entrants(store, definition)
    club = Club(store=store, entrants=definition.entrants)
    for group in club.groups:
        for seating in range(2):
            club.play(group.number, seating, attempt=2 * (0 in group.table))
    store.set_status(1, TournamentStatus.FINISHED, end_time=END)
    check_same(store, take(export(store)))

    chosen = MemoryStore()
    submit_entrants(chosen, one)
    club = Club(store=chosen)
    for group in club.groups:
        for seating in range(2):
            club.play(group.number, seating, attempt=1)
    chosen.set_status(1, TournamentStatus.FINISHED, end_time=END)
    check_refused(export(chosen), "attempt: expected 0, for no bot at the table is remote, got 1")


def check_refused(
    lines: list[str], match: str, error: type[MazzoError] = InvalidInputError
) -> None:
    """The file is refused, and nothing of it stays."""
    store = MemoryStore()
    with pytest.raises(error, match=match):
        take(lines, store)
    assert store.tournaments() == []
    assert store.bots() == []


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """The file of a finished tournament with forfeits."""
    return export(play_through(definition_of(groups=1), late_and_illegal))


def changed(lines: list[str], number: int, change: Callable[[Any], object]) -> list[str]:
    """The same file with another line; `change` gets its JSON."""
    value = json.loads(lines[number])
    change(value)
    return [*lines[:number], json.dumps(value), *lines[number + 1 :]]


def set_value(*path: str | int, to: Any) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for key in path[:-1]:
            value = value[key]
        value[path[-1]] = to(value[path[-1]]) if callable(to) else to

    return change


def test_one_that_is_here_is_not_taken_twice(lines: list[str]) -> None:
    store = take(lines)
    with pytest.raises(ConflictError, match="this tournament is here already: it is tournament 1"):
        take(lines, store)
    assert len(store.tournaments()) == 1


def test_what_a_killed_import_left_gives_way(lines: list[str]) -> None:
    """Until the end it is cancelled without an end, which no other tournament is."""
    kept: list[Store] = []

    class Killed(MemoryStore):
        def delete_tournament(self, tournament_id: int) -> None:
            kept.append(self)  # a killed process deletes nothing

    store = Killed()
    with pytest.raises(InvalidInputError):
        take(lines[:3], store)
    (left,) = store.tournaments()
    assert (left.status, left.end_time) == (TournamentStatus.CANCELLED, None)
    whole = MemoryStore()
    whole.__dict__.update(store.__dict__)  # what the next process finds
    take(lines, whole)
    (row,) = whole.tournaments()
    assert (row.id, row.status) == (2, TournamentStatus.FINISHED)


def test_a_leftover_that_is_still_being_imported_stays(lines: list[str]) -> None:
    store = MemoryStore()

    def while_it_is_taken() -> Iterator[str]:
        yield from lines[:2]
        with pytest.raises(ConflictError, match="tournament 1 is being played or imported"):
            take(lines, store)
        yield from lines[2:]

    import_tournament(store, while_it_is_taken())
    assert [row.id for row in store.tournaments()] == [1]


def test_bots_come_retired_and_without_files(lines: list[str]) -> None:
    """Their names are taken: a later bot of that name would share their rating."""
    store = take(lines)
    assert [(bot.name, bot.retired, bot.owner) for bot in store.bots()] == [
        (name, True, "") for name in ("ann", "bob", "cleo")
    ]
    assert [version.number for version in store.versions("ann")] == [2]
    again = store.add_version(
        "ann", content_hash="1" * 64, manifest=manifest_of("ann", licence="MIT"), create_time=9.0
    )
    assert again.number == 3
    assert [version.number for version in store.versions("ann")] == [2, 3]
    with pytest.raises(NotFoundError, match="has no version 1"):
        store.version("ann", 1)


def test_another_bot_of_the_same_name_is_told_apart(lines: list[str]) -> None:
    """Before anything is stored."""

    def check(expected: str, **version: Any) -> None:
        store = MemoryStore()
        given: dict[str, Any] = {
            "content_hash": "9" * 64,
            "manifest": manifest_of("bob", licence="MIT"),
            "create_time": 1.0,
        }
        for _ in range(version.pop("times", 1)):
            store.add_version("bob", **given | version)
        with pytest.raises(ConflictError, match=expected):
            take(lines, store)
        assert store.tournaments() == []
        assert [bot.name for bot in store.bots()] == ["bob"]

    check("bob is the name of another bot here: version 2 has other content", times=2)
    check("another bot here, which has no version 2", owner="carla")
    check("another bot here, which has no version 2")
    check("plays from another machine", remote=True, content_hash="")


def test_what_is_pruned_while_it_is_written_is_no_file() -> None:
    """Who exports in order to delete would lose the records."""
    store = play_through(definition_of())
    lines = Export(store, 1).list_lines()
    next(lines)
    store.prune(1)
    with pytest.raises((ConflictError, StoreError)):
        list(lines)

    store = play_through(definition_of())
    lines = Export(store, 1).list_lines()
    for _ in range(13):
        next(lines)
    store.prune(1)
    with pytest.raises(ConflictError, match="was pruned while it was written"):
        list(lines)


def test_what_is_being_imported_is_not_pruned(lines: list[str]) -> None:
    """It is cancelled until its end, and may have ended years ago elsewhere."""
    store = MemoryStore()

    def prune(*ids: int) -> list[int]:
        pruned = prune_tournaments(store, ids=ids, older_than=0.0, now=2e9, dry_run=False)
        return [one.row.id for one in pruned]

    def while_it_is_taken() -> Iterator[str]:
        yield from lines[:2]
        assert prune() == []
        with pytest.raises(ConflictError, match="tournament 1 is being imported"):
            prune(1)
        yield from lines[2:]

    import_tournament(store, while_it_is_taken())
    assert not store.tournament(1).pruned
    assert prune(1) == [1]


@pytest.mark.parametrize("step", ["import_versions", "add_run_time", "set_status"])
def test_a_store_that_fails_at_the_end_keeps_nothing(
    lines: list[str], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the bots that came with it."""

    def fail(*_: Any, **__: Any) -> None:
        raise StoreError("the disk is full")

    store = MemoryStore()
    store.add_version("dora", content_hash="1" * 64, manifest=manifest_of("dora"), create_time=1.0)
    monkeypatch.setattr(store, step, fail)
    with pytest.raises(StoreError, match="the disk is full"):
        take(lines, store)
    assert store.tournaments() == []
    assert [bot.name for bot in store.bots()] == ["dora"]


def test_a_schedule_without_matches_is_not_listed_for_ever(lines: list[str]) -> None:
    """All groups of a withdrawn entrant are void, and a file may claim millions of them."""

    def claim(groups: int) -> Callable[[Any], None]:
        def change(value: Any) -> None:
            value["definition"]["groups"] = groups
            value["matches"] = 0
            value["withdrawals"] = [
                {"entrant": entrant, "reason": "", "log": None} for entrant in range(3)
            ]

        return change

    check_refused(
        [changed(lines, 0, claim(50_000))[0]],
        "expected at most 100,000 mirror groups with 0 matches, got 150,000",
    )
    calls = [0]

    def give_up() -> None:
        calls[0] += 1
        if calls[0] == 3:
            raise ServerUnavailableError("no more")

    store = MemoryStore()
    with pytest.raises(ServerUnavailableError):
        import_tournament(store, iter([changed(lines, 0, claim(30_000))[0]]), check=give_up)
    assert store.tournaments() == []


def test_the_same_seed_again_is_another_tournament(lines: list[str]) -> None:
    """Two tournaments with one chosen seed are told apart by the time of their creation."""
    store = take(lines)
    take(changed(lines, 0, set_value("create_time", to=7.0)), store)
    assert [row.create_time for row in store.tournaments()] == [0.0, 7.0]


def test_only_what_is_over_and_has_its_records_is_written() -> None:
    club = Club()
    with pytest.raises(ConflictError, match="is not over, so its cards are shown to nobody"):
        Export(club.store, 1)
    club.store.set_status(1, TournamentStatus.FINISHED)
    club.store.prune(1)
    with pytest.raises(ConflictError, match="were thrown away by `mazzo prune`"):
        Export(club.store, 1)
    with pytest.raises(NotFoundError):
        Export(club.store, 2)


def test_outcomes_are_stored_in_batches_and_never_all_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half a million matches go through the memory of some hundreds."""
    monkeypatch.setattr("mazzo_server.tournaments.stored.importing._BATCH", 4)
    sizes: list[int] = []

    class Counting(MemoryStore):
        def add_outcomes(self, tournament_id: int, outcomes: Any) -> None:
            sizes.append(len(outcomes))
            super().add_outcomes(tournament_id, outcomes)

    played = play_through(definition_of(groups=3))
    store = Counting()
    take(export(played), store)
    assert sizes == [4, 4, 4, 4, 2]
    found: list[MatchOutcome] = store.outcomes(1, with_deals=False)
    assert len(found) == 18
