"""The rankings of a store: what is kept of them, and what can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.errors import MazzoError
from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.results.checkpoints import read_played
from mazzo_server.results.ranking.fold import RankingFold
from mazzo_server.results.ranking.history import Rankings
from mazzo_server.results.ranking.values import FinishedTournament
from mazzo_server.storage import MemoryStore, TournamentStatus, read_withdrawn
from support.finished_tournaments import define, finish, play
from support.stored_rows import add_tournament, add_version

TWO = define([("ann", 1), ("bob", 1)], groups=3)
NEXT = define([("ann", 2), ("bob", 1)], groups=3)
THREE = define([("ann", 1), ("bob", 1), ("cid", 1)], variant="briscola/3", groups=2)


class CountingStore(MemoryStore):
    """Counts of which tournaments matches were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[int] = []
        for name in ("ann", "bob", "cid"):
            add_version(self, name)

    def outcomes(self, tournament_id: int, **chosen: Any) -> list[MatchOutcome]:
        self.read.append(tournament_id)
        return super().outcomes(tournament_id, **chosen)

    def taken(self) -> list[int]:
        """What was read since the last time."""
        read, self.read = sorted(set(self.read)), []
        return read


def anew(store: MemoryStore, variant: str = "briscola/2") -> RankingFold:
    """The ranking, folded from nothing."""
    fold = RankingFold(variant)
    for row in store.tournaments():
        if row.status is TournamentStatus.FINISHED and row.definition.variant == variant:
            fold.add(
                FinishedTournament(
                    id=row.id,
                    definition=row.definition,
                    played=partial(read_played, store, row),
                    withdrawn=read_withdrawn(store, row.id),
                )
            )
    return fold


def test_only_what_is_new_is_folded() -> None:
    """Promise: no tournament's matches are read twice for the ranking."""
    store = CountingStore()
    rankings = Rankings(store)
    assert list(rankings.list_rankings("")) == []
    finish(store, TWO)
    finish(store, NEXT, 1)
    (first,) = rankings.list_rankings("briscola/2")
    assert store.taken() == [1, 2]
    assert list(rankings.list_rankings("")) == [first]
    assert store.taken() == []
    finish(store, TWO, 2)
    (third,) = Rankings(store).list_rankings("")
    assert store.taken() == [3]
    assert third == anew(store).ranking()
    assert (first.tournaments, third.tournaments) == (2, 3)


def test_an_older_tournament_that_finishes_later_takes_its_place() -> None:
    """Promise: by number, not by end; folded anew from there, not from the beginning."""
    store = CountingStore()
    finish(store, TWO)
    late = add_tournament(store, NEXT)
    finish(store, TWO, 2)
    (before,) = Rankings(store).list_rankings("")
    assert store.taken() == [1, 3]
    store.add_outcomes(late, play(NEXT, 1))
    store.set_status(late, TournamentStatus.FINISHED, end_time=9.0)
    (after,) = Rankings(store).list_rankings("")
    assert store.taken() == [2, 3]
    assert (before.tournaments, after.tournaments) == (2, 3)
    assert after == anew(store).ranking()


def test_what_is_not_finished_does_not_count() -> None:
    """Promise: nor what was cancelled."""
    store = CountingStore()
    for status in (TournamentStatus.RUNNING, TournamentStatus.PAUSED, TournamentStatus.CANCELLED):
        number = add_tournament(store, TWO)
        store.add_outcomes(number, play(TWO, 1))
        store.set_status(number, status)
    assert list(Rankings(store).list_rankings("")) == []
    assert Rankings(store).explain("ann", variant="", groups=3, start=0, size=9) == ([], None)


def test_a_kept_state_of_another_release_is_folded_anew() -> None:
    """Promise: and kept in its place."""
    store = CountingStore()
    number = finish(store, TWO)
    store.keep_ranking("briscola/2", number, '{"format": "mazzo-ranking/0"}')
    assert list(Rankings(store).list_rankings("")) == [anew(store).ranking()]
    store.taken()
    Rankings(store).list_rankings("")
    assert store.taken() == []


@given(st.lists(st.tuples(st.sampled_from(["add", "finish", "look"]), st.integers(0, 99))))
def test_looking_in_between_changes_nothing(steps: Sequence[tuple[str, int]]) -> None:
    """Promise: whenever somebody looked and whatever finished when, the bits are the same."""
    store, rankings, open_ones = MemoryStore(), Rankings(MemoryStore()), list[int]()
    rankings = Rankings(store)
    for step, number in [*steps, ("look", 0)]:
        if step == "add":
            open_ones.append(add_tournament(store, NEXT if number % 2 else TWO))
        elif step == "finish" and open_ones:
            one = open_ones.pop(number % len(open_ones))
            store.add_outcomes(one, play(store.tournament(one).definition, number))
            store.set_status(one, TournamentStatus.FINISHED, end_time=1.0)
        elif step == "look":
            expected = anew(store).ranking()
            assert list(rankings.list_rankings("")) == ([expected] if expected.tournaments else [])


# Explanations


@pytest.fixture
def store() -> CountingStore:
    """Two tournaments of two, in the second a new version, and one of three."""
    store = CountingStore()
    finish(store, TWO, 2)
    finish(store, THREE, 2)
    finish(store, NEXT, 3)
    return store


def test_every_tournament_of_a_bot_in_pages(store: CountingStore) -> None:
    """Promise: by variant and number, each with what moved μ most."""
    rankings = Rankings(store)
    found, end = rankings.explain("ann", variant="", groups=9, start=0, size=2)
    assert [(one.variant, one.passage.tournament) for one in found] == [
        ("briscola/2", 1),
        ("briscola/2", 3),
    ]
    assert [len(one.moves) for one in found] == [3, 3]
    assert [one.passage.version for one in found] == [1, 2]
    assert end == 2
    rest, end = rankings.explain("ann", variant="", groups=1, start=2, size=2)
    assert ([one.passage.tournament for one in rest], end) == ([2], None)
    only, _ = rankings.explain("ann", variant="briscola/2", groups=1, start=0, size=9)
    assert [one.passage for one in only] == [one.passage for one in found]
    tie = found[0].moves[0]  # moves σ and the rating more than any other, and μ not at all
    assert (tie.rank, tie.opponents[0].rank, tie.after.mu) == (0, 0, tie.before.mu)
    for one, whole in zip(only, found, strict=True):
        by_change = sorted(whole.moves, key=lambda move: -abs(move.after.mu - move.before.mu))
        assert one.moves == (by_change[0],)


def test_the_explanation_ends_where_the_ranking_stands(store: CountingStore) -> None:
    """Promise: the last word on each version is its row."""
    rankings = Rankings(store)
    found, _ = rankings.explain("ann", variant="", groups=1, start=0, size=9)
    last = {(one.variant, one.passage.version): one.passage.after for one in found}
    rows = {
        (ranking.variant, row.version): (row.mu, row.sigma, row.rating)
        for ranking in rankings.list_rankings("")
        for row in ranking.rows
        if row.name == "ann"
    }
    assert rows == {key: (after.mu, after.sigma, after.conservative) for key, after in last.items()}


def test_every_group_of_one_tournament_in_pages(store: CountingStore) -> None:
    """Promise: in schedule order, and no other tournament is read for it."""
    rankings = Rankings(store)
    rankings.list_rankings("")
    store.taken()
    whole, end = rankings.explain_tournament("bob", 3, variant="briscola/2", start=0, size=9)
    assert store.taken() == [3]
    assert ([move.group for move in whole.moves], end) == ([0, 1, 2], None)
    first, end = rankings.explain_tournament("bob", 3, variant="", start=0, size=2)
    assert (first.moves, end) == (whole.moves[:2], 2)
    rest, end = rankings.explain_tournament("bob", 3, variant="", start=2, size=2)
    assert (rest.moves, end) == (whole.moves[2:], None)
    assert first.passage == rest.passage == whole.passage


@pytest.mark.parametrize(
    ("bot", "tournament", "variant", "error", "text"),
    [
        ("eve", 1, "", NotFoundError, "expected a bot's name .*, got 'eve'"),
        ("ann", 99, "", NotFoundError, "no tournament 99"),
        ("ann", 4, "", ConflictError, "tournament 4 is not finished"),
        ("cid", 1, "", NotFoundError, "cid did not take part in tournament 1"),
        ("ann", 5, "", ConflictError, "ann was withdrawn from tournament 5"),
        ("ann", 1, "frap/4", InvalidInputError, "expected a tournament of frap/4, got .* 1,"),
        ("ann", 1, "bridge/4", MazzoError, "bridge"),
    ],
)
def test_what_cannot_be_explained_is_refused_in_words(
    store: CountingStore,
    bot: str,
    tournament: int,
    variant: str,
    error: type[MazzoError],
    text: str,
) -> None:
    """Promise: who must act, and what is wrong."""
    add_tournament(store, TWO)
    store.add_withdrawal(finish(store, THREE), 0, reason="crashed")
    with pytest.raises(error, match=text):
        Rankings(store).explain_tournament(bot, tournament, variant=variant, start=0, size=9)


def test_ratings_are_those_of_the_explanations_without_reading_a_match(
    store: CountingStore,
) -> None:
    """Promise: what was believed after each tournament, of those who played, from kept states."""
    rankings = Rankings(store)
    rankings.list_rankings("")
    store.taken()
    found, end = rankings.list_ratings("briscola/2", bots=(), start=0, size=9)
    assert store.taken() == []
    assert [one.tournament for one in found] == [3, 1]
    assert end is None
    for bot in ("ann", "bob"):
        explained, _ = rankings.explain(bot, variant="briscola/2", groups=1, start=0, size=9)
        assert [
            (one.tournament, rating.version, rating.rating)
            for one in found
            for rating in one.ratings
            if rating.bot == bot
        ] == [
            (told.passage.tournament, told.passage.version, told.passage.after)
            for told in reversed(explained)
        ]
    first, end = rankings.list_ratings("briscola/2", bots=("bob", "eve"), start=0, size=1)
    assert ([one.tournament for one in first], end) == ([3], 1)
    assert [rating.bot for rating in first[0].ratings] == ["bob"]
    store.add_withdrawal(3, 0, reason="crashed")
    rest, end = rankings.list_ratings("briscola/2", bots=(), start=0, size=1)
    assert ([rating.bot for rating in rest[0].ratings], end) == (["bob"], 1)


def test_a_tournament_from_which_it_was_withdrawn_is_left_out(store: CountingStore) -> None:
    """Promise: nothing of it is rated."""
    store.add_withdrawal(3, 0, reason="crashed")
    found, _ = Rankings(store).explain("ann", variant="briscola/2", groups=1, start=0, size=9)
    assert [one.passage.tournament for one in found] == [1]


def test_an_unknown_bot_is_refused(store: CountingStore) -> None:
    """Promise: rather than told that it never played."""
    with pytest.raises(NotFoundError, match="'eve'"):
        Rankings(store).explain("eve", variant="", groups=1, start=0, size=9)
    assert Rankings(store).explain("cid", variant="briscola/2", groups=1, start=0, size=9)[0] == []


def test_a_tournament_with_copies_of_a_bot_counts_for_nobody() -> None:
    """Copies: a bot that meets itself is not better than itself, and others met it too often."""
    store = CountingStore()
    rankings = Rankings(store)
    copies = define([("ann", 1), ("bob", 1), ("bob*2", 1)], groups=3)
    finish(store, copies)
    assert list(rankings.list_rankings("")) == []
    finish(store, TWO)
    finish(store, copies, 1)
    (ranking,) = rankings.list_rankings("briscola/2")
    assert ranking.tournaments == 1
    assert {(row.name, row.tournaments) for row in ranking.rows} == {("ann", 1), ("bob", 1)}
    for bot in ("ann", "bob"):
        told, following = rankings.explain(bot, variant="", groups=3, start=0, size=9)
        assert ([one.passage.tournament for one in told], following) == ([2], None)
        expected = "copies of one bot play in tournament 3: it counts for no ranking"
        with pytest.raises(ConflictError, match=expected):
            rankings.explain_tournament(bot, 3, variant="", start=0, size=9)
