"""The table of a tournament says what its JSON says."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text import output
from mazzo_server.cli.tournaments.standings import print_tournament
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.results.tables import to_json

NAMES = ("anna", "bruno", "carla", "dario", "emma")
COLUMNS = ("rating", "W-D-L", "score/deal", "P>next", "+deals", "faults", "ms")

counts = st.integers(0, 10**6)
scores = st.floats(-500, 500)
chances = st.floats(0, 1)
points = st.integers(0, 6000).map(lambda thirds: thirds / 6)


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.console, "width", 200)


@st.composite
def places(draw: st.DrawFn, number: int) -> list[tournament_pb2.PlaceScore]:
    return [
        tournament_pb2.PlaceScore(
            place=place,
            score_per_deal=draw(scores),
            deviation=draw(st.sampled_from((1, -1))) * draw(st.floats(0.01, 50)),
            p_value=draw(st.floats(0, 0.002)),
            alarm=draw(st.booleans()),
        )
        for place in range(number)
    ]


@st.composite
def tournaments(draw: st.DrawFn) -> tournament_pb2.Tournament:
    """Standings with every number there may be, whether or not they could come of play."""
    standings = tournament_pb2.Standings(groups_counted=1, groups=1)
    names = NAMES[: draw(st.integers(2, 5))]
    gone = draw(st.sampled_from((0, 0, 1)))
    confidence = draw(st.none() | st.sampled_from((0.95, 0.999)))
    playing = names[: len(names) - gone]
    for number, name in enumerate(playing):
        mean, margin = draw(scores), draw(st.none() | st.floats(0, 99))
        known = draw(st.booleans())
        standings.rows.add(
            rank=number + 1,
            name=name,
            version=draw(st.integers(1, 99)),
            retired=draw(st.booleans()),
            rating=draw(st.floats(-10, 60)),
            wins=draw(counts),
            draws=draw(counts),
            losses=draw(counts),
            score_per_deal=mean if known else None,
            score_low=None if margin is None or not known else mean - margin,
            score_high=None if margin is None or not known else mean + margin,
            probability_better_than_next=draw(st.none() | chances),
            more_deals=draw(st.none() | st.integers(0, 99_999)),
            separated=(None if confidence is None or name == playing[-1] else draw(st.booleans())),
            faults=draw(st.integers(0, 3)),
            late=draw(st.integers(0, 3)),
            decision_seconds=draw(st.none() | st.floats(0, 5)),
        )
    if confidence is None and draw(st.booleans()):
        for name in playing:
            standings.swiss.add(
                name=name,
                points=draw(points),
                byes=draw(st.integers(0, 9)),
                buchholz_cut_1=draw(points),
                buchholz=draw(points),
                sonneborn_berger=draw(points),
                direct_encounter=draw(points),
            )
    for name in names[len(playing) :]:
        standings.rows.add(name=name, version=1, withdrawn="did not start")
    for name in playing:
        for other in playing:
            if name != other:
                standings.crosstable.add(
                    name=name,
                    opponent=other,
                    wins=draw(st.integers(0, 999)),
                    draws=draw(st.integers(0, 999)),
                    losses=draw(st.integers(0, 999)),
                    score_per_deal=draw(st.none() | scores),
                    probability_better=draw(st.none() | chances),
                )
    for name in draw(st.lists(st.sampled_from(playing), unique=True)):
        termination, owner = draw(st.sampled_from(Termination)), draw(st.sampled_from(Owner))
        first = tournament_pb2.MatchFault(
            name=name,
            group=draw(counts),
            seating=draw(st.integers(0, 5)),
            deal=draw(st.integers(0, 20)),
            decision=draw(st.integers(1, 99)),
            termination=termination,
            owner=owner,
            reason="exit status 1",
        )
        matches = draw(st.integers(1, 999))
        standings.fault_kinds.add(
            name=name, termination=termination, owner=owner, matches=matches, first=first
        )
        standings.faults.append(first)
        standings.faults_total += matches
    standings.seat_bias.MergeFrom(
        tournament_pb2.SeatBias(
            blocks=draw(st.integers(0, 9)), seats=draw(places(2)), turns=draw(places(2))
        )
    )
    return tournament_pb2.Tournament(
        id=draw(st.integers(1, 999)),
        name="Test",
        state=draw(st.sampled_from(tournament_pb2.TournamentState.keys()[1:])),
        variant="briscola/2",
        match_format="deals:2",
        mirror="rotations",
        isolation="none",
        groups=draw(counts),
        until_separated=confidence,
        matches_played=draw(counts),
        matches_total=draw(counts),
        standings=standings,
    )


def rounded(text: str, value: float | None, *, unit: float) -> None:
    """The text is the number to the last digit that it has, and empty where there is none."""
    if value is None:
        assert text in ("", "–")
    else:
        assert abs(float(text) - value) <= unit / 2 * (1 + 1e-6) + 1e-9


def check_row(line: str, ends: list[int], row: dict[str, Any]) -> None:
    head, *cells = (
        line[start:end].strip() for start, end in zip([0, *ends[:-1]], ends, strict=True)
    )
    rank, bot, rating = re.fullmatch(r"(\d+) +(.+?) +(\S+)", head).groups()  # type: ignore[union-attr]
    assert int(rank) == row["rank"]
    assert bot == f"{row['name']} v{row['version']}" + " (retired)" * row["retired"]
    rounded(rating, row["rating"], unit=0.01)
    results, score, better, more, faults, thinking = cells
    assert [int(part) for part in results.split("-")] == [row["wins"], row["draws"], row["losses"]]
    mean, _, margin = score.partition(" ±")
    rounded(mean, row["score_per_deal"], unit=0.01)
    half = None if row["score_low"] is None else (row["score_high"] - row["score_low"]) / 2
    rounded(margin, half, unit=0.01)
    rounded(better.removesuffix("%"), percent(row["probability_better_than_next"]), unit=0.1)
    assert more == (
        "" if row["more_deals"] is None else f"{row['more_deals']:+d}".replace("+0", "0")
    )
    assert faults == f"{row['faults']}" + (f"+{row['late']} late" if row["late"] else "")
    seconds = row["decision_seconds"]
    rounded(thinking, None if seconds is None else seconds * 1000, unit=0.1)


def percent(probability: float | None) -> float | None:
    return None if probability is None else 100 * probability


def check_crosstable(lines: list[str], standings: dict[str, Any], names: list[str]) -> None:
    cells = {(cell["name"], cell["opponent"]): cell for cell in standings["crosstable"]}
    header = lines.pop(0)
    ends = [match.end() for match in re.finditer(r"\d+", header)]
    assert len(ends) == len(names)
    number = -1
    chances: dict[tuple[str, str], str] = {}
    for line in lines:
        if re.match(r"\d", line):
            number += 1
            assert line.split()[1] == names[number]
            start = line.index(names[number]) + len(names[number])
        for other, (begin, end) in zip(names, zip([start, *ends], ends, strict=False), strict=True):
            text = line[begin:end].strip()
            pair = (names[number], other)
            if text.endswith("%"):
                chances[pair] = text.removesuffix("%")
            elif text and text != "·" and re.match(r"\d", line):
                score, _, results = text.partition(" ")
                cell = cells[pair]
                rounded(score, cell["score_per_deal"], unit=0.1)
                if results:
                    assert results == f"({cell['wins']}-{cell['draws']}-{cell['losses']})"
    assert number == len(names) - 1
    assert {pair for pair, cell in cells.items() if cell["probability_better"] is not None} == set(
        chances
    )
    for pair, text in chances.items():
        rounded(text, percent(cells[pair]["probability_better"]), unit=0.1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(shown=tournaments())
def test_the_table_agrees_with_the_json(
    capsys: pytest.CaptureFixture[str], shown: tournament_pb2.Tournament
) -> None:
    """Promise: every number that the table shows is the JSON's, rounded to the digits shown."""
    print_tournament(shown)
    out = capsys.readouterr().out
    json = to_json(shown)
    standings = json["standings"]
    blocks = [block.splitlines() for block in out.strip("\n").split("\n\n")]
    facts, table, *rest = blocks
    if standings["swiss"]:
        check_swiss(rest.pop(0)[2:], standings)
    crosstable, *rest = rest
    assert f"(tournament {json['id']})" in facts[0]
    counted = facts[1].replace("at most ", "")  # where a bout may end early
    assert f"{json['matches_played']:,} of {json['matches_total']:,} matches" in counted
    counted, groups = json["standings"]["groups_counted"], json["standings"]["groups"]
    assert f"{counted:,} of {groups:,} mirror groups" in " ".join(facts).replace("at most ", "")
    assert facts[1].startswith(f"{json['state']}; {json['variant']}, {json['match_format']}, ")

    header = table.pop(0)
    ends = [header.index(column) + len(column) for column in COLUMNS]
    if json["until_separated"] is not None:
        check_separation(table.pop(), json)
    assert len(table) == len(standings["rows"])
    for line, row in zip(table, standings["rows"], strict=True):
        if row["withdrawn"]:
            assert line.split()[:2] == ["–", row["name"]]
            assert "withdrawn" in line
        else:
            check_row(line, ends, row)
    names = [row["name"] for row in standings["rows"] if not row["withdrawn"]]
    if len(names) > 1:
        check_crosstable(crosstable[1:], standings, names)
    else:
        rest.insert(0, crosstable)
    seats = [line for block in rest for line in block if "score" in line]
    check_seats(seats, standings["seat_bias"])
    forfeits = [block for block in rest if block[0] == "Forfeits"]
    assert bool(forfeits) == bool(standings["faults_total"])
    told = re.findall(
        r"  (\S+): (\S+) in (\d+) match(?:es)?, fault of the (\S+);\n"
        r"    first in \d+/(\d+)/(\d+), deal (\d+), decision (\d+): exit status 1\n",
        out,
    )
    assert told == [
        tuple(
            str(value)
            for value in (
                *(kind[key] for key in ("name", "termination", "matches", "owner")),
                *(kind["first"][key] for key in ("group", "seating")),
                kind["first"]["deal"] + 1,  # people count deals from 1
                kind["first"]["decision"],
            )
        )
        for kind in standings["fault_kinds"]
    ]


def check_swiss(lines: list[str], standings: dict[str, Any]) -> None:
    ranks = {row["name"]: row["rank"] for row in standings["rows"]}
    for line, row in zip(lines, standings["swiss"], strict=True):
        rank, name, own, byes, *breaks = line.split()
        assert (int(rank), name, int(byes)) == (ranks[row["name"]], row["name"], row["byes"])
        rounded(own, row["points"], unit=0.01)
        keys = ("buchholz_cut_1", "buchholz", "sonneborn_berger", "direct_encounter")
        for text, key in zip(breaks, keys, strict=True):
            rounded(text, row[key], unit=0.01)


def check_separation(line: str, json: dict[str, Any]) -> None:
    rows = [row for row in json["standings"]["rows"] if not row["withdrawn"]]
    doubtful = [
        f"{upper['name']} – {lower['name']}"
        for upper, lower in pairwise(rows)
        if not upper["separated"]
    ]
    when, _, named = line.rstrip(".").partition(": ")
    if doubtful:
        over = f"after {json['groups']} groups a table"
        assert when == f"Not separated {over if json['state'] == 'finished' else 'so far'}"
        assert named.split(", ") == doubtful
    else:
        assert line == (
            f"All neighbours are separated, with a confidence of {json['until_separated']:g}."
        )


def check_seats(lines: list[str], bias: dict[str, Any]) -> None:
    alarms = {
        (name, score["deviation"] > 0): score
        for names, scores in (
            (("seat 0", "seat 1"), "seats"),
            (("the first to play", "the dealer"), "turns"),
        )
        for name, score in zip(names, bias[scores], strict=True)
        if score["alarm"] and score["deviation"] > 0
    }
    if bias["blocks"] < 2:
        assert not lines
    elif not alarms:
        assert lines == ["No seat and no turn scores more than luck allows."]
    else:
        told = re.findall(
            r"(seat \d|the first to play|the dealer) scores (\S+) points a deal (more|less) than "
            r"the average \(p = (\S+)\)",
            "\n".join(lines),
            re.IGNORECASE,
        )
        assert {name.lower() for name, *_ in told} == {name for name, _ in alarms}
        for name, deviation, more, p in told:
            score = alarms[name.lower(), more == "more"]
            rounded(deviation, abs(score["deviation"]), unit=0.01)
            assert float(p) == pytest.approx(score["p_value"], rel=0.06)


def test_larger_tables_have_places(capsys: pytest.CaptureFixture[str]) -> None:
    """To win a quarter of the groups at a table of four is no more than one's share."""
    standings = tournament_pb2.Standings(groups_counted=4, groups=4)
    # Four groups at a table of three: anna first, first, shared first, last.
    results = {"anna": (2, 1, 1), "bruno": (1, 1, 2), "carla": (0, 0, 4)}
    for rank, (name, (wins, draws, losses)) in enumerate(results.items(), start=1):
        standings.rows.add(
            rank=rank, name=name, version=1, wins=wins, draws=draws, losses=losses, groups=4
        )
    standings.rows.add(name="dario", version=1, withdrawn="did not start")
    for name, opponent, wins, draws, losses in (
        ("anna", "bruno", 2, 1, 1),
        ("anna", "carla", 3, 0, 1),
        ("bruno", "anna", 1, 1, 2),
        ("bruno", "carla", 4, 0, 0),
        ("carla", "anna", 1, 0, 3),
        ("carla", "bruno", 0, 0, 4),
    ):
        standings.crosstable.add(
            name=name, opponent=opponent, wins=wins, draws=draws, losses=losses
        )
    print_tournament(tournament_pb2.Tournament(variant="briscola/3", standings=standings))
    lines = capsys.readouterr().out.splitlines()
    start = next(number for number, line in enumerate(lines) if "rating" in line)
    header, *rows = lines[start : start + 5]
    assert header.split()[:4] == ["bot", "rating", "place", "first"]
    # 1 + (1 + ½ + 1) / 4; 1 + (2 + ½) / 4; 1 + 7 / 4
    assert [row.split()[4:6] for row in rows[:3]] == [
        ["1.62", "2+1"],
        ["1.62", "1+1"],
        ["2.75", "0"],
    ]
    assert "withdrawn" in rows[3]
