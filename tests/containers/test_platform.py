"""The platform with containers: outside of them by the command line, and inside of one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from docker.models.containers import Container

import docker
from containers.images import ROOT
from mazzo.version import VERSION
from support.command import Home, until
from support.postgres import Databases

BOTS = ("random", "greedy")


def check(tournament: dict[str, Any], isolation: str) -> None:
    """A tournament between the sample bots went as it should."""
    assert tournament["isolation"] == isolation
    assert tournament["state"] == "finished"
    rows = tournament["standings"]["rows"]
    assert {row["name"] for row in rows} == set(BOTS)
    assert all(row["faults"] == 0 and row["deals"] == 20 for row in rows)


def test_a_tournament_by_the_command_line(tmp_path: Path) -> None:
    """With bots in containers, from submission to standings."""
    home = Home(tmp_path / "home", {"DOCKER_HOST": os.environ["DOCKER_HOST"]})
    for bot in BOTS:
        home("bots", "submit", ROOT / "sample_bots" / bot, "--isolation", "docker")
    run = ("tournament", "run", "briscola/2", "--deals", "20", "--isolation", "docker", "--json")
    check(home(*run).json, "docker")


@pytest.fixture
def platform(engine: docker.DockerClient, databases: Databases) -> Iterator[Container]:
    """What `compose.yaml` starts, but for the database, which is one of the tests'."""
    compose = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
    service = compose["services"]["platform"]
    options = set(service["security_opt"])
    with databases.database() as url:
        folder = url.rpartition("host=")[2]
        Path(folder).chmod(0o755)
        host = engine.api.create_host_config(
            binds=[f"{folder}:{folder}"],
            cap_drop=service["cap_drop"],
            init=service["init"],
            network_mode=service["network_mode"],
            read_only=service["read_only"],
            security_opt=sorted(options - {"systempaths=unconfined"}),
            tmpfs=dict.fromkeys(service["tmpfs"], ""),
        )
        if "systempaths=unconfined" in options:  # which `docker` itself translates
            host |= {"MaskedPaths": [], "ReadonlyPaths": []}
        made = engine.api.create_container(
            service["image"],
            command=service["command"],
            environment={"MAZZO_DATABASE_URL": url},
            host_config=host,
        )
        container = engine.containers.get(made["Id"])
        container.start()
        yield container
        container.remove(force=True, v=True)


def test_the_platform_in_a_container(platform: Container) -> None:
    """It serves, and plays a tournament with bots in sandboxes inside its container."""
    until(lambda: b"Listening" in platform.logs())

    def call(*command: str) -> str:
        status, said = platform.exec_run(
            list(command), environment={"MAZZO_SERVER": "unix:/data/mazzo.sock"}
        )
        assert isinstance(said, bytes)
        assert status == 0, said.decode()
        return said.decode()

    assert VERSION in call("mazzo", "--version")
    package = call(
        "/opt/mazzo/bin/python", "-c", "import mazzo_server; print(mazzo_server.__path__[0])"
    )
    for bot in BOTS:
        call("mazzo", "bots", "submit", f"{package.strip()}/sample_bots/{bot}")
    said = call("mazzo", "tournament", "run", "briscola/2", "--deals", "20", "--json")
    check(json.loads(said), "bubblewrap")
    platform.stop(timeout=60)
    assert platform.wait()["StatusCode"] == 0
