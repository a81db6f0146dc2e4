"""Where the platform keeps its things, and the few numbers that a user may set."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from platformdirs import user_data_path

__all__ = [
    "ACCESS_TOKEN_VARIABLE",
    "DATABASE_VARIABLE",
    "DEFAULT_ISOLATION",
    "HOME_VARIABLE",
    "LIMITS_VARIABLE",
    "PRIVATE_HOOKS_VARIABLE",
    "RAY_ADDRESS_VARIABLE",
    "REQUIRE_VARIABLE",
    "SERVER_VARIABLE",
    "ExecutorKind",
    "Isolation",
    "Settings",
    "list_usable_processors",
]

REQUIRE_VARIABLE = "MAZZO_REQUIRE"
LIMITS_VARIABLE = "MAZZO_LIMITS"
PRIVATE_HOOKS_VARIABLE = "MAZZO_PRIVATE_HOOKS"
HOME_VARIABLE = "MAZZO_HOME"
DATABASE_VARIABLE = "MAZZO_DATABASE_URL"
SERVER_VARIABLE = "MAZZO_SERVER"
RAY_ADDRESS_VARIABLE = "MAZZO_RAY_ADDRESS"
ACCESS_TOKEN_VARIABLE = "MAZZO_ACCESS_TOKEN"  # noqa: S105 (the name of the variable, not a token)


class Isolation(StrEnum):
    """How bots are kept from the machine and from each other; the best way first."""

    BUBBLEWRAP = "bubblewrap"
    DOCKER = "docker"
    NONE = "none"  # bots have the rights of the user who runs the command


class ExecutorKind(StrEnum):
    """Where the matches of a tournament are played."""

    PROCESSES = "processes"  # on this machine
    RAY = "ray"  # on the machines of a Ray cluster


DEFAULT_ISOLATION = Isolation.BUBBLEWRAP

_TOPOLOGY = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The places of one installation: all under `home`, but for a database that is elsewhere."""

    home: Path
    database_url: str = field(default="", repr=False)  # may hold a password; "": none
    require: str = ""  # names of protections without which no bot is run
    limits: str = ""  # what bots get, and how large they may be, as `BotLimits` reads it
    workers: int = 0  # processes that play a tournament; 0: chosen for each one
    executor: ExecutorKind = ExecutorKind.PROCESSES
    ray_address: str = ""  # HOST:PORT of a Ray cluster; "": none
    private_hooks: bool = False  # whether hooks may lead into the server's own network, and by http

    @classmethod
    def from_environment(cls) -> Settings:
        """Read `MAZZO_HOME`, `..._DATABASE_URL`, `..._REQUIRE`, `..._LIMITS`, `..._RAY_ADDRESS`,
        `..._PRIVATE_HOOKS`.

        Without `MAZZO_HOME` the home is the platform's folder for user data.
        """
        given = os.environ.get(HOME_VARIABLE)
        return cls(
            home=Path(given).absolute() if given else user_data_path("mazzo"),
            database_url=os.environ.get(DATABASE_VARIABLE, ""),
            require=os.environ.get(REQUIRE_VARIABLE, ""),
            limits=os.environ.get(LIMITS_VARIABLE, ""),
            ray_address=os.environ.get(RAY_ADDRESS_VARIABLE, ""),
            private_hooks=os.environ.get(PRIVATE_HOOKS_VARIABLE, "") == "1",
        )

    @property
    def store(self) -> Path | str:
        """The store of bots, tournaments and matches: a path, or the address of a database."""
        return self.database_url or self.home / "mazzo.db"

    @property
    def bundles(self) -> Path:
        """The unpacked bundles, by content hash."""
        return self.home / "bundles"

    @property
    def ray_token(self) -> Path:
        """The token of the clusters that `mazzo cluster up` runs."""
        return self.home / "ray-token"

    @property
    def socket(self) -> Path:
        """Where `mazzo serve` listens unless told otherwise."""
        return self.home / "mazzo.sock"


def list_usable_processors(share: float = 1.0, *, topology: Path = _TOPOLOGY) -> list[int]:
    """Return the numbers of the processors that this process may use, or of a share of them.

    They ascend. A share is rounded down to whole processors, and one at least. The threads of a
    core are taken one after the other, so that a share has as few cores as it can.
    """
    try:
        processors = os.sched_getaffinity(0)
    except AttributeError:  # no Linux
        processors = set(range(os.cpu_count() or 1))
    number = max(1, int(round(share * len(processors), 6)))
    if number == len(processors):
        return sorted(processors)
    by_core = sorted(processors, key=lambda one: (_find_core(one, topology), one))
    return sorted(by_core[-number:])


def _find_core(processor: int, topology: Path) -> int:
    """Return the number of the first thread of a processor's core; its own where nobody tells."""
    try:
        siblings = (topology / f"cpu{processor}/topology/thread_siblings_list").read_text()
    except OSError:
        return processor
    first = re.match(r"[0-9]+", siblings)  # of "0,4" or "0-1"
    return int(first[0]) if first else processor
