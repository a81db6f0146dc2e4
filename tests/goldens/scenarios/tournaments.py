"""Tournaments between bots that answer by the view and their seed: every variant, every way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from goldens.bots import ACTS, SAMPLE_BOTS, enter_bots, write_bot
from goldens.files import recorded_steps
from goldens.scenarios.scenario import Scenario
from goldens.session import SEED, Session
from goldens.variants import plain_variants

__all__ = ["PLAY", "SCENARIOS", "show_match", "show_results"]

_USUAL = ("--seed", SEED, "--isolation", "none", "--cpu", "shared")
# Patient, for nobody is late by chance or starts too late, however busy the machine is.
PLAY = (*_USUAL, "--time", "600+0", "--limit", "60", "--start-up", "120", "--json")
_WIDE = {"COLUMNS": "200"}
_MOTLEY = ("ada", "bea", "cleo", "dora", "eva")


def show_match(session: Session, match: str, *, seat: int = 0) -> None:
    """Everything that is shown of a match; its record is kept whole."""
    record = session("replay", "export", match).out
    session("replay", "verify", "-", "--json", data=record)
    session("replay", "show", match, "--json", hashed=("deals",))
    session("replay", "show", match, "--seat", str(seat), "--json", hashed=("view", "decisions"))


def show_results(session: Session, tournament: int = 1, *bots: str) -> None:
    """Everything that is shown of a tournament that is over, and of its variant's ranking."""
    number = str(tournament)
    session("tournament", "show", number, "--json")
    session("matches", "--tournament", number, "--scheduled", "--json")
    for bot in bots:
        session("rankings", "explain", bot, "--tournament", number, "--json")


def _briscola(session: Session) -> None:
    """One of the usual kind, and everything that can be asked of it afterwards."""
    enter_bots(session, "ada", "bea", "cleo")
    play = ("briscola/2", "--groups", "3", "--name", "Sunday", *PLAY)
    session("tournament", "run", *play, "--concurrency", "3")
    show_results(session, 1, "ada")
    for more in ("--json", "--csv"):
        session("tournament", "list", more)
        session("rankings", more)
        session("rankings", "explain", "cleo", more)
    session("tournament", "show", "1", "--csv")
    session("tournament", "show", "1")
    session("tournament", "list")
    session("tournament", "watch", "1", "--json")
    session("tournament", "resume", "1", "--json")
    session("tournament", "start", "1", "--json", status=None)
    session("rankings", "briscola/2")
    session("rankings", "briscola/4", "--json")
    session("rankings", "explain", "bea")
    session("rankings", "explain", "bea", "--groups", "1", "--json")
    session("rankings", "explain", "bea", "--variant", "briscola/4", "--json")
    session("rankings", "explain", "bea", "--tournament", "1", "--csv")
    session("matches", "--tournament", "1", "--scheduled", "--bot", "bea", "--json")
    session("matches", "--tournament", "1", "--scheduled")
    session("matches", "--bot", "bea", "--opponent", "ada", "--worst", "3", "--json")
    session("matches", "--bot", "bea", "--best", "2", "--sort", "swing")
    record = session.folder / "record.jsonl"
    session("replay", "export", "1/0/0", "--output", record)
    session("replay", "verify", record)
    bots = session.folder / "bots"
    session("replay", "rerun", "1/0/0", "--with", bots / "bea", "--json")
    other = ("replay", "rerun", "1/0/0", "--with", bots / "cleo", "--seat", "1")
    session(*other, "--others", bots / "ada", "--json")
    session(*other)
    session(*other, "--only", "3", "--json")
    session(*other, "--only", "99", "--json", status=2)
    show_match(session, "1/4/1", seat=1)
    # On a screen where no time, long or short, wraps a line.
    session("replay", "show", "1/4/1", "--deal", "2", variables=_WIDE)
    session("replay", "show", "1/4/1", "--deal", "2", "--seat", "0", variables=_WIDE)
    session("replay", "show", "1/4/1", "--deal", "7", "--json", status=2)
    session("replay", "show", "1/99/0", "--json", status=2)
    session("tournament", "rerun", "1", "--match", "4/1", "--json")
    session("tournament", "add", "1", "bea", "--json", status=1)
    session("tournament", "pause", "1", "--json", status=None)
    session("tournament", "cancel", "1", "--json", status=None)
    session("bots", "logs", "bea", "--tournament", "1", "--json")


def _plan(session: Session) -> None:
    """Plans, and a tournament that is created, changed, started; one that is cancelled."""
    enter_bots(session, *_MOTLEY)
    for variant, *more in (
        ("briscola/2", "--groups", "4"),
        ("briscola/2", "--deals", "10", "--match", "deals:4", "--mirror", "off"),
        ("briscola/2", "--pairing", "swiss", "--groups", "2"),
        ("briscola/2", "--until-separated", "0.95", "--max-deals", "40"),
        ("briscola/2", "--hero", "ada", "--groups", "1"),
        ("frap/4", "--tables", "3", "--groups", "1"),
        ("briscola/4?talk=off", "--groups", "1", "--mirror", "all"),
        ("frap/3", "--groups", "1", "--mirror", "all"),
        ("tressette-meta-mazzo/2", "--deals", "7", "--time", "60+1", "--limit", "9"),
    ):
        session("tournament", "plan", variant, *more, *_USUAL, "--json")
    session("tournament", "plan", "briscola/2", "--bots", "ada,bea", *_USUAL)
    created = ("briscola/2", "--bots", "ada,bea,cleo", "--groups", "2", *_USUAL)
    session("tournament", "create", *created, "--json")
    session("tournament", "create", *created)
    session("tournament", "add", "1", "dora", "--json")
    session("tournament", "retire", "1", "bea", "--json")
    session("tournament", "add", "1", "ada", "--json", status=1)
    session("tournament", "retire", "1", "eva", "--json", status=None)
    session("tournament", "show", "1", "--json")
    session("matches", "--tournament", "1", "--scheduled", "--json")
    session("replay", "show", "1/0/0", "--json", status=1)
    session("tournament", "start", "1", "--json")
    session("tournament", "cancel", "2", "--json")
    session("tournament", "cancel", "2", "--json", status=1)
    session("tournament", "resume", "2", "--json", status=1)
    session("tournament", "start", "2", "--json", status=1)
    session("tournament", "list", "--json")
    session("rankings", "--json")


def _files(session: Session) -> None:
    """One that goes to a file, is deleted, and comes back under another number."""
    enter_bots(session, "ada", "bea")
    # One match at a time, for results are listed as they ended.
    session("tournament", "run", "briscola/2", "--groups", "2", "--concurrency", "1", *PLAY)
    for more in (("--csv",), ("--json",), ("--bot", "ada", "--won", "--json"), ()):
        session("results", "--tournament", "1", *more, variables=_WIDE)
    file = session.folder / "cup"
    session("tournament", "export", "1", file)
    session("tournament", "export", "9", file, status=2)
    session("tournament", "import", file, "--json", status=1)
    session("bots", "delete", "ada", "--yes", "--json", status=1)
    session("tournament", "delete", "1", "--yes", "--json")
    session("tournament", "import", file, "--json")
    session("tournament", "list", "--json")
    session("rankings", "--json")
    session("tournament", "delete", "2", "--yes")
    session("tournament", "delete", "2", "--yes", "--json", status=2)
    session("bots", "delete", "ada", "--yes", "--json")
    session("bots", "delete", "bea", "--yes")
    session("tournament", "import", file)
    session("bots", "list", "--all", "--json")


def _variant(text: str) -> Callable[[Session], None]:
    """A group of a variant, with as many bots as it has sides, in all its seatings."""

    def play(session: Session) -> None:
        game, _, players = text.partition("?")[0].partition("/")
        teams = game == "briscola" and players in ("4", "6")
        names = list(ACTS)[: 2 if teams else int(players)]
        enter_bots(session, *names)
        mirror = "rotations" if len(names) <= 4 else "off"
        run = ("tournament", "run", text, "--groups", "1", "--match", "deals:2")
        session(*run, "--mirror", mirror, *PLAY)
        show_match(session, "1/0/0", seat=int(players) - 1)
        session("rankings", "explain", "ada", "--tournament", "1", "--json")

    return play


_VARIANTS = (
    *("briscola/2", "briscola/3", "briscola/4", "briscola/6", "briscola-chiamata/5", "frusta/2"),
    *("tressette-meta-mazzo/2", "tressette-pizzichino/2"),
    *(f"frap/{players}" for players in range(2, 13)),
    *("briscola/4?talk=signal", "briscola/6?talk=signal&leak=0.5", "briscola/4?talk=off"),
    *("briscola/2?tie=last-trick", "briscola-chiamata/5?called=trump-only&lead=caller"),
    *("briscola-chiamata/5?min-bid=100", "frusta/2?follow=free-discard"),
    *("tressette-meta-mazzo/2?buongiochi=off", "tressette-meta-mazzo/2?declare-scope=dealt"),
    *("tressette-pizzichino/2?packets=peek&reuse=on", "tressette-pizzichino/2?packets=auto"),
    *("frap/4?draw-limit=3&blind-draws=on", "frap/3?blind-penalty=graded&reante=on"),
    *("frap/5?deck=52", "frap/6?deck=36&undercut=off", "frap/2?ante=12&pot-cap=none"),
)
_EVERY_DAY = "frap/3?blind-penalty=graded&reante=on"


def _name(variant: str) -> str:
    for old, new in (("/", "-"), ("?", "-"), ("=", "-"), ("&", "-")):
        variant = variant.replace(old, new)
    return f"variant-{variant}"


def _all_variants(session: Session) -> None:
    """No variant is forgotten; and the records of all of them can be verified, cheaply."""
    missing = set(plain_variants(session)) - set(_VARIANTS)
    assert not missing, missing
    for variant in _VARIANTS:
        for step in recorded_steps(_name(variant)):
            if step["command"].startswith("mazzo replay export"):
                session("replay", "verify", "-", "--json", data=_lines(step["json"]))
                spoilt = [*step["json"][:-1], {**step["json"][-1], "match_scores": ["7"]}]
                session("replay", "verify", "-", "--json", data=_lines(spoilt), status=1)


def _lines(record: list[Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in record)


def _make_tournament(
    variant: str, *more: str, bots: tuple[str, ...] = _MOTLEY, shown: str = "ada"
) -> Callable[[Session], None]:
    """A tournament with its matches, its standings, and the ratings that follow."""

    def play(session: Session) -> None:
        enter_bots(session, *bots)
        session("tournament", "run", variant, *more, *PLAY)
        session("tournament", "show", "1")
        session("tournament", "show", "1", "--csv")
        session("matches", "--tournament", "1", "--scheduled", "--json", hashed=("commitment",))
        session("rankings", "--json")
        session("rankings", "explain", shown, "--tournament", "1", "--json")

    return play


def _samples(session: Session) -> None:
    """The sample bots, whose files change with the SDK, but not what they play."""
    enter_bots(session, *(SAMPLE_BOTS / name for name in ("random", "greedy", "counting")))
    for variant, *more in (
        ("briscola/2", "--groups", "4"),
        ("frap/2", "--groups", "2", "--match", "target:40", "--bots", "greedy,random"),
        ("briscola/4", "--groups", "1", "--bots", "greedy,random"),
        ("tressette-pizzichino/2", "--groups", "1", "--bots", "greedy,random"),
    ):
        session("tournament", "run", variant, *more, *PLAY, left_out=("content_hash",))
    session("rankings", "--json")
    show_match(session, "1/0/0")
    show_match(session, "2/0/1")


def _versions(session: Session) -> None:
    """Tournaments one after the other, where a bot has a new version, and another one is gone."""
    enter_bots(session, "ada", "bea", "cleo")
    run = ("tournament", "run", "briscola/2", "--groups", "2", *PLAY)
    session(*run)
    enter_bots(session, write_bot(session, "bea", ACTS["eva"]))
    session("bots", "retire", "cleo", "--json", left_out=("trial",))
    session(*run, "--bots", "ada,bea")
    session("tournament", "run", "briscola/3", "--bots", "ada,bea,cleo", *PLAY, status=2)
    session("tournament", "run", "frusta/2", "--groups", "2", *PLAY)
    session("rankings", "--json")
    session("rankings", "--csv")
    session("rankings")
    for bot in ("ada", "bea", "cleo"):
        session("rankings", "explain", bot, "--json")
    session("rankings", "explain", "bea")
    session("rankings", "explain", "bea", "--variant", "frusta/2", "--json")
    session("prune", "--tournament", "1", "--dry-run", "--json", left_out=("bytes",))
    session("prune", "--tournament", "1", "--json", left_out=("bytes",))
    session("prune", "--older-than", "1000", "--json")
    session("prune", "--older-than", "1000")
    session("tournament", "show", "1", "--json")
    session("matches", "--tournament", "1", "--scheduled", "--json")
    session("replay", "show", "1/0/0", "--json", status=None)
    session("tournament", "rerun", "1", "--match", "0/0", "--json", status=None)
    session("rankings", "--json")


def _audit(session: Session) -> None:
    """With too little to tell: numbers that follow from all pairs are not the same everywhere."""
    enter_bots(session, "ada", "bea")
    session("tournament", "run", "briscola/2", "--groups", "2", *PLAY)
    session("audit", "1")
    session("audit", "1", "--json")
    session("audit", "9", "--json", status=2)


SCENARIOS = {
    "tournament": Scenario(play=_briscola),
    "tournament-audit": Scenario(play=_audit),
    "tournament-files": Scenario(play=_files),
    "tournament-plan": Scenario(play=_plan, long=True),
    "tournament-samples": Scenario(play=_samples, long=True),
    "tournament-versions": Scenario(play=_versions, long=True),
    "pairing-tables": Scenario(
        play=_make_tournament("frap/3", "--tables", "4", "--groups", "1", "--match", "deals:1"),
        long=True,
    ),
    "pairing-combinations": Scenario(
        play=_make_tournament("briscola/3", "--groups", "1", "--mirror", "off", bots=_MOTLEY[:4]),
        long=True,
    ),
    "pairing-gauntlet": Scenario(
        play=_make_tournament("briscola/2", "--hero", "cleo", "--groups", "2"), long=True
    ),
    "pairing-gauntlet-tables": Scenario(
        play=_make_tournament(
            "frap/3", "--hero", "cleo", "--tables", "3", "--groups", "1", "--mirror", "off"
        ),
        long=True,
    ),
    "pairing-swiss": Scenario(
        play=_make_tournament("briscola/2", "--pairing", "swiss", "--groups", "1", "--rounds", "4"),
        long=True,
    ),
    "pairing-swiss-tables": Scenario(
        play=_make_tournament(
            *("frap/3", "--pairing", "swiss", "--groups", "1", "--rounds", "3", "--mirror", "off"),
            bots=tuple(list(ACTS)[:7]),
        ),
        long=True,
    ),
    "pairing-separated": Scenario(
        play=_make_tournament(
            *("briscola/2", "--until-separated", "0.8", "--max-deals", "64", "--mirror", "off"),
            bots=_MOTLEY[:3],
        ),
        long=True,
    ),
    "mirror-all": Scenario(
        play=_make_tournament("frap/3", "--mirror", "all", "--groups", "2", bots=_MOTLEY[:3]),
        long=True,
    ),
    "mirror-off": Scenario(
        play=_make_tournament("briscola/2", "--mirror", "off", "--groups", "5", bots=_MOTLEY[:3]),
        long=True,
    ),
    "mirror-six-of-seven": Scenario(
        play=_make_tournament(
            *("frap/7", "--groups", "1", "--match", "deals:1"), bots=tuple(list(ACTS)[:7])
        ),
        long=True,
    ),
    "match-best-of": Scenario(
        play=_make_tournament(
            "frusta/2", "--match", "best-of:5", "--groups", "3", bots=_MOTLEY[:3]
        ),
        long=True,
    ),
    "match-target": Scenario(
        play=_make_tournament("tressette-meta-mazzo/2", "--match", "target:31", "--groups", "3"),
        long=True,
    ),
    **{
        _name(variant): Scenario(play=_variant(variant), long=variant != _EVERY_DAY)
        for variant in _VARIANTS
    },
    "variants-verified": Scenario(play=_all_variants),
}
