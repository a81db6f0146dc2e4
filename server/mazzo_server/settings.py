"""Where the platform keeps its things, and the few numbers that a user may set."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

__all__ = ["ACCESS_TOKEN_VARIABLE", "HOME_VARIABLE", "SERVER_VARIABLE", "Settings"]

HOME_VARIABLE = "MAZZO_HOME"
SERVER_VARIABLE = "MAZZO_SERVER"
ACCESS_TOKEN_VARIABLE = "MAZZO_ACCESS_TOKEN"  # noqa: S105 (the name of the variable, not a token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The paths of one installation; everything lies under `home`."""

    home: Path

    @classmethod
    def from_environment(cls) -> Settings:
        """`MAZZO_HOME`, or the platform's folder for user data."""
        given = os.environ.get(HOME_VARIABLE)
        return cls(home=Path(given).absolute() if given else user_data_path("mazzo"))

    @property
    def store(self) -> Path:
        """The store of bots, tournaments and matches."""
        return self.home / "mazzo.db"

    @property
    def bundles(self) -> Path:
        """The unpacked bundles, by content hash."""
        return self.home / "bundles"

    @property
    def socket(self) -> Path:
        """Where `mazzo serve` listens unless told otherwise."""
        return self.home / "mazzo.sock"
