"""Shared settings of all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from server.databases import Databases

# As the command does, before anything imports gRPC.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
# A terminal's width would be that of commands which tests run in their own process.
os.environ.pop("COLUMNS", None)

settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """A PostgreSQL server, of each process that runs tests."""
    from server.databases import started  # most tests need neither it nor its driver

    with started() as databases:
        yield databases
