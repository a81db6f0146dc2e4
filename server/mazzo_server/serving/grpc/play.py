"""`PlayService` for remote bots, beside the services for people."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable

import grpc

from mazzo_server.logs import LogAction
from mazzo_server.play.instances import (
    PLAY_METHOD,
    BotStream,
    Lobby,
    PlayContext,
    Session,
    check_end,
    expect_joining,
    make_service_handler,
    read_bearer_token,
)
from mazzo_server.serving.grpc.calls import CALL, Call, Context

__all__ = ["make_play_handler"]

_LOG = logging.getLogger(__name__)

_JOIN_SECONDS = 10.0  # that a bot which has dialled in may take to join


def make_play_handler(
    lobby: Lobby,
    *,
    let_in: Callable[[Context, str], None] = lambda _context, _key: None,
    join_seconds: float = _JOIN_SECONDS,
) -> grpc.GenericRpcHandler:
    """Return the service, whose streams wait in the lobby; callers show session tokens.

    `let_in` is called with the key behind a session token that turns out to be valid.
    """

    async def play(requests: AsyncIterator[bytes], context: PlayContext) -> None:
        stream = BotStream(lambda _: lobby.mark_joined(session))
        session = lobby.redeem(read_bearer_token(context.invocation_metadata()) or "")
        CALL.set(Call(method=PLAY_METHOD, token=session.key))
        let_in(context, session.key)
        lobby.enter(session, stream)
        try:
            with expect_joining(stream, join_seconds):
                _log_dialled_in(session)
                await context.send_initial_metadata(())  # it is let in
                await stream.serve(requests, context.write)
        finally:
            lobby.leave(session)
            _log_end(session, stream)
        check_end(stream.ended)

    return make_service_handler(play)


def _log_dialled_in(session: Session) -> None:
    bot, action = session.bot, LogAction.SESSION_BACK if session.back else LogAction.SESSION_BEGUN
    _LOG.log(
        logging.INFO if session.back else logging.DEBUG,
        "%s is back" if session.back else "%s has dialled in",
        bot,
        extra={"action": action, "bot": bot},
    )


def _log_end(session: Session, stream: BotStream) -> None:
    if not stream.is_over or stream.ended.exception() is not None:
        return
    ending = stream.ended.result()
    if ending is not None and ending.vanished:
        _LOG.info(
            "%s has lost its connection",
            session.bot,
            extra={"action": LogAction.SESSION_LOST, "bot": session.bot},
        )
