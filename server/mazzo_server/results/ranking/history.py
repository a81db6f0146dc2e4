"""The rankings of a store's finished tournaments, and the history of each rating.

The store keeps the ranking after a tournament, so that only newer tournaments are folded: from the
newest kept state on, to the same bits. When an older tournament finishes later, the store forgets
the states that this makes wrong. A tournament with copies of a bot counts for no ranking.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Final, TypeAlias

from mazzo.games import find_game, parse_variant
from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model import TournamentKind
from mazzo_server.results.checkpoints import read_played
from mazzo_server.results.ranking.fold import RankingFold
from mazzo_server.results.ranking.kept import KeptResults
from mazzo_server.results.ranking.meetings import Meetings
from mazzo_server.results.ranking.values import (
    BotRating,
    FinishedTournament,
    Move,
    Passage,
    TournamentRatings,
    VariantRanking,
    is_rated,
)
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, find_bot, read_withdrawn

__all__ = ["Explanation", "Rankings"]

_MOST_RATINGS: Final = 50_000  # in memory
_RatingKey: TypeAlias = tuple[int, int, int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The effect of one tournament on the rating of a bot, with some of its mirror groups."""

    variant: str
    name: str  # the name of the tournament
    passage: Passage
    moves: tuple[Move, ...]  # in schedule order


class Rankings:
    """Answers questions about the rankings of one store. Calls block."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.meetings = Meetings(store)
        # By what the ranking after a tournament follows from: how many there are up to it, and
        # their revisions, as in `Store.keep_ranking`. The number of one that is deleted may come
        # again, but at another time.
        self._ratings = KeptResults[_RatingKey, Sequence[BotRating]](most=_MOST_RATINGS)

    def list_rankings(self, variant: str) -> Sequence[VariantRanking]:
        """Return the ranking of a variant, of all of a game, or ("") of every one, by text.

        There are those with a finished tournament that counts. Raises `VariantError` for what is
        neither a variant nor a game.
        """
        is_wanted = _choose_variants(variant)
        rows = self._store.tournaments()
        variants = {row.definition.variant for row in rows if is_rated(row)}
        return [
            self._load_fold(text, rows, before=rows[-1].id + 1).ranking()
            for text in sorted(variants)
            if is_wanted(text)
        ]

    def list_ratings(
        self, variant: str, *, bots: Collection[str], start: int, size: int
    ) -> tuple[Sequence[TournamentRatings], int | None]:
        """Return the ratings of bots, or of all, after finished tournaments of a variant.

        The newest comes first. There are at most `size` from place `start` on. Also returns the
        place of the next, None after the last.
        """
        text = parse_variant(variant).text
        rows = self._store.tournaments()
        rated = [row for row in rows if is_rated(row) and row.definition.variant == text][::-1]
        end = start + size
        revisions = accumulate(row.revision for row in rows)
        keys = {
            row.id: (row.id, number, revision, row.create_time)
            for number, (row, revision) in enumerate(zip(rows, revisions, strict=True))
        }
        found = []
        for row in rated[start:end]:
            ratings = self._ratings.get(keys[row.id], partial(self._find_ratings, row, rows))
            found.append(
                TournamentRatings(
                    tournament=row.id,
                    name=row.definition.name,
                    ratings=tuple(one for one in ratings if not bots or one.bot in bots),
                )
            )
        return found, end if end < len(rated) else None

    def _find_ratings(
        self, row: TournamentRow, rows: Sequence[TournamentRow]
    ) -> Sequence[BotRating]:
        """Return the ratings of all that played in a tournament after it."""
        fold = self._load_fold(row.definition.variant, rows, before=row.id + 1)
        withdrawn = read_withdrawn(self._store, row.id)
        return tuple(
            BotRating(
                bot=entrant.bot,
                version=entrant.version,
                rating=fold.find_rating(entrant.bot, entrant.version),
            )
            for index, entrant in enumerate(row.definition.entrants)
            if index not in withdrawn
        )

    def explain(
        self, bot: str, *, variant: str, groups: int, start: int, size: int
    ) -> tuple[Sequence[Explanation], int | None]:
        """Return the effects of finished tournaments of a variant, a game, or ("") all, on a bot.

        They are ordered by variant and number, at most `size` from place `start` on, each with the
        `groups` that moved μ most. Also returns the place of the next, None after the last.
        Tournaments from which the bot was withdrawn are left out.
        """
        is_wanted = _choose_variants(variant)
        find_bot(self._store, bot)
        rows = self._store.tournaments()
        played = [
            row
            for row in rows
            if is_rated(row) and is_wanted(row.definition.variant) and self._has_played(row, bot)
        ]
        played.sort(key=lambda row: (row.definition.variant, row.id))
        end = start + size
        explanations = []
        for row in played[start:end]:
            most = _Most(groups)
            passage = self._find_passage(row, rows, bot, most)
            explanations.append(_make_explanation(row, passage, most.moves()))
        return explanations, end if end < len(played) else None

    def explain_tournament(
        self, bot: str, tournament: int, *, variant: str, start: int, size: int
    ) -> tuple[Explanation, int | None]:
        """Return the effect of a finished tournament on a bot's rating, with the bot's groups.

        There are at most `size` groups from place `start` on. Also returns the place of the next,
        None after the last. Raises `ConflictError` while the tournament is not finished, for one
        with copies of a bot, and for a bot that was withdrawn from it; `NotFoundError` for a bot
        that was no entrant.
        """
        find_bot(self._store, bot)
        row = self._store.tournament(tournament)
        if variant and parse_variant(variant).text != row.definition.variant:
            raise InvalidInputError(
                f"expected a tournament of {variant}, got tournament {tournament}, "
                f"which is of {row.definition.variant}"
            )
        if row.status is not TournamentStatus.FINISHED:
            raise ConflictError(
                f"tournament {tournament} is not finished: it counts for no ranking"
            )
        if row.definition.kind is TournamentKind.TABLE:
            raise ConflictError(f"people play at table {tournament}: it counts for no ranking")
        if row.definition.kind is TournamentKind.CHALLENGE:
            raise ConflictError(f"tournament {tournament} is a challenge: it counts for no ranking")
        if not is_rated(row):
            raise ConflictError(
                f"copies of one bot play in tournament {tournament}: it counts for no ranking"
            )
        if bot not in [entrant.bot for entrant in row.definition.entrants]:
            raise NotFoundError(f"{bot} did not take part in tournament {tournament}")
        if not self._has_played(row, bot):
            raise ConflictError(
                f"{bot} was withdrawn from tournament {tournament}: nothing of it is rated there"
            )
        page = _Page(start, size)
        passage = self._find_passage(row, self._store.tournaments(), bot, page)
        end = start + size
        return _make_explanation(row, passage, page.moves), end if end < page.seen else None

    def _has_played(self, row: TournamentRow, bot: str) -> bool:
        bots = [entrant.bot for entrant in row.definition.entrants]
        return bot in bots and bots.index(bot) not in read_withdrawn(self._store, row.id)

    def _find_passage(
        self, row: TournamentRow, rows: Sequence[TournamentRow], bot: str, on_move: _Page | _Most
    ) -> Passage:
        fold = self._load_fold(row.definition.variant, rows, before=row.id)
        passage = fold.add(self._make_finished(row), bot=bot, on_move=on_move)
        assert passage is not None
        return passage

    def _load_fold(
        self, variant: str, rows: Sequence[TournamentRow], *, before: int
    ) -> RankingFold:
        """Return the ranking of a variant after its tournaments with a lower number."""
        number, text = self._store.ranking_state(variant, before) or (0, "")
        fold = RankingFold.from_json(variant, text) if text else None
        if fold is None:
            number, fold = 0, RankingFold(variant)
        revision = 0
        for count, row in enumerate(rows, start=1):
            revision += row.revision
            if number < row.id < before and row.definition.variant == variant and is_rated(row):
                fold.add(self._make_finished(row))
                self._store.keep_ranking(
                    variant, row.id, fold.to_json(), revision=(count, revision)
                )
        return fold

    def _make_finished(self, row: TournamentRow) -> FinishedTournament:
        return FinishedTournament(
            id=row.id,
            definition=row.definition,
            played=lambda: read_played(self._store, row),
            withdrawn=read_withdrawn(self._store, row.id),
        )


class _Page:
    """Keeps at most so many moves from a place on, and counts them all."""

    def __init__(self, start: int, size: int) -> None:
        self.moves: list[Move] = []
        self.seen = 0
        self._places = range(start, start + size)

    def __call__(self, move: Move) -> None:
        if self.seen in self._places:
            self.moves.append(move)
        self.seen += 1


class _Most:
    """Keeps the moves that changed μ most; of equal ones the earliest.

    The rating would not do: it rises with every group as σ falls, and most with the first ones.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, int, Move]] = []

    def __call__(self, move: Move) -> None:
        change = abs(move.after.mu - move.before.mu)
        heapq.heappush(self._heap, (change, -move.group, move))
        if len(self._heap) > self._size:
            heapq.heappop(self._heap)

    def moves(self) -> Sequence[Move]:
        """The moves in schedule order."""
        return sorted((move for *_, move in self._heap), key=lambda move: move.group)


def _choose_variants(text: str) -> Callable[[str], bool]:
    """Return what tells whether a variant's text is wanted, by a variant, a game, or ""."""
    if not text:
        return lambda _: True
    if "/" in text or "?" in text:
        return parse_variant(text).text.__eq__
    game = find_game(text)
    return lambda variant: parse_variant(variant).game is game


def _make_explanation(row: TournamentRow, passage: Passage, moves: Sequence[Move]) -> Explanation:
    return Explanation(
        variant=row.definition.variant,
        name=row.definition.name,
        passage=passage,
        moves=tuple(moves),
    )
