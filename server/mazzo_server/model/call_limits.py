"""What a server's callers may do at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mazzo_server.errors import InvalidInputError
from mazzo_server.model.inputs import WholeNumber

__all__ = ["CallLimits"]

_NUMBER = WholeNumber(1, 1_000_000)
_VARIABLES = {
    "uploads": "MAZZO_UPLOADS",
    "uploads_of_author": "MAZZO_UPLOADS_OF_AUTHOR",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """The limits of callers."""

    uploads: int = 16  # being received, of all authors
    uploads_of_author: int = 2  # of those, of one author

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> CallLimits:
        """Read `MAZZO_UPLOADS` and its like; raise `InvalidInputError` for what is no number."""
        given: dict[str, int] = {}
        for name, variable in _VARIABLES.items():
            if text := environment.get(variable, ""):
                try:
                    given[name] = _NUMBER.parse(text)
                except InvalidInputError as error:
                    raise InvalidInputError(f"{variable}: {error}") from error
        return cls(**given)
