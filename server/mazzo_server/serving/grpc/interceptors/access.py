"""Who may call what: one table, and the gate that holds every call against it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from enum import StrEnum
from typing import Final

import grpc

from mazzo.errors import MazzoError
from mazzo_server.auth import Tokens
from mazzo_server.errors import PermissionDeniedError, UnauthenticatedError
from mazzo_server.model import ORGANISER, PUBLIC, Caller, Role, Token
from mazzo_server.play.instances import read_bearer_token
from mazzo_server.serving.grpc.calls import CALL, CALLER, Call, Context, Handler, replace_behavior

__all__ = ["ACCESS", "Gate", "Level"]


class Level(StrEnum):
    """Who may call a method. An organiser may call every one."""

    OPEN = "open"  # everybody; a method that checks its callers itself, or tells nothing
    READ = "read"  # authors; everybody who shows no token, too, where the server is public
    PLAY = "play"  # authors; everybody who shows no token, too, where the public may play
    AUTHOR = "author"  # authors, about their own bots
    ORGANISER = "organiser"  # nobody else


# Every method that any server of ours offers. What is not here is refused.
ACCESS: Final[dict[str, Level]] = {
    "/grpc.health.v1.Health/Check": Level.OPEN,
    "/grpc.health.v1.Health/Watch": Level.OPEN,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": Level.OPEN,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Level.OPEN,
    "/mazzo.v1.AuthService/CreateToken": Level.ORGANISER,
    "/mazzo.v1.AuthService/GetCaller": Level.READ,
    "/mazzo.v1.AuthService/ListTokens": Level.ORGANISER,
    "/mazzo.v1.AuthService/RevokeToken": Level.ORGANISER,
    "/mazzo.v1.BotService/ActivateVersion": Level.AUTHOR,
    "/mazzo.v1.BotService/CreateSession": Level.OPEN,  # it takes keys of bots, and checks them
    "/mazzo.v1.BotService/DeleteBot": Level.AUTHOR,
    "/mazzo.v1.BotService/GetBot": Level.READ,
    "/mazzo.v1.BotService/ListBotLogs": Level.AUTHOR,
    "/mazzo.v1.BotService/ListBots": Level.READ,
    "/mazzo.v1.BotService/PlayTrial": Level.AUTHOR,
    "/mazzo.v1.BotService/RegisterBot": Level.AUTHOR,
    "/mazzo.v1.BotService/RetireBot": Level.AUTHOR,
    "/mazzo.v1.BotService/SubmitBot": Level.AUTHOR,
    "/mazzo.v1.ChallengeService/CancelChallenge": Level.AUTHOR,
    "/mazzo.v1.ChallengeService/CreateChallenge": Level.AUTHOR,
    "/mazzo.v1.ChallengeService/ListChallenges": Level.READ,
    "/mazzo.v1.EntryService/CallOffOpenTournament": Level.ORGANISER,
    "/mazzo.v1.EntryService/CreateOpenTournament": Level.ORGANISER,
    "/mazzo.v1.EntryService/EnterBot": Level.AUTHOR,
    "/mazzo.v1.EntryService/GetOpenTournament": Level.READ,
    "/mazzo.v1.EntryService/LeaveBot": Level.AUTHOR,
    "/mazzo.v1.EntryService/ListOpenTournaments": Level.READ,
    "/mazzo.v1.HookService/AddHook": Level.ORGANISER,
    "/mazzo.v1.HookService/GetHook": Level.ORGANISER,
    "/mazzo.v1.HookService/ListHooks": Level.ORGANISER,
    "/mazzo.v1.HookService/RemoveHook": Level.ORGANISER,
    "/mazzo.v1.HookService/TestHook": Level.ORGANISER,
    "/mazzo.v1.LadderService/CreateLadder": Level.ORGANISER,
    "/mazzo.v1.LadderService/EndSeason": Level.ORGANISER,
    "/mazzo.v1.LadderService/GetLadder": Level.READ,
    "/mazzo.v1.LadderService/JoinLadder": Level.AUTHOR,
    "/mazzo.v1.LadderService/LeaveLadder": Level.AUTHOR,
    "/mazzo.v1.LadderService/ListLadders": Level.READ,
    "/mazzo.v1.LadderService/PauseLadder": Level.ORGANISER,
    "/mazzo.v1.LadderService/ResumeLadder": Level.ORGANISER,
    "/mazzo.v1.OperationService/GetStatus": Level.ORGANISER,
    "/mazzo.v1.PlayService/Play": Level.OPEN,  # it takes session tokens, and checks them
    "/mazzo.v1.RankingService/ExplainRanking": Level.READ,
    "/mazzo.v1.RankingService/ListMeetings": Level.READ,
    "/mazzo.v1.RankingService/ListRankings": Level.READ,
    "/mazzo.v1.RankingService/ListRatings": Level.READ,
    "/mazzo.v1.ReplayService/FindMatches": Level.READ,
    "/mazzo.v1.ReplayService/GetMatch": Level.READ,
    "/mazzo.v1.ReplayService/ListMatches": Level.READ,
    "/mazzo.v1.StandingsService/GetAudit": Level.ORGANISER,
    "/mazzo.v1.StandingsService/GetCourse": Level.READ,
    "/mazzo.v1.StandingsService/GetHeadToHead": Level.READ,
    "/mazzo.v1.TableService/CreateTable": Level.PLAY,
    # These take keys of seats, or invitations, and check them.
    "/mazzo.v1.TableService/GetTable": Level.OPEN,
    "/mazzo.v1.TableService/JoinTable": Level.OPEN,
    "/mazzo.v1.TableService/LeaveTable": Level.OPEN,
    "/mazzo.v1.TableService/ListTables": Level.READ,
    "/mazzo.v1.TableService/OpenSeat": Level.OPEN,
    "/mazzo.v1.TournamentService/AddEntrant": Level.ORGANISER,
    "/mazzo.v1.TournamentService/CancelTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/CreateTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/DeleteTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/ExportTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/GetTournament": Level.READ,
    "/mazzo.v1.TournamentService/ImportTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/ListTournaments": Level.READ,
    "/mazzo.v1.TournamentService/PlanTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/PruneTournaments": Level.ORGANISER,
    "/mazzo.v1.TournamentService/RerunMatch": Level.ORGANISER,
    "/mazzo.v1.TournamentService/RetireEntrant": Level.ORGANISER,
    "/mazzo.v1.TournamentService/StartTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/StopTournament": Level.ORGANISER,
    "/mazzo.v1.TournamentService/WatchTournament": Level.READ,
}

# The key of a bot opens sessions for it, which `CreateSession` checks, and nothing else: it lies on
# the machine that plays, perhaps for months, and its loss should give nothing away.
_ROLES: Final[dict[Level, frozenset[Role]]] = {
    Level.OPEN: frozenset(Role),
    Level.READ: frozenset({Role.AUTHOR, Role.ORGANISER}),
    Level.PLAY: frozenset({Role.AUTHOR, Role.ORGANISER}),
    Level.AUTHOR: frozenset({Role.AUTHOR, Role.ORGANISER}),
    Level.ORGANISER: frozenset({Role.ORGANISER}),
}


class Gate(grpc.aio.ServerInterceptor):
    """Lets a call through to its handler, with `CALLER` set, or refuses it."""

    def __init__(
        self, tokens: Tokens, *, trusted: bool = False, public: Collection[Level] = ()
    ) -> None:
        """Everybody who reaches a `trusted` server is the organiser, without a token.

        Without a token everybody may call the methods of the `public` levels.
        """
        self._tokens = tokens
        self._trusted = trusted
        self._public = public

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Return the method's own handler, or one that refuses; None for an unknown method."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        CALL.set(_call_of(handler_call_details))
        try:
            # gRPC runs the handler in the context of its interceptors.
            CALLER.set(await self._admit(handler_call_details))
        except MazzoError as error:
            return _refuse_calls(handler, error)
        return handler

    async def _admit(self, details: grpc.HandlerCallDetails) -> Caller:
        level = ACCESS.get(details.method)
        if level is None:
            raise PermissionDeniedError(f"{details.method} is not open to anybody")
        if self._trusted:
            return ORGANISER
        if level is Level.OPEN:
            return PUBLIC
        text = read_bearer_token(details.invocation_metadata)
        if text is None:
            if level in self._public:
                return PUBLIC
            raise UnauthenticatedError(
                "expected an access token in the metadata 'authorization: Bearer TOKEN', got "
                "none: ask the organiser of this server, who makes one with `mazzo auth create`; "
                "`mazzo` reads it from MAZZO_ACCESS_TOKEN or the file of --token-file"
            )
        caller = await self._tokens.find_caller(text)
        if caller.role not in _ROLES[level]:
            others = sorted(_ROLES[level] - {Role.ORGANISER})
            allowed = " or ".join(["an organiser", *(f"an {other}" for other in others)])
            if caller.role is Role.BOT:
                advice = "the key of a remote bot can do nothing but play, with MAZZO_KEY"
            else:
                advice = "ask the organiser of this server"
            raise PermissionDeniedError(
                f"expected the token of {allowed}, got one of the role {caller.role}: {advice}"
            )
        return caller


def _call_of(details: grpc.HandlerCallDetails) -> Call:
    token = None
    with suppress(UnauthenticatedError):
        token = Token.parse(read_bearer_token(details.invocation_metadata) or "")
    return Call(method=details.method, token=token.id if token is not None else None)


def _refuse_calls(handler: Handler, error: MazzoError) -> Handler:
    """Return a handler of the same kind whose calls all raise the error, whatever they say."""

    errors = [error]

    async def refuse_call(request: object, context: Context) -> None:
        raise errors.pop()  # what it raises it must not keep: see `wrap_handler`

    return replace_behavior(handler, refuse_call)
