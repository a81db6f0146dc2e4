"""A ladder that is played: killed and resumed it is the same, and it rests until somebody joins."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.errors import StoreError
from mazzo_server.model import (
    Change,
    Definition,
    Entrant,
)
from mazzo_server.results.checkpoints import (
    keep_season,
    read_ratings,
    read_season_ratings,
    read_standings_with_course,
)
from mazzo_server.results.rounds import continue_rounds, explain_rounds, read_rounds
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments.ladders.members import enter_version
from mazzo_server.tournaments.running.director import Director
from support.in_process_bots import PromptSpec
from support.manual_tournaments import list_ladder_options
from support.remote_bots import until
from support.scripted_tournaments import PATIENCE, Arena

BOTS = 3
DORA = Entrant(name="dora@1", version=1, content_hash="1" * 64)


def play_until(store: MemoryStore, matches: int, **others: Any) -> None:
    """Play until about so many matches are stored, and stop there."""

    def stop(director: Director) -> None:
        if director.progress.matches_played >= matches:
            director.stop()

    async def main() -> None:
        run = Arena(Path()).run(
            [PromptSpec()] * BOTS, store=store, progressed=stop, **list_ladder_options(**others)
        )
        async with asyncio.timeout(PATIENCE):
            result = await run
        assert result.error is None
        assert not result.finished  # it never ends by itself

    asyncio.run(main())


def list_results(store: MemoryStore) -> dict[tuple[int, int], tuple[object, ...]]:
    return {
        (match.group, match.seating): (match.entrants, match.match_scores)
        for match in store.outcomes(1, with_deals=False)
    }


def test_a_ladder_that_was_stopped_anywhere_goes_on_as_if_it_was_not() -> None:
    whole, parts = MemoryStore(), MemoryStore()
    play_until(whole, 240)
    for matches in (7, 30, 31, 90, 160, 240):
        play_until(parts, matches)
    one, other = list_results(whole), list_results(parts)
    common = one.keys() & other.keys()
    assert len(common) >= 200
    assert {key: one[key] for key in common} == {key: other[key] for key in common}


def test_resuming_reads_only_what_follows(monkeypatch: Any) -> None:
    """Else a season of a million groups could not be resumed in seconds."""
    store = MemoryStore()
    play_until(store, 200)
    kept = continue_rounds(store, store.tournament(1)).end
    assert kept >= 60
    read: list[int] = []
    inner = store.outcomes

    def note(tournament: int, **options: Any) -> Any:
        read.append(options.get("first_group", 0))
        return inner(tournament, **options)

    monkeypatch.setattr(store, "outcomes", note)
    rounds = list(read_rounds(store, store.tournament(1), kept))
    assert rounds[0][0].number == kept
    assert min(read, default=kept) >= kept


def test_a_ladder_with_nothing_to_play_rests_until_somebody_joins() -> None:
    store = MemoryStore()

    def amend(definition: Definition, first: int) -> Definition:
        return enter_version(definition, first, entrant=DORA, inherited=None)

    async def main() -> None:
        running: list[Director] = []
        alone = (Change(entrant=0, first_group=0, joins=True),)
        task = asyncio.create_task(
            Arena(Path()).run(
                [PromptSpec()],
                store=store,
                progressed=running.append,
                **list_ladder_options(changes=alone),
            )
        )
        async with asyncio.timeout(PATIENCE):
            await until(lambda: bool(running))
            await asyncio.sleep(0.2)
            assert not task.done()
            assert store.tournament(1).matches_played == 0
            assert await running[0].change(amend, PromptSpec()) == 0
            await until(lambda: 1 in read_ratings(store, store.tournament(1)))
            running[0].stop()
            await task

    asyncio.run(main())
    assert all(set(match.entrants) == {0, 1} for match in store.outcomes(1, with_deals=False))


def test_a_withdrawn_version_takes_no_results_with_it() -> None:
    """On a ladder they are the past of others, too."""
    store = MemoryStore()
    play_until(store, 100)
    before = read_ratings(store, store.tournament(1))
    store.add_withdrawal(1, 2, reason="it did not start")
    assert read_ratings(store, store.tournament(1)) == before


def test_a_season_ends_with_the_ratings_of_all_its_groups() -> None:
    store = MemoryStore()
    play_until(store, 200)
    row = store.tournament(1)
    by_group, together = read_ratings(store, row), read_season_ratings(store, row)
    assert by_group.keys() == together.keys() == {0, 1, 2}
    assert by_group != together
    store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    # Also where the process was killed before it kept them.
    assert read_ratings(store, store.tournament(1)) == together
    keep_season(store, store.tournament(1), {0: together[1]})
    assert read_ratings(store, store.tournament(1))[0] == together[1]  # as it was kept


def test_the_course_of_a_season_has_no_ratings_of_another_kind() -> None:
    """Else everybody would seem to rise or fall when it ends."""
    store = MemoryStore()
    play_until(store, 400)
    _, before = read_standings_with_course(store, store.tournament(1))
    store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    _, after = read_standings_with_course(store, store.tournament(1))
    assert after.moments == before.moments[:-1]  # the last one was that of the moment


@pytest.mark.parametrize("is_over", [False, True])
def test_a_season_of_another_release_keeps_its_table(is_over: bool) -> None:
    """Promise: its table stays. It cannot be gone on with, as other groups would follow."""
    store = MemoryStore()
    play_until(store, 200)
    if is_over:
        store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    before = read_standings_with_course(store, store.tournament(1))
    kept = store.schedule(1)
    assert kept is not None
    store.keep_schedule(1, re.sub("mazzo-ladder/[0-9]+", "mazzo-ladder/1", kept))
    row = store.tournament(1)
    assert read_standings_with_course(store, row)[0].rows == before[0].rows
    assert read_season_ratings(store, row).keys() == {0, 1, 2}
    assert explain_rounds(store, row) is None
    with pytest.raises(StoreError, match="mazzo ladder season end briscola/2"):
        continue_rounds(store, row)


def test_the_crosstable_of_a_ladder_has_those_who_have_met() -> None:
    """A season may have thousands of versions, and millions of pairs that never met."""
    store = MemoryStore()
    play_until(store, 60)
    row = store.tournament(1)
    later = read_rounds(store, row)
    end = max(group.number for groups in later for group in groups) + 1
    store.amend(1, enter_version(row.definition, end, entrant=DORA, inherited=None))
    standings, _ = read_standings_with_course(store, store.tournament(1))
    assert DORA.name in [one.name for one in standings.rows]
    names = [entrant.name for entrant in row.definition.entrants]
    assert len(names) == BOTS
    assert [(pair.name, pair.opponent) for pair in standings.pairs] == sorted(
        permutations(names, 2), key=partial(_find_places, [one.name for one in standings.rows])
    )


def _find_places(order: list[str], pair: tuple[str, str]) -> tuple[int, int]:
    return order.index(pair[0]), order.index(pair[1])


def test_a_later_join_does_not_change_what_was_played() -> None:
    """Groups are found by their numbers alone, in old replays, too."""
    store = MemoryStore()
    play_until(store, 80)
    row = store.tournament(1)
    groups = [group for made in read_rounds(store, row) for group in made]
    amended = enter_version(row.definition, 10_000, entrant=DORA, inherited=None)
    store.amend(1, replace(amended))
    again = [group for made in read_rounds(store, store.tournament(1)) for group in made]
    assert again[: len(groups)] == groups
