"""Every variant that the goldens play, as `mazzo games --json` describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from goldens.session import Session

__all__ = ["list_variants_with_options", "plain_variants"]

# Options that show only beside a value of another one.
_NEEDED = {"leak": "talk=signal&", "blind-draws": "draw-limit=3&"}


def _games(session: Session) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(session.home.inside("games", "--json").out)
    return found


def plain_variants(session: Session) -> Iterator[str]:
    """Every game with every number of players."""
    for game in _games(session):
        for players in game["players"]:
            yield f"{game['game']}/{players}"


def list_variants_with_options(session: Session) -> Iterator[str]:
    """The same with every value of every option; of a number the ends and a middle."""
    for game in _games(session):
        for players in game["players"]:
            for option in game["options"]:
                if players not in option["players"]:
                    continue
                for value in _values(option, players):
                    if value != option["default"]:
                        needed = _NEEDED.get(option["name"], "")
                        yield f"{game['game']}/{players}?{needed}{option['name']}={value}"


def _values(option: dict[str, Any], players: int) -> list[str]:
    found = list(option["values"])
    if numbers := option["numbers"]:
        times = players if numbers["per_player"] else 1
        steps = (numbers["last"] - numbers["first"]) // numbers["step"]
        for number in (0, steps // 2, steps):
            units = (numbers["first"] + number * numbers["step"]) * times
            value = Fraction(units, numbers["scale"])
            found.append(f"{float(value):.12g}" if value.denominator > 1 else str(value))
    return list(dict.fromkeys(found))
