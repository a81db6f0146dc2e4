"""The errors of the platform.

Split by who must act::

    PlatformError(MazzoError)
    ├── InvalidInputError      the caller: what was given cannot be used as it is
    │   └── BundleError        the bot's author: the folder, archive or bot.toml
    ├── NotFoundError          the caller: no such bot, version or tournament
    ├── UnauthenticatedError   the caller: no token, or one that is not valid
    ├── PermissionDeniedError  the caller: another's bot, or not for this role
    ├── ConflictError          the caller: not in this state (running elsewhere, already over)
    ├── FellBehindError        the caller: it reads a stream too slowly
    ├── StoreError             the organiser: the store cannot be read or written
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
    "InvalidInputError",
    "IsolationError",
    "NotFoundError",
    "PermissionDeniedError",
    "PlatformError",
    "ServerUnavailableError",
    "StoreError",
    "UnauthenticatedError",
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


class NotFoundError(PlatformError):
    """Nothing goes by that name or number."""

    reason = "NOT_FOUND"


class UnauthenticatedError(PlatformError):
    """The call came without a token, or with one that is not valid."""

    reason = "UNAUTHENTICATED"


class PermissionDeniedError(PlatformError):
    """The caller is known, and may not do this."""

    reason = "PERMISSION_DENIED"


class ConflictError(PlatformError):
    """It exists, but not in a state that allows this."""

    reason = "CONFLICT"


class FellBehindError(PlatformError):
    """More waits for the caller than is kept for anybody."""

    reason = "FELL_BEHIND"


class StoreError(PlatformError):
    """The store cannot be opened, read or written."""

    reason = "STORE"


class IsolationError(PlatformError):
    """The machine cannot give the isolation that was asked for."""

    reason = "ISOLATION"


class ServerUnavailableError(PlatformError):
    """Nobody answers at the server's address, or nothing new because it is stopping."""

    reason = "SERVER_UNAVAILABLE"
