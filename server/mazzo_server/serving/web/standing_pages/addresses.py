"""Reads the addresses of tournaments."""

from __future__ import annotations

from http import HTTPStatus

from starlette.exceptions import HTTPException

__all__ = ["parse_number"]

_LAST_NUMBER = 2**32 - 1  # that a message can ask for


def parse_number(text: str) -> int:
    """Return the number of a tournament in an address; raise `HTTPException`."""
    if text.isascii() and text.isdecimal() and len(text) <= len(str(_LAST_NUMBER)):
        number = int(text)
        if number <= _LAST_NUMBER:
            return number
    raise HTTPException(HTTPStatus.NOT_FOUND)
