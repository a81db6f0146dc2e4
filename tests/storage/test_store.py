"""The store: one suite over every implementation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import pytest

from mazzo_server import storage
from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.model import ChallengeTerms, Entrant, TournamentKind
from mazzo_server.storage import MatchQuery, Store, TournamentStatus
from mazzo_server.storage.base import WithdrawalRow
from support.stored_rows import (
    DEFINITION,
    add_tournament,
    add_version,
    log_of,
    outcome,
)

TABLE = replace(DEFINITION, kind=TournamentKind.TABLE)
CHALLENGE = replace(
    DEFINITION,
    kind=TournamentKind.CHALLENGE,
    challenge=ChallengeTerms(author="kim", turn=3),
)


def test_door_is_pinned() -> None:
    """What the package offers is sorted and is what others rely on."""
    assert storage.__all__ == sorted(storage.__all__)
    assert all(hasattr(storage, name) for name in storage.__all__)


class TestTournaments:
    def test_life_of_a_tournament(self, store: Store) -> None:
        """A tournament is its definition; only status and end move."""
        row = store.add_tournament(DEFINITION, concurrency=4, create_time=7.5)
        assert (row.id, row.definition, row.concurrency) == (1, DEFINITION, 4)
        assert (row.status, row.create_time, row.end_time) == (TournamentStatus.CREATED, 7.5, None)
        store.set_status(1, TournamentStatus.RUNNING)
        assert store.tournament(1) == replace(row, status=TournamentStatus.RUNNING)
        store.set_status(1, TournamentStatus.FINISHED, end_time=9.25)
        finished = replace(row, status=TournamentStatus.FINISHED, end_time=9.25)
        assert replace(store.tournament(1), revision=0) == finished
        assert add_tournament(store) == 2
        assert store.tournaments() == [store.tournament(1), store.tournament(2)]

    @pytest.mark.parametrize("number", [0, -1, 2, 2**31, 2**80])
    def test_unknown_tournament(self, store: Store, number: int) -> None:
        """Every call about a tournament that is not there says so, and how to find one."""
        add_tournament(store)
        calls: list[Callable[[], object]] = [
            lambda: store.tournament(number),
            lambda: store.set_status(number, TournamentStatus.RUNNING),
            lambda: store.add_outcomes(number, [outcome(0)]),
            lambda: store.add_outcomes(number, []),
            lambda: store.outcomes(number, with_deals=True),
            lambda: store.finished_matches(number),
            lambda: store.record_bytes(number),
            lambda: store.prune(number),
            lambda: store.add_run_time(number, 1.0),
            lambda: store.amend(number, DEFINITION),
            lambda: store.claim(number),
            lambda: store.is_claimed(number),
            lambda: store.keep_checkpoint(number, 1, ""),
            lambda: store.checkpoint(number),
            lambda: store.keep_ranking("briscola/2", number, ""),
            lambda: store.begin_matches(number, [(0, 0)]),
            lambda: store.attempts(number, group=0),
            lambda: store.next_group(number),
            lambda: store.add_withdrawal(number, 0, reason=""),
            lambda: store.withdrawals(number),
            lambda: store.delete_tournament(number),
        ]
        for call in calls:
            with pytest.raises(NotFoundError, match=f"{number}: `mazzo tournament list`"):
                call()

    def test_a_deleted_tournament_leaves_nothing_but_its_number(self, store: Store) -> None:
        """A number that came back would show old addresses of matches something else."""
        number, other = add_tournament(store), add_tournament(store)
        for each in (number, other):
            store.begin_matches(each, [(0, 0)])
            store.add_outcomes(each, [outcome(0), outcome(0, seating=1)])
            store.add_withdrawal(each, 0, reason="gone", log=log_of("x"))
            store.add_spoilt(each, 0, 0)
            store.keep_checkpoint(each, 1, "state")
            store.set_status(each, TournamentStatus.FINISHED, end_time=1.0)
            store.keep_ranking("briscola/2", each, "state")
        kept = store.outcomes(other, with_deals=True)
        store.delete_tournament(number)
        assert [row.id for row in store.tournaments()] == [other]
        with pytest.raises(NotFoundError):
            store.outcomes(number, with_deals=False)
        assert store.outcomes(other, with_deals=True) == kept
        assert store.checkpoint(other) == (1, "state")
        found = store.find_matches(MatchQuery(), limit=9)
        assert {match.tournament for match in found} == {other}
        assert store.ranking_state("briscola/2", 9) is None  # it was a fold over both
        store.delete_tournament(other)
        assert add_tournament(store) == 3
        store.add_outcomes(3, [outcome(0)])
        assert store.withdrawals(3) == []
        assert store.spoilt_matches(3) == {}
        assert store.attempts(3, group=0) == {}

    def test_tables_of_people_are_found_by_those_who_ask(self, store: Store) -> None:
        """There may be many, and no list of tournaments should take longer for them."""
        table = store.add_tournament(TABLE, concurrency=1, create_time=0.0)
        number = add_tournament(store)
        store.amend(table.id, TABLE)
        assert [row.id for row in store.tournaments()] == [number]
        every = store.tournaments(every_kind=True)
        assert every == [store.tournament(table.id), store.tournament(number)]
        add_version(store, "ann")
        store.delete_tournament(number)
        with pytest.raises(ConflictError, match="ann takes part in"):  # its replay needs her
            store.delete_bot("ann")

    def test_challenges_are_found_while_they_are_not_over_and_lately(self, store: Store) -> None:
        """By number, and never among tables and tournaments."""
        numbers = [
            store.add_tournament(CHALLENGE, concurrency=1, create_time=time).id
            for time in (1.0, 2.0, 3.0, 4.0, 5.0)
        ]
        store.add_tournament(TABLE, concurrency=1, create_time=9.0)
        rated = add_tournament(store)
        for number, status in zip(
            numbers,
            (
                TournamentStatus.FINISHED,
                TournamentStatus.RUNNING,
                TournamentStatus.CANCELLED,
                TournamentStatus.PAUSED,
            ),
            strict=False,
        ):
            store.set_status(number, status, end_time=6.0 if status.is_over else None)
        assert [row.id for row in store.challenges(since=inf)] == [2, 4, 5]
        assert [row.id for row in store.challenges(since=3.0)] == [2, 3, 4, 5]
        assert [row.id for row in store.challenges(since=0.0)] == numbers
        assert [row.id for row in store.challenges(since=0.0, most=1)] == [2, 3, 4, 5]
        assert [row.id for row in store.challenges(since=0.0, most=0)] == [2, 4, 5]
        assert store.challenges(since=0.0)[0] == store.tournament(1)
        assert store.tournament(1).definition == CHALLENGE
        assert [row.id for row in store.tournaments()] == [rated]

    def test_tables_of_people_move_no_ranking(self, store: Store) -> None:
        """Neither their end nor that they are deleted, although the next tournament is newer."""
        table = store.add_tournament(TABLE, concurrency=1, create_time=0.0).id
        number = add_tournament(store)
        store.set_status(number, TournamentStatus.FINISHED, end_time=1.0)
        (row,) = store.tournaments()
        store.set_status(table, TournamentStatus.FINISHED, end_time=1.0)
        store.keep_ranking("briscola/2", number, "kept", revision=(1, row.revision))
        assert store.ranking_state("briscola/2", 9) == (number, "kept")
        store.add_withdrawal(table, 0, reason="")
        store.set_status(table, TournamentStatus.CANCELLED, end_time=1.0)
        store.delete_tournament(table)
        assert store.ranking_state("briscola/2", 9) == (number, "kept")

    def test_a_tournament_may_begin_as_one_that_is_over(self, store: Store) -> None:
        """As one that is imported is until all of it is there."""
        row = store.add_tournament(
            DEFINITION, concurrency=1, create_time=0.0, status=TournamentStatus.CANCELLED
        )
        assert store.tournament(row.id) == row
        assert (row.status, row.end_time) == (TournamentStatus.CANCELLED, None)

    def test_no_end_is_before_its_beginning(self, store: Store) -> None:
        """The machine's clock may be set back while a tournament is played."""
        number = store.add_tournament(DEFINITION, concurrency=1, create_time=100.0).id
        for status in (TournamentStatus.CANCELLED, TournamentStatus.FINISHED):
            store.set_status(number, status, end_time=99.0)
            assert store.tournament(number).end_time == 100.0
        store.set_status(number, TournamentStatus.FINISHED, end_time=101.0)
        assert store.tournament(number).end_time == 101.0
        store.set_status(number, TournamentStatus.RUNNING)
        assert store.tournament(number).end_time is None

    def test_withdrawals(self, store: Store) -> None:
        """A withdrawn entrant is named with the reason, once, whatever a bot wrote in it."""
        tournament = add_tournament(store)
        other = add_tournament(store)
        store.add_withdrawal(tournament, 1, reason="did not start: \udcff\x00\n")
        log = log_of("Traceback: \udcff\x00\n", (0, 1))
        store.add_withdrawal(tournament, 0, reason="", log=log)
        with pytest.raises(ConflictError, match="entrant 1 of tournament 1"):
            store.add_withdrawal(tournament, 1, reason="again")
        assert store.withdrawals(tournament) == [
            WithdrawalRow(tournament=tournament, entrant=0, reason="", log=log),
            WithdrawalRow(tournament=tournament, entrant=1, reason="did not start: \udcff\x00\n"),
        ]
        assert store.withdrawals(other) == []

    def test_matches_and_seconds_are_counted(self, store: Store) -> None:
        """Listing tournaments tells how far each one is without reading its matches."""
        number, other = add_tournament(store), add_tournament(store)
        store.add_outcomes(number, [outcome(0), outcome(0, 1)])
        with pytest.raises(ConflictError):
            store.add_outcomes(number, [outcome(1), outcome(0)])
        store.add_outcomes(number, [outcome(7)])
        store.add_run_time(number, 1.5)
        store.add_run_time(number, 0.25)
        first, second = store.tournaments()
        assert (first.matches_played, first.run_seconds) == (3, 1.75)
        assert (second.id, second.matches_played, second.run_seconds) == (other, 0, 0.0)
        assert store.tournament(number) == first

    def test_amended(self, store: Store) -> None:
        """An entrant that joined stands in the definition; what was played stays."""
        number = add_tournament(store)
        store.add_outcomes(number, [outcome(0)])
        store.set_status(number, TournamentStatus.PAUSED)
        before = store.tournament(number)
        carl = Entrant(name="carl", version=1, content_hash="c" * 64)
        longer = replace(DEFINITION, entrants=(*DEFINITION.entrants, carl))
        store.amend(number, longer)
        assert store.tournament(number) == replace(
            before, definition=longer, revision=before.revision + 1
        )

    def test_one_process_at_a_time_plays_it(self, store: Store) -> None:
        """A claim is for one tournament, until it is released."""
        number, other = add_tournament(store), add_tournament(store)
        claim = store.claim(number)
        assert claim is not None
        assert store.claim(number) is None
        assert (store.is_claimed(number), store.is_claimed(other)) == (True, False)
        assert not claim.is_lost()
        claim.release()
        assert not store.is_claimed(number)
        again = store.claim(number)
        assert again is not None
        claim.release()  # of one that is over: it does not touch the next
        assert store.is_claimed(number)
        again.release()
        assert not store.is_claimed(number)


class TestDerived:
    def test_a_checkpoint_takes_the_place_of_the_earlier_one(self, store: Store) -> None:
        """It is kept for each tournament as it was given."""
        number, other = add_tournament(store), add_tournament(store)
        assert store.checkpoint(number) is None
        store.keep_checkpoint(number, 10, '{"è":1}')
        store.keep_checkpoint(number, 20, "{}")
        assert store.checkpoint(number) == (20, "{}")
        assert store.checkpoint(other) is None
        store.add_outcomes(number, [outcome(99)])
        store.set_status(number, TournamentStatus.PAUSED)
        assert store.checkpoint(number) == (20, "{}")

    @pytest.mark.parametrize("how", ["withdrawn", "amended"])
    def test_what_a_checkpoint_derived_from_has_changed(self, store: Store, how: str) -> None:
        """Standings that go on from it would keep results that are void by now."""
        number, other = add_tournament(store), add_tournament(store)
        revision = store.tournament(number).revision
        for one in (number, other):
            store.keep_checkpoint(one, 10, "{}", revision=store.tournament(one).revision)
        if how == "withdrawn":
            store.add_withdrawal(number, 0, reason="")
        else:
            store.amend(number, DEFINITION)
        assert store.checkpoint(number) is None
        assert store.checkpoint(other) == (10, "{}")
        store.keep_checkpoint(number, 10, "late", revision=revision)
        assert store.checkpoint(number) is None
        store.keep_checkpoint(number, 11, "new", revision=store.tournament(number).revision)
        assert store.checkpoint(number) == (11, "new")

    def test_the_newest_state_before_a_tournament(self, store: Store) -> None:
        """A ranking goes on from the nearest tournament; each variant from its own."""
        for _ in range(5):
            add_tournament(store)
        for number in (1, 3, 5):
            store.keep_ranking("briscola/2", number, f"after {number}")
        store.keep_ranking("frap/4", 4, "other")
        store.keep_ranking("briscola/2", 3, "again")
        assert store.ranking_state("briscola/2", 2**80) == (5, "after 5")
        assert store.ranking_state("briscola/2", 5) == (3, "again")
        assert store.ranking_state("briscola/2", 2) == (1, "after 1")
        assert store.ranking_state("briscola/2", 1) is None
        assert store.ranking_state("frap/4", 4) is None
        store.forget_rankings("briscola/2", 3)
        assert store.ranking_state("briscola/2", 9) == (1, "after 1")
        assert store.ranking_state("frap/4", 9) == (4, "other")

    @pytest.mark.parametrize("how", ["finishes", "goes on", "withdrawn", "amended", "deleted"])
    def test_a_state_is_never_of_other_tournaments_than_are_finished(
        self, store: Store, how: str
    ) -> None:
        """The ranking is a fold over finished tournaments, in whatever order they end."""
        for _ in range(3):
            number = add_tournament(store)
            if number != 2 or how != "finishes":
                store.set_status(number, TournamentStatus.FINISHED, end_time=1.0)
        revisions = [row.revision for row in store.tournaments()]
        for number in (1, 3):
            total = (number, sum(revisions[:number]))
            store.keep_ranking("briscola/2", number, "kept", revision=total)
            store.keep_ranking("frap/4", number, "other", revision=total)
        match how:
            case "finishes":
                store.set_status(2, TournamentStatus.FINISHED)
            case "goes on":
                store.set_status(2, TournamentStatus.RUNNING)
            case "withdrawn":
                store.add_withdrawal(2, 0, reason="")
            case "amended":
                store.amend(2, DEFINITION)
            case "deleted":  # and another one changes as much as that one had changed
                store.delete_tournament(2)
                store.add_withdrawal(1, 0, reason="")
        if how == "deleted":
            assert store.ranking_state("briscola/2", 9) is None
            store.keep_ranking("briscola/2", 3, "late", revision=(3, sum(revisions)))
            assert store.ranking_state("briscola/2", 9) is None
            return
        assert store.ranking_state("briscola/2", 9) == (1, "kept")
        assert store.ranking_state("frap/4", 9) == (3, "other")
        store.keep_ranking("briscola/2", 3, "late", revision=(3, sum(revisions)))
        assert store.ranking_state("briscola/2", 9) == (1, "kept")

    def test_other_changes_of_status_forget_nothing(self, store: Store) -> None:
        """A tournament that is paused or whose end is set again is in no other ranking."""
        for _ in range(2):
            add_tournament(store)
        store.set_status(2, TournamentStatus.FINISHED)
        store.keep_ranking("briscola/2", 2, "kept")
        store.set_status(1, TournamentStatus.RUNNING)
        store.set_status(1, TournamentStatus.CANCELLED)
        store.set_status(2, TournamentStatus.FINISHED, end_time=2.0)
        assert store.ranking_state("briscola/2", 9) == (2, "kept")


class TestAttempts:
    def test_each_match_is_counted_from_zero(self, store: Store) -> None:
        """A match that is begun again is told apart from one that begins."""
        number = add_tournament(store)
        other = add_tournament(store)
        assert store.begin_matches(number, []) == []
        assert store.begin_matches(number, [(3, 0), (1, 1)]) == [0, 0]
        assert store.begin_matches(number, [(1, 1), (2, 0), (3, 1)]) == [1, 0, 0]
        assert store.begin_matches(number, [(3, 0), (1, 1)]) == [1, 2]
        assert store.begin_matches(other, [(1, 1)]) == [0]

    def test_the_latest_one_of_each_match(self, store: Store) -> None:
        """Of one mirror group; a match that was never begun has none."""
        number = add_tournament(store)
        other = add_tournament(store)
        store.begin_matches(number, [(1, 1), (1, 0), (2, 0)])
        store.begin_matches(number, [(1, 1)])
        assert store.attempts(number, group=1) == {0: 0, 1: 1}
        assert store.attempts(number, group=3) == {}
        assert store.attempts(other, group=1) == {}

    def test_the_next_group_comes_after_all_that_are_stored_or_were_begun(
        self, store: Store
    ) -> None:
        number, other = add_tournament(store), add_tournament(store)
        assert store.next_group(number) == 0
        store.add_outcomes(number, [outcome(2, 1), outcome(0, 0)])
        assert store.next_group(number) == 3
        store.begin_matches(number, [(1, 0)])
        assert store.next_group(number) == 3
        store.begin_matches(number, [(6, 0), (5, 1)])
        assert store.next_group(number) == 7
        assert store.next_group(other) == 0
