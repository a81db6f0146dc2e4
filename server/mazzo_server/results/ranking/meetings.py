"""The meetings of a bot with each other one, summed from the kept standings of tournaments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from mazzo_server.results.checkpoints import read_counts
from mazzo_server.results.ranking.kept import KeptResults
from mazzo_server.results.ranking.values import is_rated
from mazzo_server.storage import Store, TournamentRow, find_bot

__all__ = ["Meetings", "MetOpponent", "VariantMeetings"]

_MOST_TOURNAMENTS: Final = 20  # of a variant, the newest ones; each takes 5 ms when it is not kept
_MOST_KEPT: Final = 500_000  # counts of tournaments in memory, one for each pair and side

_Counts: TypeAlias = Mapping[str, tuple[int, int, int]]
"""Groups won, drawn and lost, by opponent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetOpponent:
    """What became of the meetings of a bot with another one."""

    opponent: str
    wins: int  # groups with the better rank
    draws: int
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantMeetings:
    """The meetings of a bot in one variant."""

    variant: str
    tournaments: int  # that are counted
    tournaments_total: int
    opponents: tuple[MetOpponent, ...]  # by name


class Meetings:
    """Answers with whom the bots of one store have met. Calls block."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # A finished tournament changes with its revision alone; the number of one that is deleted
        # may come again.
        self._kept = KeptResults[tuple[int, int, float], Mapping[str, _Counts]](
            most=_MOST_KEPT, measure=lambda counts: sum(map(len, counts.values()))
        )

    def list_meetings(self, bot: str) -> Sequence[VariantMeetings]:
        """Return the meetings in the finished tournaments that count for rankings, by variant.

        Raises `NotFoundError`.
        """
        find_bot(self._store, bot)
        played: defaultdict[str, list[TournamentRow]] = defaultdict(list)
        for row in reversed(self._store.tournaments()):
            if is_rated(row) and bot in [entrant.bot for entrant in row.definition.entrants]:
                played[row.definition.variant].append(row)
        return [self._sum(bot, variant, played[variant]) for variant in sorted(played)]

    def _sum(self, bot: str, variant: str, rows: Sequence[TournamentRow]) -> VariantMeetings:
        sums: defaultdict[str, Counter[int]] = defaultdict(Counter)
        newest = rows[:_MOST_TOURNAMENTS]
        for row in newest:
            key = row.id, row.revision, row.create_time
            counts = self._kept.get(key, partial(self._count, row))
            for opponent, numbers in counts.get(bot, {}).items():
                sums[opponent].update(dict(enumerate(numbers)))
        return VariantMeetings(
            variant=variant,
            tournaments=len(newest),
            tournaments_total=len(rows),
            opponents=tuple(
                MetOpponent(
                    opponent=name, wins=sums[name][0], draws=sums[name][1], losses=sums[name][2]
                )
                for name in sorted(sums)
            ),
        )

    def _count(self, row: TournamentRow) -> Mapping[str, _Counts]:
        """Return the counts of a finished tournament, by bot."""
        names = [entrant.bot for entrant in row.definition.entrants]
        counts: defaultdict[str, dict[str, tuple[int, int, int]]] = defaultdict(dict)
        for (one, other), (wins, draws, losses) in read_counts(self._store, row).items():
            for name, opponent, numbers in (
                (names[one], names[other], (wins, draws, losses)),
                (names[other], names[one], (losses, draws, wins)),
            ):
                before = counts[name].get(opponent, (0, 0, 0))
                counts[name][opponent] = (
                    before[0] + numbers[0],
                    before[1] + numbers[1],
                    before[2] + numbers[2],
                )
        return counts
