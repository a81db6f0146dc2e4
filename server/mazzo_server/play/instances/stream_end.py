"""How a stream of a bot ended, for the game master, and what its status tells the bot."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from mazzo_server.errors import (
    MalformedMessageError,
    OutOfTurnError,
    OverLimitError,
    PlatformError,
    StreamEndedError,
    TooLateError,
)
from mazzo_server.model import Owner, Termination

__all__ = ["StreamEnd", "check_end", "refuse_message"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEnd:
    """The way in which a stream ended too early."""

    termination: Termination
    reason: str
    owner: Owner = Owner.BOT
    vanished: bool = False  # without a word: the end of the bot's process may tell why
    refusal: PlatformError | None = field(
        default=None, compare=False
    )  # the error that the bot gets


def check_end(ended: asyncio.Future[StreamEnd | None]) -> None:
    """Raise what the status of a stream tells the bot; nothing if nothing went wrong.

    It is a new error each time: one that the stream keeps would in its turn keep the call, and
    gRPC counts living calls against the limit of a connection.
    """
    refusal = _find_refusal(ended)
    if refusal is not None:
        kind, text = type(refusal), str(refusal)
        del refusal
        raise kind(text)


def _find_refusal(ended: asyncio.Future[StreamEnd | None]) -> PlatformError | None:
    if ended.exception() is not None:
        return PlatformError("the server failed in this stream")
    ending = ended.result()
    if ending is None:
        return None
    if ending.refusal is not None:
        return ending.refusal
    if ending.owner is Owner.PLATFORM:
        return PlatformError("the server failed to keep this instance running")
    given_up = f"the game master gives up this instance, which {ending.reason}"
    if ending.vanished:
        return StreamEndedError(
            "expected the stream to stay open until `goodbye`, got its end: close it after "
            "`goodbye`, or send `leave` first"
        )
    if ending.termination is Termination.OUT_OF_TIME:
        return TooLateError(f"{given_up}: answer each decision within its clock")
    if ending.termination is Termination.MALFORMED_ANSWER:
        return OverLimitError(
            f"{given_up}: answer each decision of a frame once, by its `match` and `number`"
        )
    return None


def refuse_message(kind: str | None, *, is_joined: bool) -> PlatformError:
    """Return what to tell a bot whose message of this kind may not come now; None: it is empty."""
    if kind is None:
        return MalformedMessageError(
            "expected a PlayRequest with `join`, `answer`, `leave` or `pong`, got an empty one: "
            "set one of them"
        )
    if not is_joined:
        return OutOfTurnError(
            f"expected `join` as the first message of the stream, got `{kind}`: send `join`, then "
            "wait for `welcome` and answer the frames that follow"
        )
    if kind == "join":
        return OutOfTurnError(
            "expected one `join` in a stream, got a second: the first one holds until `goodbye`; "
            "to play in two places at once, open another session"
        )
    return OutOfTurnError(
        f"expected nothing but `pong` and `leave` before `welcome`, got `{kind}`: wait for a "
        "frame with decisions, and answer those"
    )
