"""Commands that ask a server: what it says to whom, and a bot that dials in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goldens.bots import enter_bots, write_bot
from goldens.scenarios.scenario import Scenario
from goldens.scenarios.tournaments import PLAY, show_match, show_results
from goldens.session import BOTS_SEED, Session
from mazzo_server.settings import PRIVATE_HOOKS_VARIABLE
from support.command import SECONDS, until
from support.served import serving

__all__ = ["SCENARIOS"]

_TWO = ("briscola/2",)


def _ask_server(session: Session) -> None:
    """What the usual tournament comes to when a server plays it, and pages are asked of it."""
    enter_bots(session, "ada", "bea", "cleo")
    address = f"unix:{session.folder / 's'}"
    with serving(session.home, "--isolation", "none", "--listen", address):
        session.variables["MAZZO_SERVER"] = address
        session("tournament", "plan", "briscola/2", "--groups", "3", *PLAY)
        session("tournament", "run", "briscola/2", "--groups", "3", "--name", "Sunday", *PLAY)
        show_results(session, 1, "ada")
        show_match(session, "1/4/1", seat=1)
        session("tournament", "rerun", "1", "--match", "4/1", "--json")
        session("tournament", "list", "--json")
        session("rankings", "--json")
        session("tournament", "watch", "1", "--json", drawn=("run",))
        session("tournament", "pause", "1", "--json", status=1)
        session("tournament", "show", "7", "--json", status=2)
        session("bots", "show", "nobody", "--json", status=2)
        session("tournament", "run", "bridge/4", "--json", status=2)
        session("prune", "--tournament", "1", "--json", left_out=("bytes",))


def _hooks(session: Session) -> None:
    """Web addresses that are told what happens: what is shown of them, and what is refused."""
    session.variables[PRIVATE_HOOKS_VARIABLE] = "1"
    session("hooks", "list")
    session("hooks", "list", "--json")
    session("hooks", "list", "--json", "--server", "http://x/", status=2)
    url = "http://127.0.0.1:1/hooks?key=of-ours"
    of_chat = ("--format", "slack", "--event", "trial-failed", "--label", "the club")
    ids = []
    for number, options in enumerate((("--json",), (*of_chat, "--json")), 1):
        made = session.home.inside("hooks", "add", url, *options)
        ids.append(made.json["hook"]["id"])
        session.places[made.json["secret"]] = f"SECRET-{number}"
        session.places[ids[-1]] = f"HOOK-{number}"
        session.keep(("hooks", "add", url, *options), made)
    session("hooks", "add", "club.example", "--json", status=2)
    session("hooks", "add", url, "--json", variables={PRIVATE_HOOKS_VARIABLE: ""}, status=2)
    session("hooks", "list")
    session("hooks", "list", "--json")
    for options in ((), ("--json",)):
        session("hooks", "show", ids[1], *options)
        session("hooks", "test", ids[0], *options, status=1)
    for command in ("show", "test", "remove"):
        session("hooks", command, "nobody", "--json", status=2)
    session("hooks", "remove", ids[0])
    session("hooks", "remove", ids[1], "--json")
    session("hooks", "list", "--json")


def _challenges(session: Session) -> None:
    """Challenges of an organiser, which wait for a server: asked for, listed, cancelled."""
    session("challenges", "list")
    session("challenges", "list", "--json")
    session("challenges", "list", "--json", "--server", "http://x/", status=2)
    games = (*_TWO, "briscola/3")
    enter_bots(session, *(write_bot(session, name, games=games) for name in ("ada", "bea")))
    session("challenge", "ada", "bea", "--json", status=2)
    session("challenge", "ada", "bea", "--variant", "briscola/2")
    session("challenge", "ada@1", "bea", "--variant", "briscola/3", "--groups", "5", "--json")
    session("challenge", "bea", "ada", "--variant", "briscola/2", "--groups", "7", "--json")
    session("challenge", "ada@2", "bea", "--variant", "briscola/2", "--json", status=2)
    session("challenge", "ada@", "bea", "--json", status=2)
    session("challenge", "ada", "nobody", "--json", status=2)
    session("challenge", "ada", "ada", "--variant", "briscola/2", "--json", status=2)
    session("challenge", "ada", "bea", "--groups", "1000000000", "--json", status=2)
    session("challenges", "cancel", "1")
    session("challenges", "cancel", "2", "--json")
    session("challenges", "cancel", "2", "--json", status=1)
    session("challenges", "cancel", "9", "--json", status=2)
    session("challenges", "list")
    session("challenges", "list", "--json")
    session("tournament", "list", "--json")
    session("tournament", "list", "--challenges")
    session("rankings", "--json")


def _entries(session: Session) -> None:
    """Open tournaments: what is shown of them before they start, and what is refused."""
    enter_bots(session, "ada", "bea")
    session("tournament", "entries")
    session("tournament", "entries", "--json")
    moments = ("--entries-until", "2999-01-03T12:00Z", "--start-at", "2999-01-04T13:00+01:00")
    opening = ("tournament", "open", "briscola/2", "--groups", "3", "--isolation", "none")
    for options in (
        (),
        ("--every", "week"),
        ("--start-at", "20:00"),
        moments,
        ("--start-with", "1"),
        ("--start-with", "2", "--entries-from", "9999-01-01T00:00Z"),
    ):
        session(*opening, *options, "--json", status=2)
    session(*opening, "--name", "Cup", "--start-with", "3", "--bots", "bea", "--json")
    session(*opening, "--start-with", "2", "--time", "2+0.1", "--limit", "1.5")
    session("tournament", "enter", "1", "ada")
    session("tournament", "enter", "2", "ada", "--json")
    session("tournament", "enter", "1", "ada", "--json", status=1)
    session("tournament", "enter", "1", "nobody", "--json", status=2)
    session("tournament", "entries")
    session("tournament", "entries", "1")
    session("tournament", "leave", "1", "bea")
    session("tournament", "leave", "2", "ada", "--json")
    session("tournament", "enter", "2", "ada")
    session("tournament", "leave", "1", "bea", "--json", status=2)
    session("tournament", "call-off", "1")
    session("tournament", "call-off", "2", "--json")
    session("tournament", "call-off", "2", "--json", status=1)
    session("tournament", "entries", "9", "--json", status=2)
    session("tournament", "entries", "--all", "--json")


def _ladders(session: Session) -> None:
    """A ladder that waits for a server: begun, joined, left, paused, and its seasons."""
    session("ladder", "list")
    session("ladder", "list", "--json")
    session("ladder", "list", "--json", "--server", "http://x/", status=2)
    session("ladder", "create", "briscola/2", "--json", status=2)
    enter_bots(session, "ada", "bea", "cleo")
    session("ladder", "create", "bridge/4", "--json", status=2)
    session("ladder", "create", "briscola/2", "--share", "2", "--json", status=2)
    session("ladder", "create", "briscola/2", "--confidence", "0.5", "--json", status=2)
    session("ladder", "create", "briscola/2", "--bots", "ada*2", "--json", status=2)
    session("ladder", "create", "briscola/2", "--bots", "ada,bea", "--json")
    session("ladder", "create", "briscola/2", "--json", status=1)
    session("ladder", "show", "briscola/2")
    session("ladder", "show", "briscola/2", "--json")
    session("ladder", "show", "briscola/2", "--season", "2", "--json", status=2)
    session("ladder", "show", "briscola/3", "--json", status=2)
    session("ladder", "join", "briscola/2", "cleo", "--json")
    session("ladder", "join", "briscola/2", "cleo", "--json", status=1)
    session("ladder", "join", "briscola/2", "nobody", "--json", status=2)
    session("ladder", "leave", "briscola/2", "bea", "--json")
    session("ladder", "leave", "briscola/2", "bea", "--json", status=2)
    session("ladder", "join", "briscola/2", "bea")
    session("ladder", "leave", "briscola/2", "ada")
    session("ladder", "resume", "briscola/2", "--json", status=1)
    session("ladder", "pause", "briscola/2", "--json")
    session("ladder", "resume", "briscola/2", "--json")
    session("ladder", "pause", "briscola/2")
    session("ladder", "resume", "briscola/2")
    session("tournament", "add", "1", "ada", "--json", status=1)
    session("tournament", "resume", "1", "--json", status=1)
    session("tournament", "pause", "1", "--json", status=1)
    session("tournament", "cancel", "1", "--json", status=1)
    session("ladder", "season", "end", "briscola/2", "--json")
    session("ladder", "season", "end", "briscola/2", "--finalists", "0", "--last")
    session("ladder", "season", "end", "briscola/2", "--json", status=2)
    session("ladder", "pause", "briscola/2", "--json", status=2)
    session("ladder", "list")
    session("ladder", "list", "--json")
    session("ladder", "create", "briscola/2")


def _roles(session: Session) -> None:
    """Nobody, authors, an organiser: what each may do, and what each is shown."""
    keys = {
        "ann": _token(session, "author", "ann"),
        "bob": _token(session, "author", "bob"),
        "boss": _token(session, "organiser"),
    }
    session.home.inside("auth", "revoke", keys["bob"].split("_")[1])
    keys["carl"] = _token(session, "author", "carl")
    bad = write_bot(session, "cheat", "return 39", games=_TWO, capacity=1)
    asked = ("--isolation", "none", "--listen", "127.0.0.1:0")
    with serving(session.home, *asked) as (_, (address,)):
        session.places[address] = "ADDRESS"
        who = {
            name: {"MAZZO_SERVER": address, "MAZZO_ACCESS_TOKEN": key} for name, key in keys.items()
        }
        nobody = {"MAZZO_SERVER": address}
        garbage = {"MAZZO_SERVER": address, "MAZZO_ACCESS_TOKEN": "garbage"}
        for variables in (nobody, garbage, who["bob"]):
            session("bots", "list", "--json", variables=variables, status=2)
        # An author's trial is by a seed that nobody chose.
        drawn = ("trial",)
        submit = ("bots", "submit", str(bad), "--json")
        session(*submit, "--isolation", "bubblewrap", variables=who["ann"], status=2)
        session(*submit, variables=who["ann"], left_out=drawn, status=1)
        session(*submit, variables=who["carl"], status=2)
        trial = ("bots", "trial", "cheat", "--json", "--seed", BOTS_SEED)
        session(*trial, variables=who["ann"], status=2)
        session(*trial, variables=who["boss"], status=1)
        for name in ("ann", "carl", "boss"):
            own = 0 if name != "carl" else 2
            session("bots", "show", "cheat", "--json", variables=who[name])
            session("bots", "logs", "cheat", "--json", variables=who[name], status=own)
            may = 0 if name == "boss" else 2
            session("auth", "list", "--json", variables=who[name], status=may)
            session("prune", "--older-than", "9", "--json", variables=who[name], status=may)
            run = ("tournament", "create", "briscola/2", "--json")
            session(*run, variables=who[name], status=2)
        session("bots", "retire", "cheat", "--json", variables=who["carl"], status=2)
        session("bots", "retire", "cheat", "--json", variables=who["ann"])
        session("bots", "register", "far", "--json", variables=who["carl"], drawn=("key",))
        session("bots", "register", "far", "--json", variables=who["ann"], status=2)


def _token(session: Session, *arguments: str) -> str:
    name = arguments[-1]
    made = session.home.inside("auth", "create", *arguments, "--json").json
    session.places[made["text"]] = f"SECRET-{name}"
    session.places[made["token"]["id"]] = f"TOKEN-{name}"
    return str(made["text"])


def _remote(session: Session) -> None:
    """A bot that plays from another process, with a key, against one that is here."""
    enter_bots(session, "bea")
    far = write_bot(session, "ada", games=_TWO, capacity=4)
    made = session.home.inside("bots", "register", "far", "--game", "briscola/2", "--json").json
    listen = ("--listen", f"unix:{session.folder / 's'}", "--listen", "127.0.0.1:0")
    with serving(session.home, "--isolation", "none", *listen) as (_, (local, port)):
        session.variables["MAZZO_SERVER"] = local
        run = ("tournament", "run", "briscola/2", "--bots", "far,bea", "--groups", "4", *PLAY)
        session(*run, status=2)
        with _dialled_in(session, far, {"MAZZO_ADDRESS": port, "MAZZO_KEY": made["key"]}):
            session("bots", "show", "far", "--json")
            session("bots", "list")
            session(*run, "--mirror", "off")
            session("matches", "--tournament", "1", "--scheduled", "--json")
            show_match(session, "1/1/0")
            session("tournament", "rerun", "1", "--match", "1/0", "--json", status=None)
        session("rankings", "--json")


@contextmanager
def _dialled_in(session: Session, bot: Path, variables: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "bot.py"],
        cwd=bot,
        env=session.home.environment() | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: session.home.inside("bots", "show", "far", "--json").json["connected"])
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=SECONDS)


SCENARIOS = {
    "server": Scenario(play=_ask_server, long=True),
    "server-challenges": Scenario(play=_challenges),
    "server-entries": Scenario(play=_entries),
    "server-hooks": Scenario(play=_hooks),
    "server-ladders": Scenario(play=_ladders),
    "server-roles": Scenario(play=_roles, long=True),
    "server-remote-bot": Scenario(play=_remote, long=True),
}
