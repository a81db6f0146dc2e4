"""CSV: the rows of the main table, with the values and names of the JSON."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.spreadsheet import print_csv
from support.command import Home


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def texts(values: dict[str, Any], columns: dict[str, str]) -> dict[str, str]:
    """Values of the JSON as they stand in CSV."""
    return {
        column: ""
        if values[column] is None
        else str(values[column]).lower()
        if isinstance(values[column], bool)
        else str(values[column])
        for column in columns
    }


def test_values_are_those_of_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Promise: numbers lose no digit, null is empty, and text is quoted where it has to be."""
    print_csv(
        ["name", "score", "more", "retired"],
        [
            {"name": 'a, "b"', "score": 0.1 + 0.2, "more": None, "retired": True},
            {"name": "c", "score": -1e-9, "more": 2**53, "retired": False, "other": 1},
        ],
    )
    assert capsys.readouterr().out == (
        "name,score,more,retired\n"
        '"a, ""b""",0.30000000000000004,,true\n'
        "c,-1e-09,9007199254740992,false\n"
    )


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_no_text_is_a_formula(capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Promise: what people call a tournament is shown by a spreadsheet, never worked out."""
    print_csv(["name"], [{"name": text}])
    assert rows(capsys.readouterr().out) == [{"name": f"'{text}"}]


def test_control_characters_are_made_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    """Promise: the text of a stranger does not reach a terminal as it is."""
    print_csv(["reason"], [{"reason": "\x1b[2J\r=1"}])
    assert rows(capsys.readouterr().out) == [{"reason": "\ufffd[2J\ufffd=1"}]


@pytest.mark.slow
def test_tournaments_and_rankings(samples: Home) -> None:
    """Promise: `--csv` has a row for each row of the table, named and valued as in the JSON."""
    samples("tournament", "run", "briscola/2", "--groups", "1", "--name", "=Sunday, 3 pm")
    shown = samples.inside("tournament", "show", "1", "--json").json
    table = rows(samples.inside("tournament", "show", "1", "--csv").out)
    assert list(table[0]) == list(tournament_pb2.StandingsRow.DESCRIPTOR.fields_by_name)
    assert table == [texts(row, table[0]) for row in shown["standings"]["rows"]]
    (listed,) = rows(samples.inside("tournament", "list", "--csv").out)
    assert listed == texts(shown, listed) | {"name": "'=Sunday, 3 pm"}
    (ranking,) = samples.inside("rankings", "--json").json
    ranked = rows(samples.inside("rankings", "--csv").out)
    assert ranked == [
        {"variant": "briscola/2", **texts(row, dict.fromkeys(row, ""))} for row in ranking["rows"]
    ]


def test_csv_and_json_together_are_wrong_usage(home: Home) -> None:
    """Promise: it is refused before anything is read."""
    for command in (("tournament", "show", "1"), ("tournament", "list"), ("rankings",)):
        refused = home.inside(*command, "--json", "--csv", status=2)
        assert "expected --json or --csv, got both" in refused.err
        assert refused.out == ""
