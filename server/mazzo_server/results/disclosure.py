"""Tells what may be shown of a tournament's matches, and when.

The law: of a mirror group that is not over, only its players and the commitment to its cards are
shown. A bot's other seatings, and its helpers, could make use of the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from mazzo.games import parse_variant
from mazzo.shuffle import attempt_seed, commitment, seating_salt
from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.pairing import Group, make_pairing
from mazzo_server.results.rounds import read_rounds
from mazzo_server.storage import Store, TournamentRow, read_withdrawn

__all__ = ["Disclosure", "MatchStatus", "ScheduledMatch", "is_group_over"]


class MatchStatus(StrEnum):
    """The state of a match: `HIDDEN` is stored, but its group is not over."""

    WAITING = "waiting"
    HIDDEN = "hidden"
    OPEN = "open"
    VOID = "void"  # an entrant was withdrawn before the match was played
    PRUNED = "pruned"  # the match was played, and its record was deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledMatch:
    """What everybody may know of a match at any time."""

    group: int
    seating: int
    entrants: tuple[str, ...]  # names by seat
    commitment: bytes
    status: MatchStatus


def is_group_over(row: TournamentRow, *, stored: int, seatings: int) -> bool:
    """Tell whether every seating of a mirror group is stored, or the tournament is over.

    The end of the tournament suffices, since matches of withdrawn entrants may never be played.
    """
    return stored == seatings or row.status.is_over


class Disclosure:
    """What may be shown of one tournament, with the values that are needed again and again."""

    def __init__(self, store: Store, row: TournamentRow) -> None:
        self._store = store
        self.row = row
        self.definition: Definition = row.definition
        self.variant = parse_variant(row.definition.variant)
        self.seatings = row.definition.seatings
        self.everybody = frozenset(range(self.variant.players))  # all seats
        self._withdrawn = frozenset(read_withdrawn(store, row.id))

    def find_entrants(self, bot: str) -> frozenset[int]:
        """Return the indices of the entrants that are this bot or copies of it."""
        bots = [entrant.bot for entrant in self.definition.entrants]
        if bot not in bots:
            raise NotFoundError(
                f"expected a bot that takes part in tournament {self.row.id} "
                f"({', '.join(dict.fromkeys(bots))}), got {bot!r}"
            )
        return frozenset(index for index, name in enumerate(bots) if name == bot)

    def find_group(self, number: int, seating: int) -> Group:
        """Return the group with that number, if it has that seating."""
        group = next(self.list_groups(number), None) if seating < self.seatings else None
        if group is None or group.number != number:  # of a void one nothing may be known
            total = make_pairing(self.definition).total()
            raise NotFoundError(
                f"expected a group from 0 to {total - 1} and a seating from 0 to "
                f"{self.seatings - 1} of tournament {self.row.id}, got {number} and {seating}; "
                f"see `mazzo matches --tournament {self.row.id} --scheduled`"
            )
        return group

    def list_groups(self, first: int) -> Iterator[Group]:
        """Return the groups from that number on, as far as they are known."""
        return chain.from_iterable(read_rounds(self._store, self.row, first))

    def read_stored(self, group: Group, *, with_deals: bool) -> dict[int, MatchOutcome]:
        """Return the stored matches of a group, by seating."""
        outcomes = self._store.outcomes(self.row.id, with_deals=with_deals, group=group.number)
        return {outcome.seating: outcome for outcome in outcomes}

    def read_attempts(self, group: Group, stored: dict[int, MatchOutcome]) -> dict[int, int]:
        """Return each match's attempt that is stored or was begun last; missing: the first."""
        begun = self._store.attempts(self.row.id, group=group.number)
        return begun | {seating: outcome.attempt for seating, outcome in stored.items()}

    def describe_match(
        self,
        group: Group,
        seating: int,
        stored: dict[int, MatchOutcome],
        attempts: dict[int, int],
    ) -> ScheduledMatch:
        """Return what everybody may know of a match at any time."""
        seed = attempt_seed(group.seed, attempts.get(seating, 0))
        entrants = group.by_seat(seating, self.definition.sides)
        return ScheduledMatch(
            group=group.number,
            seating=seating,
            entrants=tuple(self.definition.entrants[index].name for index in entrants),
            commitment=commitment(seed, seating_salt(seed, seating)),
            status=self._find_status(group, seating, stored),
        )

    def _find_status(
        self, group: Group, seating: int, stored: dict[int, MatchOutcome]
    ) -> MatchStatus:
        over = is_group_over(self.row, stored=len(stored), seatings=self.seatings)
        if seating in stored and self.row.pruned:
            return MatchStatus.PRUNED
        if seating in stored:
            return MatchStatus.OPEN if over else MatchStatus.HIDDEN
        return MatchStatus.VOID if self._is_void(group) else MatchStatus.WAITING

    def find_heard_seats(self, outcome: MatchOutcome, author: str) -> frozenset[int]:
        """Return the seats whose notes an author may read now; "" is the organiser."""
        if not self.row.status.is_over:
            return frozenset()
        return frozenset(
            seat
            for seat, entrant in enumerate(outcome.entrants)
            if not author or self._find_owner(self.definition.entrants[entrant].bot) == author
        )

    def _find_owner(self, name: str) -> str:
        bot = self._store.bot(name)
        return "" if bot is None else bot.owner

    def _is_void(self, group: Group) -> bool:
        return not self._withdrawn.isdisjoint(group.table)

    def check_open(self, group: Group, seating: int, stored: dict[int, MatchOutcome]) -> None:
        """Raise `ConflictError` unless the match may be shown."""
        status = self._find_status(group, seating, stored)
        match = f"match {self.row.id}/{group.number}/{seating}"
        if status is MatchStatus.VOID:
            raise ConflictError(f"{match} was never played, since an entrant was withdrawn")
        if status is MatchStatus.PRUNED:
            raise ConflictError(
                f"{match} was pruned: the records of tournament {self.row.id} were thrown away, "
                "its results stay"
            )
        if status is MatchStatus.OPEN:
            return
        if self._is_void(group):
            raise ConflictError(
                f"{match} can be had when the tournament is over, since an entrant was withdrawn"
            )
        if self.row.status.is_over:
            raise ConflictError(
                f"{match} was never played: the tournament was cancelled before that"
            )
        raise ConflictError(
            f"{match} can be had when every seating of its mirror group is over: "
            f"{len(stored)} of {self.seatings} are"
        )
