"""How many files and connections this process may have open."""

from __future__ import annotations

import resource
from typing import Final

__all__ = ["raise_descriptor_limit"]

_ENOUGH: Final = 65_536  # of 1,128 connections, and of bots, several for each


def raise_descriptor_limit() -> None:
    """Allow as many descriptors as the machine lets this process have.

    The usual limit of 1,024 is for programs that use `select`. At the limit gRPC takes no further
    connection, and the store and the bots fail.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    most = _ENOUGH if hard == unlimited else min(hard, _ENOUGH)
    if soft not in (unlimited, most) and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
