"""Reads numbers that stand in addresses and forms."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException

__all__ = ["read_number"]

_MOST: Final = 2**32 - 1  # that a message can ask for


def read_number(text: str, *, most: int = _MOST, problem: str = "") -> int:
    """Return the whole number of at most `most` that a text is.

    Raises `HTTPException` for any other text: a page that there is not, or a bad request with this
    `problem`.
    """
    if text.isascii() and text.isdecimal() and len(text) <= len(str(most)):
        number = int(text)
        if number <= most:
            return number
    if problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST, problem)
    raise HTTPException(HTTPStatus.NOT_FOUND)
