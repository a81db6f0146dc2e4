"""The gRPC service of bots: thin, for the platform does the work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial

from mazzo.shuffle import parse_seed
from mazzo.v1 import bot_pb2, bot_pb2_grpc
from mazzo_server.errors import InvalidInputError, PermissionDeniedError, UnauthenticatedError
from mazzo_server.play.instances import UNUSED_SECONDS, read_bearer_token
from mazzo_server.serving.grpc.calls import (
    CALLER,
    UPLOAD_TAKEN,
    Context,
    find_acting_author,
    read_first,
)
from mazzo_server.serving.grpc.messages import cut_page, encode_bot, encode_bot_log, parse_page
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.storage import BotRow, VersionRow

__all__ = ["BotService"]

_MOST_LOGS = 8 * 1024 * 1024  # bytes on a page, where one log is not longer


class BotService(bot_pb2_grpc.BotServiceServicer):
    """Submits, registers, tries, retires and shows bots."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """A request that names no isolation gets `isolation`."""
        self._bots = platform.bots
        self._keys = platform.keys
        self._lobby = platform.lobby
        self._read = platform.read
        self._isolation = isolation

    async def SubmitBot(
        self, request_iterator: AsyncIterator[bot_pb2.SubmitBotRequest], context: Context
    ) -> bot_pb2.SubmitBotResponse:
        """Write the chunks to a file, and submit them as one archive.

        The initial metadata tell the caller that the rest may come, and how many bytes of it:
        clients of gRPC may lose a refusal that comes while they write.
        """
        author = find_acting_author()
        first = await read_first(request_iterator)
        isolation = self._check_isolation(first.options.isolation or self._isolation)

        async def read_chunks() -> AsyncIterator[bytes]:
            yield first.chunk
            async for request in request_iterator:
                if request.WhichOneof("part") == "options":
                    raise InvalidInputError(
                        "expected the options of an upload first, got them later"
                    )
                yield request.chunk

        with self._bots.uploads.open(author) as upload:
            room = ("mazzo-upload-bytes", str(upload.most_bytes))
            await context.send_initial_metadata((*UPLOAD_TAKEN, room))
            await upload.write(read_chunks())
            version = await self._bots.submit(
                upload.file,
                isolation=isolation,
                author=author,
                detached=first.options.detached,
                on_stored=upload.close,
            )
        row, versions = await self._bots.find(version.bot)
        return bot_pb2.SubmitBotResponse(
            bot=self._encode_for_caller(row, versions, tried=version.number)
        )

    def _check_isolation(self, isolation: str) -> str:
        """Return the isolation, which only the organiser may choose.

        Without isolation a bot could do all that the organiser can.
        """
        if isolation != self._isolation and not CALLER.get().is_organiser:
            raise PermissionDeniedError(
                f"isolation: this server uses {self._isolation}, and only its organiser may "
                f"choose another: leave --isolation {isolation} out"
            )
        return isolation

    async def ListBots(
        self, request: bot_pb2.ListBotsRequest, context: Context
    ) -> bot_pb2.ListBotsResponse:
        """List bots by name."""
        rows = await self._bots.list_all()
        shown = [
            self._encode_for_caller(row, versions, brief=True)
            for row, versions in rows
            if request.include_retired or not row.retired
        ]
        page, token = cut_page(shown, request.page_size, request.page_token)
        return bot_pb2.ListBotsResponse(bots=page, next_page_token=token)

    async def GetBot(
        self, request: bot_pb2.GetBotRequest, context: Context
    ) -> bot_pb2.GetBotResponse:
        """Show a bot with all its versions."""
        row, versions = await self._bots.find(request.name)
        return bot_pb2.GetBotResponse(bot=self._encode_for_caller(row, versions), own=_is_own(row))

    async def RetireBot(
        self, request: bot_pb2.RetireBotRequest, context: Context
    ) -> bot_pb2.RetireBotResponse:
        """Take a bot out of future tournaments."""
        await self._bots.retire(request.name, author=find_acting_author())
        row, versions = await self._bots.find(request.name)
        return bot_pb2.RetireBotResponse(bot=self._encode_for_caller(row, versions))

    async def DeleteBot(
        self, request: bot_pb2.DeleteBotRequest, context: Context
    ) -> bot_pb2.DeleteBotResponse:
        """Delete a bot that never took part."""
        versions = await self._bots.delete(request.name, author=find_acting_author())
        return bot_pb2.DeleteBotResponse(versions=versions)

    async def ListBotLogs(
        self, request: bot_pb2.ListBotLogsRequest, context: Context
    ) -> bot_pb2.ListBotLogsResponse:
        """List what went wrong with a bot, for its owner."""
        logs = await self._read(
            self._bots.read_logs,
            request.name,
            tournament=request.tournament,
            author=find_acting_author(),
        )
        page, token = cut_page(logs, request.page_size, request.page_token)
        answer = bot_pb2.ListBotLogsResponse(next_page_token=token)
        left = _MOST_LOGS
        for number, message in enumerate(map(encode_bot_log, page)):
            left -= message.ByteSize()
            if left < 0 and number:
                start, _ = parse_page(0, request.page_token)
                answer.next_page_token = str(start + number)
                break
            answer.logs.append(message)
        return answer

    async def PlayTrial(
        self, request: bot_pb2.PlayTrialRequest, context: Context
    ) -> bot_pb2.PlayTrialResponse:
        """Play the trial of a stored version again."""
        if request.seed and not CALLER.get().is_organiser:
            raise PermissionDeniedError(
                "seed: only the organiser may choose the deals of a trial: leave --seed out"
            )
        await self._bots.play_trial(
            request.name,
            request.version or None,
            isolation=self._check_isolation(request.options.isolation or self._isolation),
            author=find_acting_author(),
            seed=parse_seed(request.seed) if request.seed else None,
            detached=request.options.detached,
        )
        row, versions = await self._bots.find(request.name)
        return bot_pb2.PlayTrialResponse(
            bot=self._encode_for_caller(row, versions, tried=request.version)
        )

    async def ActivateVersion(
        self, request: bot_pb2.ActivateVersionRequest, context: Context
    ) -> bot_pb2.ActivateVersionResponse:
        """Choose the version that enters; none: the newest one that is qualified."""
        await self._bots.activate(
            request.name, request.version or None, author=find_acting_author()
        )
        row, versions = await self._bots.find(request.name)
        return bot_pb2.ActivateVersionResponse(bot=self._encode_for_caller(row, versions))

    async def RegisterBot(
        self, request: bot_pb2.RegisterBotRequest, context: Context
    ) -> bot_pb2.RegisterBotResponse:
        """Register a remote bot, or a new version or key of one."""
        if not request.new_key:
            _, key = await self._bots.register(
                request.name,
                games=request.games,
                capacity=request.capacity,
                writer=request.author,
                author=find_acting_author(),
            )
        elif request.games or request.capacity or request.author:
            raise InvalidInputError(
                "expected a new key or a new version, got both: register it twice"
            )
        else:
            key = await self._bots.renew_key(request.name, author=find_acting_author())
        row, versions = await self._bots.find(request.name)
        return bot_pb2.RegisterBotResponse(bot=self._encode_for_caller(row, versions), key=key)

    async def CreateSession(
        self, request: bot_pb2.CreateSessionRequest, context: Context
    ) -> bot_pb2.CreateSessionResponse:
        """Open a session for the remote bot whose key the call carries."""
        key = read_bearer_token(context.invocation_metadata())
        if not key:
            raise UnauthenticatedError(
                "expected the metadata 'authorization: Bearer KEY' with the key of a remote bot, "
                "got no key: `mazzo bots register` makes one, and the SDK reads it from MAZZO_KEY"
            )
        token, bot = await self._keys.open_session(key, previous=request.previous)
        return bot_pb2.CreateSessionResponse(
            session_token=token, bot=bot, valid_seconds=UNUSED_SECONDS
        )

    def _encode_for_caller(
        self,
        row: BotRow,
        versions: Sequence[VersionRow],
        *,
        brief: bool = False,
        tried: int = 0,
    ) -> bot_pb2.Bot:
        """Encode a bot as the caller may see it."""
        return encode_bot(
            row,
            versions,
            private=_is_own(row),
            connected=self._lobby.is_connected(row.name),
            find_progress=partial(self._bots.trials.find_progress, row.name),
            brief=brief,
            tried=tried,
        )


def _is_own(row: BotRow) -> bool:
    """Tell whether the caller may act on a bot."""
    author = CALLER.get().author
    return author is not None and author in ("", row.owner)
