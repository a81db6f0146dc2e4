"""How long a bot may take: to join, to decide, and to come back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mazzo_server.errors import InvalidInputError

__all__ = ["TimeControl", "parse_bank"]

_BANK = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\+(\d{1,5}(?:\.\d{1,3})?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """A bank for each deal, an increment after each decision, and limits; all in seconds."""

    bank: float = 10.0
    increment: float = 0.1
    limit: float = 5.0  # for one decision, whatever the bank holds
    start_up: float = 20.0  # from the start of an instance until it has joined
    grace: float = 10.0  # for a remote bot that lost its connection, until it is back


def parse_bank(text: str) -> tuple[float, float]:
    """Read bank and increment from a text such as "10+0.1"; raise `InvalidInputError` for none."""
    found = _BANK.fullmatch(text)
    if found is None or float(found[1]) == 0:
        raise InvalidInputError(f"expected BANK+INCREMENT in seconds, such as 10+0.1, got {text!r}")
    return float(found[1]), float(found[2])
