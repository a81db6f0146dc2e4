"""Lists come in pages."""

from __future__ import annotations

from typing import TypeVar

from mazzo_server.errors import InvalidInputError

__all__ = ["cut_page", "parse_page"]

_Row = TypeVar("_Row")

_PAGE = 100  # rows, unless asked for fewer


def cut_page(rows: list[_Row], size: int, token: str) -> tuple[list[_Row], str]:
    """Return one page, and the token of the next: the number of rows that come before it."""
    start, count = parse_page(size, token)
    end = start + count
    return rows[start:end], str(end) if end < len(rows) else ""


def parse_page(size: int, token: str, *, most: int = _PAGE) -> tuple[int, int]:
    """Return the number that a page's token holds (0 without one), and how many rows it gets."""
    if token and not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise InvalidInputError(f"expected a page token from an earlier answer, got {token!r}")
    return int(token or 0), min(size or most, most)
