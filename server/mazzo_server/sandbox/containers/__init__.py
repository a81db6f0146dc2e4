"""Isolation by the container engine of this machine."""

from mazzo_server.sandbox.containers.docker import DockerSandbox

__all__ = ["DockerSandbox"]
