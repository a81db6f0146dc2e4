"""Tournaments whose results decide who meets whom: each round follows from those before it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.errors import ConflictError
from mazzo_server.model import Entrant, Mirror, PairingScheme
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.pairing import Group, round_robin
from mazzo_server.play.instances.instance import Instance, InstanceLink, InstanceSpec, Loss
from mazzo_server.results.checkpoints import read_standings
from mazzo_server.results.rounds import read_rounds
from mazzo_server.storage import MemoryStore, TournamentRow
from mazzo_server.tournaments.changes import add_entrant, find_free_group, retire_entrant
from mazzo_server.tournaments.running.director import Director
from support.in_process_bots import PromptSpec, Wordless
from support.scripted_tournaments import PATIENCE, Arena, Result, without_thinking_times

SWISS: dict[str, Any] = {
    "pairing": PairingScheme.SWISS,
    "groups": 2,
    "rounds": 4,
    "mirror": Mirror.ROTATIONS,
}
SEPARATED: dict[str, Any] = {"until_separated": 0.9, "groups": 9, "mirror": Mirror.ROTATIONS}
DOUBLE: dict[str, Any] = {
    "pairing": PairingScheme.DOUBLE_ELIMINATION,
    "groups": 12,
    "confidence": 0.95,
    "seeds": (0, 1, 2, 3, 4),
    "mirror": Mirror.ROTATIONS,
}
ROBIN: dict[str, Any] = {"groups": 5, "mirror": Mirror.ROTATIONS}
# Matches of the first round, of five entrants, by groups a table.
FIRST_ROUND = {2: 8, 9: 160, 5: 20, 12: 20}
BOTH = pytest.mark.parametrize("options", [SWISS, SEPARATED], ids=["swiss", "separated"])
ALL = pytest.mark.parametrize(
    "options", [SWISS, SEPARATED, DOUBLE], ids=["swiss", "separated", "bracket"]
)

ZOE = Entrant(name="zoe", version=1, content_hash="2" * 64)


class FailedStart(Wordless):
    """An instance that ends before it has joined."""

    is_over = True

    def end(self) -> None:
        pass

    def fail(self, termination: Termination, reason: str) -> None:
        raise AssertionError(reason)

    async def run(self) -> Loss | None:
        reason = "exit status 1 before it joined"
        return Loss(termination=Termination.CRASHED, owner=Owner.BOT, reason=reason, joined=False)


@dataclass(frozen=True, slots=True)
class Leaver:
    """A bot that starts no more when so many matches are stored."""

    store: MemoryStore
    matches: int
    name: str = "leaver"
    remote: bool = False

    def make_instance(self, link: InstanceLink) -> Instance:
        if len(self.store.finished_matches(1)) >= self.matches:
            return FailedStart()
        return PromptSpec(4).make_instance(link)


def field_of(number: int) -> list[InstanceSpec]:
    return [PromptSpec(choice) for choice in range(number)]


def play(
    specs: Sequence[InstanceSpec],
    store: MemoryStore,
    *,
    stop_after: int | None = None,
    at: Callable[[Director], Any] | None = None,
    **options: Any,
) -> Result:
    """One run, stopped when so many matches are stored; `at` is started at the first of them."""
    begun: list[asyncio.Task[Any]] = []

    def progressed(director: Director) -> None:
        played = director.progress.matches_played
        if stop_after is not None and played >= stop_after:
            director.stop()
        if at is not None and not begun and played:
            begun.append(asyncio.ensure_future(at(director)))

    async def main() -> Result:
        async with asyncio.timeout(PATIENCE):
            result = await Arena(Path()).run(
                specs, store=store, concurrency=3, progressed=progressed, **options
            )
            await asyncio.gather(*begun)
            return result

    return asyncio.run(main())


def row_of(store: MemoryStore) -> TournamentRow:
    (row,) = store.tournaments()
    return row


def rounds(store: MemoryStore) -> list[Sequence[Group]]:
    """All rounds, as whoever looks at the stored tournament sees them."""
    return list(read_rounds(store, row_of(store)))


def played(store: MemoryStore) -> list[Any]:
    return sorted(
        without_thinking_times(store.outcomes(1, with_deals=True)),
        key=lambda outcome: (outcome.group, outcome.seating),
    )


leave = partial(retire_entrant, name="bot-01")
join = partial(add_entrant, entrant=ZOE)


def entrants(groups: Sequence[Group]) -> set[int]:
    return {entrant for group in groups for entrant in group.table}


@ALL
def test_it_is_played_to_its_end(options: dict[str, Any]) -> None:
    """Promise: every group that the rounds have is played, and no other."""
    store = MemoryStore()
    result = play(field_of(5), store, **options)
    assert result.finished
    groups = [group for groups in rounds(store) for group in groups]
    assert {(match.group, match.seating) for match in result.outcomes} == {
        (group.number, seating) for group in groups for seating in (0, 1)
    }
    for match in result.outcomes:
        assert match.entrants == groups[match.group].seatings[match.seating]
    standings = read_standings(store, row_of(store))
    assert standings.counted == len(groups)
    if options is SWISS:
        assert len(groups) == 4 * 2 * 2
        assert sum(row.points for row in standings.swiss) == 4 * 3
        assert sum(row.byes for row in standings.swiss) == 4


@ALL
@pytest.mark.parametrize("leaves_in", [None, 0, 1])
@pytest.mark.slow
def test_stopped_and_resumed_it_is_the_same(options: dict[str, Any], leaves_in: int | None) -> None:
    """Promise: wherever it is stopped, however often, and also when one is withdrawn in the
    first round or the second: who meets whom, and every record."""

    def specs(store: MemoryStore) -> list[InstanceSpec]:
        if leaves_in is None:
            return field_of(5)
        return [*field_of(4), Leaver(store, leaves_in * FIRST_ROUND[options["groups"]])]

    whole, broken = MemoryStore(), MemoryStore()
    assert play(specs(whole), whole, **options).finished
    total = len(played(whole))
    seen: list[Sequence[Group]] = []
    for stop in (1, total // 2, total - 3):
        assert not play(specs(broken), broken, stop_after=stop, **options).finished
        assert rounds(broken)[: len(seen)] == seen
        seen = rounds(broken)
    assert play(specs(broken), broken, **options).finished
    assert rounds(broken)[: len(seen)] == seen
    assert rounds(broken) == rounds(whole)
    assert played(broken) == played(whole)
    assert len(whole.withdrawals(1)) == (leaves_in is not None)
    assert broken.withdrawals(1) == whole.withdrawals(1)
    if leaves_in is not None:
        # One that has a bye in its round leaves in the next one.
        last, *later = [4 in entrants(groups) for groups in rounds(whole)[leaves_in:]]
        assert True not in (later if last else later[1:])


@ALL
def test_who_was_withdrawn_as_the_process_was_killed_is_paired_no_more(
    options: dict[str, Any],
) -> None:
    """Promise: also when the withdrawal was stored, and what follows from it was not."""
    store = MemoryStore()
    first = FIRST_ROUND[options["groups"]]
    play(field_of(5), store, stop_after=first + 2, **options)
    newest = max(group for group, _ in store.finished_matches(1))
    before = [groups for groups in rounds(store) if groups[0].number <= newest]
    store.add_withdrawal(1, 4, reason="was killed with the process")
    assert play(field_of(5), store, **options).finished
    after = rounds(store)
    assert after[: len(before)] == before
    assert not any(4 in entrants(groups) for groups in after[len(before) :])
    (change,) = row_of(store).definition.changes
    assert (change.entrant, change.first_group) == (4, before[-1][-1].number + 1)


def test_a_later_withdrawal_does_not_move_what_was_paired_before() -> None:
    """Promise: who met a withdrawn entrant, and is withdrawn itself after that, was paired in
    between."""
    store = MemoryStore()
    specs = [*field_of(3), Leaver(store, FIRST_ROUND[2] - 4), Leaver(store, 0)]
    play(specs, store, **SWISS)
    live = rounds(store)
    assert [row.entrant for row in store.withdrawals(1)] == [3, 4]
    assert 3 in entrants(live[1])
    assert {(match.group, match.seating) for match in store.outcomes(1, with_deals=False)} == {
        (group.number, seating)
        for number, groups in enumerate(live)
        for group in groups
        for seating in (0, 1)
        if 4 not in group.table and not (number and 3 in group.table)
    }


@BOTH
@pytest.mark.parametrize("stopped", [False, True])
def test_a_change_counts_from_the_next_round(options: dict[str, Any], stopped: bool) -> None:
    """Promise: whether it is played or stopped, the round that has begun is played as it is."""
    # The delay makes the first batch of results come long before the round ends.
    store, delay = MemoryStore(), 0.0 if stopped else 0.03  # seconds a decision
    first = FIRST_ROUND[options["groups"]] // 2  # groups

    specs = [PromptSpec(choice, delay=lambda: delay) for choice in range(5)]

    async def change(director: Director) -> None:
        nonlocal delay
        delay = 0.5  # so that the round lasts until both are made
        assert await director.change(leave) == first
        assert await director.change(join, PromptSpec(1)) == first
        delay = 0.0

    if not stopped:
        assert play(specs, store, at=change, **options).finished
    else:
        play(specs, store, stop_after=3, **options)
        for amend in (leave, join):
            row = row_of(store)
            assert find_free_group(store, row) == first
            store.amend(1, amend(row.definition, first))
        assert play([*specs, PromptSpec(1)], store, **options).finished
    before, *after = rounds(store)
    assert entrants(before) <= {0, 1, 2, 3, 4}
    assert [group.number for group in before] == list(range(first))
    assert after
    for groups in after:
        assert 1 not in entrants(groups)
    assert any(5 in entrants(groups) for groups in after)
    stored = {(match.group, match.seating) for match in store.outcomes(1, with_deals=False)}
    assert stored == {
        (group.number, seating)
        for groups in (before, *after)
        for group in groups
        for seating in (0, 1)
    }
    rows = {row.name: row for row in read_standings(store, row_of(store)).rows}
    assert rows["bot-01"].retired
    assert rows["bot-01"].groups == sum(1 in group.table for group in before)


@pytest.mark.parametrize("options", [SWISS, SEPARATED, ROBIN], ids=["swiss", "separated", "robin"])
def test_a_change_in_a_resumed_run_comes_after_all_that_is_stored(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise: even when it comes while the run still looks through the rounds before."""
    monkeypatch.setattr(round_robin, "MOST_GROUPS", 10)
    store, specs = MemoryStore(), field_of(5)
    play(specs, store, stop_after=FIRST_ROUND[options["groups"]] + 2, **options)
    before = [group for groups in rounds(store) for group in groups]
    newest = max(group for group, _ in store.finished_matches(1))
    made: list[int] = []

    async def change(director: Director) -> None:
        made.append(await director.change(leave))

    assert play(specs, store, at=change, **options).finished
    assert made[0] > newest
    after = [group for groups in rounds(store) for group in groups]
    assert after[: made[0]] == before[: made[0]]
    assert 1 not in entrants(after[made[0] :])


@ALL
def test_the_first_free_group_begins_a_round(options: dict[str, Any]) -> None:
    """Promise: the round that was paired and has not begun, or the one after what has begun."""
    store = MemoryStore()
    row = store.add_tournament(Arena(Path()).definition(5, **options), concurrency=1, create_time=0)
    assert find_free_group(store, row) == 0
    first = FIRST_ROUND[options["groups"]]
    play(field_of(5), store, stop_after=first - 1, **options)
    assert find_free_group(store, row) == first // 2
    play(field_of(5), store, stop_after=first + 1, **options)
    newest = max(group for group, _ in store.finished_matches(1))
    begun = next(groups for groups in rounds(store) if groups[-1].number >= newest)
    assert find_free_group(store, row) == begun[-1].number + 1


def test_a_void_round_is_over() -> None:
    """Promise: nobody changes what a withdrawal has decided."""
    store = MemoryStore()
    specs: list[InstanceSpec] = [PromptSpec(), Leaver(store, 0)]
    assert play(specs, store, **SWISS).finished
    assert played(store) == []
    assert [group.number for groups in rounds(store) for group in groups] == [0, 1]
    assert find_free_group(store, row_of(store)) == 2


def test_who_is_retired_from_a_bracket_loses() -> None:
    """Promise: at the end of the look that has begun, and nobody joins in its place."""
    store = MemoryStore()
    play(field_of(5), store, stop_after=3, **DOUBLE)
    row = row_of(store)
    first = find_free_group(store, row)
    assert first == FIRST_ROUND[12] // 2
    with pytest.raises(ConflictError, match="nobody joins"):
        join(row.definition, first)
    retire = partial(retire_entrant, name="bot-03")
    store.amend(1, retire(row.definition, first))
    assert play(field_of(5), store, **DOUBLE).finished
    standings = read_standings(store, row_of(store))
    assert standings.is_bracket_over
    assert standings.bracket is not None
    (bout,) = (bout for bout in standings.bracket[0] if len(bout.entrants) > 1)
    assert (bout.entrants[0].name, bout.reason) == ("bot-04", "walkover")
    assert [row.name for row in standings.rows][-1] == "bot-03"
    assert standings.rows[-1].retired
