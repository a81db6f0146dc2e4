"""What an organiser may ask of a tournament: each option with its default, its help, its checks.

The command line and the wire follow from the fields of `TournamentRequest`; a definition keeps
what they came to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from mazzo_server.errors import InvalidInputError
from mazzo_server.model.definition import Cpu, Mirror
from mazzo_server.model.inputs import Amount, WholeNumber
from mazzo_server.model.time_limits import TimeControl, parse_bank

__all__ = [
    "DEFAULT_CONCURRENCY",
    "DEFAULT_DEALS",
    "DEFAULT_ISOLATION",
    "TournamentOption",
    "TournamentRequest",
    "check_concurrency",
]

DEFAULT_CONCURRENCY = 128  # matches in flight
DEFAULT_DEALS = 100  # of each table
DEFAULT_ISOLATION = "bubblewrap"
_ISOLATIONS = ("bubblewrap", "docker", "none")
_PAIRINGS = ("round-robin", "gauntlet", "swiss")
_USUAL = TimeControl()
_MOST_CONCURRENCY = 4096
_MOST_ROUNDS = 100
_MOST_NAME = 100  # characters
_LONGEST = 86_400.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentOption:
    """How people give a field of a request on a command line."""

    flag: str = ""  # "": an argument without a flag
    metavar: str = ""  # "": a switch
    parse: Callable[[str], object] | None = None  # None: the platform checks the text
    usual: str = ""  # what holds where it is not given, in words
    help: str


def _option(flag: str, metavar: str = "", **rest: Any) -> Mapping[str, TournamentOption]:
    """Return the metadata of a field."""
    return {"option": TournamentOption(flag=flag, metavar=metavar, **rest)}


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _parse_isolation(text: str) -> str:
    if text and text not in _ISOLATIONS:
        raise InvalidInputError(f"expected {' or '.join(_ISOLATIONS)}, got {text!r}")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRequest:
    """What was asked for, by the names that the fields have on the wire.

    An empty text, 0 or None stands for the default.
    """

    variant: str = field(
        metadata=_option("", "VARIANT", help="Such as briscola/2 or briscola/4?talk=off.")
    )
    bots: Sequence[str] = field(
        default=(),
        metadata=_option(
            "--bots",
            "A,B,…",
            parse=_split_names,
            help="Who takes part; by default every bot that qualified for it by its trial.",
        ),
    )
    deals: int | None = field(
        default=None,
        metadata=_option(
            "--deals",
            "N",
            parse=WholeNumber(1).parse,
            usual=f"{DEFAULT_DEALS}",
            help="Deals that each table of entrants plays in all, rounded up to whole mirror "
            "groups.",
        ),
    )
    groups: int | None = field(
        default=None,
        metadata=_option(
            "--groups", "N", parse=WholeNumber(1).parse, help="Or: mirror groups of each table."
        ),
    )
    until_separated: float | None = field(
        default=None,
        metadata=_option(
            "--until-separated",
            "P",
            parse=Amount("confidence").parse,
            help="Or: play on until neighbours in the standings are separated, all of them with "
            "this confidence, such as 0.95.",
        ),
    )
    max_deals: int | None = field(
        default=None,
        metadata=_option(
            "--max-deals",
            "N",
            parse=WholeNumber(1).parse,
            help="With --until-separated: deals that each table plays at most.",
        ),
    )
    match_format: str = field(
        default="",
        metadata=_option(
            "--match",
            "FORMAT",
            usual="deals:2 for two sides, deals:N for N seats",
            help="deals:N, best-of:N or target:P.",
        ),
    )
    mirror: str = field(
        default="",
        metadata=_option(
            "--mirror",
            "|".join(Mirror),
            usual=Mirror.ROTATIONS,
            help="In how many seatings the same deals are played.",
        ),
    )
    time_control: str = field(
        default="",
        metadata=_option(
            "--time",
            "BASE+INCREMENT",
            usual=f"{_USUAL.bank:g}+{_USUAL.increment:g}",
            help="Seconds in the bank for each deal, and more after each decision.",
        ),
    )
    limit_seconds: float = field(
        default=0.0,
        metadata=_option(
            "--limit",
            "SECONDS",
            parse=Amount("seconds").parse,
            usual=f"{_USUAL.limit:g}",
            help="For one decision.",
        ),
    )
    start_up_seconds: float = field(
        default=0.0,
        metadata=_option(
            "--start-up",
            "SECONDS",
            parse=Amount("seconds").parse,
            usual=f"{_USUAL.start_up:g}",
            help="For a bot to start.",
        ),
    )
    grace_seconds: float = field(
        default=0.0,
        metadata=_option(
            "--grace",
            "SECONDS",
            parse=Amount("seconds").parse,
            usual=f"{_USUAL.grace:g}",
            help="For a remote bot to come back when its connection was lost.",
        ),
    )
    allow_remote_mirror: bool = field(
        default=False,
        metadata=_option(
            "--allow-remote-mirror",
            help="Mirror deals even with remote bots, which may remember the cards.",
        ),
    )
    pairing: str = field(
        default="",
        metadata=_option(
            "--pairing", "|".join(_PAIRINGS), usual=_PAIRINGS[0], help="Who meets whom."
        ),
    )
    tables: int | None = field(
        default=None,
        metadata=_option(
            "--tables",
            "N",
            parse=WholeNumber(1).parse,
            usual="every combination",
            help="A balanced choice of at least so many tables of entrants.",
        ),
    )
    hero: str = field(
        default="",
        metadata=_option("--hero", "BOT", help="Who meets all others in a gauntlet."),
    )
    rounds: int | None = field(
        default=None,
        metadata=_option(
            "--rounds",
            "N",
            parse=WholeNumber(1).parse,
            usual="one more than halving the field takes",
            help="Of a Swiss tournament.",
        ),
    )
    concurrency: int = field(
        default=0,
        metadata=_option(
            "--concurrency",
            "N",
            parse=WholeNumber(1).parse,
            usual=f"{DEFAULT_CONCURRENCY}",
            help="Matches in flight at once; results do not depend on it.",
        ),
    )
    isolation: str = field(
        default="",
        metadata=_option(
            "--isolation",
            "|".join(_ISOLATIONS),
            parse=_parse_isolation,
            usual=DEFAULT_ISOLATION,
            help="How bots are isolated. `none` gives them your own rights: for your own code "
            "only.",
        ),
    )
    cpu: str = field(
        default="",
        metadata=_option(
            "--cpu",
            "|".join(Cpu),
            usual="fair where a bot takes one decision at a time and the machine can",
            help="Whether no more bots think at once than there are cores, and the others are "
            "frozen.",
        ),
    )
    name: str = field(default="", metadata=_option("--name", "TEXT", help="What to call it."))
    seed: str = field(
        default="",
        repr=False,
        metadata=_option(
            "--seed", "HEX", help="64 hexadecimal digits; by default from the system."
        ),
    )

    @classmethod
    def options(cls) -> dict[str, TournamentOption]:
        """Return the options by the names of their fields, in the order of the help."""
        return {item.name: item.metadata["option"] for item in fields(cls)}

    def choose_mirror(self) -> Mirror:
        """Return the way of mirroring; raise `InvalidInputError` for an unknown one."""
        try:
            return Mirror(self.mirror or Mirror.ROTATIONS)
        except ValueError as error:
            modes = ", ".join(Mirror)
            raise InvalidInputError(
                f"mirror: expected one of {modes}, got {self.mirror!r}"
            ) from error

    def choose_cpu(self) -> Cpu | None:
        """Return how processors are shared; None where it was left to the platform."""
        try:
            return Cpu(self.cpu) if self.cpu else None
        except ValueError as error:
            ways = ", ".join(Cpu)
            raise InvalidInputError(f"cpu: expected one of {ways}, got {self.cpu!r}") from error

    def choose_name(self, variant: str) -> str:
        """Return the tournament's name, by default from the variant's text and the pairing."""
        name = self.name or f"{variant} {self.choose_pairing().replace('-', ' ')}"
        if len(name) > _MOST_NAME or not name.isprintable() or name != name.strip():
            raise InvalidInputError(
                f"name: expected at most {_MOST_NAME} printable characters, got {name!r}"
            )
        return name

    def choose_pairing(self) -> str:
        """Return the pairing scheme, when everything that was asked for fits it."""
        pairing = self.pairing or ("gauntlet" if self.hero else _PAIRINGS[0])
        if pairing not in _PAIRINGS:
            raise InvalidInputError(
                f"pairing: expected one of {', '.join(_PAIRINGS)}, got {self.pairing!r}"
            )
        if pairing == "gauntlet" and not self.hero:
            raise InvalidInputError("a gauntlet needs the bot that meets all others (--hero BOT)")
        for name, given, fitting in (
            ("hero", self.hero or None, ("gauntlet",)),
            ("tables", self.tables, ("round-robin", "gauntlet")),
            ("rounds", self.rounds, ("swiss",)),
        ):
            if given is not None and pairing not in fitting:
                raise InvalidInputError(
                    f"{name}: expected only with the pairing {' or '.join(fitting)}, got {pairing}"
                )
        if self.rounds is not None and not 1 <= self.rounds <= _MOST_ROUNDS:
            raise InvalidInputError(f"rounds: expected 1 to {_MOST_ROUNDS}, got {self.rounds}")
        return pairing

    def choose_time_control(self) -> TimeControl:
        """Return the time control; raise `InvalidInputError` for what is none."""
        bank, increment = _USUAL.bank, _USUAL.increment
        if self.time_control:
            bank, increment = parse_bank(self.time_control)
        for name, value in (
            ("limit", self.limit_seconds),
            ("start-up", self.start_up_seconds),
            ("grace", self.grace_seconds),
        ):
            if not 0 <= value <= _LONGEST:
                raise InvalidInputError(
                    f"{name}: expected seconds from 0 (the default) to {_LONGEST:g}, got {value:g}"
                )
        return TimeControl(
            bank=bank,
            increment=increment,
            limit=self.limit_seconds or _USUAL.limit,
            start_up=self.start_up_seconds or _USUAL.start_up,
            grace=self.grace_seconds or _USUAL.grace,
        )

    def check_length(self) -> None:
        """Raise `InvalidInputError` for deals, groups and separation that do not go together."""
        confidence = self.until_separated
        if confidence is None:
            if self.max_deals is not None:
                raise InvalidInputError(
                    "expected --max-deals with --until-separated only; a fixed number is --deals"
                )
            if self.groups is not None and self.deals is not None:
                raise InvalidInputError("expected a number of deals or of groups, got both")
            return
        if not 0.5 < confidence < 1:
            raise InvalidInputError(
                f"until-separated: expected a confidence above 0.5 and below 1, such as 0.95, "
                f"got {confidence:g}"
            )
        if self.choose_pairing() != "round-robin" or self.tables is not None:
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


def check_concurrency(concurrency: int) -> None:
    """Raise `InvalidInputError` for what is no number of matches at once; 0: the default."""
    if not 0 <= concurrency <= _MOST_CONCURRENCY:
        raise InvalidInputError(
            f"concurrency: expected 1 to {_MOST_CONCURRENCY} matches at once, got {concurrency}"
        )
