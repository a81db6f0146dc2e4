"""Shared settings of all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

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

pytest_plugins = ["support.fixtures"]
