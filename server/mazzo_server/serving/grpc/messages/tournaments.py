"""Tournaments, their plans, reruns and progress as messages."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import Final

from mazzo.games import parse_variant
from mazzo.shuffle import commitment, seating_salt
from mazzo.v1 import tournament_pb2
from mazzo_server.model import Definition, MatchOutcome, TournamentKind, TournamentRequest
from mazzo_server.results.standings import FaultEntry
from mazzo_server.serving.grpc.messages.standings import encode_fault, encode_standings
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.storage import TournamentStatus
from mazzo_server.tournaments import PlannedTournament, Pruned, Rerun, TournamentStanding
from mazzo_server.tournaments.running import Report

__all__ = [
    "decode_tournament_request",
    "encode_plan",
    "encode_pruned",
    "encode_report",
    "encode_rerun",
    "encode_tournament",
]

_MOST_TABLES: Final = 1000  # in a plan
_STATES = {
    TournamentStatus.CREATED: tournament_pb2.TOURNAMENT_STATE_CREATED,
    TournamentStatus.PAUSED: tournament_pb2.TOURNAMENT_STATE_PAUSED,
    TournamentStatus.CANCELLED: tournament_pb2.TOURNAMENT_STATE_CANCELLED,
    TournamentStatus.FINISHED: tournament_pb2.TOURNAMENT_STATE_FINISHED,
}


def decode_tournament_request(
    message: tournament_pb2.CreateTournamentRequest, *, isolation: str
) -> TournamentRequest:
    """Return what an organiser asks for, with that isolation where the message names none."""
    given = {field.name: value for field, value in message.ListFields()}
    usual = {"variant": "", "isolation": isolation}
    return TournamentRequest(**usual | given | {"bots": tuple(message.bots)})


def encode_tournament(
    standing: TournamentStanding, *, private: bool = False
) -> tournament_pb2.Tournament:
    """Encode a tournament; its seed and salt only once it is over, its machines if `private`."""
    row, definition = standing.row, standing.row.definition
    salt = seating_salt(definition.seed, 0)
    message = _encode_definition(definition)
    message.id = row.id
    message.state = _encode_state(standing)
    message.seed_commitment = commitment(definition.seed, salt).hex()
    if row.status.is_over:
        message.seed, message.salt = definition.seed.hex(), salt.hex()
    message.matches_played = standing.matches_played
    message.matches_total = standing.matches_total
    message.create_time.CopyFrom(encode_time(row.create_time))
    message.pruned = row.pruned
    if definition.kind is not TournamentKind.TOURNAMENT:
        message.kind = definition.kind
    if row.end_time is not None:
        message.end_time.CopyFrom(encode_time(row.end_time))
    if standing.standings is not None:
        message.standings.CopyFrom(encode_standings(standing.standings))
    if private:
        message.nodes.extend(
            tournament_pb2.TournamentNode(
                name=share.node,
                matches=share.matches,
                decisions=share.decisions,
                late_decisions=share.late_decisions,
                forfeits=share.forfeits,
                late_by_more_than_luck=share.is_late,
            )
            for share in standing.nodes
        )
    return message


def _encode_definition(definition: Definition) -> tournament_pb2.Tournament:
    """Encode a definition without its seed, and without anything that follows from it."""
    control = definition.time
    return tournament_pb2.Tournament(
        name=definition.name,
        variant=definition.variant,
        pairing=definition.pairing,
        match_format=definition.match_format,
        mirror=definition.mirror,
        draws=definition.draws,
        groups=definition.groups,
        isolation=definition.isolation,
        cpu=definition.cpu,
        limits=tournament_pb2.InstanceLimits(**asdict(definition.limits)),
        clock_seconds=tournament_pb2.TournamentClock(
            bank=control.bank,
            increment=control.increment,
            limit=control.limit,
            start_up=control.start_up,
            grace=control.grace,
        ),
        draw_probability=definition.draw_probability,
        until_separated=definition.until_separated,
        entrants=[
            tournament_pb2.TournamentEntrant(
                name=entrant.name,
                version=entrant.version,
                content_hash=entrant.content_hash,
                remote=entrant.remote,
            )
            for entrant in definition.entrants
        ],
        seed_chosen=definition.seed_chosen,
        tables=definition.tables,
        hero=definition.hero,
        rounds=definition.rounds,
        seeding=definition.seeding,
        confidence=definition.confidence,
        advance=definition.advance,
        pools=definition.pools,
        qualify=definition.qualify,
    )


def _encode_state(standing: TournamentStanding) -> tournament_pb2.TournamentState:
    row = standing.row
    if row.status is TournamentStatus.CANCELLED and row.end_time is None:
        return tournament_pb2.TOURNAMENT_STATE_INCOMPLETE
    if row.status is not TournamentStatus.RUNNING:
        return _STATES[row.status]
    if standing.running:
        return tournament_pb2.TOURNAMENT_STATE_RUNNING
    return tournament_pb2.TOURNAMENT_STATE_INTERRUPTED


def encode_plan(planned: PlannedTournament) -> tournament_pb2.PlanTournamentResponse:
    """Encode what would be played, and how long it would take."""
    definition, plan = planned.definition, planned.plan
    message = tournament_pb2.PlanTournamentResponse(
        tournament=_encode_definition(definition),
        groups=plan.groups,
        matches=plan.matches,
        deals=plan.deals,
        adaptive=plan.is_adaptive,
        tables=[
            tournament_pb2.PlannedTable(
                entrants=[definition.entrants[index].name for index in table], groups=groups
            )
            for table, groups in islice(plan.tables.items(), _MOST_TABLES)
        ],
        tables_total=len(plan.tables),
        unqualified=planned.unqualified,
        workers=planned.workers.workers,
        workers_reason=planned.workers.reason,
    )
    if planned.estimate is not None:
        message.seconds = planned.estimate.seconds
        message.basis = planned.estimate.basis
    if planned.cluster is not None:
        for node in planned.cluster.nodes:
            message.nodes.add(
                name=node.name,
                slots=node.slots,
                decisions_per_second=node.facts.decisions_per_second if node.facts else None,
                unfit=node.unfit,
            )
        if planned.cluster.speed_difference is not None:
            message.speed_difference = planned.cluster.speed_difference
    return message


def encode_rerun(definition: Definition, rerun: Rerun) -> tournament_pb2.RerunMatchResponse:
    """Encode both plays of a match."""
    return tournament_pb2.RerunMatchResponse(
        identical=rerun.is_identical,
        difference=_encode_difference(definition, rerun),
        entrants=[definition.entrants[index].name for index in rerun.stored.entrants],
        stored_scores=map(str, rerun.stored.match_scores),
        played_scores=map(str, rerun.played.match_scores),
        stored_faults=_encode_faults(definition, rerun.stored),
        played_faults=_encode_faults(definition, rerun.played),
    )


def _encode_difference(
    definition: Definition, rerun: Rerun
) -> tournament_pb2.RerunDifference | None:
    difference = rerun.difference
    if difference is None:
        return None
    codes = parse_variant(definition.variant).game.actions
    return tournament_pb2.RerunDifference(
        deal=difference.deal,
        step=difference.step,
        seat=difference.seat,
        stored="" if difference.was is None else codes[difference.was].code,
        played="" if difference.now is None else codes[difference.now].code,
    )


def _encode_faults(
    definition: Definition, outcome: MatchOutcome
) -> list[tournament_pb2.MatchFault]:
    names = [definition.entrants[index].name for index in outcome.entrants]
    return [
        encode_fault(FaultEntry.of(names[fault.seat], outcome.group, outcome.seating, fault))
        for fault in outcome.faults
    ]


def encode_pruned(pruned: Pruned) -> tournament_pb2.PrunedTournament:
    """Encode a tournament whose records are thrown away."""
    return tournament_pb2.PrunedTournament(
        id=pruned.row.id,
        name=pruned.row.definition.name,
        matches=pruned.row.matches_played,
        bytes=pruned.bytes,
    )


def encode_report(report: Report, failure: str) -> tournament_pb2.WatchTournamentResponse:
    """Encode how far a run has got, and which matches have begun."""
    return tournament_pb2.WatchTournamentResponse(
        matches_played=report.matches_played,
        matches_total=report.matches_total,
        deals_played=report.deals_played,
        decisions_taken=report.decisions_taken,
        running_seconds=report.running_seconds,
        faults=report.faults,
        withdrawn=report.withdrawn,
        failure=failure,
        begun=[
            tournament_pb2.MatchBegun(
                group=match.group,
                seating=match.seating,
                entrants=match.entrants,
                commitment=match.commitment.hex(),
            )
            for match in report.begun
        ],
        sequence=report.sequence,
        run=report.run,
    )
