"""Standings as messages."""

from __future__ import annotations

from mazzo.v1 import tournament_pb2
from mazzo_server.results.standings import (
    FaultEntry,
    Pair,
    PlayedBout,
    PlayedPool,
    SeatBias,
    Standings,
)

__all__ = ["encode_fault", "encode_pair", "encode_standings"]


def encode_standings(standings: Standings) -> tournament_pb2.Standings:
    """Encode the standings of a tournament."""
    message = tournament_pb2.Standings(
        groups=standings.groups,
        groups_counted=standings.counted,
        groups_void=standings.void,
        faults_total=standings.faults_total,
        faults=map(encode_fault, standings.faults),
        seat_bias=_encode_seat_bias(standings.seat_bias),
    )
    for row in standings.rows:
        message.rows.add(
            rank=row.rank,
            name=row.name,
            version=row.version,
            rating=row.rating,
            mu=row.mu,
            sigma=row.sigma,
            groups=row.groups,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            match_points=row.match_points,
            deals=row.deals,
            score_per_deal=row.score_per_deal.mean,
            score_low=row.score_per_deal.low,
            score_high=row.score_per_deal.high,
            probability_better_than_next=row.probability_better_than_next,
            more_deals=row.more_deals,
            faults=row.faults,
            late=row.late,
            forfeited_deals=row.forfeited_deals,
            decisions=row.decisions,
            decision_seconds=row.seconds_per_decision,
            retired=row.retired,
            separated=row.separated,
            scores_less_than_next=row.scores_less_than_next,
        )
    for row, swiss in zip(standings.rows, standings.swiss, strict=False):
        message.swiss.add(
            name=row.name,
            points=float(swiss.points),
            byes=swiss.byes,
            buchholz_cut_1=float(swiss.buchholz_cut_1),
            buchholz=float(swiss.buchholz),
            sonneborn_berger=float(swiss.sonneborn_berger),
            direct_encounter=float(swiss.direct_encounter),
        )
    if standings.bracket is not None:
        message.bracket.over = standings.is_bracket_over
        for bouts in standings.bracket:
            message.bracket.rounds.add(bouts=map(_encode_bout, bouts))
        message.bracket.pools.extend(map(_encode_pool, standings.pools))
    for entrant in standings.withdrawn:
        message.rows.add(name=entrant.name, version=entrant.version, withdrawn=entrant.reason)
    message.crosstable.extend(map(encode_pair, standings.pairs))
    for kind in standings.fault_kinds:
        message.fault_kinds.add(
            name=kind.first.name,
            termination=kind.first.termination,
            owner=kind.first.owner,
            matches=kind.matches,
            first=encode_fault(kind.first),
        )
    return message


def encode_pair(pair: Pair) -> tournament_pb2.CrosstableCell:
    """Encode the results of one entrant against another."""
    return tournament_pb2.CrosstableCell(
        name=pair.name,
        opponent=pair.opponent,
        wins=pair.wins,
        draws=pair.draws,
        losses=pair.losses,
        deals=pair.deals,
        score_per_deal=pair.score_per_deal.mean,
        score_low=pair.score_per_deal.low,
        score_high=pair.score_per_deal.high,
        probability_better=pair.probability_better,
    )


def _encode_bout(bout: PlayedBout) -> tournament_pb2.Bout:
    return tournament_pb2.Bout(
        stage=bout.stage,
        round=bout.round,
        advance=bout.advance,
        entrants=[
            tournament_pb2.BoutEntrant(
                name=entrant.name,
                seed=entrant.seed,
                score_per_deal=(
                    None if entrant.score_per_deal is None else float(entrant.score_per_deal)
                ),
                goes_on=entrant.goes_on,
            )
            for entrant in bout.entrants
        ],
        groups=bout.groups,
        reason=bout.reason or "",
        certainty=bout.certainty,
    )


def _encode_pool(pool: PlayedPool) -> tournament_pb2.Pool:
    return tournament_pb2.Pool(
        number=pool.number,
        rows=[
            tournament_pb2.PoolRow(
                name=row.name,
                seed=row.seed,
                score_per_deal=None if row.score_per_deal is None else float(row.score_per_deal),
                groups=row.groups,
                goes_on=row.goes_on,
                has_left=row.has_left,
            )
            for row in pool.rows
        ],
        over=pool.is_over,
    )


def encode_fault(fault: FaultEntry) -> tournament_pb2.MatchFault:
    """Encode a forfeit, and where it happened."""
    return tournament_pb2.MatchFault(
        name=fault.name,
        group=fault.group,
        seating=fault.seating,
        seat=fault.seat,
        deal=fault.deal,
        decision=fault.decision,
        termination=fault.termination,
        owner=fault.owner,
        reason=fault.reason,
    )


def _encode_seat_bias(bias: SeatBias) -> tournament_pb2.SeatBias:
    message = tournament_pb2.SeatBias(blocks=bias.blocks, score_per_deal=bias.score_per_deal)
    for list_, places in ((message.seats, bias.seats), (message.turns, bias.turns)):
        for place, score in enumerate(places):
            list_.add(
                place=place,
                score_per_deal=score.score_per_deal,
                deviation=score.deviation,
                p_value=score.p_value,
                alarm=score.alarm,
            )
    return message
