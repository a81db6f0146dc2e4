"""The messages between `mazzo arena` and its worker processes."""

from __future__ import annotations

import shlex
import struct
from dataclasses import dataclass

from mazzo.games import parse_variant
from mazzo_server.home.arena.match import Outcome
from mazzo_server.home.bot_names import join_names
from mazzo_server.model import TimeControl
from mazzo_server.pairing import Group

__all__ = ["LOADING", "PLACE", "Failed", "PlayedGroups", "Ready", "Work", "make_repeat_line"]

PLACE = struct.Struct("qqd")
"""The group and the seating that are being played, or `LOADING` and the bot that is being loaded,
and since when by the monotonic clock.
"""
LOADING = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a worker must know of an arena."""

    variant: str
    bots: tuple[str, ...]  # as the caller named them
    match_format: str
    control: TimeControl | None
    # By bot: its index among the entrants of the kept tournament; () if nothing is kept.
    entrants: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The bots are loaded; the names are all different."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGroups:
    """Groups of a job that are over: the number of each, and its matches by seating.

    All groups of the job come in one message, unless the worker fails: then those before the
    failure, and `Failed` after them.
    """

    groups: tuple[tuple[int, tuple[Outcome, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The worker cannot go on, because of a bot or of its input."""

    reason: str  # the text of the `PlatformError`
    text: str


def make_repeat_line(work: Work, group: Group, seating: int) -> str:
    """Return the command that plays one match of an arena again."""
    variant = parse_variant(work.variant)
    given = [work.bots[bot] for bot in group.by_seat(seating, variant.sides)]
    game = variant.game
    draws = [] if game.fair_draws == game.draw_modes[0] else ["--draws", game.fair_draws]
    words = [
        *("mazzo", "play", work.variant, "--match", work.match_format),
        *("--bots", join_names(given), *draws, "--seating", str(seating)),
        *("--seed", group.seed.hex()),
    ]
    return shlex.join(words)
