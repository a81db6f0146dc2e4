"""The games themselves: what they are, deals and matches of every variant, deal records."""

from __future__ import annotations

import json
import re
from typing import Any

from goldens.scenarios.scenario import Scenario
from goldens.session import SEED, Session
from goldens.variants import list_variants_with_options, plain_variants

__all__ = ["SCENARIOS"]

_TRACE = ("deal", "run", "--trace", "--views")


def _games(session: Session) -> None:
    session("games")
    listed = session("games", "--json").json
    for game in listed:
        session("games", game["game"])
    session("games", "briscola/4", "--json")
    session("games", "bridge", "--json", status=2)


def _plain(session: Session) -> None:
    """A match of two deals of each variant, and everything that its deals show."""
    first = True
    for variant in plain_variants(session):
        play = ("play", variant, "--bots", "random", "--match", "deals:2", "--seed", SEED)
        match = session(*play, "--json").json
        _trace(session, match["deals"], hashed=("steps", "views"))
        if first:
            _trace(session, match["deals"][:1])
            session(*play)
            session(*play, "--show", "1")
            first = False


def _options(session: Session) -> None:
    """The same with every value of every option, with as few players as have it."""
    seen = set()
    for variant in list_variants_with_options(session):
        if (kind := re.sub(r"/\d+", "", variant)) not in seen:
            seen.add(kind)
            _option(session, variant)


def _all_options(session: Session) -> None:
    """The same with every number of players, of which little more than hashes are kept."""
    for variant in list_variants_with_options(session):
        _option(session, variant, hashed=("deals", "seats"))


def _option(session: Session, variant: str, hashed: tuple[str, ...] = ()) -> None:
    play = ("play", variant, "--bots", "random", "--match", "deals:1", "--seed", SEED)
    match = session(*play, "--json", left_out=("shuffles",), hashed=hashed).json
    _trace(session, match["deals"], hashed=("shuffles", "steps", "views"))


def _views(session: Session) -> None:
    """Whole views of a deal of each game, at its end and in the middle."""
    seen = set()
    for variant in plain_variants(session):
        game = variant.partition("/")[0]
        if game in seen:
            continue
        seen.add(game)
        play = ("play", variant, "--bots", "greedy", "--match", "deals:1", "--seed", SEED)
        match = session(*play, "--json").json
        _trace(session, match["deals"])


def _trace(session: Session, records: list[dict[str, Any]], hashed: tuple[str, ...] = ()) -> None:
    """Each record whole, then its actions up to a third and two thirds: other views again."""
    found = []
    for record in records:
        actions = record["actions"]
        found.append(record)
        for part in (len(actions) // 3, 2 * len(actions) // 3):
            found.append(_cut(record, part))
    session(*_TRACE, data="".join(json.dumps(item) + "\n" for item in found), hashed=hashed)


def _cut(record: dict[str, Any], actions: int) -> dict[str, Any]:
    kept = {key: item for key, item in record.items() if key not in ("scores", "result")}
    # A second shuffle is only drawn near the end.
    return kept | {"shuffles": record["shuffles"][:1], "actions": record["actions"][:actions]}


def _broken(session: Session) -> None:
    """Records that break a rule, one after the other, and then each way to read them."""
    play = ("play", "frusta", "--bots", "random", "--match", "deals:1", "--seed", SEED, "--json")
    (good,) = session.home.inside(*play).json["deals"]
    illegal = {**good, "actions": [*good["actions"][:5], good["actions"][4]]}
    broken: list[Any] = [
        illegal,
        {**good, "actions": [*good["actions"], "Ad"]},
        {**good, "actions": ["??"]},
        {**good, "scores": [0, 0]},
        {**good, "result": {"tricks": [1, 2]}},
        {**good, "shuffles": [["Ad"]]},
        {**good, "shuffles": []},
        {**good, "dealer": 7},
        {**good, "players": 3},
        {**good, "game": "bridge"},
        {**good, "options": {"colour": "red"}},
        {**good, "draws": "bottom"},
        {**good, "start": {"pot": 8}},
        {**good, "format": "mazzo-deal/2"},
        {key: item for key, item in good.items() if key != "dealer"},
        {**_seeded(good), "seed": "no"},
        _seeded(good),
        [],
        "a deal",
        {"format": "mazzo-deal/1"},
    ]
    lines = [json.dumps(record) for record in broken]
    session("deal", "run", data="\n".join([*lines, "{", ""]), status=1)
    session("deal", "run", data="", status=0)
    session("deal", "run", "--trace", data=lines[0] + "\n", status=1)
    session("deal", "run", "nowhere.jsonl", status=2)


def _seeded(record: dict[str, Any]) -> dict[str, Any]:
    kept = {key: record[key] for key in ("format", "game", "players", "dealer", "actions")}
    return kept | {"seed": "00" * 32, "deal": 3, "actions": []}


def _matches(session: Session) -> None:
    """Formats, ways to draw, seatings, and a person who plays."""
    fixed = ("--seed", SEED, "--json")
    for variant, *more in (
        ("briscola/2", "--bots", "greedy,counting", "--match", "best-of:5"),
        ("briscola/2", "--bots", "greedy,random", "--match", "target:150"),
        ("briscola/2", "--bots", "random", "--draws", "seats", "--match", "deals:1"),
        ("briscola/2", "--bots", "random", "--seating", "1", "--match", "deals:1"),
        ("briscola/4", "--bots", "greedy,random", "--option", "talk=signal"),
        ("frap/3?ante=8", "--bots", "greedy,random,expert", "--match", "target:60"),
        ("briscola-chiamata/5", "--bots", "greedy"),
        ("tressette-meta-mazzo", "--bots", "expert,greedy", "--draws", "seats"),
    ):
        session("play", variant, *more, *fixed, status=None, left_out=("shuffles",))
    for variant in ("briscola/4", "frap/4", "tressette-pizzichino/2"):
        session("play", variant, "--bots", "greedy", "--match", "deals:1", "--seed", SEED)
    answers = "1\n" * 60
    person = ("play", "briscola/2", "--human", "1", "--match", "deals:1", "--seed", SEED)
    session(*person, data=answers)
    session(*person, "--json", data=answers)
    session(*person, "--json", data="1\n2\n", status=1)


SCENARIOS = {
    "games": Scenario(play=_games),
    "play": Scenario(play=_matches),
    "deals-plain": Scenario(play=_plain),
    "deals-options": Scenario(play=_options, long=True),
    "deals-all-options": Scenario(play=_all_options, long=True),
    "deals-views": Scenario(play=_views),
    "deals-broken": Scenario(play=_broken),
}
