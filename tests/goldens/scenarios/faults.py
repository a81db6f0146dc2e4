"""Bots that fail, each in its own way and always at the same decision; and what bots log."""

from __future__ import annotations

from goldens.bots import ACTS, enter_bots, write_bot
from goldens.scenarios.scenario import Scenario
from goldens.scenarios.tournaments import PLAY, show_match
from goldens.session import Session

__all__ = ["SCENARIOS"]

_LAST = "\n        return view.legal[-1]"
_BAD = {
    "crasher": f"sum(map(int, view.legal)) % 13 or os._exit(3){_LAST}",
    "raiser": f"assert sum(map(int, view.legal)) % 11, 'eleven'{_LAST}",
    "cheat": "return min(set(range(40)) - set(map(int, view.legal)))",
    "sleeper": f"len(view.history) in (8, 9, 20, 21) and time.sleep(600){_LAST}",
}
_ABSENT = "sys.exit('not today')"
_BABBLER = """import os
import queue

import grpc

from mazzo.v1 import play_pb2

said = queue.SimpleQueue()
said.put(play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString())
channel = grpc.insecure_channel(os.environ["MAZZO_ADDRESS"])
play = channel.stream_stream("/mazzo.v1.PlayService/Play")
token = "Bearer " + os.environ["MAZZO_TOKEN"]
for data in play(iter(said.get, None), metadata=(("authorization", token),)):
    if play_pb2.PlayResponse.FromString(data).frame.decisions:
        said.put(b"\\xff" * 100)
"""


def _enter_bad(session: Session, *names: str) -> None:
    two = ("briscola/2", "briscola/3")
    enter_bots(
        session,
        *(write_bot(session, name, _BAD[name], games=two, capacity=1) for name in names),
    )


def _show_faults(session: Session, bots: tuple[str, ...]) -> None:
    session("tournament", "show", "1")
    session("rankings", "--json")
    for bot in bots:
        # What Python writes when it ends names its own lines and paths; which matches were open
        # when it did is chance.
        session("bots", "logs", bot, "--json", left_out=("log", "open_matches"))
    matches = session("matches", "--tournament", "1", "--scheduled", "--json").json
    for match in matches[:6]:
        if match["state"] == "open":
            show_match(session, match["match"])


def _crashes(session: Session) -> None:
    """It ends in the middle of a match, at every concurrency at the same decision."""
    enter_bots(session, "ada", "bea")
    _enter_bad(session, "crasher")
    play = ("tournament", "run", "briscola/2", "--groups", "2", *PLAY)
    session(*play, "--concurrency", "1")
    _show_faults(session, ("crasher", "ada"))


def _illegal(session: Session) -> None:
    """Others raise, answer what is not legal, or what is no answer."""
    enter_bots(session, "ada", "bea")
    _enter_bad(session, "raiser", "cheat")
    babbler = write_bot(session, "babbler", "pass", games=("briscola/2",), capacity=1)
    (babbler / "bot.py").write_text(_BABBLER)
    enter_bots(session, babbler)
    session("tournament", "run", "briscola/2", "--groups", "1", *PLAY)
    _show_faults(session, ("raiser", "cheat", "babbler"))


def _late(session: Session) -> None:
    """One that sleeps for ever at some decisions is played for twice, then it has lost."""
    enter_bots(session, "ada")
    _enter_bad(session, "sleeper")
    play = ("tournament", "run", "briscola/2", "--groups", "1", *PLAY)
    session(*play, "--limit", "4", "--match", "deals:2")
    _show_faults(session, ("sleeper",))


def _absent(session: Session) -> None:
    """One does not start: it is withdrawn, and its results are void."""
    enter_bots(session, "ada", "bea")
    enter_bots(session, write_bot(session, "absent", "pass", main=_ABSENT, games=("briscola/2",)))
    session("tournament", "run", "briscola/2", "--groups", "2", *PLAY)
    session("tournament", "show", "1")
    session("matches", "--tournament", "1", "--scheduled", "--json")
    session("rankings", "--json")
    session("bots", "logs", "absent", "--json")
    session("bots", "logs", "absent")
    session("rankings", "explain", "absent", "--json")


def _many(session: Session) -> None:
    """Where more than two play, a substitute plays on for whoever failed."""
    enter_bots(session, "ada", "bea")
    _enter_bad(session, "crasher", "raiser")
    run = ("tournament", "run", "briscola/3", "--groups", "1", "--match", "deals:2")
    session(*run, *PLAY)
    _show_faults(session, ("crasher", "raiser"))


def _notes(session: Session) -> None:
    """What bots log beside their decisions, far below every budget."""
    act = "self.log(f'{len(view.legal)} to choose from: è')\n        " + ACTS["ada"]
    enter_bots(session, write_bot(session, "talker", act), "bea")
    session("tournament", "run", "frusta/2", "--groups", "1", *PLAY)
    session("replay", "export", "1/0/0", "--notes")
    session("replay", "show", "1/0/0", "--seat", "1", "--json", hashed=("view",))
    session("replay", "show", "1/0/0", "--deal", "2", variables={"COLUMNS": "200"})


SCENARIOS = {
    "faults-crash": Scenario(play=_crashes, long=True),
    "faults-illegal": Scenario(play=_illegal, long=True),
    "faults-late": Scenario(play=_late, long=True),
    "faults-absent": Scenario(play=_absent, long=True),
    "faults-many-seats": Scenario(play=_many, long=True),
    "notes": Scenario(play=_notes, long=True),
}
