"""`mazzo serve`: the same commands against a server; starting, stopping, staying alone."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from cli.command import SECONDS, Home, kill, standstill, until, without_times
from cli.samples import write_bot

RUN = ("tournament", "run", "briscola/2", "--seed", "a5" * 32, "--deals", "8", "--json")


@contextmanager
def serving(home: Home, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """A server, and where it listens."""
    process = home.start("serve", *arguments)
    assert process.stdout is not None
    addresses = []
    try:
        while line := process.stdout.readline().decode():
            if not line.startswith("Listening at "):
                assert "Isolating bots with " in line
                break
            addresses.append(line.split()[-1])
        yield process, addresses
    finally:
        kill(process)


def stop(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGTERM) -> str:
    """Ask a server to stop; it must do so with status 0. What it said meanwhile."""
    process.send_signal(number)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    return err.decode()


def test_the_same_commands_with_a_server(samples: Home, tmp_path: Path) -> None:
    embedded = Home(Path(shutil.copytree(samples.path, tmp_path / "embedded")))
    away = tmp_path / "nowhere"
    socket = tmp_path / "s"
    token = samples("auth", "create", "organiser").out.strip()
    with serving(samples, "--listen", f"unix:{socket}", "--listen", "127.0.0.1:0") as (
        process,
        addresses,
    ):
        assert addresses[0] == f"unix:{socket}"
        for client, given in (
            (Home(away, {"MAZZO_SERVER": addresses[0]}), ()),
            (Home(away, {"MAZZO_ACCESS_TOKEN": token}), ("--server", addresses[1])),
        ):
            assert client("bots", "list", *given).out == embedded("bots", "list").out
            played = client(*RUN, *given)
            number = str(played.json["id"])
            assert client("tournament", "show", number, "--json", *given).out == played.out
            assert client("tournament", "resume", number, "--json", *given).out == played.out
            here = without_times(embedded(*RUN).json)
            assert without_times(played.json) == here
            missing = client("tournament", "show", "77", *given, status=2)
            assert "tournament 77" in missing.err
            assert client("bots", "retire", "nobody", *given, status=2).err.count("nobody") == 1
        bot = write_bot(tmp_path, "guest")
        assert client("bots", "submit", bot, *given, "--json").json["name"] == "guest"
        broken = tmp_path / "broken.tar"
        broken.write_bytes(bytes(257) + b"ustar" + bytes(1000))
        assert "archive" in client("bots", "submit", broken, *given, status=2).err
        assert client("rankings", *given).out == embedded("rankings").out
        assert not away.exists()
        assert "Stopping" in stop(process)
    assert not socket.exists()


def test_health_and_reflection(home: Home) -> None:
    with serving(home, "--listen", "localhost:0") as (process, addresses):
        with grpc.insecure_channel(
            addresses[0], options=[("grpc.enable_http_proxy", 0)]
        ) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            services = ("Auth", "Bot", "Play", "Ranking", "Tournament")
            names = {f"mazzo.v1.{name}Service" for name in services}
            for name in ("", *names):
                request = health_pb2.HealthCheckRequest(service=name)
                answer = health.Check(request, timeout=SECONDS, wait_for_ready=True)
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            answers = stub.ServerReflectionInfo(iter([asked]), timeout=SECONDS)
            listed = {item.name for item in next(answers).list_services_response.service}
            assert names < listed
            assert "grpc.health.v1.Health" in listed
        stop(process, signal.SIGINT)


def test_stopped_in_mid_tournament_it_finishes_its_matches(samples: Home, tmp_path: Path) -> None:
    for name in ("snail", "tortoise"):
        act = "time.sleep(0.004)\n        return view.legal[0]"
        samples("bots", "submit", write_bot(tmp_path, name, act=act))
    whole = Home(Path(shutil.copytree(samples.path, tmp_path / "whole")))
    run = (*RUN, "--deals", "40", "--bots", "snail,tortoise", "--concurrency", "2")
    client = Home(samples.path, {"MAZZO_SERVER": f"unix:{samples.path / 'mazzo.sock'}"})
    with serving(samples) as (process, addresses):
        assert addresses == [client.variables["MAZZO_SERVER"]]
        assert stat.S_IMODE(samples.path.stat().st_mode) == 0o700
        command = client.start(*run)
        until(
            lambda: samples.status_of() is not None and len(samples.stored_matches()) > 2, command
        )
        # The command may go, the tournament goes on; and it is one tournament, once.
        gone = kill(command, signal.SIGINT)
        assert gone.status == 130
        assert "goes on at unix:" in gone.err
        with standstill(process):
            assert "being played already" in samples("tournament", "resume", "1", status=1).err
        stop(process)
    before = samples.stored_matches()
    assert 2 < len(before) < 20
    resumed = without_times(samples("tournament", "resume", "1", "--json").json)
    assert resumed == without_times(whole(*run).json)
    assert set(before) < set(samples.stored_matches())


def test_two_servers_on_one_socket(home: Home) -> None:
    client = Home(home.path, {"MAZZO_SERVER": f"unix:{home.path / 'mazzo.sock'}"})
    with serving(home) as (process, _):
        second = home("serve", status=1)
        assert "another server" in second.err
        assert second.out == ""
        assert client("bots", "list", "--json").json == []
        os.kill(process.pid, signal.SIGKILL)
    assert (home.path / "mazzo.sock").exists()  # left behind
    with serving(home) as (process, _):
        assert client("bots", "list", "--json").json == []
        stop(process)
    assert "mazzo serve" in client("bots", "list", status=1).err


def test_two_servers_on_one_port(home: Home, tmp_path: Path) -> None:
    with serving(home, "--listen", "127.0.0.1:0") as (process, addresses):
        second = Home(tmp_path / "other")("serve", "--listen", addresses[0], status=1)
        assert f"cannot listen at {addresses[0]}" in second.err
        stop(process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_server_stops_at_once(home: Home, number: signal.Signals) -> None:
    with serving(home) as (process, _):
        assert "Stopping" in stop(process, number)
