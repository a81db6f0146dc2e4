"""Hooks are told how tournaments end, and of those that the platform cannot go on with."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo_server.errors import NotFoundError
from mazzo_server.model import ChallengeTerms, PairingScheme, TournamentKind
from mazzo_server.storage import (
    ChallengeAnswered,
    HookFormat,
    HookRow,
    MemoryStore,
    PlatformFault,
    TournamentOver,
    TournamentRow,
    TournamentStatus,
    list_event_kinds,
)
from mazzo_server.storage.hooks.events import HookEvent
from mazzo_server.tournaments.running import announcing
from mazzo_server.tournaments.running.announcing import end_tournament
from support.finished_tournaments import define, play
from support.in_process_bots import PromptSpec
from support.scripted_tournaments import PATIENCE, Arena, make_run
from support.stored_rows import add_tournament


def hooked(*events: str) -> MemoryStore:
    store = MemoryStore()
    hook = HookRow(
        id="aaaa",
        url="https://club.example/",
        events=events or list_event_kinds(),
        format=HookFormat.JSON,
        secret="",
        label="",
        create_time=0.0,
    )
    store.add_hook(hook)
    return store


def waiting(store: MemoryStore) -> list[HookEvent]:
    found = []
    while deliveries := store.deliveries():
        found.append(deliveries[0].announcement.event)
        store.finish_delivery("aaaa", deliveries[0].number, time=1.0)
    return found


def test_a_finished_tournament_is_told_with_its_leaders() -> None:
    """The first three of the standings."""
    store = hooked()
    names = ("ann", "bob", "cid", "dan")
    definition = replace(define([(name, 1) for name in names]), name="Friday")
    number = add_tournament(store, definition)
    store.add_outcomes(number, play(definition, 3, best=["cid", "ann", "dan"]))
    end_tournament(store, number, TournamentStatus.FINISHED, 9.0)
    assert store.tournament(number).status is TournamentStatus.FINISHED
    assert store.tournament(number).end_time == 9.0
    assert waiting(store) == [
        TournamentOver(
            tournament=number,
            name="Friday",
            variant="briscola/2",
            status="finished",
            matches_played=12,
            leaders=("cid", "ann", "dan"),
        )
    ]


def test_a_cancelled_tournament_has_no_leaders() -> None:
    """It settles nothing."""
    store = hooked()
    number = add_tournament(store)
    end_tournament(store, number, TournamentStatus.CANCELLED, 9.0)
    [event] = waiting(store)
    assert isinstance(event, TournamentOver)
    assert (event.status, event.leaders) == ("cancelled", ())


@pytest.mark.parametrize("change", ["events", "disabled"])
def test_nothing_is_read_for_nobody(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The standings of a large tournament are work, so somebody must want to know its end."""
    store = hooked("trial-passed") if change == "events" else hooked()
    if change == "disabled":
        store.fail_delivery("aaaa", 0, time=1.0, error="gone", due_time=None, disable=True)
    read: list[int] = []

    def find_standings(store: MemoryStore, row: TournamentRow) -> None:
        read.append(row.id)

    monkeypatch.setattr(announcing, "_find_standings", find_standings)
    number = add_tournament(store)
    end_tournament(store, number, TournamentStatus.FINISHED, 9.0)
    assert store.tournament(number).status is TournamentStatus.FINISHED
    assert read == []


def test_a_persons_match_is_nobodys_news() -> None:
    """It counts for nothing."""
    store = hooked()
    number = add_tournament(store, replace(define([("ann", 1)]), kind=TournamentKind.TABLE))
    end_tournament(store, number, TournamentStatus.FINISHED, 9.0)
    assert store.tournament(number).status is TournamentStatus.FINISHED
    assert waiting(store) == []


def test_a_challenge_is_answered_with_the_groups_of_the_bot_that_challenges() -> None:
    """Not as a tournament; and one that was cancelled before it was played has no groups."""
    store = hooked()
    definition = replace(
        define([("ann", 1), ("bob", 4)]),
        kind=TournamentKind.CHALLENGE,
        pairing=PairingScheme.GAUNTLET,
        hero="bob",
        challenge=ChallengeTerms(author="kim", turn=0),
    )
    number = add_tournament(store, definition)
    store.add_outcomes(number, play(definition, 3, best=["bob", "ann"]))
    end_tournament(store, number, TournamentStatus.FINISHED, 9.0)
    [event] = waiting(store)
    assert isinstance(event, ChallengeAnswered)
    assert event.score_per_deal is not None
    assert event.score_per_deal > 0.0
    assert replace(event, score_per_deal=None) == ChallengeAnswered(
        tournament=number,
        variant="briscola/2",
        author="kim",
        bot="bob",
        version=4,
        opponent="ann",
        opponent_version=1,
        status="finished",
        groups=2,
        wins=2,
    )
    end_tournament(store, add_tournament(store, definition), TournamentStatus.CANCELLED, 9.0)
    [event] = waiting(store)
    assert isinstance(event, ChallengeAnswered)
    assert (event.status, event.groups, event.score_per_deal) == ("cancelled", 0, None)


def test_a_tournament_that_is_gone_is_not_over() -> None:
    """Nothing is told that is not stored."""
    store = hooked()
    with pytest.raises(NotFoundError):
        end_tournament(store, 7, TournamentStatus.FINISHED, 9.0)
    assert waiting(store) == []


def test_a_run_tells_what_comes_of_it() -> None:
    """Finished with a word, paused without; and a fault of the platform where it cannot go on."""

    async def main() -> None:
        store = hooked()
        for groups, harm in ((1, None), (100_000, "pause"), (100_000, "claim")):
            definition = Arena(Path()).definition(2, groups=groups)
            row = store.add_tournament(definition, concurrency=1, create_time=0.0)
            claim = store.claim(row.id)
            assert claim is not None
            run = make_run(
                row, store, [PromptSpec()] * 2, claim=claim, concurrency=2, claim_interval=0.001
            )
            run.begin()
            assert run.task is not None
            if harm is not None:
                while not store.tournament(row.id).matches_played:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
            if harm == "pause":
                run.pause()
            elif harm == "claim":
                store.delete_tournament(row.id)
            await run.task
        over, fault = waiting(store)
        assert isinstance(over, TournamentOver)
        assert (over.tournament, over.status, len(over.leaders)) == (1, "finished", 2)
        assert isinstance(fault, PlatformFault)
        assert (fault.action, fault.tournament) == ("tournament-failed", 3)
        assert fault.text.startswith("tournament 3 failed: ")

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
