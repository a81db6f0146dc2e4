"""Tournaments that are killed, stopped, paused, changed and served: the same as undisturbed."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from goldens.bots import ACTS, enter_bots, write_bot
from goldens.scenarios.scenario import Scenario
from goldens.scenarios.tournaments import PLAY
from goldens.session import Session
from support.command import SECONDS, Home, Result, kill, until
from support.served import serving

__all__ = ["SCENARIOS"]

# Slow enough to be caught in mid-tournament. One kills itself, in every run at the same decision.
_SLOW = "time.sleep(0.003)\n        "
_RASH = f"{_SLOW}sum(map(int, view.legal)) % 97 or os._exit(3)\n        return view.legal[0]"
_ROUNDS = ("briscola/2", "--groups", "4")
_SWISS = ("briscola/2", "--pairing", "swiss", "--groups", "2", "--rounds", "3")
_SEPARATED = ("briscola/2", "--until-separated", "0.8", "--max-deals", "24")
_LEAST_TICKS = 25  # that a command needs before it can ask for anything
_IDLE_SECONDS = 2.0
_ALL = {"rounds": _ROUNDS, "swiss": _SWISS, "separated": _SEPARATED}


def _enter(session: Session) -> None:
    enter_bots(
        session,
        write_bot(session, "ada", _SLOW + ACTS["ada"], games=("briscola/2",), capacity=1),
        write_bot(session, "bea", _SLOW + ACTS["bea"], games=("briscola/2",), capacity=4),
        write_bot(session, "rash", _RASH, games=("briscola/2",), capacity=1),
    )


def _show(session: Session) -> None:
    """What there is of it in the end, whatever happened before."""
    matches = session("matches", "--tournament", "1", "--scheduled", "--json").json
    session("tournament", "show", "1", "--json")
    session("rankings", "--json")
    session("rankings", "explain", "ada", "--tournament", "1", "--json")
    for match in matches:
        session("replay", "export", match["match"], hashed=("shuffles", "actions"))


def _undisturbed(options: tuple[str, ...], *more: str) -> Callable[[Session], None]:
    def play(session: Session) -> None:
        _enter(session)
        session.home("tournament", "run", *options, *PLAY, *more)
        _show(session)

    return play


def _stopped(
    options: tuple[str, ...], number: signal.Signals, *moments: int
) -> Callable[[Session], None]:
    """Each time that so many matches are stored, the command that plays is signalled."""

    def play(session: Session) -> None:
        _enter(session)
        run = ("tournament", "run", *options, *PLAY, "--concurrency", "2")
        for moment in moments:
            process = session.home.start(*run)
            _wait_for(session.home, process, moment)
            stopped = kill(process, number)
            assert stopped.status in (-number, 130), stopped
            run = ("tournament", "resume", "1", "--json", "--concurrency", str(moment))
        session.home(*run)
        _show(session)

    return play


def _wait_for(home: Home, process: subprocess.Popen[bytes], matches: int) -> None:
    until(lambda: home.status_of() is not None and len(home.stored_matches()) >= matches, process)


@contextmanager
def _server(session: Session) -> Iterator[None]:
    """A server at a socket, which every command asks from now on."""
    address = f"unix:{session.folder / 's'}"
    with serving(session.home, "--isolation", "none", "--listen", address):
        session.variables["MAZZO_SERVER"] = address
        try:
            yield
        finally:
            del session.variables["MAZZO_SERVER"]


def _served(options: tuple[str, ...]) -> Callable[[Session], None]:
    """A server plays it, is killed, and another one goes on."""

    def play(session: Session) -> None:
        _enter(session)
        address = f"unix:{session.folder / 's'}"
        run = ("tournament", "run", *options, *PLAY, "--server", address)
        for moment in (3, 9):
            with serving(session.home, "--isolation", "none", "--listen", address) as (server, _):
                process = session.home.start(*run)
                _wait_for(session.home, process, moment)
                kill(server)
                assert kill(process, signal.SIGTERM).status != 0
            run = ("tournament", "resume", "1", "--json", "--server", address)
        with _server(session):
            session.home(*run)
            _show(session)

    return play


# In its N-th match it says so, and waits until it may go on. It sees the folder of the session
# from where its bundle lies, HOME/bundles/HASH.
_GATE = """import time
from pathlib import Path

from mazzo import Bot, run

FOLDER = Path(__file__).resolve().parents[3]


class Gate(Bot):
    def act(self, view):
        seen = FOLDER / "seen"
        known = seen.read_text().split() if seen.exists() else []
        if view.seed.hex() not in known:
            known.append(view.seed.hex())
            seen.write_text(" ".join(known))
            if len(known) in (5, 15):
                (FOLDER / f"reached-{len(known)}").touch()
                end = time.monotonic() + 300  # it outlives nobody
                while not (FOLDER / f"open-{len(known)}").exists() and time.monotonic() < end:
                    time.sleep(0.02)
        return view.legal[0]


if __name__ == "__main__":
    run(Gate())
"""


def _changed(session: Session) -> None:
    """Bots come and go while one match is being played, and it is paused in another one."""
    gate = write_bot(session, "gate", "pass", games=("briscola/2",), capacity=1)
    (gate / "bot.py").write_text(_GATE)
    enter_bots(session, "ada", "bea", "cleo", gate)
    options = ("--bots", "ada,bea,gate", "--groups", "4", "--concurrency", "1")
    with _server(session):
        session("tournament", "create", "briscola/2", *options, *PLAY, "--limit", "600")
        session("tournament", "start", "1", "--detach")
        _reach(session.folder, 5)
        session("tournament", "show", "1", "--json")
        session("matches", "--tournament", "1", "--scheduled", "--json", hashed=("commitment",))
        session("replay", "show", "1/5/0", "--json", status=1)
        session("tournament", "add", "1", "cleo", "--json")
        session("tournament", "retire", "1", "bea", "--json")
        session("tournament", "add", "1", "cleo", "--json", status=1)
        session("tournament", "show", "1", "--json")
        watching = session.home.start("tournament", "watch", "1", "--json")
        _wait_until_idle(watching)  # it watches, or it would miss what begins now
        _open(session.folder, 5)
        _reach(session.folder, 15)
        pausing = session.home.start("tournament", "pause", "1", "--json")
        _wait_until_idle(pausing)
        _open(session.folder, 15)
        out, err = pausing.communicate(timeout=SECONDS)
        paused = Result(pausing.returncode, out.decode(), err.decode())
        session.keep(("tournament", "pause", "1", "--json"), paused)
        _keep_watched(session, watching)
        session("tournament", "show", "1", "--json")
        session("tournament", "list", "--json")
        session("matches", "--tournament", "1", "--scheduled", "--json", hashed=("commitment",))
        session("tournament", "resume", "1", "--json")
        session("rankings", "--json")
        session("rankings", "explain", "cleo", "--json")
        session("tournament", "retire", "1", "ada", "--json", status=1)


def _keep_watched(session: Session, process: subprocess.Popen[bytes]) -> None:
    """Keep what a watcher was told in all: how many reports that took depends on the clock."""
    out, err = process.communicate(timeout=SECONDS)
    reports = [json.loads(line) for line in out.decode().splitlines()]
    begun = [match for report in reports for match in report["begun"]]
    total = Result(
        process.returncode, json.dumps({**reports[-1], "begun": begun}) + "\n", err.decode()
    )
    session.keep(
        ("tournament", "watch", "1", "--json"), total, drawn=("run",), left_out=("sequence",)
    )


def _wait_until_idle(process: subprocess.Popen[bytes]) -> None:
    """Wait until a command that has begun waits itself: it has asked for what it wants."""

    def used() -> int:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])  # ticks of 10 ms, as user and in the kernel

    before = -1
    while (now := used()) != before or now < _LEAST_TICKS:
        before = now
        time.sleep(_IDLE_SECONDS)


def _reach(folder: Path, number: int) -> None:
    until(lambda: (folder / f"reached-{number}").exists())


def _open(folder: Path, number: int) -> None:
    (folder / f"open-{number}").touch()


SCENARIOS = {
    **{
        f"undisturbed-{name}": Scenario(play=_undisturbed(options), long=True)
        for name, options in _ALL.items()
    },
    **{
        f"one-by-one-{name}": Scenario(
            play=_undisturbed(options, "--concurrency", "1"),
            long=True,
            golden=f"undisturbed-{name}",
        )
        for name, options in _ALL.items()
    },
    **{
        f"killed-{name}": Scenario(
            play=_stopped(options, signal.SIGKILL, 3, 8),
            long=True,
            golden=f"undisturbed-{name}",
        )
        for name, options in _ALL.items()
    },
    "interrupted": Scenario(
        play=_stopped(_ROUNDS, signal.SIGINT, 4), long=True, golden="undisturbed-rounds"
    ),
    "served-killed": Scenario(play=_served(_ROUNDS), long=True, golden="undisturbed-rounds"),
    "changed": Scenario(play=_changed, long=True),
}
