"""Holds the right to a tournament while it is deleted or imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mazzo_server.errors import ConflictError
from mazzo_server.storage import Store

__all__ = ["hold_claim"]


@contextmanager
def hold_claim(store: Store, tournament: int) -> Iterator[None]:
    """Let nobody play or change a tournament meanwhile; raise `ConflictError` where somebody does.

    Blocks. Raises `NotFoundError`.
    """
    claim = store.claim(tournament)
    if claim is None:
        raise ConflictError(
            f"tournament {tournament} is being played or imported: pause or cancel it first"
        )
    try:
        yield
    finally:
        claim.release()
