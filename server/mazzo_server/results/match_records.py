"""Makes the record of a match from what is stored of it."""

from __future__ import annotations

from dataclasses import replace
from operator import sub

from mazzo.errors import IllegalActionError
from mazzo.match import Match, MatchFormat
from mazzo.match_record import FaultRecord, MatchRecord, SeatRecord, TimeControlRecord
from mazzo.record import DealRecord
from mazzo.shuffle import attempt_seed, commitment, seating_salt
from mazzo_server.errors import StoreError
from mazzo_server.model import DealPlay, MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.results.disclosure import Disclosure

__all__ = ["begin_match", "make_record"]


def begin_match(disclosure: Disclosure, group: Group, attempt: int) -> Match:
    """Return an attempt at a match before its first action."""
    definition = disclosure.definition
    seed = attempt_seed(group.seed, attempt)
    match_format = MatchFormat.parse(definition.match_format)
    return Match(disclosure.variant, seed, match_format, draws=definition.draws)


def make_record(
    disclosure: Disclosure, group: Group, outcome: MatchOutcome, heard: frozenset[int]
) -> MatchRecord:
    """Return the record of a match, with the notes of the seats `heard`.

    Raises `StoreError` where the stored actions cannot be played.
    """
    definition = disclosure.definition
    seed = attempt_seed(group.seed, outcome.attempt)
    salt = seating_salt(seed, outcome.seating)
    match = begin_match(disclosure, group, outcome.attempt)
    first_dealer = match.deal.dealer
    try:
        told = [_make_deal_record(match, play, heard) for play in outcome.deals]
    except (IllegalActionError, IndexError, ValueError) as error:
        raise StoreError(
            f"the store is damaged: match {disclosure.row.id}/{group.number}/{outcome.seating} "
            f"cannot be replayed: {error}"
        ) from error
    lost = bool(outcome.faults) and len(disclosure.variant.sides) == 2
    return MatchRecord(
        variant=disclosure.variant,
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
        tournament=disclosure.row.id,
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


def _make_deal_record(
    match: Match, play: DealPlay, heard: frozenset[int]
) -> tuple[DealRecord, tuple[tuple[int, str], ...]]:
    """Return the record of the match's next deal, with its stored scores and dealer.

    Also returns the notes of the seats `heard`.
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
    if match.over:  # stored with the last deal's leftover
        scores = tuple(map(sub, scores, deal.leftover))
    return replace(record, scores=scores), notes
