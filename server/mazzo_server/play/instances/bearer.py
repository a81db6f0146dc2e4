"""Reads the token from the metadata of a call."""

from __future__ import annotations

from typing import Any, Final

from mazzo_server.errors import UnauthenticatedError

__all__ = ["read_bearer_token"]

_HEADER: Final = "authorization"


def read_bearer_token(metadata: Any) -> str | None:
    """Return the text of the token in a call's metadata, None without any.

    Raises `UnauthenticatedError` for several tokens, for bytes, and for another scheme.
    """
    given = [value for key, value in metadata or () if key in (_HEADER, f"{_HEADER}-bin")]
    if not given:
        return None
    scheme, _, text = given[0].partition(" ") if isinstance(given[0], str) else ("", "", "")
    if len(given) > 1 or scheme.lower() != "bearer":
        raise UnauthenticatedError(
            "expected the metadata 'authorization: Bearer TOKEN' once, got something else"
        )
    return text
