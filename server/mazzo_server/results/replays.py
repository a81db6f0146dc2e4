"""What may be shown of a tournament's matches, and from when on.

The law: of a mirror group that is not over nothing is shown but who plays it and the
commitment to its cards, for a bot's other seatings, and whoever helps it, could make use of
the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from operator import sub

from mazzo.errors import IllegalActionError
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.match_record import FaultRecord, MatchRecord, SeatRecord, TimeControlRecord
from mazzo.record import DealRecord
from mazzo.shuffle import attempt_seed, commitment, seating_salt
from mazzo_server.errors import ConflictError, NotFoundError, StoreError
from mazzo_server.model import DealPlay, Definition, MatchOutcome
from mazzo_server.pairing import Group, count_seatings, make_pairing
from mazzo_server.results.rounds import read_rounds
from mazzo_server.storage import Store, TournamentRow

__all__ = ["MatchStatus", "Replays", "ScheduledMatch", "is_group_over"]


class MatchStatus(StrEnum):
    """How far a match is: `HIDDEN` is stored, but its group is not over."""

    WAITING = "waiting"
    HIDDEN = "hidden"
    OPEN = "open"
    VOID = "void"  # an entrant was withdrawn before it was played
    PRUNED = "pruned"  # it was played, and its record was thrown away


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledMatch:
    """What everybody may know of a match at any time."""

    group: int
    seating: int
    entrants: tuple[str, ...]  # names by seat
    commitment: bytes
    status: MatchStatus


def is_group_over(row: TournamentRow, *, stored: int, seatings: int) -> bool:
    """Whether every seating of a mirror group is stored, or the tournament is over.

    For the matches of withdrawn entrants may never be played.
    """
    return stored == seatings or row.status.is_over


class Replays:
    """The matches of the tournaments of a store. Calls block."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def page(
        self, tournament: int, *, bot: str = "", start: int = 0, size: int
    ) -> tuple[list[ScheduledMatch], int | None]:
        """At most `size` matches in schedule order from number `start` on, of a bot or of all.

        With them comes the number at which the next page starts; None: there is none. Only
        the groups of the page are read. Raises `NotFoundError`.
        """
        view = _TournamentView(self._store, self._store.tournament(tournament))
        wanted = None if not bot else view.entrant(bot)
        found: list[ScheduledMatch] = []
        for group in view.groups(start // view.seatings):
            if wanted is not None and wanted not in group.table:
                continue
            first = group.number * view.seatings
            if len(found) == size:
                return found, first
            stored = view.stored(group, with_deals=False)
            attempts = view.attempts(group, stored)
            for number in range(max(first, start), first + view.seatings):
                if len(found) == size:
                    return found, number
                found.append(view.scheduled(group, number - first, stored, attempts))
        return found, None

    def record(
        self, tournament: int, group: int, seating: int, *, notes_for: str | None = None
    ) -> MatchRecord:
        """The record of a match, as it is stored.

        With `notes_for` it has what the bots of that author said, or ("") those of everybody,
        once the tournament is over: an instance plays many matches, and can speak of them all.
        Raises `NotFoundError`, `ConflictError` with when it can be had, and `StoreError` when
        what is stored stands for no match.
        """
        view = _TournamentView(self._store, self._store.tournament(tournament))
        scheduled = view.group(group, seating)
        stored = view.stored(scheduled, with_deals=True)
        view.check_open(scheduled, seating, stored)
        outcome = stored[seating]
        heard = view.heard(outcome, notes_for) if notes_for is not None else frozenset()
        return _record(view, scheduled, outcome, heard)

    def replayable(
        self, tournament: int, group: int, seating: int
    ) -> tuple[TournamentRow, Sequence[tuple[int, int]], Match, MatchOutcome]:
        """What is needed to play a match again.

        The tournament; by seat the entrant and which of its own seats it is; the match before
        its first action; and the match as it is stored. Raises what `record` raises, and
        `ConflictError` for a match with a remote bot.
        """
        view = _TournamentView(self._store, self._store.tournament(tournament))
        scheduled = view.group(group, seating)
        stored = view.stored(scheduled, with_deals=True)
        view.check_open(scheduled, seating, stored)
        remote = [
            view.definition.entrants[index].name
            for index in scheduled.table
            if view.definition.entrants[index].remote
        ]
        if remote:
            raise ConflictError(
                f"{' and '.join(remote)} played from another machine and may remember the match: "
                "expected a match between bots that play here"
            )
        outcome = stored[seating]
        seats = scheduled.parts_by_seat(seating, view.variant.sides)
        return view.row, seats, _fresh_match(view, scheduled, outcome), outcome


class _TournamentView:
    """One tournament, with what is asked of it again and again."""

    def __init__(self, store: Store, row: TournamentRow) -> None:
        self._store = store
        self.row = row
        self.definition: Definition = row.definition
        self.variant = parse_variant(row.definition.variant)
        self.seatings = count_seatings(row.definition)
        self._withdrawn = {item.entrant for item in store.withdrawals(row.id)}

    def entrant(self, bot: str) -> int:
        """The index of the entrant of that name."""
        names = [entrant.name for entrant in self.definition.entrants]
        if bot not in names:
            raise NotFoundError(
                f"expected a bot that takes part in tournament {self.row.id} "
                f"({', '.join(names)}), got {bot!r}"
            )
        return names.index(bot)

    def group(self, number: int, seating: int) -> Group:
        """The group of that number, if it has that seating."""
        group = next(self.groups(number), None) if seating < self.seatings else None
        if group is None:
            total = make_pairing(self.definition).total()
            raise NotFoundError(
                f"expected a group from 0 to {total - 1} and a seating from 0 to "
                f"{self.seatings - 1} of tournament {self.row.id}, got {number} and {seating}; "
                f"see `mazzo replay list {self.row.id}`"
            )
        return group

    def groups(self, first: int) -> Iterator[Group]:
        """The groups from that number on, as far as they are known."""
        return chain.from_iterable(read_rounds(self._store, self.row, first))

    def stored(self, group: Group, *, with_deals: bool) -> dict[int, MatchOutcome]:
        """What is stored of a group, by seating."""
        outcomes = self._store.outcomes(self.row.id, with_deals=with_deals, group=group.number)
        return {outcome.seating: outcome for outcome in outcomes}

    def attempts(self, group: Group, stored: dict[int, MatchOutcome]) -> dict[int, int]:
        """Which attempt of each match is stored, or else was begun last; none: the first."""
        begun = self._store.attempts(self.row.id, group=group.number)
        return begun | {seating: outcome.attempt for seating, outcome in stored.items()}

    def scheduled(
        self,
        group: Group,
        seating: int,
        stored: dict[int, MatchOutcome],
        attempts: dict[int, int],
    ) -> ScheduledMatch:
        """What may be known at any time."""
        seed = attempt_seed(group.seed, attempts.get(seating, 0))
        entrants = group.by_seat(seating, self.variant.sides)
        return ScheduledMatch(
            group=group.number,
            seating=seating,
            entrants=tuple(self.definition.entrants[index].name for index in entrants),
            commitment=commitment(seed, seating_salt(seed, seating)),
            status=self._status(group, seating, stored),
        )

    def _status(self, group: Group, seating: int, stored: dict[int, MatchOutcome]) -> MatchStatus:
        over = is_group_over(self.row, stored=len(stored), seatings=self.seatings)
        if seating in stored and self.row.pruned:
            return MatchStatus.PRUNED
        if seating in stored:
            return MatchStatus.OPEN if over else MatchStatus.HIDDEN
        return MatchStatus.VOID if self._is_void(group) else MatchStatus.WAITING

    def heard(self, outcome: MatchOutcome, author: str) -> frozenset[int]:
        """The seats whose notes an author may read now; "" is the organiser."""
        if not self.row.status.is_over:
            return frozenset()
        return frozenset(
            seat
            for seat, entrant in enumerate(outcome.entrants)
            if not author or self._owner(self.definition.entrants[entrant].name) == author
        )

    def _owner(self, name: str) -> str:
        bot = self._store.bot(name)
        return "" if bot is None else bot.owner

    def _is_void(self, group: Group) -> bool:
        return not self._withdrawn.isdisjoint(group.table)

    def check_open(self, group: Group, seating: int, stored: dict[int, MatchOutcome]) -> None:
        """Raise `ConflictError` unless the match may be shown."""
        status = self._status(group, seating, stored)
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
        raise ConflictError(
            f"{match} can be had when every seating of its mirror group is over: "
            f"{len(stored)} of {self.seatings} are"
        )


def _fresh_match(view: _TournamentView, group: Group, outcome: MatchOutcome) -> Match:
    """The match before its first action."""
    definition = view.definition
    seed = attempt_seed(group.seed, outcome.attempt)
    match_format = MatchFormat.parse(definition.match_format)
    return Match(view.variant, seed, match_format, draws=definition.draws)


def _record(
    view: _TournamentView, group: Group, outcome: MatchOutcome, heard: frozenset[int]
) -> MatchRecord:
    definition = view.definition
    seed = attempt_seed(group.seed, outcome.attempt)
    salt = seating_salt(seed, outcome.seating)
    match = _fresh_match(view, group, outcome)
    first_dealer = match.deal.dealer
    try:
        told = [_deal_record(match, play, heard) for play in outcome.deals]
    except (IllegalActionError, IndexError, ValueError) as error:
        raise StoreError(
            f"the store is damaged: match {view.row.id}/{group.number}/{outcome.seating} "
            f"cannot be replayed: {error}"
        ) from error
    lost = bool(outcome.faults) and len(view.variant.sides) == 2
    return MatchRecord(
        variant=view.variant,
        match_format=match.format,
        draws=match.draws,
        seats=tuple(
            SeatRecord(bot=entrant.name, version=entrant.version)
            for entrant in (definition.entrants[index] for index in outcome.entrants)
        ),
        first_dealer=first_dealer,
        time_control=TimeControlRecord(
            bank=definition.time.bank,
            increment=definition.time.increment,
            limit=definition.time.limit,
        ),
        tournament=view.row.id,
        group=group.number,
        seating=outcome.seating,
        attempt=outcome.attempt,
        group_seed=group.seed,
        seed=seed,
        salt=salt,
        commitment=commitment(seed, salt),
        deals=tuple(deal for deal, _ in told),
        match_scores=outcome.match_scores,
        ranking=match.forfeited(outcome.faults[0].seat)[1] if lost else match.ranking,
        faults=tuple(
            FaultRecord(
                seat=fault.seat,
                termination=fault.termination,
                owner=fault.owner,
                reason=fault.reason,
                deal=fault.deal,
                decision=fault.decision,
            )
            for fault in outcome.faults
        ),
        late=outcome.late,
        substituted=tuple(play.substituted for play in outcome.deals),
        micros=tuple(play.micros for play in outcome.deals),
        notes=tuple(notes for _, notes in told) if any(notes for _, notes in told) else (),
    )


def _deal_record(
    match: Match, play: DealPlay, heard: frozenset[int]
) -> tuple[DealRecord, tuple[tuple[int, str], ...]]:
    """The next deal of the match, with the scores and the dealer that are stored of it.

    Beside it the notes of the seats `heard`.
    """
    deal = match.deal
    seats = []
    for action in play.actions:
        seats.append(deal.seat)
        deal.apply(action)
    seats.append(deal.seat)
    notes = tuple(note for note in play.notes if heard and seats[note[0]] in heard)
    record = replace(DealRecord.of(deal), dealer=play.dealer)
    if deal.seat is not None:
        return record, notes
    match.advance()
    scores = play.scores
    if match.over:  # stored with what the last deal leaves
        scores = tuple(map(sub, scores, deal.leftover))
    return replace(record, scores=scores), notes
