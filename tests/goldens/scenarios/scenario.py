"""What a scenario is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goldens.session import Session, Step

__all__ = ["Scenario"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Commands, one after the other, whose answers follow from seeds and bots alone."""

    play: Callable[[Session], None]
    long: bool = False  # too long for every day: `make prove` plays it
    golden: str = ""  # the scenario that it must come to the same as; "": it has its own

    def steps(self, folder: Path) -> list[Step]:
        """Play it in an empty folder."""
        session = Session(folder)
        self.play(session)
        return session.steps
