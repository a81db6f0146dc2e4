"""What a server's callers may do at a time and in a minute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mazzo_server.errors import InvalidInputError
from mazzo_server.model.inputs import WholeNumber

__all__ = ["CallLimits"]

_NUMBER = WholeNumber(1, 1_000_000)
_VARIABLES = {
    "calls": "MAZZO_CALLS",
    "calls_per_minute": "MAZZO_CALLS_PER_MINUTE",
    "uploads": "MAZZO_UPLOADS",
    "uploads_of_author": "MAZZO_UPLOADS_OF_AUTHOR",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """The limits of callers.

    Those of a token; an address from which calls come without a valid one has four times as many.
    The local user who opens the server's Unix socket is bounded by `uploads` alone.
    """

    calls: int = 32  # in flight
    calls_per_minute: int = 3_000
    uploads: int = 16  # being received, of all authors
    uploads_of_author: int = 2  # of those, of one author

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> CallLimits:
        """Read `MAZZO_CALLS` and its like; raise `InvalidInputError` for what is no number."""
        given: dict[str, int] = {}
        for name, variable in _VARIABLES.items():
            if text := environment.get(variable, ""):
                try:
                    given[name] = _NUMBER.parse(text)
                except InvalidInputError as error:
                    raise InvalidInputError(f"{variable}: {error}") from error
        return cls(**given)
