"""A tournament as it is stored: everything that it will do follows from its definition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from math import perm

from mazzo.games import parse_variant
from mazzo_server.errors import InvalidInputError
from mazzo_server.model.copies import find_bot_name
from mazzo_server.model.limits import InstanceLimits

__all__ = [
    "ChallengeTerms",
    "Change",
    "Cpu",
    "Definition",
    "Entrant",
    "Mirror",
    "PairingScheme",
    "Seeding",
    "TimeControl",
    "TournamentKind",
    "is_person_name",
    "name_person",
    "parse_bank",
]

_FULL_ROTATIONS = 6  # sides up to which a group has every rotation, and its seatings above
_FULL_PERMUTATIONS = 4  # sides up to which a group may have every permutation
_PERSON = "@"  # before a person's name; no name of a bot begins so
_BANK = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\+(\d{1,5}(?:\.\d{1,3})?)")


class TournamentKind(StrEnum):
    """What is played, and what it counts for."""

    TOURNAMENT = "tournament"
    LADDER = "ladder"  # a season of a ladder, which has ratings of its own
    TABLE = "table"  # one match with people in some of its seats, which counts for no ranking
    CHALLENGE = "challenge"  # an author's bot against another one, which counts for no ranking


class Mirror(StrEnum):
    """In how many seatings the deals of a mirror group are played."""

    ROTATIONS = "rotations"
    ALL = "all"
    OFF = "off"

    def count_seatings(self, sides: int) -> int:
        """Return the number of seatings for a table with so many sides.

        Raises `InvalidInputError` where there would be too many.
        """
        match self:
            case Mirror.OFF:
                return 1
            case Mirror.ROTATIONS:
                return min(sides, _FULL_ROTATIONS)
            case Mirror.ALL:
                if sides > _FULL_PERMUTATIONS:
                    raise InvalidInputError(
                        f"expected at most {_FULL_PERMUTATIONS} sides for mirror 'all', got {sides}"
                    )
                return perm(sides)


class Cpu(StrEnum):
    """How the instances on the platform's machine share its processors."""

    FAIR = "fair"  # no more think at once than there are cores; the others are frozen
    SHARED = "shared"  # all run all the time


class PairingScheme(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"  # every combination of entrants, or a balanced choice of them
    GAUNTLET = "gauntlet"  # one entrant, the hero, meets all others
    SWISS = "swiss"  # entrants with like results meet, round by round
    KNOCK_OUT = "knock-out"  # who loses is out
    DOUBLE_ELIMINATION = "double-elimination"  # who has lost twice is out
    LADDER = "ladder"  # those of whom too little is known, and neighbours, without a planned end

    @property
    def keeps_results(self) -> bool:
        """Whether results stay when entrants join, leave or are withdrawn later."""
        return self is PairingScheme.LADDER

    @property
    def has_bracket(self) -> bool:
        """Whether entrants go out, and the order is that of a bracket."""
        return self in (PairingScheme.KNOCK_OUT, PairingScheme.DOUBLE_ELIMINATION)


class Seeding(StrEnum):
    """In which order the entrants stand in a bracket."""

    RANKING = "ranking"  # of the variant, at creation; those that it does not have in drawn order
    DRAWN = "drawn"  # from the tournament's seed


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """How long a bot may take to join, to decide and to come back.

    There is a bank for each deal, an increment after each decision, and limits; all in seconds.
    """

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


def name_person(text: str) -> str:
    """Return the name of a person as an entrant, which no bot can have."""
    return f"{_PERSON}{text}"


def is_person_name(name: str) -> bool:
    """Tell whether this is the name of a person at a table."""
    return name.startswith(_PERSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A bot that takes part, with its version pinned, one of several copies of it, or a person."""

    # That no other entrant has: the bot's own; that of a further copy, such as "a*2"; or on a
    # ladder, where each version is an entrant, such as "a@3".
    name: str
    version: int
    # 64 hex digits: of a bot's files, or of the key to a person's seat; "" for a remote bot
    content_hash: str
    remote: bool = False  # it plays from another machine

    @property
    def is_person(self) -> bool:
        """Whether it is a person at a table."""
        return is_person_name(self.name)

    @property
    def bot(self) -> str:
        """The bot's own name, which copies of it share."""
        return find_bot_name(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entrant that joins a tournament, or is retired from it, between two groups.

    A retired entrant keeps its results.
    """

    entrant: int  # index in the definition's entrants
    first_group: int  # position in the schedule from which it holds
    joins: bool  # True: plays from there on; False: plays no more from there on
    # On a ladder: μ and σ with which a version joins for the first time; None: nothing is known.
    inherited: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeTerms:
    """Who asked for a challenge, and when it is its turn."""

    author: str  # whose bot is the hero, and whose quota it counts for; "": an organiser
    turn: int  # challenges are played by turn, those of one turn by number


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What is played, by whom, and from which seed."""

    name: str
    variant: str  # canonical text
    entrants: tuple[Entrant, ...]  # sorted by name; then those that joined later
    match_format: str
    mirror: Mirror
    # Mirror groups of each table of entrants; at most, with `until_separated` and in a bracket. Of
    # a ladder: of all tables together, at most.
    groups: int
    draws: str  # "seats" or "top"
    time: TimeControl
    isolation: str
    seed: bytes = field(repr=False)  # 32 bytes
    seed_chosen: bool  # given by the organiser, not drawn by the system
    cpu: Cpu = Cpu.SHARED
    limits: InstanceLimits = field(default_factory=InstanceLimits)  # on the platform's machines
    draw_probability: float = 0.1
    pairing: PairingScheme = PairingScheme.ROUND_ROBIN
    tables: int | None = None  # a balanced choice of so many; None: every combination
    hero: str = ""  # of a gauntlet: the entrant that meets all others
    rounds: int | None = None  # of a Swiss tournament
    until_separated: float | None = None  # play on until the order is as sure as this
    seeding: Seeding | None = None  # of a bracket
    seeds: tuple[int, ...] = ()  # of a bracket: all entrants, the highest seed first
    # Of a bracket: how sure it must be who goes on. Of a ladder: how sure the order must be.
    confidence: float | None = None
    advance: int | None = None  # of a knock-out of three sides and more: how many of a table go on
    pools: int | None = None  # of a knock-out: that play before it; None: there are none
    qualify: int | None = None  # of a knock-out with pools: how many of each go on to it
    changes: tuple[Change, ...] = ()  # in the order in which they were made
    season: int | None = None  # of a ladder: its number, from 1
    share: float | None = None  # of a ladder: of the processors, for its bots
    kind: TournamentKind = TournamentKind.TOURNAMENT
    challenge: ChallengeTerms | None = None  # of a challenge, and of nothing else

    def to_json(self) -> dict[str, object]:
        """Return JSON values, with the seed in hex.

        What only challenges and ladders have is left out elsewhere: other tournaments are written
        as they always were.
        """
        values = asdict(self) | {"seed": self.seed.hex()}
        if self.challenge is None:
            del values["challenge"]
        if self.kind is not TournamentKind.LADDER:
            del values["season"], values["share"]
            values["changes"] = tuple(
                {name: value for name, value in asdict(change).items() if name != "inherited"}
                for change in self.changes
            )
        return values

    @property
    def sides(self) -> Sequence[Sequence[int]]:
        """The seats of each entrant at a table: of each side; at a table with people each seat."""
        variant = parse_variant(self.variant)
        if self.kind is TournamentKind.TABLE:
            return [(seat,) for seat in range(variant.players)]
        return variant.sides

    @property
    def seatings(self) -> int:
        """The number of seatings in which each mirror group is played."""
        return self.mirror.count_seatings(len(self.sides))

    @property
    def has_copies(self) -> bool:
        """Whether several entrants are the same bot."""
        return len({entrant.bot for entrant in self.entrants}) < len(self.entrants)

    @property
    def is_rated(self) -> bool:
        """Whether it counts for the ranking of its variant, once it is finished."""
        return self.kind is TournamentKind.TOURNAMENT and not self.has_copies

    @property
    def last_change(self) -> int:
        """The group from which on the latest change holds; 0 without one.

        None may come before it: an entrant cannot leave before it joins.
        """
        return max((change.first_group for change in self.changes), default=0)
