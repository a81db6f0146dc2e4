"""From the platform's values to its wire messages."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.games import parse_variant
from mazzo.shuffle import commitment, seating_salt
from mazzo.v1 import auth_pb2, bot_pb2, ranking_pb2, tournament_pb2
from mazzo_server.bots.qualification import active_version, qualified_forms
from mazzo_server.clock import monotonic
from mazzo_server.model.definition import Definition
from mazzo_server.model.manifest import Manifest
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.model.roles import Role
from mazzo_server.results.bot_logs import BotLog, LogKind
from mazzo_server.results.ranking.fold import Move, VariantRanking
from mazzo_server.results.ranking.history import Explanation
from mazzo_server.results.standings import FaultEntry, SeatBias, Standings
from mazzo_server.stats.trueskill import Rating
from mazzo_server.storage import BotRow, TokenRow, TournamentStatus, VersionRow
from mazzo_server.tournaments.rerun import Rerun
from mazzo_server.tournaments.run import Report
from mazzo_server.tournaments.service import PlannedTournament, TournamentStanding

__all__ = [
    "bot_log_message",
    "bot_message",
    "definition_message",
    "explanation_message",
    "plan_message",
    "ranking_message",
    "report_message",
    "rerun_message",
    "token_message",
    "tournament_message",
]

_MOST_TABLES: Final = 1000  # in a plan
_TOKEN_ROLES = {
    Role.ORGANISER: auth_pb2.TOKEN_ROLE_ORGANISER,
    Role.AUTHOR: auth_pb2.TOKEN_ROLE_AUTHOR,
    Role.BOT: auth_pb2.TOKEN_ROLE_BOT,
}


def token_message(row: TokenRow) -> auth_pb2.AccessToken:
    """A token, without its hash."""
    return auth_pb2.AccessToken(
        id=row.id,
        role=_TOKEN_ROLES[row.role],
        subject=row.subject,
        label=row.label,
        create_time=_timestamp(row.create_time),
        revoked=row.revoked,
    )


_LOG_KINDS = {
    LogKind.FORFEIT: bot_pb2.BOT_LOG_KIND_FORFEIT,
    LogKind.WITHDRAWAL: bot_pb2.BOT_LOG_KIND_WITHDRAWAL,
    LogKind.TRIAL: bot_pb2.BOT_LOG_KIND_TRIAL,
}


def bot_log_message(log: BotLog) -> bot_pb2.BotLog:
    """What went wrong, for the author."""
    message = bot_pb2.BotLog(
        kind=_LOG_KINDS[log.kind],
        tournament=log.tournament,
        version=log.version,
        group=log.group,
        seating=log.seating,
        reason=log.reason,
        log=log.log,
    )
    if log.fault is not None:
        message.seat = log.fault.seat
        message.deal = log.fault.deal
        message.decision = log.fault.decision
        message.termination = log.fault.termination
        message.owner = log.fault.owner
    return message


_PRIVATE = frozenset({"log", "reason", "advice", "seat", "record"})  # of a trial
_LONG = frozenset({"log", "seat", "record"})


def bot_message(
    row: BotRow,
    versions: Sequence[VersionRow],
    *,
    private: bool,
    connected: bool,
    brief: bool = False,
    tried: int = 0,
) -> bot_pb2.Bot:
    """A bot with its versions; what its trials said only with `private`.

    A `brief` one has the newest version alone, and the one that enters tournaments, without what
    is long in their trials. Else the log is that of one trial: of the version `tried`, or (0) of
    the newest.
    """
    with_log = tried or versions[-1].number
    active = active_version(row, versions)
    if brief:
        versions = [version for version in versions[:-1] if version == active] + [versions[-1]]

    def left_out(version: VersionRow) -> frozenset[str]:
        secret = frozenset() if private else _PRIVATE
        if brief:
            return secret | _LONG
        return secret if version.number == with_log else secret | {"log"}

    return bot_pb2.Bot(
        name=row.name,
        retired=row.retired,
        create_time=_timestamp(row.create_time),
        owner=row.owner,
        remote=row.remote,
        connected=connected,
        chosen_version=row.chosen or 0,
        active_version=0 if active is None else active.number,
        versions=[
            _version_message(row, version, left_out=left_out(version)) for version in versions
        ],
    )


def _version_message(
    row: BotRow, version: VersionRow, *, left_out: Collection[str]
) -> bot_pb2.BotVersion:
    manifest = Manifest.from_json(version.manifest)
    trial = version.trial
    return bot_pb2.BotVersion(
        version=version.number,
        content_hash=version.content_hash,
        create_time=_timestamp(version.create_time),
        games=manifest.games,
        command=manifest.command,
        runtime=manifest.runtime,
        capacity=manifest.capacity,
        author=manifest.author,
        licence=manifest.licence,
        description=manifest.description,
        trial=None if trial is None else _trial_message(trial, left_out),
        qualified=qualified_forms(row, version),
    )


def _trial_message(trial: dict[str, Any], left_out: Collection[str]) -> bot_pb2.Trial:
    def kept(values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if name not in left_out}

    return bot_pb2.Trial(
        passed=trial["passed"],
        start_up_seconds=trial["start_up_seconds"],
        matches=[bot_pb2.TrialMatch(**kept(match)) for match in trial["matches"]],
        checks=[
            bot_pb2.TrialCheck(
                name=check["name"],
                tried=check["tried"],
                left_out=check["left_out"],
                failures=[bot_pb2.TrialFailure(**kept(failure)) for failure in check["failures"]],
            )
            for check in trial["checks"]
        ],
        seed=trial["seed"],
        log="" if "log" in left_out else trial["log"],
    )


def tournament_message(standing: TournamentStanding) -> tournament_pb2.Tournament:
    """A tournament; its seed and salt only once it is over."""
    row, definition = standing.row, standing.row.definition
    salt = seating_salt(definition.seed, 0)
    message = definition_message(definition)
    message.id = row.id
    message.state = _state(standing)
    message.seed_commitment = commitment(definition.seed, salt).hex()
    if row.status.is_over:
        message.seed, message.salt = definition.seed.hex(), salt.hex()
    message.matches_played = standing.matches_played
    message.matches_total = standing.matches_total
    message.create_time.CopyFrom(_timestamp(row.create_time))
    message.pruned = row.pruned
    if row.end_time is not None:
        message.end_time.CopyFrom(_timestamp(row.end_time))
    if standing.standings is not None:
        message.standings.CopyFrom(_standings(standing.standings))
    return message


def definition_message(definition: Definition) -> tournament_pb2.Tournament:
    """What a definition says, without its seed and anything that follows from it."""
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
    )


_STATES = {
    TournamentStatus.CREATED: tournament_pb2.TOURNAMENT_STATE_CREATED,
    TournamentStatus.PAUSED: tournament_pb2.TOURNAMENT_STATE_PAUSED,
    TournamentStatus.CANCELLED: tournament_pb2.TOURNAMENT_STATE_CANCELLED,
    TournamentStatus.FINISHED: tournament_pb2.TOURNAMENT_STATE_FINISHED,
}


def _state(standing: TournamentStanding) -> tournament_pb2.TournamentState:
    if standing.row.status is not TournamentStatus.RUNNING:
        return _STATES[standing.row.status]
    if standing.running:
        return tournament_pb2.TOURNAMENT_STATE_RUNNING
    return tournament_pb2.TOURNAMENT_STATE_INTERRUPTED


def _standings(standings: Standings) -> tournament_pb2.Standings:
    message = tournament_pb2.Standings(
        groups=standings.groups,
        groups_counted=standings.counted,
        groups_void=standings.void,
        faults_total=standings.faults_total,
        faults=map(_fault, standings.faults),
        seat_bias=_seat_bias(standings.seat_bias),
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
    for entrant in standings.withdrawn:
        message.rows.add(name=entrant.name, version=entrant.version, withdrawn=entrant.reason)
    for pair in standings.pairs:
        message.crosstable.add(
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
    for kind in standings.fault_kinds:
        message.fault_kinds.add(
            name=kind.first.name,
            termination=kind.first.termination,
            owner=kind.first.owner,
            matches=kind.matches,
            first=_fault(kind.first),
        )
    return message


def _fault(fault: FaultEntry) -> tournament_pb2.MatchFault:
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


def _seat_bias(bias: SeatBias) -> tournament_pb2.SeatBias:
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


def plan_message(planned: PlannedTournament) -> tournament_pb2.PlanTournamentResponse:
    """What would be played, and how long it would take."""
    definition, plan = planned.definition, planned.plan
    message = tournament_pb2.PlanTournamentResponse(
        tournament=definition_message(definition),
        groups=plan.groups,
        matches=plan.matches,
        deals=plan.deals,
        adaptive=plan.adaptive,
        tables=[
            tournament_pb2.PlannedTable(
                entrants=[definition.entrants[index].name for index in table], groups=groups
            )
            for table, groups in islice(plan.tables.items(), _MOST_TABLES)
        ],
        tables_total=len(plan.tables),
        unqualified=planned.unqualified,
    )
    if planned.estimate is not None:
        message.seconds = planned.estimate.seconds
        message.basis = planned.estimate.basis
    return message


def rerun_message(definition: Definition, rerun: Rerun) -> tournament_pb2.RerunMatchResponse:
    """Both plays of a match."""
    return tournament_pb2.RerunMatchResponse(
        identical=rerun.identical,
        difference=_difference(definition, rerun),
        entrants=[definition.entrants[index].name for index in rerun.stored.entrants],
        stored_scores=map(str, rerun.stored.match_scores),
        played_scores=map(str, rerun.played.match_scores),
        stored_faults=_faults(definition, rerun.stored),
        played_faults=_faults(definition, rerun.played),
    )


def _difference(definition: Definition, rerun: Rerun) -> tournament_pb2.RerunDifference | None:
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


def _faults(definition: Definition, outcome: MatchOutcome) -> list[tournament_pb2.MatchFault]:
    names = [definition.entrants[index].name for index in outcome.entrants]
    return [
        _fault(FaultEntry.of(names[fault.seat], outcome.group, outcome.seating, fault))
        for fault in outcome.faults
    ]


def report_message(report: Report, failure: str) -> tournament_pb2.WatchTournamentResponse:
    """How far a run has got, and what has begun."""
    progress = report.progress
    running = monotonic() - progress.started_at if progress.started_at else 0.0
    return tournament_pb2.WatchTournamentResponse(
        matches_played=progress.matches_played,
        matches_total=progress.matches_total,
        deals_played=progress.deals_played,
        decisions_taken=progress.decisions_taken,
        running_seconds=running,
        faults=progress.faults,
        withdrawn=progress.withdrawn,
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


def ranking_message(ranking: VariantRanking) -> ranking_pb2.Ranking:
    """A variant's ranking."""
    message = ranking_pb2.Ranking(variant=ranking.variant, tournaments=ranking.tournaments)
    for row in ranking.rows:
        message.rows.add(
            rank=row.rank,
            name=row.name,
            version=row.version,
            rating=row.rating,
            mu=row.mu,
            sigma=row.sigma,
            tournaments=row.tournaments,
            groups=row.groups,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            newest=row.newest,
        )
    return message


def explanation_message(explanation: Explanation) -> ranking_pb2.RatingPassage:
    """What a tournament did to a rating."""
    passage, inherited = explanation.passage, explanation.passage.inherited
    return ranking_pb2.RatingPassage(
        variant=explanation.variant,
        tournament=passage.tournament,
        name=explanation.name,
        version=passage.version,
        inherited=None
        if inherited is None
        else ranking_pb2.RatingInheritance(
            version=inherited.version, rating=_skill(inherited.rating)
        ),
        before=_skill(passage.before),
        after=_skill(passage.after),
        wins=passage.wins,
        draws=passage.draws,
        losses=passage.losses,
        groups=map(_move, explanation.moves),
    )


def _move(move: Move) -> ranking_pb2.RatingMove:
    return ranking_pb2.RatingMove(
        group=move.group,
        rank=move.rank + 1,
        before=_skill(move.before),
        after=_skill(move.after),
        opponents=[
            ranking_pb2.RatingOpponent(
                name=opponent.name,
                version=opponent.version,
                rank=opponent.rank + 1,
                before=_skill(opponent.before),
            )
            for opponent in move.opponents
        ],
    )


def _skill(rating: Rating) -> ranking_pb2.SkillRating:
    return ranking_pb2.SkillRating(rating=rating.conservative, mu=rating.mu, sigma=rating.sigma)


def _timestamp(seconds: float) -> Timestamp:
    micros = math.floor(seconds * 1e6)
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)
