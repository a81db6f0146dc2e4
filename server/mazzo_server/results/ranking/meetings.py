"""The meetings of a bot with each other one, summed from the kept standings of tournaments."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeAlias

from mazzo_server.results.checkpoints import read_counts
from mazzo_server.results.ranking.values import is_rated
from mazzo_server.storage import Store, TournamentRow, find_bot

__all__ = ["Meetings", "MetOpponent", "VariantMeetings"]

_MOST_TOURNAMENTS: Final = 50  # of a variant, the newest ones
_MOST_KEPT: Final = 300_000  # counts in memory, some 100 bytes each

_Counts: TypeAlias = Mapping[tuple[str, str], tuple[int, int, int]]
"""Groups won, drawn and lost, by the names of two bots."""


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
        self._lock = Lock()  # of what follows
        self._kept: OrderedDict[tuple[int, int], _Counts] = OrderedDict()  # by id and revision
        self._size = 0  # counts in it

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
            for (name, opponent), counts in self._count(row).items():
                if name == bot:
                    sums[opponent].update(dict(enumerate(counts)))
                elif opponent == bot:
                    sums[name].update(dict(enumerate(reversed(counts))))
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

    def _count(self, row: TournamentRow) -> _Counts:
        """Return the counts of a finished tournament, which change with its revision alone."""
        key = row.id, row.revision
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return kept
        names = [entrant.bot for entrant in row.definition.entrants]
        counts = {
            (names[one], names[other]): numbers
            for (one, other), numbers in read_counts(self._store, row).items()
        }
        with self._lock:
            if key not in self._kept:
                self._kept[key] = counts
                self._size += len(counts)
            while self._size > _MOST_KEPT and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])
        return counts
