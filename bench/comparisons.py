"""Which sample bot is to be better than which, where, over how many deals, and by how much.

A bot that is late in more than one of 10,000 decisions meets no bar.

All of it is fixed here before anything is played; the cards follow from a comparison's name.
Of the two bots of a comparison the better one is meant to be the first. With two sides each of
them plays every deal on both; with more the first sits alone among copies of the second, on
every side in turn.

A result is told in one of four measures, with the mirror group as its unit:

- *ahead*: deal points by which the first bot is ahead of the mean of the other sides; even is 0;
- *place*: its finishing place in a match of as many deals as there are sides, in Frap, where few
  large pots decide; even is (players + 1) / 2, and less is better;
- *points*: its share of all points; even is ½;
- *matches*: the share of the matches that it won.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo_server.model import TimeControl

__all__ = ["COMPARISONS", "TWO_PLAYERS", "Comparison", "Rule"]

TWO_PLAYERS = (
    "briscola/2",
    "frusta/2",
    "tressette-meta-mazzo/2",
    "tressette-pizzichino/2",
    "frap/2",
)
_MORE_PLAYERS = (
    "briscola/3",
    "briscola/4",
    "briscola/6",
    "briscola-chiamata/5",
    "frap/4",
    "frap/6",
)
_VARIANTS = (*TWO_PLAYERS, *_MORE_PLAYERS)
# Far more than the quarter of a second that a bot which searches takes of its own accord, so
# that it has all of it; for it never takes more than a part of what a clock leaves.
_AMPLE = TimeControl(bank=600.0, increment=0.0, limit=1.0)


class Rule(StrEnum):
    """What has to come out."""

    BEATS_99 = "the end of the 99 % interval that is the worse one is better than even"
    BEATS_95 = "so is that of the 95 % interval"
    WINS_90 = "at least 90 % of the matches are won"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One line of the bench."""

    better: str
    worse: str
    variant: str
    deals: int  # at least; of best-of matches, at most so many
    rule: Rule
    control: TimeControl | None = None  # of both bots; without one they see no clock
    match_format: MatchFormat | None = None  # as many deals as there are sides

    @property
    def name(self) -> str:
        """As `--only` takes it."""
        what = f" {self.match_format}" if self.match_format else ""
        return f"{self.better} {self.worse} {self.variant}{what}"

    @property
    def seed(self) -> bytes:
        """Of all its cards and dice."""
        return hashlib.sha256(f"mazzo-strength/1 {self.name}".encode()).digest()

    @property
    def by_place(self) -> bool:
        """Whether the finishing place is what counts."""
        return parse_variant(self.variant).game.id == "frap"


COMPARISONS = (
    *(
        Comparison(better="greedy", worse="random", variant=variant, deals=4000, rule=Rule.BEATS_99)
        for variant in _VARIANTS
    ),
    *(
        Comparison(
            better="expert", worse="greedy", variant=variant, deals=10_000, rule=Rule.BEATS_99
        )
        for variant in _VARIANTS
    ),
    *(
        Comparison(
            better="ismcts",
            worse="expert",
            variant=variant,
            deals=1000,
            rule=Rule.BEATS_95,
            control=_AMPLE,
        )
        for variant in _VARIANTS
    ),
    Comparison(
        better="ismcts",
        worse="random",
        variant="briscola/2",
        deals=600,
        rule=Rule.WINS_90,
        control=_AMPLE,
        match_format=MatchFormat("best-of", 3),
    ),
)
