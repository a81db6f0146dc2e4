"""Isolation by the container engine of this machine."""

from mazzo_server.sandbox.containers.docker import DockerSandbox
from mazzo_server.sandbox.containers.engine import Engine

__all__ = ["DockerSandbox", "Engine"]
