"""Runs long reads in threads of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

__all__ = ["Reader"]

_Value = TypeVar("_Value")


class Reader(Protocol):
    """Runs a function that reads for a long time, in a thread."""

    async def __call__(self, read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
        """Return the function's result."""
