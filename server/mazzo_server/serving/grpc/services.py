"""The platform's gRPC services for people: thin, for `Platform` does the work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from mazzo.errors import MazzoError
from mazzo.shuffle import parse_seed
from mazzo.v1 import (
    auth_pb2,
    auth_pb2_grpc,
    bot_pb2,
    bot_pb2_grpc,
    ranking_pb2,
    ranking_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import InvalidInputError, PermissionDeniedError
from mazzo_server.model.roles import Role
from mazzo_server.play.instances.bearer import bearer
from mazzo_server.play.instances.lobby import UNUSED_SECONDS
from mazzo_server.results.ranking.history import Explanation
from mazzo_server.serving.grpc.answers import (
    CALLER,
    Context,
    answered,
    page_bounds,
    page_of,
    refuse,
    told,
)
from mazzo_server.serving.grpc.messages import (
    bot_log_message,
    bot_message,
    explanation_message,
    plan_message,
    ranking_message,
    report_message,
    rerun_message,
    token_message,
    tournament_message,
)
from mazzo_server.serving.platform import Platform
from mazzo_server.storage import BotRow, VersionRow
from mazzo_server.tournaments.define import TournamentWish

__all__ = ["AuthService", "BotService", "RankingService", "TournamentService"]

_TOKEN_ROLES = {
    auth_pb2.TOKEN_ROLE_ORGANISER: Role.ORGANISER,
    auth_pb2.TOKEN_ROLE_AUTHOR: Role.AUTHOR,
    auth_pb2.TOKEN_ROLE_BOT: Role.BOT,
}
_MOST_UPLOAD = 33 * 1024 * 1024  # bytes; the store of bundles has the exact limit
_MOST_LOGS = 8 * 1024 * 1024  # bytes on a page, where one log is not longer
_MOVES = 2000  # on a page of one tournament
_TELLING_MOVES, _MOST_TELLING_MOVES = 3, 100  # of each tournament, where all are told of


class AuthService(auth_pb2_grpc.AuthServiceServicer):
    """Giving access and taking it back."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._tokens = platform.tokens

    async def CreateToken(
        self, request: auth_pb2.CreateTokenRequest, context: Context
    ) -> auth_pb2.CreateTokenResponse:
        """The only time that its text is told."""

        async def work() -> auth_pb2.CreateTokenResponse:
            role = _TOKEN_ROLES.get(request.role)
            if role is None:
                raise InvalidInputError(
                    f"role: expected {', '.join(Role)}, got number {request.role}"
                )
            token, row = await self._tokens.create(role, request.subject, label=request.label)
            return auth_pb2.CreateTokenResponse(text=token.text, token=token_message(row))

        return await answered(context, work)

    async def ListTokens(
        self, request: auth_pb2.ListTokensRequest, context: Context
    ) -> auth_pb2.ListTokensResponse:
        """The oldest first."""

        async def work() -> auth_pb2.ListTokensResponse:
            shown = [token_message(row) for row in await self._tokens.rows()]
            page, token = page_of(shown, request.page_size, request.page_token)
            return auth_pb2.ListTokensResponse(tokens=page, next_page_token=token)

        return await answered(context, work)

    async def RevokeToken(
        self, request: auth_pb2.RevokeTokenRequest, context: Context
    ) -> auth_pb2.RevokeTokenResponse:
        """For good."""

        async def work() -> auth_pb2.RevokeTokenResponse:
            row = await self._platform.revoke(request.id)
            return auth_pb2.RevokeTokenResponse(token=token_message(row))

        return await answered(context, work)


def _author() -> str:
    """Whose bots the caller of a method for authors may act on; "" for everybody's."""
    author = CALLER.get().author
    if author is None:
        raise PermissionDeniedError("expected the token of an author or an organiser")
    return author


class BotService(bot_pb2_grpc.BotServiceServicer):
    """Submitting bots."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._platform = platform
        self._isolation = isolation

    async def SubmitBot(
        self, request_iterator: AsyncIterator[bot_pb2.SubmitBotRequest], context: Context
    ) -> bot_pb2.SubmitBotResponse:
        """Gather the chunks, then hand them over whole."""

        async def work() -> bot_pb2.SubmitBotResponse:
            archive = bytearray()
            isolation = self._isolation
            async for request in request_iterator:
                if request.WhichOneof("part") == "options":
                    isolation = self._allowed(request.options.isolation or isolation)
                archive += request.chunk
                if len(archive) > _MOST_UPLOAD:
                    raise InvalidInputError(
                        f"expected an archive of at most {_MOST_UPLOAD} bytes, got more"
                    )
            version = await self._platform.submit(
                bytes(archive), isolation=isolation, author=_author()
            )
            row, versions = await self._platform.bot(version.bot)
            return bot_pb2.SubmitBotResponse(bot=self._shown(row, versions, tried=version.number))

        return await answered(context, work)

    def _allowed(self, isolation: str) -> str:
        """Only the organiser may choose: without isolation a bot could do all that he can."""
        if isolation != self._isolation and not CALLER.get().is_organiser:
            raise PermissionDeniedError(
                f"isolation: this server uses {self._isolation}, and only its organiser may "
                f"choose another: leave --isolation {isolation} out"
            )
        return isolation

    async def ListBots(
        self, request: bot_pb2.ListBotsRequest, context: Context
    ) -> bot_pb2.ListBotsResponse:
        """By name."""

        async def work() -> bot_pb2.ListBotsResponse:
            rows = await self._platform.bots()
            shown = [
                self._shown(row, versions, brief=True)
                for row, versions in rows
                if request.include_retired or not row.retired
            ]
            page, token = page_of(shown, request.page_size, request.page_token)
            return bot_pb2.ListBotsResponse(bots=page, next_page_token=token)

        return await answered(context, work)

    async def GetBot(
        self, request: bot_pb2.GetBotRequest, context: Context
    ) -> bot_pb2.GetBotResponse:
        """With all its versions."""

        async def work() -> bot_pb2.GetBotResponse:
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.GetBotResponse(bot=self._shown(row, versions))

        return await answered(context, work)

    async def RetireBot(
        self, request: bot_pb2.RetireBotRequest, context: Context
    ) -> bot_pb2.RetireBotResponse:
        """Out of future tournaments."""

        async def work() -> bot_pb2.RetireBotResponse:
            await self._platform.retire(request.name, author=_author())
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.RetireBotResponse(bot=self._shown(row, versions))

        return await answered(context, work)

    async def ListBotLogs(
        self, request: bot_pb2.ListBotLogsRequest, context: Context
    ) -> bot_pb2.ListBotLogsResponse:
        """For whom the bot belongs to."""

        async def work() -> bot_pb2.ListBotLogsResponse:
            logs = await self._platform.bot_logs(
                request.name, tournament=request.tournament, author=_author()
            )
            page, token = page_of(logs, request.page_size, request.page_token)
            answer = bot_pb2.ListBotLogsResponse(next_page_token=token)
            left = _MOST_LOGS
            for number, message in enumerate(map(bot_log_message, page)):
                left -= message.ByteSize()
                if left < 0 and number:
                    start, _ = page_bounds(0, request.page_token)
                    answer.next_page_token = str(start + number)
                    break
                answer.logs.append(message)
            return answer

        return await answered(context, work)

    async def PlayTrial(
        self, request: bot_pb2.PlayTrialRequest, context: Context
    ) -> bot_pb2.PlayTrialResponse:
        """Of a version that is there."""

        async def work() -> bot_pb2.PlayTrialResponse:
            if request.seed and not CALLER.get().is_organiser:
                raise PermissionDeniedError(
                    "seed: only the organiser may choose the deals of a trial: leave --seed out"
                )
            await self._platform.play_trial(
                request.name,
                request.version or None,
                isolation=self._allowed(request.options.isolation or self._isolation),
                author=_author(),
                seed=parse_seed(request.seed) if request.seed else None,
            )
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.PlayTrialResponse(bot=self._shown(row, versions, tried=request.version))

        return await answered(context, work)

    async def ActivateVersion(
        self, request: bot_pb2.ActivateVersionRequest, context: Context
    ) -> bot_pb2.ActivateVersionResponse:
        """Or none, so that the newest one enters that is qualified."""

        async def work() -> bot_pb2.ActivateVersionResponse:
            await self._platform.activate(request.name, request.version or None, author=_author())
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.ActivateVersionResponse(bot=self._shown(row, versions))

        return await answered(context, work)

    async def RegisterBot(
        self, request: bot_pb2.RegisterBotRequest, context: Context
    ) -> bot_pb2.RegisterBotResponse:
        """A remote bot, or a new version or key of one."""

        async def work() -> bot_pb2.RegisterBotResponse:
            if not request.new_key:
                _, key = await self._platform.register(
                    request.name,
                    games=request.games,
                    capacity=request.capacity,
                    writer=request.author,
                    author=_author(),
                )
            elif request.games or request.capacity or request.author:
                raise InvalidInputError(
                    "expected a new key or a new version, got both: register it twice"
                )
            else:
                key = await self._platform.new_key(request.name, author=_author())
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.RegisterBotResponse(bot=self._shown(row, versions), key=key)

        return await answered(context, work)

    async def CreateSession(
        self, request: bot_pb2.CreateSessionRequest, context: Context
    ) -> bot_pb2.CreateSessionResponse:
        """For the remote bot whose key the call carries."""

        async def work() -> bot_pb2.CreateSessionResponse:
            key = bearer(context.invocation_metadata()) or ""
            token, bot = await self._platform.session(key, previous=request.previous)
            return bot_pb2.CreateSessionResponse(
                session_token=token, bot=bot, valid_seconds=UNUSED_SECONDS
            )

        return await answered(context, work)

    def _shown(
        self,
        row: BotRow,
        versions: Sequence[VersionRow],
        *,
        brief: bool = False,
        tried: int = 0,
    ) -> bot_pb2.Bot:
        """A bot as the caller may see it."""
        author = CALLER.get().author
        return bot_message(
            row,
            versions,
            private=author is not None and author in ("", row.owner),
            connected=self._platform.lobby.connected(row.name),
            brief=brief,
            tried=tried,
        )


def _wish(request: tournament_pb2.CreateTournamentRequest) -> TournamentWish:
    """What an organiser asks for."""
    return TournamentWish(
        variant=request.variant,
        bots=tuple(request.bots),
        deals=request.deals if request.HasField("deals") else None,
        groups=request.groups if request.HasField("groups") else None,
        until_separated=(request.until_separated if request.HasField("until_separated") else None),
        max_deals=request.max_deals if request.HasField("max_deals") else None,
        match_format=request.match_format,
        mirror=request.mirror,
        cpu=request.cpu,
        time_control=request.time_control,
        limit=request.limit_seconds,
        start_up=request.start_up_seconds,
        grace=request.grace_seconds,
        allow_remote_mirror=request.allow_remote_mirror,
        name=request.name,
        pairing=request.pairing,
        tables=request.tables if request.HasField("tables") else None,
        hero=request.hero,
        rounds=request.rounds if request.HasField("rounds") else None,
        seed=request.seed,
    )


class TournamentService(tournament_pb2_grpc.TournamentServiceServicer):
    """Running tournaments."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._organiser = platform.organiser
        self._isolation = isolation

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: Context
    ) -> tournament_pb2.CreateTournamentResponse:
        """Store the definition."""

        async def work() -> tournament_pb2.CreateTournamentResponse:
            wish = _wish(request)
            row = await self._organiser.create(
                wish,
                isolation=request.isolation or self._isolation,
                concurrency=request.concurrency,
            )
            standing = await self._organiser.tournament(row.id)
            return tournament_pb2.CreateTournamentResponse(
                tournament=tournament_message(standing),
                unqualified=await self._organiser.unqualified(wish),
            )

        return await answered(context, work)

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: Context
    ) -> tournament_pb2.StartTournamentResponse:
        """Play it in the background."""

        async def work() -> tournament_pb2.StartTournamentResponse:
            await self._organiser.start(request.id, concurrency=request.concurrency)
            return tournament_pb2.StartTournamentResponse()

        return await answered(context, work)

    async def PlanTournament(
        self, request: tournament_pb2.PlanTournamentRequest, context: Context
    ) -> tournament_pb2.PlanTournamentResponse:
        """Nothing is stored."""

        async def work() -> tournament_pb2.PlanTournamentResponse:
            planned = await self._organiser.plan(
                _wish(request.tournament),
                isolation=request.tournament.isolation or self._isolation,
                concurrency=request.tournament.concurrency,
            )
            return plan_message(planned)

        return await answered(context, work)

    async def StopTournament(
        self, request: tournament_pb2.StopTournamentRequest, context: Context
    ) -> tournament_pb2.StopTournamentResponse:
        """Stop after the current matches."""

        async def work() -> tournament_pb2.StopTournamentResponse:
            await self._organiser.pause(request.id)
            return tournament_pb2.StopTournamentResponse()

        return await answered(context, work)

    async def CancelTournament(
        self, request: tournament_pb2.CancelTournamentRequest, context: Context
    ) -> tournament_pb2.CancelTournamentResponse:
        """Stop for good."""

        async def work() -> tournament_pb2.CancelTournamentResponse:
            await self._organiser.cancel(request.id)
            return tournament_pb2.CancelTournamentResponse()

        return await answered(context, work)

    async def AddEntrant(
        self, request: tournament_pb2.AddEntrantRequest, context: Context
    ) -> tournament_pb2.AddEntrantResponse:
        """From the next round on."""

        async def work() -> tournament_pb2.AddEntrantResponse:
            entrant, first = await self._organiser.add_entrant(request.id, request.bot)
            return tournament_pb2.AddEntrantResponse(version=entrant.version, first_group=first)

        return await answered(context, work)

    async def RetireEntrant(
        self, request: tournament_pb2.RetireEntrantRequest, context: Context
    ) -> tournament_pb2.RetireEntrantResponse:
        """From the next round on."""

        async def work() -> tournament_pb2.RetireEntrantResponse:
            first = await self._organiser.retire_entrant(request.id, request.bot)
            return tournament_pb2.RetireEntrantResponse(first_group=first)

        return await answered(context, work)

    async def RerunMatch(
        self, request: tournament_pb2.RerunMatchRequest, context: Context
    ) -> tournament_pb2.RerunMatchResponse:
        """Nothing is stored."""

        async def work() -> tournament_pb2.RerunMatchResponse:
            definition, rerun = await self._organiser.rerun(
                request.id, request.group, request.seating
            )
            return rerun_message(definition, rerun)

        return await answered(context, work)

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Context
    ) -> tournament_pb2.GetTournamentResponse:
        """With standings."""

        async def work() -> tournament_pb2.GetTournamentResponse:
            standing = await self._organiser.tournament(request.id)
            return tournament_pb2.GetTournamentResponse(tournament=tournament_message(standing))

        return await answered(context, work)

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: Context
    ) -> tournament_pb2.ListTournamentsResponse:
        """The newest first."""

        async def work() -> tournament_pb2.ListTournamentsResponse:
            shown = [tournament_message(item) for item in await self._organiser.tournaments()]
            page, token = page_of(shown, request.page_size, request.page_token)
            return tournament_pb2.ListTournamentsResponse(tournaments=page, next_page_token=token)

        return await answered(context, work)

    async def PruneTournaments(
        self, request: tournament_pb2.PruneTournamentsRequest, context: Context
    ) -> tournament_pb2.PruneTournamentsResponse:
        """For good."""

        async def work() -> tournament_pb2.PruneTournamentsResponse:
            found = await self._organiser.prune(
                request.ids,
                older_than=request.older_than_days if request.HasField("older_than_days") else None,
                dry_run=request.dry_run,
                compact=request.compact,
            )
            return tournament_pb2.PruneTournamentsResponse(
                tournaments=[
                    tournament_pb2.PrunedTournament(
                        id=pruned.row.id,
                        name=pruned.row.definition.name,
                        matches=pruned.row.matches_played,
                        bytes=pruned.bytes,
                    )
                    for pruned in found
                ]
            )

        return await answered(context, work)

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Progress, and what begins, until it ends."""
        try:
            reports = self._organiser.watch(request.id, sequence=request.sequence, run=request.run)
            async for report in reports:
                yield report_message(report, told(report.failure) if report.failure else "")
        except MazzoError as error:
            await refuse(context, error)


class RankingService(ranking_pb2_grpc.RankingServiceServicer):
    """Viewing rankings."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def ListRankings(
        self, request: ranking_pb2.ListRankingsRequest, context: Context
    ) -> ranking_pb2.ListRankingsResponse:
        """By variant."""

        async def work() -> ranking_pb2.ListRankingsResponse:
            rankings = await self._platform.rankings(request.variant)
            return ranking_pb2.ListRankingsResponse(
                rankings=[ranking_message(ranking) for ranking in rankings]
            )

        return await answered(context, work)

    async def ExplainRanking(
        self, request: ranking_pb2.ExplainRankingRequest, context: Context
    ) -> ranking_pb2.ExplainRankingResponse:
        """Of one tournament a page of groups, or else a page of tournaments."""

        async def work() -> ranking_pb2.ExplainRankingResponse:
            explanations: Sequence[Explanation]
            if request.tournament:
                # Each page folds the tournament anew, so there are few.
                start, size = page_bounds(request.page_size, request.page_token, most=_MOVES)
                one, end = await self._platform.explain_tournament(
                    request.bot,
                    request.tournament,
                    variant=request.variant,
                    start=start,
                    size=size,
                )
                explanations = [one]
            else:
                start, size = page_bounds(request.page_size, request.page_token)
                explanations, end = await self._platform.explain_ranking(
                    request.bot,
                    variant=request.variant,
                    groups=min(request.groups or _TELLING_MOVES, _MOST_TELLING_MOVES),
                    start=start,
                    size=size,
                )
            return ranking_pb2.ExplainRankingResponse(
                passages=map(explanation_message, explanations),
                next_page_token="" if end is None else str(end),
            )

        return await answered(context, work)
