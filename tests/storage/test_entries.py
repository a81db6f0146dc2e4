"""Open tournaments and their entries: one suite over every store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.model import TournamentRequest
from mazzo_server.storage import (
    EntryRow,
    Every,
    OpenTournamentRow,
    RoundEnd,
    Store,
    Timetable,
    TournamentStatus,
    open_store,
)
from support.stored_rows import DEFINITION, add_tournament, add_version

REQUEST = TournamentRequest(
    variant="briscola/2", groups=20, time_control="2+0.1", name="a \ud800 cup", isolation="none"
)
WEEKLY = Timetable(
    entries_from=100.0, entries_until=200.0, start_at=300.0, start_with=8, every=Every.WEEK
)
PLAYED = RoundEnd(time=301.0, definition=DEFINITION, concurrency=3, left_out=("cleo",))
MISSED = RoundEnd(time=302.0, reason="1 of 2 \ud800 bots")


def entry_of(bot: str, *, author: str = "", time: float = 150.0) -> EntryRow:
    return EntryRow(bot=bot, author=author, time=time)


def add_open(store: Store, timetable: Timetable = WEEKLY, *bots: str) -> int:
    """An open tournament; its number."""
    for bot in ("ann", "bob", "cleo"):
        add_version(store, bot)
    rows = [entry_of(bot, time=1.0) for bot in bots]
    return store.add_open_tournament(REQUEST, timetable, create_time=1.0, entries=rows).id


def names(store: Store, open_id: int) -> list[str]:
    return [entry.bot for entry in store.entries(open_id)]


def test_an_open_tournament_is_kept_as_it_was_asked_for(store: Store) -> None:
    assert store.open_tournaments() == []
    open_id = add_open(store, WEEKLY, "bob", "ann")
    assert store.open_tournament(open_id) == OpenTournamentRow(
        id=1, request=REQUEST, timetable=WEEKLY, create_time=1.0, entries=2
    )
    assert store.entries(open_id) == [entry_of("ann", time=1.0), entry_of("bob", time=1.0)]
    assert store.rounds(open_id, limit=9) == []
    second = store.add_open_tournament(REQUEST, Timetable(start_with=2), create_time=2.0).id
    assert [row.id for row in store.open_tournaments()] == [open_id, second]


@pytest.mark.parametrize("open_id", [0, 7, 2**40])
def test_what_is_not_there_is_not_found(store: Store, open_id: int) -> None:
    calls: tuple[Callable[[], object], ...] = (
        lambda: store.open_tournament(open_id),
        lambda: store.entries(open_id),
        lambda: store.rounds(open_id, limit=1),
        lambda: store.enter_bot(open_id, entry_of("ann")),
        lambda: store.remove_entry(open_id, "ann", author="", time=1.0),
        lambda: store.call_off(open_id, time=1.0),
        lambda: store.end_round(open_id, MISSED, None, revision=0),
    )
    for call in calls:
        with pytest.raises(NotFoundError, match=f"no open tournament {open_id}"):
            call()


def test_bots_enter_once_and_leave(store: Store) -> None:
    open_id = add_open(store)
    store.enter_bot(open_id, entry_of("bob", author="carl", time=160.0))
    store.enter_bot(open_id, entry_of("ann", author="alice"))
    assert names(store, open_id) == ["ann", "bob"]
    before = store.open_tournament(open_id)
    assert (before.entries, before.revision) == (2, 2)
    with pytest.raises(ConflictError, match="ann has entered open tournament 1 already"):
        store.enter_bot(open_id, entry_of("ann"))
    for bot in ("cleo", "\ud800", "a\0b"):
        with pytest.raises(NotFoundError, match="has not entered"):
            store.remove_entry(open_id, bot, author="", time=150.0)
    assert store.open_tournament(open_id) == before
    store.remove_entry(open_id, "ann", author="alice", time=150.0)
    assert names(store, open_id) == ["bob"]
    assert store.open_tournament(open_id).revision == 3


@pytest.mark.parametrize(("time", "said"), [(99.0, "no entries yet"), (200.0, "no more entries")])
def test_authors_act_while_entries_are_taken_and_the_organiser_always(
    store: Store, time: float, said: str
) -> None:
    open_id = add_open(store, WEEKLY, "ann")
    with pytest.raises(ConflictError, match=said):
        store.enter_bot(open_id, entry_of("bob", author="bert", time=time))
    with pytest.raises(ConflictError, match=said):
        store.remove_entry(open_id, "ann", author="alice", time=time)
    assert names(store, open_id) == ["ann"]
    store.enter_bot(open_id, entry_of("bob", time=time))
    store.remove_entry(open_id, "ann", author="", time=time)
    assert names(store, open_id) == ["bob"]


def test_a_round_that_is_played_becomes_a_tournament_once(store: Store) -> None:
    """Its entries stay where no round follows. Two servers that look at once start one."""
    add_tournament(store)
    open_id = add_open(store, replace(WEEKLY, every=None), "ann", "bob")
    assert store.end_round(open_id, PLAYED, None, revision=0) == 2
    row = store.tournament(2)
    assert row.definition == DEFINITION
    assert (row.concurrency, row.status, row.create_time) == (3, TournamentStatus.CREATED, 301.0)
    for revision in (0, 1):
        with pytest.raises(ConflictError, match="changed meanwhile"):
            store.end_round(open_id, PLAYED, None, revision=revision)
    with pytest.raises(ConflictError, match="is over"):
        store.enter_bot(open_id, entry_of("cleo"))
    with pytest.raises(ConflictError, match="is over"):
        store.call_off(open_id, time=1.0)
    assert len(store.tournaments()) == 2
    assert store.open_tournament(open_id).is_over
    assert names(store, open_id) == ["ann", "bob"]
    assert store.open_tournaments() == []
    assert [one.id for one in store.open_tournaments(with_over=True)] == [open_id]
    [played] = store.rounds(open_id, limit=5)
    assert (played.number, played.tournament, played.reason) == (1, 2, "")
    assert played.left_out == ("cleo",)


def test_the_next_round_begins_without_entries_as_the_last_one_ends(store: Store) -> None:
    open_id = add_open(store, WEEKLY, "ann", "bob")
    following = WEEKLY.find_next(303.0)
    store.change_open_tournament(open_id, revision=0, timetable=WEEKLY, problem="too few")
    assert store.open_tournament(open_id).problem == "too few"
    assert store.open_tournament(open_id).revision == 0
    assert store.end_round(open_id, MISSED, following, revision=0) is None
    row = store.open_tournament(open_id)
    assert (row.round, row.timetable, row.last_start) == (2, following, 300.0)
    assert (row.is_over, row.problem, row.entries) == (False, "", 0)
    store.enter_bot(open_id, entry_of("ann"))
    assert store.end_round(open_id, PLAYED, WEEKLY, revision=row.revision + 1) == 1
    assert [(one.number, one.tournament) for one in store.rounds(open_id, limit=9)] == [
        (2, 1),
        (1, None),
    ]
    assert store.rounds(open_id, limit=1)[0].number == 2
    assert store.rounds(open_id, limit=9)[1].reason == MISSED.reason


def test_who_enters_meanwhile_keeps_a_round_from_starting_without_them(store: Store) -> None:
    """And so does whoever leaves, and the deletion of a bot."""
    open_id = add_open(store, WEEKLY, "ann")
    store.enter_bot(open_id, entry_of("bob"))
    store.remove_entry(open_id, "ann", author="", time=150.0)
    store.delete_bot("bob")
    assert names(store, open_id) == []
    for revision in range(3):
        with pytest.raises(ConflictError, match="changed meanwhile"):
            store.end_round(open_id, PLAYED, None, revision=revision)
    assert store.tournaments() == []
    assert store.rounds(open_id, limit=1) == []
    assert store.end_round(open_id, PLAYED, None, revision=3) == 1


def test_new_times_are_another_revision(store: Store) -> None:
    open_id = add_open(store)
    later = replace(WEEKLY, start_at=400.0)
    store.change_open_tournament(open_id, revision=0, timetable=later, problem="")
    assert store.open_tournament(open_id).timetable == later
    with pytest.raises(ConflictError, match="changed meanwhile"):
        store.change_open_tournament(open_id, revision=0, timetable=WEEKLY, problem="")
    assert store.open_tournament(open_id).timetable == later


def test_rounds_that_nobody_has_played_to_their_end_are_found(store: Store) -> None:
    """Not those that somebody paused, and not those that are deleted."""
    add_tournament(store)
    open_id = add_open(store, replace(WEEKLY, every=Every.DAY))
    for revision in range(4):
        store.end_round(open_id, PLAYED, WEEKLY, revision=revision)
    store.end_round(open_id, MISSED, WEEKLY, revision=4)
    assert store.unfinished_rounds() == [2, 3, 4, 5]
    store.set_status(2, TournamentStatus.RUNNING)
    store.set_status(3, TournamentStatus.PAUSED)
    store.set_status(4, TournamentStatus.FINISHED, end_time=400.0)
    store.delete_tournament(5)
    assert store.unfinished_rounds() == [2]
    assert len(store.rounds(open_id, limit=9)) == 5


def test_there_is_an_end_to_how_many_are_open(store: Store) -> None:
    for number in range(100):
        store.add_open_tournament(REQUEST, WEEKLY, create_time=float(number))
    with pytest.raises(ConflictError, match="100 open tournaments"):
        store.add_open_tournament(REQUEST, WEEKLY, create_time=1.0)
    store.call_off(7, time=1.0)
    assert store.add_open_tournament(REQUEST, WEEKLY, create_time=1.0).id == 101


def test_all_of_it_is_there_when_the_store_is_opened_again(path: Path) -> None:
    with closing(open_store(path)) as store:
        open_id = add_open(store, WEEKLY, "ann")
        store.end_round(open_id, PLAYED, WEEKLY, revision=0)
        store.enter_bot(open_id, entry_of("bob"))
        before = store.open_tournament(open_id), store.entries(open_id), store.rounds(1, limit=9)
    with closing(open_store(path)) as store:
        found = store.open_tournament(open_id), store.entries(open_id), store.rounds(1, limit=9)
        assert found == before
