"""What every store keeps of matches, and what it throws away of them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.model import (
    Change,
    Cpu,
    Definition,
    Entrant,
    InstanceLimits,
    Mirror,
    PairingScheme,
    TimeControl,
)
from mazzo_server.model.node_result import NodeResult
from mazzo_server.model.outcome import (
    DealPlay,
    Fault,
    InstanceLog,
    MatchOutcome,
    Owner,
    Termination,
)
from mazzo_server.storage import Store, TournamentStatus
from mazzo_server.storage.encoding import decode_definition, encode_definition
from support.stored_rows import (
    DEFINITION,
    add_tournament,
    deal,
    log_of,
    outcome,
    without_plays,
)


class TestOutcomes:
    def test_in_schedule_order(self, store: Store) -> None:
        """Promise 5: what is read does not depend on the order of finishing."""
        tournament = add_tournament(store)
        other = add_tournament(store)
        played = [outcome(group, seating) for group in (10, 9, 2) for seating in (1, 0)]
        store.add_outcomes(tournament, played[:4])
        store.add_outcomes(tournament, played[4:])
        store.add_outcomes(tournament, [])
        expected = sorted(played, key=lambda one: (one.group, one.seating))
        assert store.outcomes(tournament, with_deals=True) == expected
        assert store.outcomes(tournament, with_deals=False) == [*map(without_plays, expected)]
        assert store.outcomes(tournament, with_deals=True, group=9) == expected[2:4]
        assert store.outcomes(tournament, with_deals=False, group=2**80) == []
        assert store.finished_matches(tournament) == set(itertools.product((2, 9, 10), (0, 1)))
        assert store.outcomes(other, with_deals=True) == []
        assert store.finished_matches(other) == set()

    def test_only_the_groups_of_a_range(self, store: Store) -> None:
        """Whoever goes on from a checkpoint reads what came after it."""
        tournament = add_tournament(store)
        played = [outcome(group, seating) for group in (0, 3, 4, 2**31 - 1) for seating in (0, 1)]
        store.add_outcomes(tournament, played)

        def read(with_deals: bool = False, **groups: int) -> set[int]:
            found = store.outcomes(tournament, with_deals=with_deals, **groups)
            keys = {(one.group, one.seating) for one in found}
            assert len(found) == len(keys)
            if "group" not in groups:
                assert store.finished_matches(tournament, **groups) == keys
            return {one.group for one in found}

        assert read(first_group=3) == {3, 4, 2**31 - 1}
        assert read(first_group=4, end_group=2**31) == {4, 2**31 - 1}
        assert read(with_deals=True, first_group=1, end_group=4) == {3}
        assert read(end_group=3) == read(first_group=-9, end_group=1) == {0}
        assert read(first_group=4, end_group=4) == read(end_group=-(2**80)) == set()
        assert read(first_group=2**31) == read(first_group=2**80) == set()
        assert read(group=4, end_group=4) == read(group=3, first_group=4) == set()
        assert store.outcomes(tournament, with_deals=True, first_group=2**31 - 1) == played[-2:]

    @pytest.mark.parametrize(
        "batch",
        [
            pytest.param([outcome(5), outcome(3), outcome(6)], id="stored before"),
            pytest.param([outcome(5), outcome(5, deals=0)], id="twice in the batch"),
        ],
    )
    def test_no_match_is_counted_twice(self, store: Store, batch: list[MatchOutcome]) -> None:
        """Promise 5: a match that is there refuses its batch as a whole, and stays as it was."""
        tournament = add_tournament(store)
        store.add_outcomes(tournament, [outcome(3), outcome(4)])
        with pytest.raises(ConflictError, match=rf"mirror group [35] of tournament {tournament}"):
            store.add_outcomes(tournament, batch)
        assert store.outcomes(tournament, with_deals=True) == [outcome(3), outcome(4)]
        store.add_outcomes(add_tournament(store), [outcome(3)])

    def test_very_long_thought(self, store: Store) -> None:
        """A decision of two hours does not cost the match its place in the store."""
        tournament = add_tournament(store)
        hours = 2 * 3600 * 10**6
        store.add_outcomes(
            tournament, [replace(outcome(0), deals=(deal()._replace(micros=(1, hours)),))]
        )
        (stored,) = store.outcomes(tournament, with_deals=True)
        assert stored.deals[0].micros in {(1, hours), (1, 2**32 - 1)}

    def test_how_often_matches_were_spoilt(self, store: Store) -> None:
        """Promise 6: a fault of the platform at a match is counted, also before it is stored."""
        tournament, other = add_tournament(store), add_tournament(store)
        for group, seating in ((5, 1), (5, 0), (5, 1)):
            store.add_spoilt(tournament, group, seating)
        assert store.spoilt_matches(tournament) == {(5, 0): 1, (5, 1): 2}
        assert store.spoilt_matches(other) == {}
        with pytest.raises(NotFoundError):
            store.add_spoilt(other + 1, 0, 0)

    @pytest.mark.slow
    def test_more_matches_than_sql_variables(self, store: Store) -> None:
        """A batch may have any size: more rows than a statement may have variables."""
        tournament = add_tournament(store)
        store.add_outcomes(tournament, [outcome(group, deals=0) for group in range(33_000)])
        assert len(store.finished_matches(tournament)) == 33_000

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.data())
    def test_definition_round_trip(self, store: Store, data: st.DataObject) -> None:
        """Promise 5: a tournament's definition comes back as it was stored."""
        definition = data.draw(DEFINITIONS)
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        assert store.tournament(row.id) == row
        assert row.definition == definition

    def test_a_definition_without_limits_has_the_usual_ones(self) -> None:
        """An older Mazzo stored none, and gave these."""
        fields = json.loads(encode_definition(DEFINITION))
        del fields["limits"]
        assert decode_definition(json.dumps(fields)) == DEFINITION

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.data())
    def test_outcome_round_trip(self, store: Store, data: st.DataObject) -> None:
        """Promise 5: standings after a resumption are made of the same values."""
        match = data.draw(OUTCOMES)
        tournament = add_tournament(store)
        store.add_outcomes(tournament, [match])
        assert store.outcomes(tournament, with_deals=True) == [match]
        assert store.outcomes(tournament, with_deals=False) == [without_plays(match)]
        assert store.finished_matches(tournament) == {(match.group, match.seating)}


class TestNodes:
    def test_how_entrants_fared_by_node(self, store: Store) -> None:
        """Where a match was played is counted with it, and changes nothing else of it."""
        number, other = add_tournament(store), add_tournament(store)
        store.add_outcomes(number, [replace(outcome(0), node="b"), outcome(1)])
        store.add_outcomes(number, [replace(outcome(2), node="b"), replace(outcome(3), node="a")])
        with pytest.raises(ConflictError):
            store.add_outcomes(number, [replace(outcome(3), node="c")])
        store.add_outcomes(other, [outcome(0)])
        counts = {"late_seats": 0, "forfeits": 1, "decisions": 20, "late_decisions": 0}
        ann = {"late_seats": 1, "forfeits": 1, "decisions": 19, "late_decisions": 2}
        one = [
            NodeResult(node="", entrant=0, seats=1, **ann),
            NodeResult(node="", entrant=1, seats=1, **counts),
        ]
        assert store.node_results(other) == one
        twice = [{key: 2 * value for key, value in row.items()} for row in (ann, counts)]
        assert store.node_results(number) == [
            *one,
            *(replace(row, node="a") for row in one),
            *(NodeResult(node="b", entrant=e, seats=2, **twice[e]) for e in (0, 1)),
        ]
        with pytest.raises(NotFoundError):
            store.node_results(3)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.data())
    def test_sums_do_not_depend_on_batches(self, store: Store, data: st.DataObject) -> None:
        """However matches come to the store, together they count what they count at once."""
        tournament, whole = add_tournament(store), add_tournament(store)
        groups = itertools.count()
        batches = data.draw(st.lists(st.lists(NODES, max_size=5), max_size=5))
        parts = [[replace(outcome(next(groups)), node=node) for node in nodes] for nodes in batches]
        for part in parts:
            store.add_outcomes(tournament, part)
        store.add_outcomes(whole, [match for part in parts for match in part])
        assert store.node_results(tournament) == store.node_results(whole)
        assert sum(row.seats for row in store.node_results(whole)) == 2 * next(groups)


class TestPruning:
    def test_records_go_and_results_stay(self, store: Store) -> None:
        """Standings and rankings are made of what stays."""
        number, other = add_tournament(store), add_tournament(store)
        log = log_of("Traceback è")
        for tournament in (number, other):
            store.add_outcomes(tournament, [outcome(0), outcome(0, 1), outcome(3)])
        bytes_of_matches = store.record_bytes(number)
        for tournament in (number, other):
            store.add_withdrawal(tournament, 1, reason="did not start", log=log)
        assert store.record_bytes(number) > bytes_of_matches
        store.set_status(number, TournamentStatus.FINISHED, end_time=1.0)
        store.keep_checkpoint(number, 1, "{}")
        store.keep_ranking("briscola/2", number, "{}")
        before = store.tournament(number)
        results = store.outcomes(number, with_deals=False)
        assert store.record_bytes(number) == store.record_bytes(other) > 3 * 2 * (4 + 4 * 5)
        store.prune(number)
        store.prune(number)
        assert store.tournament(number) == replace(before, pruned=True)
        assert store.record_bytes(number) == 0
        assert store.outcomes(number, with_deals=False) == results
        assert store.outcomes(number, with_deals=True) == results
        assert store.outcomes(number, with_deals=True, group=3) == results[-1:]
        assert store.finished_matches(number) == {(0, 0), (0, 1), (3, 0)}
        logs = [[row.log for row in store.withdrawals(each)] for each in (number, other)]
        assert logs == [[None], [log]]
        assert store.checkpoint(number) == (1, "{}")
        assert store.ranking_state("briscola/2", 9) == (number, "{}")
        assert store.outcomes(other, with_deals=True) == [outcome(0), outcome(0, 1), outcome(3)]
        store.compact()
        assert store.outcomes(other, with_deals=True) == [outcome(0), outcome(0, 1), outcome(3)]

    @pytest.mark.parametrize("status", TournamentStatus)
    def test_only_what_is_over(self, store: Store, status: TournamentStatus) -> None:
        """What goes on needs its records."""
        number = add_tournament(store)
        store.add_outcomes(number, [outcome(0)])
        store.set_status(number, status)
        if status.is_over:
            store.prune(number)
        else:
            with pytest.raises(ConflictError, match=f"tournament {number} is not over"):
                store.prune(number)
            assert store.outcomes(number, with_deals=True) == [outcome(0)]
        assert store.tournament(number).pruned == status.is_over


TEXTS = st.text(st.characters(), max_size=20)  # lone surrogates too
SMALL = st.integers(0, 2**31 - 1)
NODES = st.sampled_from(["", "a/1", "b/2"])
SIGNED = st.integers(-(2**31), 2**31 - 1)
UINT32S = st.lists(st.integers(0, 2**32 - 1), max_size=8).map(tuple)
SECONDS = st.floats(min_value=0, allow_infinity=False, allow_nan=False)

DEFINITIONS = st.builds(
    Definition,
    name=TEXTS,
    variant=st.sampled_from(["briscola/2", "frap/12?ante=8", "whist/4"]),
    entrants=st.lists(
        st.builds(Entrant, name=TEXTS, version=SMALL, content_hash=TEXTS), max_size=4
    ).map(tuple),
    match_format=TEXTS,
    mirror=st.sampled_from(Mirror),
    groups=SMALL,
    draws=TEXTS,
    time=st.builds(TimeControl, bank=SECONDS, increment=SECONDS, limit=SECONDS, start_up=SECONDS),
    isolation=TEXTS,
    cpu=st.sampled_from(Cpu),
    limits=st.builds(InstanceLimits, memory_mib=SMALL, processes=SMALL, disk_mib=SMALL),
    seed=st.binary(min_size=32, max_size=32),
    seed_chosen=st.booleans(),
    draw_probability=SECONDS,
    pairing=st.sampled_from(PairingScheme),
    tables=st.none() | SMALL,
    hero=TEXTS,
    rounds=st.none() | SMALL,
    until_separated=st.none() | SECONDS,
    changes=st.lists(
        st.builds(Change, entrant=SMALL, first_group=SMALL, joins=st.booleans()), max_size=4
    ).map(tuple),
)

LOGS = st.builds(
    InstanceLog,
    text=TEXTS,
    begin_time=SECONDS,
    end_time=SECONDS,
    matches=st.lists(st.tuples(SMALL, SMALL), max_size=3).map(tuple),
)


def fit_to_seats(match: MatchOutcome) -> MatchOutcome:
    """Leave out what belongs to a seat that the match has not."""
    seats = len(match.entrants)
    faults = tuple(fault for fault in match.faults if fault.seat < seats)
    late, decisions = match.late[:seats], match.decisions[:seats]
    return replace(match, faults=faults, late=late, decisions=decisions)


OUTCOMES = st.builds(
    MatchOutcome,
    group=SMALL,
    seating=SMALL,
    entrants=st.lists(SMALL, max_size=6).map(tuple),
    match_scores=st.lists(st.fractions(), max_size=6).map(tuple),
    deals=st.lists(
        st.builds(
            DealPlay,
            dealer=SMALL,
            actions=st.binary(max_size=40),
            scores=st.lists(SIGNED, max_size=6).map(tuple),
            micros=UINT32S,
            substituted=UINT32S,
            forfeited=st.booleans(),
            notes=st.lists(st.tuples(SMALL, TEXTS), max_size=3).map(tuple),
        ),
        max_size=4,
    ).map(tuple),
    faults=st.lists(
        st.builds(
            Fault,
            seat=st.integers(0, 6),
            termination=st.sampled_from(Termination),
            owner=st.sampled_from(Owner),
            reason=TEXTS,
            deal=SMALL,
            decision=SMALL,
            log=st.none() | LOGS,
        ),
        max_size=2,
    ).map(tuple),
    late=st.lists(SMALL, min_size=6, max_size=6).map(tuple),
    decisions=st.lists(SMALL, min_size=6, max_size=6).map(tuple),
    thinking_seconds=st.lists(SECONDS, max_size=6).map(tuple),
    attempt=SMALL,
    node=NODES,
).map(fit_to_seats)
