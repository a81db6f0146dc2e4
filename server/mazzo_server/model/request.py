"""What an organiser may ask of a tournament: each option with its default, its help, its checks.

The command line and the wire follow from the fields of `TournamentRequest`; a definition keeps
what they came to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo.shuffle import parse_seed
from mazzo_server.errors import InvalidInputError
from mazzo_server.model.copies import count_copies, join_copies
from mazzo_server.model.definition import (
    Cpu,
    Mirror,
    PairingScheme,
    Seeding,
    TimeControl,
    parse_bank,
)
from mazzo_server.model.inputs import (
    Amount,
    InputKind,
    NameList,
    ReadableText,
    ReadText,
    WholeNumber,
    Word,
)
from mazzo_server.model.limits import InstanceLimits
from mazzo_server.settings import DEFAULT_ISOLATION, ExecutorKind, Isolation

__all__ = [
    "CHALLENGE_GROUPS",
    "DEFAULT_DEALS",
    "EXECUTOR",
    "GROUPS",
    "ISOLATION",
    "LADDER_CONFIDENCE",
    "LADDER_SHARE",
    "RUN_PANEL",
    "WORKERS",
    "TournamentOption",
    "TournamentRequest",
    "make_usual_format",
]

DEFAULT_DEALS = 100  # of each table
_DEFAULT_CONFIDENCE = 0.95  # of a bout
GROUPS = WholeNumber(1, 1_000_000)  # of a table
CHALLENGE_GROUPS = WholeNumber(1, 500)  # of a challenge
ISOLATION = Word(tuple(Isolation))
EXECUTOR = Word(tuple(ExecutorKind))
LADDER_CONFIDENCE = Amount("a confidence such as 0.9,", above=0.5, below=1)
LADDER_SHARE = Amount("a share of the processors such as 0.5,", most=1)
WORKERS = WholeNumber(1, 1024)  # processes that play a tournament
_SECONDS = Amount("seconds", 86_400)
_PLAYER_CONCURRENCY = 64  # matches in flight for each player of a match: so many ask a bot at once
_MOST_NAMED, _LONGEST_NAMES = 3, 40  # bots, and characters, in the default name of a tournament
_USUAL = TimeControl()
_WITH_BRACKET = tuple(scheme for scheme in PairingScheme if scheme.has_bracket)
_WHO, _HOW_MUCH, _DEALS = "Who meets whom", "How much is played", "The deals"
_TIME = "Time to think"
RUN_PANEL = "How it is run"
"""The heading of help over options that say with what a tournament is played."""


def make_usual_format(sides: int) -> MatchFormat:
    """Return the match format where none is asked for: each side deals once."""
    return MatchFormat("deals", sides)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentOption:
    """How people give a field of a request on a command line."""

    flag: str = ""  # "": an argument without a flag
    metavar: str = ""  # "": a switch
    kind: InputKind | None = None  # of its values; None: only other options tell which will do
    default: object = None  # stands for `usual`
    usual: str = ""  # what holds where it is not given, in words
    panel: str = ""  # the heading under which help lists it; "": that of the other options
    help: str


def _make_option(flag: str, metavar: str = "", **rest: Any) -> Mapping[str, TournamentOption]:
    """Return the metadata of a field."""
    return {"option": TournamentOption(flag=flag, metavar=metavar, **rest)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRequest:
    """What was asked for, by the names that the fields have on the wire.

    An empty text, 0 or None stands for the default.
    """

    variant: str = field(
        metadata=_make_option(
            "",
            "VARIANT",
            kind=ReadText(parse_variant),
            help="What is played, such as briscola/2 or briscola/4?talk=off.",
        )
    )
    bots: Sequence[str] = field(
        default=(),
        metadata=_make_option(
            "--bots",
            "A,B,…",
            kind=NameList(),
            usual="all that qualified by their trial",
            panel=_WHO,
            help="Who takes part; a*2 are two of a.",
        ),
    )
    deals: int | None = field(
        default=None,
        metadata=_make_option(
            "--deals",
            "N",
            kind=WholeNumber(1),
            usual=f"{DEFAULT_DEALS}",
            panel=_HOW_MUCH,
            help="Deals of each table in all, rounded up to whole mirror groups.",
        ),
    )
    groups: int | None = field(
        default=None,
        metadata=_make_option(
            "--groups",
            "N",
            kind=GROUPS,
            panel=_HOW_MUCH,
            help="Or: mirror groups of each table.",
        ),
    )
    until_separated: float | None = field(
        default=None,
        metadata=_make_option(
            "--until-separated",
            "P",
            kind=Amount("a confidence such as 0.95,", above=0.5, below=1),
            panel=_HOW_MUCH,
            help="Or: until the order is as sure as 0.95.",
        ),
    )
    max_deals: int | None = field(
        default=None,
        metadata=_make_option(
            "--max-deals",
            "N",
            kind=WholeNumber(1),
            panel=_HOW_MUCH,
            help="With --until-separated: at most so many.",
        ),
    )
    match_format: str = field(
        default="",
        metadata=_make_option(
            "--match",
            "FORMAT",
            kind=ReadText(MatchFormat.parse),
            usual="a deal a side",
            panel=_HOW_MUCH,
            help="Length of a match: deals:N, best-of:N or target:P.",
        ),
    )
    mirror: str = field(
        default="",
        metadata=_make_option(
            "--mirror",
            "WHICH",
            kind=Word(tuple(Mirror)),
            panel=_DEALS,
            help="rotations (by default), all, or off.",
        ),
    )
    time_control: str = field(
        default="",
        metadata=_make_option(
            "--time",
            "BASE+INCREMENT",
            kind=ReadText(parse_bank),
            usual=f"{_USUAL.bank:g}+{_USUAL.increment:g}",
            panel=_TIME,
            help="Seconds in the bank for a deal, and more after each decision.",
        ),
    )
    limit_seconds: float = field(
        default=0.0,
        metadata=_make_option(
            "--limit",
            "SECONDS",
            kind=_SECONDS,
            usual=f"{_USUAL.limit:g}",
            panel=_TIME,
            help="Seconds for one decision.",
        ),
    )
    start_up_seconds: float = field(
        default=0.0,
        metadata=_make_option(
            "--start-up",
            "SECONDS",
            kind=_SECONDS,
            usual=f"{_USUAL.start_up:g}",
            panel=_TIME,
            help="Seconds for a bot to start.",
        ),
    )
    grace_seconds: float = field(
        default=0.0,
        metadata=_make_option(
            "--grace",
            "SECONDS",
            kind=_SECONDS,
            usual=f"{_USUAL.grace:g}",
            panel=_TIME,
            help="Seconds to reconnect in.",
        ),
    )
    allow_remote_mirror: bool = field(
        default=False,
        metadata=_make_option(
            "--allow-remote-mirror",
            panel=_DEALS,
            help="Mirror even with remote bots.",
        ),
    )
    pairing: str = field(
        default="",
        metadata=_make_option(
            "--pairing",
            "WHICH",
            kind=Word(tuple(one for one in PairingScheme if one is not PairingScheme.LADDER)),
            panel=_WHO,
            help="round-robin (by default), gauntlet, swiss, knock-out or double-elimination.",
        ),
    )
    tables: int | None = field(
        default=None,
        metadata=_make_option(
            "--tables",
            "N",
            kind=WholeNumber(1),
            usual="all",
            panel=_WHO,
            help="So many tables, balanced.",
        ),
    )
    hero: str = field(
        default="",
        metadata=_make_option(
            "--hero", "BOT", panel=_WHO, help="Who meets all others in a gauntlet."
        ),
    )
    rounds: int | None = field(
        default=None,
        metadata=_make_option(
            "--rounds",
            "N",
            kind=WholeNumber(1, 100),
            usual="by its size",
            panel=_WHO,
            help="Rounds of a swiss.",
        ),
    )
    seeding: str = field(
        default="",
        metadata=_make_option(
            "--seeding",
            "WHICH",
            kind=Word(tuple(Seeding)),
            panel=_WHO,
            help="Seeds: by ranking (the default), or drawn.",
        ),
    )
    advance: int | None = field(
        default=None,
        metadata=_make_option(
            "--advance",
            "K",
            kind=WholeNumber(1, 11),
            usual="half",
            panel=_WHO,
            help="How many of a table go on.",
        ),
    )
    pools: int | None = field(
        default=None,
        metadata=_make_option(
            "--pools",
            "N",
            kind=WholeNumber(1, 64),
            usual="none",
            panel=_WHO,
            help="Pools before a knock-out.",
        ),
    )
    qualify: int | None = field(
        default=None,
        metadata=_make_option(
            "--qualify",
            "K",
            kind=WholeNumber(1, 64),
            usual="2",
            panel=_WHO,
            help="How many of a pool go on.",
        ),
    )
    confidence: float | None = field(
        default=None,
        metadata=_make_option(
            "--confidence",
            "P",
            kind=Amount("a confidence such as 0.95,", above=0.5, below=1),
            usual=f"{_DEFAULT_CONFIDENCE:g}",
            panel=_WHO,
            help="How sure decides a bout.",
        ),
    )
    concurrency: int = field(
        default=0,
        metadata=_make_option(
            "--concurrency",
            "N",
            kind=WholeNumber(1, 4096),
            usual=f"{_PLAYER_CONCURRENCY} a player",
            panel=RUN_PANEL,
            help="Matches in flight at once in each process that plays.",
        ),
    )
    isolation: str = field(
        default="",
        metadata=_make_option(
            "--isolation",
            "WHICH",
            kind=ISOLATION,
            usual=f"{DEFAULT_ISOLATION}, or what the server uses",
            panel=RUN_PANEL,
            help="bubblewrap or docker; none gives bots your own rights: your own code only.",
        ),
    )
    cpu: str = field(
        default="",
        metadata=_make_option(
            "--cpu",
            "WHICH",
            kind=Word(tuple(Cpu)),
            usual="fair where it helps and the machine can",
            panel=RUN_PANEL,
            help="fair: as many bots think as there are cores; shared: all at once.",
        ),
    )
    limits: str = field(
        default="",
        metadata=_make_option(
            "--limits",
            "NAME=N,…",
            kind=ReadText(InstanceLimits.parse),
            usual="MAZZO_LIMITS",
            panel=RUN_PANEL,
            help="What an instance gets, such as memory_mib=512.",
        ),
    )
    name: str = field(
        default="",
        metadata=_make_option(
            "--name", "TEXT", kind=ReadableText(100), help="What people call the tournament."
        ),
    )
    seed: str = field(
        default="",
        repr=False,
        metadata=_make_option(
            "--seed",
            "HEX",
            kind=ReadText(parse_seed),
            panel=_DEALS,
            usual="drawn",
            help="What all cards follow from: 64 hexadecimal digits.",
        ),
    )

    @classmethod
    def list_options(cls) -> dict[str, TournamentOption]:
        """Return the options by the names of their fields, in the order of the help."""
        return {
            item.name: replace(item.metadata["option"], default=item.default)
            for item in fields(cls)
        }

    @classmethod
    def check_option(cls, name: str, value: object) -> None:
        """Check the value of one option, by the name of its field; the default always passes."""
        option = cls.list_options()[name]
        if option.kind is None or value == option.default:
            return
        try:
            option.kind.check(value)
        except InvalidInputError as error:
            raise InvalidInputError(f"{option.flag.lstrip('-')}: {error}") from error

    def check(self) -> None:
        """Check each option that was given, and whether all of them go together.

        Raises `InvalidInputError`, and the SDK's errors for variants, match formats and seeds.
        """
        for name in self.list_options():
            self.check_option(name, getattr(self, name))
        self.count_copies()
        self._check_pairing()
        self._check_length()

    def count_copies(self) -> Mapping[str, int]:
        """Return how many entrants each bot is, by its own name; none where all take part.

        Raises `InvalidInputError` for wrong numbers, and for a bot that is named twice.
        """
        return count_copies(self.bots)

    def choose_match_format(self, variant: Variant) -> MatchFormat:
        """Return the format of the matches of that variant; raise `MatchFormatError`."""
        if self.match_format:
            match_format = MatchFormat.parse(self.match_format)
        else:
            match_format = make_usual_format(len(variant.sides))
        match_format.check(variant)
        return match_format

    def choose_mirror(self) -> Mirror:
        """Return the way of mirroring."""
        return Mirror(self.mirror or Mirror.ROTATIONS)

    def choose_concurrency(self, variant: Variant) -> int:
        """Return how many matches of that variant are in flight at most."""
        return self.concurrency or _PLAYER_CONCURRENCY * variant.players

    def choose_cpu(self) -> Cpu | None:
        """Return how processors are shared; None where it was left to the platform."""
        return Cpu(self.cpu) if self.cpu else None

    def choose_name(self, variant: Variant, entrants: Sequence[str]) -> str:
        """Return the tournament's name, by default from the variant and who takes part."""
        if self.name:
            return self.name
        bots = join_copies(entrants)
        few = ", ".join(bots)
        if len(bots) <= _MOST_NAMED and len(few) <= _LONGEST_NAMES:
            return f"{variant}: {few}"
        number = len(entrants)
        who = f"{self.hero} and {number - 1} others" if self.hero else f"{number} bots"
        return f"{variant}: {who}, {self.choose_pairing().replace('-', ' ')}"

    def choose_pairing(self) -> PairingScheme:
        """Return the pairing scheme, which is a gauntlet where only its hero is named."""
        if self.pairing:
            return PairingScheme(self.pairing)
        return PairingScheme.GAUNTLET if self.hero else PairingScheme.ROUND_ROBIN

    def choose_confidence(self) -> float | None:
        """Return how sure it must be who goes on; None where nobody goes out."""
        if not self.choose_pairing().has_bracket:
            return None
        return self.confidence or _DEFAULT_CONFIDENCE

    def choose_advance(self, sides: int) -> int | None:
        """Return how many of a table of so many sides go on; None where that is no question."""
        if self.choose_pairing() is not PairingScheme.KNOCK_OUT or sides <= 2:
            return self.advance
        return self.advance or sides // 2

    def choose_time_control(self) -> TimeControl:
        """Return the time control."""
        bank, increment = _USUAL.bank, _USUAL.increment
        if self.time_control:
            bank, increment = parse_bank(self.time_control)
        return TimeControl(
            bank=bank,
            increment=increment,
            limit=self.limit_seconds or _USUAL.limit,
            start_up=self.start_up_seconds or _USUAL.start_up,
            grace=self.grace_seconds or _USUAL.grace,
        )

    def _check_pairing(self) -> None:
        """Raise `InvalidInputError` for options that the pairing has no use for."""
        pairing = self.choose_pairing()
        if pairing is PairingScheme.GAUNTLET and not self.hero:
            raise InvalidInputError("a gauntlet needs the bot that meets all others (--hero BOT)")
        for name, given, pairings in (
            ("hero", self.hero or None, (PairingScheme.GAUNTLET,)),
            ("tables", self.tables, (PairingScheme.ROUND_ROBIN, PairingScheme.GAUNTLET)),
            ("rounds", self.rounds, (PairingScheme.SWISS,)),
            ("seeding", self.seeding or None, _WITH_BRACKET),
            ("confidence", self.confidence, _WITH_BRACKET),
            ("advance", self.advance, (PairingScheme.KNOCK_OUT,)),
            ("pools", self.pools, (PairingScheme.KNOCK_OUT,)),
        ):
            if given is not None and pairing not in pairings:
                raise InvalidInputError(
                    f"{name}: expected only with the pairing {' or '.join(pairings)}, got {pairing}"
                )
        if self.qualify is not None and self.pools is None:
            raise InvalidInputError("qualify: expected only with pools (--pools N)")

    def _check_length(self) -> None:
        """Raise `InvalidInputError` for deals, groups and separation that do not go together."""
        if self.until_separated is None:
            if self.max_deals is not None:
                raise InvalidInputError(
                    "expected --max-deals with --until-separated only; a fixed number is --deals"
                )
            if self.groups is not None and self.deals is not None:
                raise InvalidInputError("expected a number of deals or of groups, got both")
            return
        if self.choose_pairing() is not PairingScheme.ROUND_ROBIN or self.tables is not None:
            raise InvalidInputError(
                "until-separated: expected a round robin of every table, not another pairing or a "
                "choice of tables"
            )
        if self.deals is not None or self.groups is not None:
            raise InvalidInputError(
                "expected --max-deals with --until-separated, got a fixed number of deals or groups"
            )
        if self.max_deals is None:
            raise InvalidInputError(
                "expected --max-deals with --until-separated, for equal bots are never separated"
            )
