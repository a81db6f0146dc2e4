"""Whatever the commands printed when it was recorded they print today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from goldens.files import RECORDED, difference, json_of, lay_out, recorded_steps, rounded, text_of
from goldens.scenarios import SCENARIOS
from mazzo_server.cli.app import app

_CASES = [
    pytest.param(name, marks=[pytest.mark.prove] if scenario.long else [], id=name)
    for name, scenario in SCENARIOS.items()
]


@pytest.mark.parametrize("name", _CASES)
def test_it_is_as_recorded(name: str, tmp_path: Path) -> None:
    """See `goldens` for how to look closer, and when something may be recorded again."""
    scenario = SCENARIOS[name]
    steps = scenario.steps(tmp_path)
    golden = scenario.golden or name
    wrong = difference(
        lay_out(rounded(recorded_steps(golden))),
        lay_out(rounded(json_of(steps))),
        f"{golden}.json",
    )
    assert not wrong, wrong
    place = RECORDED / f"{golden}.txt"
    told = place.read_text() if place.exists() else ""
    wrong = difference(told, text_of(steps), f"{golden}.txt")
    assert not wrong, wrong


def test_every_file_belongs_to_a_scenario() -> None:
    own = {name for name, scenario in SCENARIOS.items() if not scenario.golden}
    assert {place.stem for place in RECORDED.iterdir()} == own


def test_every_command_for_scripts_is_recorded() -> None:
    """Each with `--json` is there with an answer and with a refusal; each with `--csv`, too."""
    answered: set[tuple[str, ...]] = set()
    refused: set[tuple[str, ...]] = set()
    tables: set[tuple[str, ...]] = set()
    commands = dict(_commands(get_command(app), ()))
    for place in RECORDED.glob("*.json"):
        for step in json.loads(place.read_text()):
            words = tuple(step["command"].split()[1:])
            name = max((one for one in commands if words[: len(one)] == one), key=len, default=())
            if "--csv" in words and step["status"] == 0:
                tables.add(name)
            if "--json" in words:
                (answered if "json" in step else refused).add(name)
    scripted = {name for name, options in commands.items() if "--json" in options}
    assert scripted - answered == set()
    assert scripted - refused == set()
    assert {name for name, options in commands.items() if "--csv" in options} - tables == set()


def _commands(command: Any, name: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command and its options; a group that is a command itself, too."""
    yield name, {option for parameter in command.params for option in parameter.opts}
    for word, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*name, word))
