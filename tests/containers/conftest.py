"""Fixtures for tests with an engine: `make test-docker` starts it, and builds what runs in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import docker
from mazzo_server.sandbox import Sandbox, open_sandbox
from mazzo_server.settings import Isolation


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    """A client of the engine of these tests, which nobody else uses."""
    assert os.environ.get("MAZZO_TEST_ISOLATION") == "docker", "expected to be run by test-docker"
    client = docker.DockerClient(base_url=os.environ["DOCKER_HOST"])
    yield client
    client.close()


@pytest.fixture(scope="module")
def sandbox(engine: docker.DockerClient) -> Sandbox:
    """The isolation `docker`."""
    return open_sandbox(Isolation.DOCKER)


@pytest.fixture(scope="module")
def any_sandbox(sandbox: Sandbox) -> Sandbox:
    """For the tests of what every isolation owes."""
    return sandbox


@pytest.fixture(scope="module")
def bubblewrap(sandbox: Sandbox) -> Sandbox:
    """For those of what every isolation for strangers owes: here they get this one."""
    return sandbox


@pytest.fixture(autouse=True)
def nothing_left(engine: docker.DockerClient) -> Iterator[None]:
    """Every test ends without a container."""
    yield
    left = engine.containers.list(all=True)
    for container in left:
        container.remove(force=True)
    assert left == []
