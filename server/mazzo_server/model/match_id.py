"""The address of a match."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mazzo_server.errors import InvalidInputError
from mazzo_server.model.inputs import MOST

__all__ = ["MatchId"]


@dataclass(frozen=True, slots=True)
class MatchId:
    """The place of a match: tournament, group and seating."""

    tournament: int
    group: int
    seating: int

    def __str__(self) -> str:
        return f"{self.tournament}/{self.group}/{self.seating}"

    @classmethod
    def parse(cls, text: str) -> MatchId:
        """Parse TOURNAMENT/GROUP/SEATING; raise `InvalidInputError` for another text."""
        numbers = re.fullmatch(r"([0-9]{1,10})/([0-9]{1,10})/([0-9]{1,10})", text)
        if numbers is None or not all(int(number) <= MOST for number in numbers.groups()):
            raise InvalidInputError(
                f"expected a match as TOURNAMENT/GROUP/SEATING, such as 3/17/0, got {text!r}"
            )
        return cls(*map(int, numbers.groups()))
