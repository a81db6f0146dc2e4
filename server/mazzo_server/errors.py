"""The errors of the platform.

Split by who must act::

    PlatformError(MazzoError)
    ├── InvalidInputError      the caller: what was given cannot be used as it is
    │   ├── BundleError        the bot's author: the folder, archive or bot.toml
    │   └── MalformedMessageError  the bot's program: a message that cannot be read
    ├── NotFoundError          the caller: no such bot, version or tournament
    ├── UnknownMethodError     the caller's program: this server has no such method
    ├── UnauthenticatedError   the caller: no token, or one that is not valid
    ├── PermissionDeniedError  the caller: another's bot, or not for this role
    ├── ConflictError          the caller: not in this state (running elsewhere, already over)
    │   ├── OutOfTurnError     the bot's program: not now, such as an answer before a join
    │   └── StreamEndedError   the bot's program: its stream ended before it said so
    ├── OverLimitError         the bot's program: more than anybody may send
    ├── TooLateError           the caller's program: it took longer than it may
    ├── FellBehindError        the caller: it reads a stream too slowly
    ├── LimitReachedError      the caller: too much at once, or too soon after the last; wait
    ├── StoreError             the organiser: the store cannot be read or written
    │   └── FullDiskError      the organiser: there is no room for what was sent
    ├── IsolationError         the organiser: this machine cannot isolate as asked
    └── ServerUnavailableError the caller: nobody listens at the server's address, or it is stopping

Each has a stable `reason` in UPPER_SNAKE for machines, and a text fit for a person.
"""

from __future__ import annotations

from typing import ClassVar

from mazzo.errors import MazzoError

__all__ = [
    "BundleError",
    "ConflictError",
    "FellBehindError",
    "FullDiskError",
    "InvalidInputError",
    "IsolationError",
    "LimitReachedError",
    "MalformedMessageError",
    "NotFoundError",
    "OutOfTurnError",
    "OverLimitError",
    "PermissionDeniedError",
    "PlatformError",
    "ServerUnavailableError",
    "StoreError",
    "StreamEndedError",
    "TooLateError",
    "UnauthenticatedError",
    "UnknownMethodError",
]


class PlatformError(MazzoError):
    """Base of the platform's errors."""

    reason: ClassVar[str] = "INTERNAL"


class InvalidInputError(PlatformError):
    """What was given cannot be used: expected this, got that."""

    reason = "INVALID_INPUT"


class BundleError(InvalidInputError):
    """A bot's folder, archive or manifest that is refused; nothing of it was kept."""

    reason = "BUNDLE_REFUSED"


class MalformedMessageError(InvalidInputError):
    """A message of a stream that cannot be read, or is empty."""

    reason = "MALFORMED_MESSAGE"


class NotFoundError(PlatformError):
    """Nothing goes by that name or number."""

    reason = "NOT_FOUND"


class UnknownMethodError(PlatformError):
    """The server has no method of that name."""

    reason = "UNKNOWN_METHOD"


class UnauthenticatedError(PlatformError):
    """The call came without a token, or with one that is not valid."""

    reason = "UNAUTHENTICATED"


class PermissionDeniedError(PlatformError):
    """The caller is known, and may not do this."""

    reason = "PERMISSION_DENIED"


class ConflictError(PlatformError):
    """It exists, but not in a state that allows this."""

    reason = "CONFLICT"


class OutOfTurnError(ConflictError):
    """A message of a stream that may not come now."""

    reason = "OUT_OF_TURN"


class StreamEndedError(ConflictError):
    """The caller closed a stream, or began another in its place, before it was over."""

    reason = "STREAM_ENDED"


class OverLimitError(PlatformError):
    """A message is longer, or more come, than anybody may send."""

    reason = "OVER_LIMIT"


class TooLateError(PlatformError):
    """A bot took longer to join, read or answer than it may, or a request to arrive."""

    reason = "TOO_LATE"


class FellBehindError(PlatformError):
    """More waits for the caller than is kept for anybody."""

    reason = "FELL_BEHIND"


class LimitReachedError(PlatformError):
    """The caller has too much going on, or asks too often; `retry_seconds` later it may try again.

    Nothing of what was refused was done.
    """

    reason = "LIMIT_REACHED"

    def __init__(self, message: str = "", *, retry_seconds: float = 1.0) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds


class StoreError(PlatformError):
    """The store cannot be opened, read or written."""

    reason = "STORE"


class FullDiskError(StoreError):
    """The disk is full. Every caller may read the text: it names no place on the server."""

    reason = "DISK_FULL"


class IsolationError(PlatformError):
    """The machine cannot give the isolation that was asked for."""

    reason = "ISOLATION"


class ServerUnavailableError(PlatformError):
    """Nobody answers at the server's address, or nothing new because it is stopping."""

    reason = "SERVER_UNAVAILABLE"
