"""Hooks and their queues: one suite over every store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.logs import LogAction
from mazzo_server.storage import (
    Announcement,
    ChallengeAnswered,
    HookFormat,
    HookHealth,
    HookRow,
    LadderOvertaking,
    PlatformFault,
    Store,
    TournamentOver,
    TournamentStatus,
    TrialFailed,
    TrialPassed,
    list_event_kinds,
    open_store,
)
from mazzo_server.storage.hooks.events import HookEvent
from support.stored_rows import add_tournament, add_version, trial_of

OVER = TournamentOver(
    tournament=1,
    name="a \ud800 name",
    variant="briscola/2",
    status="finished",
    matches_played=60,
    leaders=("ann", "bob"),
)
FAULT = PlatformFault(action="worker-lost", text="a worker is lost", times=2)
ANSWERED = ChallengeAnswered(
    tournament=2,
    variant="briscola/2",
    author="alice",
    bot="ann",
    version=2,
    opponent="bob",
    opponent_version=1,
    status="finished",
    groups=3,
    wins=1,
    draws=1,
    losses=1,
    score_per_deal=-0.125,
)
EXAMPLES: dict[str, HookEvent] = {
    ANSWERED.kind: ANSWERED,
    OVER.kind: OVER,
    "ladder-overtaking": LadderOvertaking(
        season=3, variant="briscola/2", bot="ann", overtaken=("bob", "cleo"), place=1
    ),
    "trial-passed": TrialPassed(bot="ann", version=2, qualified=("briscola/2",)),
    "trial-failed": TrialFailed(bot="ann", version=3, qualified=()),
    FAULT.kind: FAULT,
}


def hook_of(
    hook_id: str, *, events: tuple[str, ...] = list_event_kinds(), time: float = 1.0
) -> HookRow:
    return HookRow(
        id=hook_id,
        url="https://club.example/in?key=of-mine",
        events=events,
        format=HookFormat.JSON,
        secret="whsec_c2VjcmV0",
        label="the \ud800 club",
        create_time=time,
    )


def announce(store: Store, number: int, *, most_waiting: int = 1000) -> Announcement:
    event = replace(OVER, tournament=number)
    made = Announcement.of(event, time=float(number))
    store.announce(made, most_waiting=most_waiting)
    return made


def tournaments_waiting(store: Store, hook: str) -> list[int]:
    """The tournaments that wait for a hook, in order. Takes them out."""
    found = []
    while delivery := {one.hook.id: one for one in store.deliveries()}.get(hook):
        event = delivery.announcement.event
        assert isinstance(event, TournamentOver)
        found.append(event.tournament)
        store.finish_delivery(hook, delivery.number, time=9.0)
    return found


def test_hooks_are_kept_until_they_are_deleted(store: Store) -> None:
    """The oldest comes first; no id is given twice; what waits goes with its hook."""
    first, second = hook_of("bbbb", time=1.0), hook_of("aaaa", time=2.0)
    store.add_hook(second)
    store.add_hook(first)
    assert store.hooks() == [first, second]
    assert store.hook("aaaa") == second
    with pytest.raises(ConflictError, match="'aaaa' already"):
        store.add_hook(second)
    announce(store, 1)
    store.delete_hook("aaaa")
    assert [hook.id for hook in store.hooks()] == ["bbbb"]
    assert [delivery.hook.id for delivery in store.deliveries()] == ["bbbb"]
    store.add_hook(second)
    assert store.hook("aaaa").waiting == 0


@pytest.mark.parametrize("hook_id", ["", "zzzz", "a\0", "\ud800"])
def test_unknown_hooks(store: Store, hook_id: str) -> None:
    """Nobody is told of a hook that was there a moment ago, but asked for one."""
    for call in (store.hook, store.delete_hook):
        with pytest.raises(NotFoundError, match="mazzo hooks list"):
            call(hook_id)
    store.finish_delivery("zzzz", 1, time=1.0)
    store.fail_delivery("zzzz", 1, time=1.0, error="down", due_time=None, disable=True)
    assert store.hooks() == []


def test_no_secret_is_shown() -> None:
    """Neither what signs nor the address, which is a secret of chat programs."""
    assert "c2VjcmV0" not in repr(hook_of("aaaa"))
    assert "of-mine" not in repr(hook_of("aaaa"))


def test_every_kind_of_event_comes_back_as_it_was(store: Store) -> None:
    """With the same id and time."""
    assert EXAMPLES.keys() == {*list_event_kinds()}
    store.add_hook(hook_of("aaaa"))
    for event in EXAMPLES.values():
        made = Announcement.of(event, time=4.5)
        store.announce(made)
        [delivery] = store.deliveries()
        assert delivery.announcement == made
        assert delivery.hook == store.hook("aaaa")
        assert (delivery.attempts, delivery.first_time, delivery.due_time) == (0, None, 0.0)
        store.finish_delivery("aaaa", delivery.number, time=5.0)


def test_a_hook_gets_what_it_asks_for_in_order(store: Store) -> None:
    """Each hook at its own pace."""
    store.add_hook(hook_of("aaaa"))
    store.add_hook(hook_of("bbbb", events=("platform-fault",)))
    announce(store, 1)
    store.announce(Announcement.of(FAULT, time=2.0))
    announce(store, 3)
    assert [hook.waiting for hook in store.hooks()] == [3, 1]
    assert [(one.hook.id, one.number) for one in store.deliveries()] == [("aaaa", 1), ("bbbb", 1)]
    store.finish_delivery("aaaa", 1, time=5.0)
    store.finish_delivery("aaaa", 2, time=6.0)
    assert tournaments_waiting(store, "aaaa") == [3]
    hook = store.hook("aaaa")
    assert (hook.delivered, hook.newest, hook.waiting, hook.delivery_time) == (3, 3, 0, 9.0)
    announce(store, 4)
    assert store.deliveries()[0].number == 4  # a number is never used twice


def test_a_full_queue_drops_the_oldest(store: Store) -> None:
    """And counts it."""
    store.add_hook(hook_of("aaaa"))
    for number in range(1, 6):
        announce(store, number, most_waiting=3)
    hook = store.hook("aaaa")
    assert (hook.waiting, hook.dropped, hook.newest) == (3, 2, 5)
    store.finish_delivery("aaaa", 1, time=9.0)  # that was dropped while it was sent
    assert store.hook("aaaa").delivered == 0
    assert tournaments_waiting(store, "aaaa") == [3, 4, 5]


def test_what_fails_waits_or_is_dropped(store: Store) -> None:
    """The first attempt is remembered, and since when the hook fails, until something arrives."""
    store.add_hook(hook_of("aaaa"))
    for number in (1, 2, 3):
        announce(store, number)
    store.fail_delivery("aaaa", 1, time=10.0, error="down \ud800", due_time=15.0)
    store.fail_delivery("aaaa", 1, time=15.0, error="slow", due_time=30.0)
    [delivery] = store.deliveries()
    assert (delivery.number, delivery.attempts) == (1, 2)
    assert (delivery.first_time, delivery.due_time) == (10.0, 30.0)
    hook = store.hook("aaaa")
    assert (hook.failing_since, hook.error, hook.dropped, hook.waiting) == (10.0, "slow", 0, 3)
    store.fail_delivery("aaaa", 1, time=20.0, error="down \ud800", due_time=None)
    hook = store.hook("aaaa")
    assert (hook.failing_since, hook.error, hook.dropped) == (10.0, "down \ud800", 1)
    assert store.deliveries()[0].number == 2
    store.finish_delivery("aaaa", 2, time=25.0)
    hook = store.hook("aaaa")
    assert (hook.failing_since, hook.error, hook.delivered) == (None, "", 1)


def test_a_disabled_hook_gets_nothing_until_a_test_succeeds(store: Store) -> None:
    """What waited is dropped; what happens meanwhile does not wait for it."""
    store.add_hook(hook_of("aaaa"))
    announce(store, 1)
    announce(store, 2)
    store.fail_delivery("aaaa", 1, time=1.0, error="gone", due_time=None, disable=True)
    hook = store.hook("aaaa")
    assert (hook.disabled, hook.waiting, hook.dropped) == (True, 0, 2)
    announce(store, 3)
    assert store.deliveries() == []
    store.finish_delivery("aaaa", 0, time=2.0)
    announce(store, 4)
    hook = store.hook("aaaa")
    assert (hook.disabled, hook.failing_since, hook.delivered) == (False, None, 0)
    assert tournaments_waiting(store, "aaaa") == [4]


def test_a_test_that_succeeds_makes_what_waits_due(store: Store) -> None:
    """An organiser who has mended the receiver does not wait for an hour."""
    store.add_hook(hook_of("aaaa"))
    announce(store, 1)
    store.fail_delivery("aaaa", 1, time=10.0, error="down", due_time=3600.0)
    store.finish_delivery("aaaa", 0, time=20.0)
    [delivery] = store.deliveries()
    assert (delivery.due_time, delivery.attempts, delivery.number) == (0.0, 1, 1)


def test_a_change_and_its_announcement_are_one(store: Store) -> None:
    """A tournament that is over is announced, or it is not over: a kill falls between neither."""
    store.add_hook(hook_of("aaaa"))
    number = add_tournament(store)
    made = Announcement.of(OVER, time=1.0)
    store.set_status(number, TournamentStatus.FINISHED, end_time=2.0, announcement=made)
    add_version(store, "ann")
    passed = Announcement.of(EXAMPLES["trial-passed"], time=2.0)
    store.set_trial("ann", 1, trial=trial_of(), announcement=passed)
    with pytest.raises(NotFoundError):
        store.set_status(99, TournamentStatus.FINISHED, announcement=made)
    with pytest.raises(NotFoundError):
        store.set_trial("ann", 9, trial=trial_of(), announcement=passed)
    found = []
    while deliveries := store.deliveries():
        found.append(deliveries[0].announcement)
        store.finish_delivery("aaaa", deliveries[0].number, time=3.0)
    assert found == [made, passed]


def test_one_process_delivers(store: Store) -> None:
    """The claim is free again when it is released, and is no tournament's."""
    add_tournament(store)
    claim = store.claim_hooks()
    assert claim is not None
    assert not claim.is_lost()
    assert store.claim_hooks() is None
    of_tournament = store.claim(1)
    assert of_tournament is not None
    of_tournament.release()
    claim.release()
    again = store.claim_hooks()
    assert again is not None
    again.release()


def test_what_waits_survives_the_process(tmp_path: Path) -> None:
    """It stands in the database, not in memory."""
    store = open_store(tmp_path / "mazzo.db")
    store.add_hook(hook_of("aaaa"))
    made = announce(store, 1)
    store.close()
    store = open_store(tmp_path / "mazzo.db")
    assert [one.announcement for one in store.deliveries()] == [made]
    store.close()


@pytest.mark.parametrize(
    "damage",
    ["kind = 'unheard-of'", "facts = '{'", "facts = '[]'", "facts = '7'", "facts = '{\"x\": 1}'"],
)
def test_an_event_that_cannot_be_read_holds_up_nothing(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither its hook nor another one: it is dropped, counted and told."""
    path = tmp_path / "mazzo.db"
    with closing(open_store(path)) as store:
        for hook_id in ("aaaa", "bbbb"):
            store.add_hook(hook_of(hook_id))
        bad, good = announce(store, 1), announce(store, 2)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                f"UPDATE hook_events SET {damage} WHERE hook = 'aaaa' AND number = 1"
            )
        assert [(one.hook.id, one.announcement) for one in store.deliveries()] == [("bbbb", bad)]
        found = {one.hook.id: one.announcement for one in store.deliveries()}
        assert found == {"aaaa": good, "bbbb": bad}
        assert (store.hook("aaaa").dropped, store.hook("aaaa").waiting) == (1, 1)
        assert store.hook("aaaa").failing_since is None
    [told] = [one for one in caplog.records if getattr(one, "action", "") == LogAction.HOOK_FAILED]
    assert vars(told)["event"] == bad.id


@pytest.mark.parametrize(
    "damage",
    [
        "events = '{'",
        "events = '7'",
        "format = 'unheard-of'",
        "url = x'00ff'",
        "label = '{'",
        "error = '7'",
        "create_time = 'long ago'",
        "newest = 'x'",
    ],
)
def test_a_hook_that_cannot_be_read_stops_no_other(tmp_path: Path, damage: str) -> None:
    """It is shown with what is wrong, gets nothing, and can be deleted."""
    path = tmp_path / "mazzo.db"
    with closing(open_store(path)) as store:
        for hook_id in ("aaaa", "bbbb"):
            store.add_hook(hook_of(hook_id))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE hooks SET {damage} WHERE id = 'aaaa'")
        made = announce(store, 1)
        assert [(one.hook.id, one.announcement) for one in store.deliveries()] == [("bbbb", made)]
        found = {hook.id: hook for hook in store.hooks()}
        assert found.keys() == {"aaaa", "bbbb"}
        assert (found["aaaa"].health, found["bbbb"].health) == (
            HookHealth.DISABLED,
            HookHealth.FINE,
        )
        assert "the store is damaged" in found["aaaa"].error
        assert store.hook("aaaa") == found["aaaa"]
        store.delete_hook("aaaa")
        assert [hook.id for hook in store.hooks()] == ["bbbb"]
