"""What comes before Ray is loaded."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Final

from mazzo_server.errors import PlatformError

__all__ = ["SLOTS", "check_installed", "prepare_ray"]

SLOTS: Final = "mazzo_slots"  # the resource of Ray that says how many workers a node has


def check_installed() -> None:
    """Raise `PlatformError` if Ray is not installed."""
    if find_spec("ray") is None:
        raise PlatformError("a cluster needs Ray: install mazzo[ray]")


def prepare_ray() -> None:
    """Set what Ray reads when it is loaded: it uses a token, and tells nobody that it is used."""
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
