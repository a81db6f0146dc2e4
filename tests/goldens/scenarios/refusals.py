"""What cannot be: every command that is given something wrong, with status and message."""

from __future__ import annotations

from goldens.bots import enter_bots
from goldens.scenarios.scenario import Scenario
from goldens.session import SEED, Session

__all__ = ["SCENARIOS"]

_RUN = ("tournament", "run")
_TWO = (*_RUN, "briscola/2", "--bots", "ada,bea")
_WRONG: tuple[tuple[int, tuple[str, ...]], ...] = (
    (2, ("nonsense",)),
    (2, (*_RUN, "bridge/4")),
    (2, (*_RUN, "briscola")),
    (2, (*_RUN, "briscola/5")),
    (2, (*_RUN, "briscola/many")),
    (2, (*_RUN, "briscola/2?trump=hearts")),
    (2, (*_RUN, "briscola/4", "--option", "talk=loud")),
    (2, (*_RUN, "briscola/4", "--option", "talk")),
    (2, (*_RUN, "briscola/2", "--bots", "ada,nobody")),
    (2, (*_RUN, "briscola/2", "--bots", "ada,")),
    (2, (*_RUN, "briscola/2", "--bots", "ada,ada")),
    (2, (*_RUN, "briscola/2", "--bots", "ada")),
    (2, (*_RUN, "briscola/3", "--bots", "ada,bea")),
    (2, (*_TWO, "--seed", "hello")),
    (2, (*_TWO, "--match", "sets:3")),
    (2, (*_TWO, "--match", "deals:0")),
    (2, (*_TWO, "--match", "best-of:4")),
    (2, (*_TWO, "--match", "target:100")),
    (2, (*_TWO, "--cpu", "mine")),
    (2, (*_TWO, "--mirror", "sideways")),
    (2, (*_TWO, "--time", "quick")),
    (2, (*_TWO, "--time", "0+1")),
    (2, (*_TWO, "--limit", "-1")),
    (2, (*_TWO, "--limit", "1e9")),
    (2, (*_TWO, "--grace", "0")),
    (2, (*_TWO, "--start-up", "inf")),
    (2, (*_TWO, "--deals", "0")),
    (2, (*_TWO, "--deals", "ten")),
    (2, (*_TWO, "--groups", "2000000")),
    (2, (*_TWO, "--deals", "10", "--groups", "10")),
    (2, (*_TWO, "--until-separated", "0.95")),
    (2, (*_TWO, "--until-separated", "95", "--max-deals", "100")),
    (2, (*_TWO, "--until-separated", "0.9", "--max-deals", "9", "--pairing", "swiss")),
    (2, (*_TWO, "--until-separated", "0.9", "--max-deals", "9", "--tables", "1")),
    (2, (*_TWO, "--max-deals", "100")),
    (2, (*_TWO, "--pairing", "knockout")),
    (2, (*_TWO, "--rounds", "3")),
    (2, (*_TWO, "--hero", "nobody")),
    (2, (*_TWO, "--hero", "ada", "--pairing", "swiss")),
    (2, (*_TWO, "--tables", "0")),
    (2, (*_TWO, "--concurrency", "0")),
    (2, (*_TWO, "--concurrency", "5000")),
    (2, (*_TWO, "--name", "x" * 101)),
    (2, (*_TWO, "--name", "a\tb")),
    (2, (*_TWO, "--isolation", "nonsense")),
    (2, (*_TWO, "--detach")),
    (2, (*_TWO, "--nodes-alike")),
    (2, ("tournament", "plan", "bridge/4")),
    (2, ("tournament", "plan", "briscola/2", "--bots", "ada,nobody")),
    (2, ("tournament", "create", "bridge/4")),
    (2, ("tournament", "create", "briscola/2", "--bots", "ada,nobody")),
    *((2, ("tournament", name, "7")) for name in ("start", "resume", "pause", "cancel")),
    *((2, ("tournament", name, "7")) for name in ("watch", "show")),
    *((2, ("tournament", name, "7", "ada")) for name in ("add", "retire")),
    (2, ("tournament", "show", "0")),
    (2, ("tournament", "show", "first")),
    (2, ("tournament", "list", "--csv")),
    (2, ("tournament", "rerun", "7", "--match", "0/0")),
    (2, ("tournament", "rerun", "7", "--match", "0")),
    (2, ("rankings", "bridge/4")),
    (2, ("rankings", "briscola/2", "nonsense")),
    (2, ("rankings", "explain", "nobody")),
    (2, ("rankings", "explain", "ada", "--variant", "bridge/4")),
    (2, ("rankings", "explain", "ada", "--tournament", "7")),
    (2, ("rankings", "explain", "ada", "--tournament", "7", "--groups", "2")),
    (2, ("tournament", "import", "nowhere")),
    (2, ("tournament", "delete", "7")),
    (2, ("tournament", "delete", "7", "--yes")),
    (2, ("matches", "--tournament", "7", "--scheduled")),
    (2, ("results", "--lost")),
    (2, ("results", "--csv", "--json")),
    (2, ("replay", "show", "7/0/0")),
    (2, ("replay", "show", "seven")),
    (2, ("replay", "verify", "nowhere.jsonl")),
    (2, ("bots", "show", "nobody")),
    (2, ("bots", "retire", "nobody")),
    (2, ("bots", "delete", "nobody", "--yes")),
    (2, ("bots", "trial", "nobody")),
    (2, ("bots", "logs", "nobody")),
    (2, ("bots", "activate", "ada", "7")),
    (2, ("bots", "activate", "nobody", "1")),
    (2, ("bots", "register", "ada")),
    (2, ("bots", "register", "far", "--capacity", "0")),
    (2, ("bots", "register", "Far")),
    (2, ("bots", "register", "far", "--game", "bridge")),
    (2, ("bots", "submit", "nowhere")),
    (2, ("bots", "list", "--server", "http://x/")),
    (1, ("bots", "list", "--server", "127.0.0.1:1")),
    (2, ("auth", "create", "king")),
    (2, ("auth", "create", "author")),
    (2, ("auth", "list", "--server", "http://x/")),
    (2, ("auth", "revoke", "nobody")),
    (2, ("prune",)),
    (2, ("prune", "--older-than", "-1")),
    (2, ("prune", "--tournament", "7")),
    (2, ("games", "bridge")),
    (2, ("play", "bridge/4", "--bots", "random")),
    (2, ("play", "briscola/2", "--bots", "nobody", "--seed", SEED)),
    (2, ("play", "briscola/2", "--bots", "random", "--human", "5")),
    (2, ("serve", "--listen", "0.0.0.0:0")),
    (2, ("serve", "--listen", "unix:")),
)


def _refusals(session: Session) -> None:
    """Nothing is printed to standard output, and nothing is stored."""
    _refuse(session, [wrong for wrong in _WRONG if wrong[1][: len(_TWO)] != _TWO])


def _options(session: Session) -> None:
    """The same of a tournament's options, one at a time."""
    _refuse(session, [wrong for wrong in _WRONG if wrong[1][: len(_TWO)] == _TWO])


def _refuse(session: Session, cases: list[tuple[int, tuple[str, ...]]]) -> None:
    enter_bots(session, "ada", "bea")
    for status, arguments in cases:
        asked_as_json = arguments[0] not in ("nonsense", "serve")
        session(*arguments, *(["--json"] if asked_as_json else []), status=status)
    session("bots", "list")
    session("tournament", "list", "--json")


SCENARIOS = {
    "refusals": Scenario(play=_refusals),
    "refusals-options": Scenario(play=_options, long=True),
}
