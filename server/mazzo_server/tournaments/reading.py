"""What all who read tournaments share: threads for long reads, and whether one is played now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mazzo_server.storage import Store, TournamentRow, TournamentStatus

__all__ = ["Reader", "is_played"]

_Value = TypeVar("_Value")


class Reader(Protocol):
    """Runs a function that reads for a long time, in a thread."""

    async def __call__(self, read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
        """Return the function's result."""


def is_played(store: Store, row: TournamentRow) -> bool:
    """Tell whether some process plays a tournament now. Blocks."""
    return row.status is TournamentStatus.RUNNING and store.is_claimed(row.id)
