"""Reads the addresses of tournaments."""

from __future__ import annotations

from mazzo_server.serving.web.visitors import read_number

__all__ = ["parse_number"]


def parse_number(text: str) -> int:
    """Return the number of a tournament in an address; raise `HTTPException`."""
    return read_number(text)
