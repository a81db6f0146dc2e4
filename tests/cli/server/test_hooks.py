"""`mazzo hooks`, and a server that delivers what was announced before it started."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from support.command import Home, kill
from support.receivers import answer_with, receive
from support.sample_bots import enter, write_bot
from support.served import serving

PRIVATE = {"MAZZO_PRIVATE_HOOKS": "1"}
URL = "http://127.0.0.1:1/in?key=its-secret"


def test_hooks_of_a_store(tmp_path: Path) -> None:
    """Added, listed, shown, tested and removed, without a server."""
    home = Home(tmp_path / "home", PRIVATE)
    assert "No hooks yet" in home.inside("hooks", "list").out
    made = home.inside("hooks", "add", URL, "--event", "trial-failed", "--label", "the club")
    assert made.out.startswith("whsec_")
    assert len(made.out.splitlines()) == 1
    assert "shown this once" in " ".join(made.err.split())
    both = ("--event", "trial-failed", "--event", "trial-passed")
    assert "posts some of these events" in home.inside("hooks", "add", URL, *both, status=1).err
    home.inside("hooks", "add", f"{URL}&of=two", *both)
    listed = home.inside("hooks", "list", "--json").json
    assert [row["events"] for row in listed] == [["trial-failed"], ["trial-passed", "trial-failed"]]
    number = listed[0]["id"]
    shown = home.inside("hooks", "show", number)
    assert "state:         fine" in shown.out
    assert "last delivery: never" in shown.out
    failed = home.inside("hooks", "test", number, status=1)
    assert failed.err.startswith("mazzo: the test did not arrive: cannot be reached: ")
    answer = home.inside("hooks", "test", number, "--json", status=1).json
    assert answer["status"] == 0
    assert "is removed" in home.inside("hooks", "remove", number).out
    home.inside("hooks", "show", number, status=2)
    table = home.inside("hooks", "list").out
    assert "http://127.0.0.1:1 " in table
    for result in (table, shown.out, str(listed)):
        assert "its-secret" not in result
        assert made.out.strip() not in result


def test_hooks_of_a_private_network_are_refused(tmp_path: Path) -> None:
    """Unless the organiser says otherwise."""
    home = Home(tmp_path / "home")
    for url in (URL, "https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/"):
        assert "MAZZO_PRIVATE_HOOKS=1" in home.inside("hooks", "add", url, status=2).err
    assert home.inside("hooks", "list", "--json").json == []


@pytest.mark.slow
def test_what_happened_without_a_server_is_told_by_the_next(tmp_path: Path) -> None:
    """A tournament of a command, then a trial; the server may be killed meanwhile."""
    home = Home(tmp_path / "home", PRIVATE)
    enter(home, *(write_bot(tmp_path, name) for name in ("ann", "bob")))

    async def main() -> None:
        async with receive() as receiver:
            made = await asyncio.to_thread(home, "hooks", "add", receiver.url, "--json")
            secret = made.json["secret"]
            playing = ("tournament", "run", "briscola/2", "--deals", "2", "--isolation", "none")
            await asyncio.to_thread(home, *playing, "--name", "<!here>")
            with serving(home, "--isolation", "none") as (server, _):
                [over] = await receiver.wait_for(1)
                assert over.has_signature_of(secret)
                assert over.facts["type"] == "tournament-over"
                data = over.facts["data"]
                assert sorted(data.pop("leaders")) == ["ann", "bob"]
                assert data == {
                    "tournament": 1,
                    "name": "<!here>",
                    "variant": "briscola/2",
                    "status": "finished",
                    "matches_played": 2,
                }
                kill(server)
            with serving(home, "--isolation", "none") as (server, (address,)):
                served = Home(home.path, {"MAZZO_SERVER": address})
                await asyncio.to_thread(served, "bots", "submit", str(tmp_path / "ann"))
                got = await receiver.wait_for(2)
                if got[-1].event_id == over.event_id:  # the kill came before that was noted
                    got = await receiver.wait_for(3)
                passed = got[-1].facts
                assert passed["type"] == "trial-passed"
                assert passed["data"] == {"bot": "ann", "version": 2, "qualified": ["briscola/2"]}
                result = await asyncio.to_thread(kill, server, signal.SIGTERM)
                assert result.status == 0
                assert secret not in result.err
                assert "its-secret" not in result.err

    asyncio.run(main())


@pytest.mark.slow
def test_a_receiver_that_hangs_delays_neither_play_nor_the_end(tmp_path: Path) -> None:
    """A server that is told to stop does not wait for a receiver."""
    home = Home(tmp_path / "home", PRIVATE)
    enter(home, *(write_bot(tmp_path, name) for name in ("ann", "bob")))

    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(600)

    async def main() -> None:
        async with receive(never) as stuck, receive(answer_with(500)) as broken:
            for receiver in (stuck, broken):
                await asyncio.to_thread(home, "hooks", "add", receiver.url)
            with serving(home, "--isolation", "none") as (server, (address,)):
                served = Home(home.path, {"MAZZO_SERVER": address})
                for _ in range(2):
                    playing = ("tournament", "run", "briscola/2", "--deals", "4")
                    async with asyncio.timeout(30):
                        await asyncio.to_thread(served, *playing, "--isolation", "none")
                await stuck.wait_for(1)
                async with asyncio.timeout(10):
                    result = await asyncio.to_thread(kill, server, signal.SIGTERM)
                assert result.status == 0
        waiting = home("hooks", "list", "--json").json
        assert [hook["waiting"] for hook in waiting] == [2, 2]

    asyncio.run(main())
