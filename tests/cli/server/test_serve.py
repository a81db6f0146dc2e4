"""`mazzo serve`: the same commands against a server; starting, stopping, staying alone."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import stat
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from mazzo_server.cli.tournaments import show
from support.command import SECONDS, Home, kill, standstill, until
from support.sample_bots import enter, write_bot
from support.served import find_gateways, serving
from support.timeless import timeless

pytestmark = pytest.mark.slow

DECISIONS_TO_THE_GATE = 500  # of some 1,600
RUN = ("tournament", "run", "briscola/2", "--seed", "a5" * 32, "--deals", "8", "--json")


def stop(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGTERM) -> str:
    """Ask a server to stop; it must do so with status 0. What it said meanwhile.

    The whole process group is told, as by Ctrl-C at a terminal: the bots must not hear it.
    """
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    return err.decode()


def test_the_same_commands_with_a_server(samples: Home, tmp_path: Path) -> None:
    embedded = Home(Path(shutil.copytree(samples.path, tmp_path / "embedded")))
    away = tmp_path / "nowhere"
    socket = tmp_path / "s"
    token = samples.inside("auth", "create", "organiser").out.strip()
    with serving(samples, "--listen", f"unix:{socket}", "--listen", "127.0.0.1:0") as (
        process,
        addresses,
    ):
        assert addresses[0] == f"unix:{socket}"
        for client, given in (
            (Home(away, {"MAZZO_SERVER": addresses[0]}), ()),
            (Home(away, {"MAZZO_ACCESS_TOKEN": token}), ("--server", addresses[1])),
        ):
            assert client("bots", "list", *given).out == embedded.inside("bots", "list").out
            played = client(*RUN, *given)
            number = str(played.json["id"])
            assert client.inside("tournament", "show", number, "--json", *given).out == played.out
            assert client.inside("tournament", "resume", number, "--json", *given).out == played.out
            here = timeless(embedded.inside(*RUN).json)
            assert timeless(played.json) == here
            missing = client.inside("tournament", "show", "77", *given, status=2)
            assert "tournament 77" in missing.err
            refused = client.inside("bots", "retire", "nobody", *given, status=2)
            assert refused.err.count("nobody") == 1
        bot = write_bot(tmp_path, "guest")
        assert client("bots", "submit", bot, *given, "--json").json["name"] == "guest"
        broken = tmp_path / "broken.zip"
        broken.write_bytes(b"PK\x03\x04" + bytes(1000))
        assert "archive" in client.inside("bots", "submit", broken, *given, status=2).err
        assert client.inside("rankings", *given).out == embedded.inside("rankings").out
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
    act = "time.sleep(0.004)\n        return view.legal[0]"
    enter(samples, *(write_bot(tmp_path, name, act=act) for name in ("snail", "tortoise")))
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
            refused = samples.inside("tournament", "resume", "1", status=1)
            assert "being played already" in refused.err
        said = stop(process, signal.SIGINT)
        assert "instance-lost" not in said
        assert "match-spoilt" not in said
    before = samples.stored_matches()
    assert 2 < len(before) < 20
    with serving(samples) as (process, _):
        told = kill(process, signal.SIGINT).out
    assert told.startswith("Interrupted: 1. `mazzo tournament resume")
    resumed = timeless(samples("tournament", "resume", "1", "--json").json)
    assert resumed == timeless(whole.inside(*run).json)
    assert set(before) < set(samples.stored_matches())


@contextmanager
def playing_slowly(
    samples: Home, tmp_path: Path, *options: str
) -> Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]]:
    """A server at a port, and a command whose tournament it plays."""
    act = "time.sleep(0.004)\n        return view.legal[0]"
    enter(samples, *(write_bot(tmp_path, name, act=act) for name in ("snail", "tortoise")))
    token = samples.inside("auth", "create", "organiser").out.strip()
    with serving(samples, "--listen", "127.0.0.1:0") as (process, (address,)):
        client = Home(samples.path, {"MAZZO_SERVER": address, "MAZZO_ACCESS_TOKEN": token})
        command = client.start(*RUN, "--bots", "snail,tortoise", *options)
        until(lambda: samples.status_of() is not None and bool(samples.stored_matches()), command)
        yield process, command


def test_a_command_outlives_the_gateway(samples: Home, tmp_path: Path) -> None:
    """Bug: it ended, with advice to resume a tournament that was being played all the time."""
    with playing_slowly(samples, tmp_path, "--concurrency", "2") as (server, command):
        (gateway,) = find_gateways(server.pid)
        os.kill(gateway, signal.SIGKILL)
        out, err = command.communicate(timeout=SECONDS)
        assert command.returncode == 0, err
        assert json.loads(out)["state"] == "finished"


def test_a_command_whose_server_is_gone_says_how_to_go_on(samples: Home, tmp_path: Path) -> None:
    with playing_slowly(samples, tmp_path, "--deals", "40") as (server, command):
        server.kill()
        _, err = command.communicate(timeout=SECONDS)
    assert command.returncode == 1
    assert b"mazzo tournament watch 1" in err
    assert b"mazzo tournament resume 1" in err


def test_who_only_looks_on_is_told_that_it_goes_on(
    samples: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends the watching, not the tournament."""

    async def follow(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(SECONDS)

    monkeypatch.setattr(show, "follow", follow)
    client = Home(samples.path, {"MAZZO_SERVER": f"unix:{samples.path / 'mazzo.sock'}"})
    with serving(samples) as (process, _):
        client.inside("tournament", "create", "briscola/2")
        stopped = client.inside("tournament", "watch", "1", status=130)
        assert "Tournament 1 goes on at unix:" in stopped.err
        stop(process, signal.SIGINT)


def test_two_servers_on_one_socket(home: Home) -> None:
    client = Home(home.path, {"MAZZO_SERVER": f"unix:{home.path / 'mazzo.sock'}"})
    with serving(home) as (process, _):
        second = home("serve", status=1)
        assert "another server" in second.err
        assert second.out == ""
        assert client.inside("bots", "list", "--json").json == []
        os.kill(process.pid, signal.SIGKILL)
    assert (home.path / "mazzo.sock").exists()  # left behind
    with serving(home) as (process, _):
        assert client.inside("bots", "list", "--json").json == []
        stop(process)
    assert "mazzo serve" in client.inside("bots", "list", status=1).err


def test_two_servers_on_one_port(home: Home, tmp_path: Path) -> None:
    with serving(home, "--listen", "127.0.0.1:0") as (process, addresses):
        second = Home(tmp_path / "other")("serve", "--listen", addresses[0], status=1)
        assert f"cannot listen at {addresses[0]}: Address already in use" in second.err
        stop(process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_idle_server_stops_at_once(home: Home, number: signal.Signals) -> None:
    with serving(home) as (process, _):
        assert "Stopping" in stop(process, number)


@dataclass(frozen=True, slots=True)
class Halt:
    """A tournament between bots that stand still at a gate.

    They close it themselves at their `DECISIONS_TO_THE_GATE`-th decision, all of them together,
    so that a busy machine cannot end the tournament before a test has closed it.
    """

    home: Home
    folder: Path

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    @property
    def decisions(self) -> Path:
        """Holds a byte for every decision that a bot took."""
        return self.folder / "decisions"

    @property
    def bots(self) -> list[int]:
        """The processes of the bots that stand at the gate."""
        return [int(file.name) for file in (self.folder / "waiting").iterdir()]

    @property
    def run(self) -> tuple[str, ...]:
        bots = ("--bots", "one,two", "--isolation", "none", "--concurrency", "2")
        return (*RUN, "--deals", "40", *bots, "--limit", "600", "--time", "600+0")

    def begin(self, address: str) -> None:
        """Have it played at a server until its bots stand at the gate."""
        command = Home(self.home.path, {"MAZZO_SERVER": address}).start(*self.run)
        try:
            until(lambda: bool(self.bots) and len(self.home.stored_matches()) > 2, command)
        finally:
            kill(command)

    def is_left(self) -> bool:
        """Whether a process of a bot or a file of an instance is still there."""
        return any(Path(f"/proc/{bot}").exists() for bot in self.bots) or any(
            (self.folder / "t").iterdir()
        )


@pytest.fixture(scope="module")
def halting(tmp_path_factory: pytest.TempPathFactory) -> Halt:
    """The bots are submitted, once for all tests; look, but leave the home as it is."""
    folder = tmp_path_factory.mktemp("halting")
    halt = Halt(Home(folder / "home"), folder)
    act = f"""gate = {str(halt.gate)!r}
        taken = os.open({str(halt.decisions)!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(taken, b".")
        if os.lseek(taken, 0, os.SEEK_CUR) == {DECISIONS_TO_THE_GATE}:
            open(gate, "w").close()
        os.close(taken)
        if os.path.exists(gate):
            open({str(folder / "waiting") + "/"!r} + str(os.getpid()), "w").close()
        while os.path.exists(gate):
            time.sleep(0.005)
        time.sleep(0.004)
        return view.legal[0]"""
    enter(halt.home, *(write_bot(folder, name, act=act) for name in ("one", "two")))
    return halt


@pytest.fixture
def halt(halting: Halt, copy_home: Callable[[Home, str], Home]) -> Iterator[Halt]:
    """The bots in a home of its own; the gate is open."""
    home, folder = copy_home(halting.home, "home"), halting.folder
    for name in ("waiting", "t"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
    halt = Halt(Home(home.path, {"TMPDIR": str(folder / "t")}), folder)
    halt.decisions.unlink(missing_ok=True)
    yield halt
    halt.gate.unlink(missing_ok=True)


def finish(halt: Halt, whole: Home) -> None:
    """Resume what was cut off: it must come to what an undisturbed run comes to."""
    before = halt.home.stored_matches()
    assert 2 < len(before) < 20
    assert "interrupted" in halt.home.inside("tournament", "list").out
    halt.gate.unlink(missing_ok=True)
    resumed = timeless(halt.home("tournament", "resume", "1", "--json").json)
    assert resumed == timeless(whole.inside(*halt.run).json)
    assert set(before) < set(halt.home.stored_matches())


@pytest.mark.prove
def test_bots_that_hang_do_not_hold_up_the_stop(halt: Halt, tmp_path: Path) -> None:
    """After the grace the rest is cut off; nothing of it is left, and resuming plays it."""
    whole = Home(Path(shutil.copytree(halt.home.path, tmp_path / "whole")))
    with serving(halt.home, "--isolation", "none", "--grace", "0.3") as (process, addresses):
        halt.begin(addresses[0])
        said = stop(process)
        assert "tournament-interrupted" in said
        assert "match-fault" not in said  # no bot pays for it
        assert not halt.is_left()
        assert not (halt.home.path / "mazzo.sock").exists()
    finish(halt, whole)


def test_told_twice_it_stops_at_once(halt: Halt) -> None:
    """With status 130, and nothing is left either."""
    with serving(halt.home, "--isolation", "none", "--grace", "3600") as (process, addresses):
        halt.begin(addresses[0])
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = process.stderr
        until(lambda: b"server-stopping" in said.readline(), process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
        assert process.returncode == 130, err
        assert b"Traceback" not in err
        assert b"server-stopped" in err
        assert not halt.is_left()
    assert "interrupted" in halt.home.inside("tournament", "list").out


@pytest.mark.parametrize(
    "signals", [[signal.SIGTERM], [signal.SIGHUP] * 2], ids=["told", "terminal closed"]
)
def test_a_server_that_stops_begins_nothing_new(halt: Halt, signals: list[signal.Signals]) -> None:
    """Health says so at once; questions are answered, and the current matches end.

    A terminal that is closed says so twice, through its shell too.
    """
    with serving(halt.home, "--isolation", "none", "--grace", "3600") as (process, addresses):
        client = Home(halt.home.path, {"MAZZO_SERVER": addresses[0]})
        halt.begin(addresses[0])
        played = len(halt.home.stored_matches())
        for number in signals:
            process.send_signal(number)
            time.sleep(0.05)
        with grpc.insecure_channel(addresses[0]) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            request = health_pb2.HealthCheckRequest()
            down = health_pb2.HealthCheckResponse.NOT_SERVING
            until(lambda: health.Check(request, timeout=SECONDS).status == down, process)
        for refused in (halt.run, ("tournament", "resume", "1"), ("bots", "submit", "one")):
            with_path = [str(halt.folder / part) if part == "one" else part for part in refused]
            assert "is stopping" in client.inside(*with_path, status=1).err
        assert len(client.inside("tournament", "list", "--json").json) == 1
        halt.gate.unlink()
        _, err = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, err
    assert played < len(halt.home.stored_matches()) < 20
    assert "interrupted" in halt.home.inside("tournament", "list").out


def test_a_command_whose_server_stops_says_how_to_go_on(samples: Home) -> None:
    """Status 1: the tournament is not over, however the end of the server reaches the command."""
    with serving(samples, "--grace", "0") as (process, addresses):
        command = Home(samples.path, {"MAZZO_SERVER": addresses[0]}).start(
            *RUN[:3], "--deals", "100000"
        )
        until(
            lambda: samples.status_of() is not None and len(samples.stored_matches()) > 2, command
        )
        stop(process)
        out, err = command.communicate(timeout=SECONDS)
        assert (command.returncode, out) == (1, b""), err
        assert b"go on with: mazzo tournament resume 1" in err


def page_at(url: str) -> str:
    """What a browser would get."""
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return str(answer.read().decode())


def test_prints_and_logs_do_not_mix(samples: Home) -> None:
    """Standard error is JSON alone, with no secret in it; the metrics are where it says."""
    options = ("--metrics", "0", "--log-format", "json", "--log-level", "debug")
    with serving(samples, *options) as (process, addresses):
        assert process.stdout is not None
        url = process.stdout.readline().decode().split()[-1]
        client = Home(samples.path, {"MAZZO_SERVER": addresses[0]})
        client(*RUN)
        client.inside("tournament", "show", "77", status=2)
        get = (
            'mazzo_requests_total{code="%s",method="mazzo.v1.TournamentService/GetTournament"} 1.0'
        )
        until(lambda: get % "NOT_FOUND" in page_at(url))  # counted when the answer is on its way
        page = page_at(url)
        assert get % "OK" in page
        err = stop(process)
    records = [json.loads(line) for line in err.splitlines()]
    ours = [record["action"] for record in records if record["action"].startswith("tourn")]
    assert ours == ["tournament-created", "tournament-started", "tournament-finished"]
    assert records[0]["action"] == "server-started"
    assert records[0]["metrics"] == url
    assert records[0]["addresses"] == addresses
    assert records[-1]["action"] == "server-stopped"
    assert "a5" * 8 not in err + page


def test_it_shows_the_pages_too(home: Home) -> None:
    """In a process of its own, which ends with it; a lost one is told, and started again."""
    with serving(home, "--web", "0", "--isolation", "none") as (process, _):
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        address = said.removeprefix("Pages at ").strip()
        with urllib.request.urlopen(address, timeout=SECONDS) as page:
            assert "<title>Tournaments for bots" in page.read().decode()
        (pages,) = find_children(process.pid, "web")
        assert "stopped" in stop(process)
    assert not Path(f"/proc/{pages}").exists()
    with serving(home, "--web", "0", "--isolation", "none") as (process, _):
        assert process.stdout is not None
        address = process.stdout.readline().decode().removeprefix("Pages at ").strip()
        (pages,) = find_children(process.pid, "web")
        os.kill(pages, signal.SIGKILL)
        assert home.inside("bots", "list").out
        until(lambda: find_children(process.pid, "web") not in ([], [pages]))
        until(lambda: has_pages(address))
        assert "the pages have ended with status -9" in stop(process)


def has_pages(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as page:
            return b"<title>Tournaments for bots" in page.read()
    except OSError:
        return False


def test_pages_do_not_outlive_a_server_that_is_killed(home: Home) -> None:
    with serving(home, "--web", "0", "--isolation", "none") as (process, _):
        assert process.stdout is not None
        process.stdout.readline()
        (pages,) = find_children(process.pid, "web")
        process.kill()
        until(lambda: not Path(f"/proc/{pages}").exists())


def test_pages_beside_a_server_need_its_socket(home: Home) -> None:
    refused = home("serve", "--listen", "127.0.0.1:0", "--web", "0", status=2)
    assert "--web: expected a Unix socket" in refused.err
    refused = home("serve", "--web", "0.0.0.0:0", status=1)
    assert "an address that this machine alone reaches" in refused.err


def find_children(parent: int, word: str) -> list[int]:
    """The processes that another one has started, with that argument."""
    found = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        for pid in (task / "children").read_text().split():
            if f"\0{word}\0" in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                found.append(int(pid))
    return found
