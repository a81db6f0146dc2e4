"""The limits that an organiser sets in the environment: of bots, and of a server's callers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Final, Self

from mazzo_server.errors import InvalidInputError
from mazzo_server.model.inputs import WholeNumber
from mazzo_server.settings import LIMITS_VARIABLE

__all__ = ["LIMIT_KINDS", "BotLimits", "CallLimits", "InstanceLimits", "read_bot_limits"]

_MIB: Final = 1024 * 1024
_MOST_PACKED: Final = 1024  # MiB, for every bot: its author's machine packs it in memory

LIMIT_KINDS: Final[Mapping[str, WholeNumber]] = {
    # Python with gRPC takes some 60 MiB and 10 threads before the bot's own code begins.
    "memory_mib": WholeNumber(128, 1024 * 1024),
    "processes": WholeNumber(16, 32768),
    "disk_mib": WholeNumber(1, 1024 * 1024),
    "bundle_mib": WholeNumber(1, _MOST_PACKED),
    "unpacked_mib": WholeNumber(1, 4 * _MOST_PACKED),
}
"""What each limit may be, by its name."""

_CALLS = WholeNumber(1, 1_000_000)
_NUMBERS = {"challenges_per_day": WholeNumber(0, 1_000_000)}  # those that may be 0
_CALL_VARIABLES = {
    "calls": "MAZZO_CALLS",
    "calls_per_minute": "MAZZO_CALLS_PER_MINUTE",
    "uploads": "MAZZO_UPLOADS",
    "uploads_of_author": "MAZZO_UPLOADS_OF_AUTHOR",
    "tables": "MAZZO_TABLES",
    "challenges_per_day": "MAZZO_CHALLENGES_PER_DAY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceLimits:
    """What an instance of a bot gets, and what a `bot.toml` may ask less of.

    Sizes are in MiB, of 1,048,576 bytes.
    """

    memory_mib: int = 512  # private memory of each process; with control groups of all together
    processes: int = 64  # processes and threads at one time
    disk_mib: int = 64  # the private folder for temporary files, in memory

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `memory_mib=1024,processes=128`; what is not named keeps its default.

        Raises `InvalidInputError`.
        """
        return cls().change(text)

    def change(self, text: str) -> Self:
        """Return these limits with those that a text names; raise `InvalidInputError`."""
        names = [field.name for field in fields(self)]
        given: dict[str, int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, number = (word.strip() for word in part.partition("="))
            if name not in names or name in given:
                raise InvalidInputError(
                    f"expected limits such as memory_mib=1024,processes=128, each of "
                    f"{', '.join(names)} at most once, got {part[:40]!r}"
                )
            try:
                given[name] = LIMIT_KINDS[name].parse(number)
            except InvalidInputError as error:
                raise InvalidInputError(f"{name}: {error}") from error
        return replace(self, **given)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        return ",".join(f"{name}={number}" for name, number in asdict(self).items())


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLimits(InstanceLimits):
    """The limits of a platform: of the instances, and of the files of a bot."""

    bundle_mib: int = 48  # the archive that is handed in
    unpacked_mib: int = 160  # its files, with those in its wheels

    @property
    def archive_bytes(self) -> int:
        """How many bytes an archive may have."""
        return self.bundle_mib * _MIB

    @property
    def unpacked_bytes(self) -> int:
        """How many bytes the files of a bot may have."""
        return self.unpacked_mib * _MIB

    @property
    def of_instances(self) -> InstanceLimits:
        """What an instance gets."""
        return InstanceLimits(
            memory_mib=self.memory_mib, processes=self.processes, disk_mib=self.disk_mib
        )


def read_bot_limits(text: str) -> BotLimits:
    """Read the value of `MAZZO_LIMITS`; raise `InvalidInputError`, which names it."""
    try:
        limits = BotLimits.parse(text)
        if limits.unpacked_mib < limits.bundle_mib:
            raise InvalidInputError(
                f"unpacked_mib: expected at least the {limits.bundle_mib} of bundle_mib, got "
                f"{limits.unpacked_mib}"
            )
        return limits
    except InvalidInputError as error:
        raise InvalidInputError(f"{LIMITS_VARIABLE}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """The limits of callers.

    Those of a token; an address from which calls come without a valid one has four times as many.
    The local user who opens the server's Unix socket is bounded by `uploads` alone.
    """

    calls: int = 32  # in flight
    calls_per_minute: int = 3_000
    uploads: int = 16  # being received, of all authors
    uploads_of_author: int = 2  # of those, of one author
    tables: int = 4  # at which people play, of everybody
    challenges_per_day: int = 20  # of an author, on a UTC day

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> CallLimits:
        """Read `MAZZO_CALLS` and its like; raise `InvalidInputError` for what is no number."""
        given: dict[str, int] = {}
        for name, variable in _CALL_VARIABLES.items():
            if text := environment.get(variable, ""):
                try:
                    given[name] = _NUMBERS.get(name, _CALLS).parse(text)
                except InvalidInputError as error:
                    raise InvalidInputError(f"{variable}: {error}") from error
        return cls(**given)
