"""Names of several bots on a command line: copies, seats and teams."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo.games import parse_variant
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.bot_names import add_copies, join_names, seat_names, split_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("a*6", ["a"] * 6),
        ("a*2, b ,c*1", ["a", "a", "b", "c"]),
        ("a*0,*3,a*,a*1000,a*x", ["a*0", "*3", "a*", "a*1000", "a*x"]),
        ('"a,b*2",c', ["a,b", "a,b", "c"]),
        ("./my*bots*2", ["./my*bots"] * 2),
    ],
)
def test_copies(text: str, names: list[str]) -> None:
    assert split_names(text) == names
    assert split_names(join_names(names)) == names


def test_a_file_that_has_such_a_name_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot*2").mkdir()
    assert add_copies(["bot*2", "\0*2"]) == ["bot*2", "\0", "\0"]


def seated(names: str, variant: str, *, without: int | None = None) -> list[str | None]:
    found = parse_variant(variant)
    seats = [seat for seat in range(found.players) if seat != without]
    by_seat = seat_names("--bots", split_names(names), found, seats)
    return [by_seat.get(seat) for seat in range(found.players)]


def test_one_for_all_one_for_each_seat_or_one_for_each_team() -> None:
    assert seated("a", "briscola/4") == ["a"] * 4
    assert seated("a,b,c,d", "briscola/4") == ["a", "b", "c", "d"]
    assert seated("a,b", "briscola/4") == ["a", "b", "a", "b"]
    assert seated("a,b", "briscola/6") == ["a", "b"] * 3
    assert seated("a,b", "briscola/4", without=2) == ["a", "b", None, "b"]
    assert seated("a,b*2", "briscola/4", without=2) == ["a", "b", None, "b"]
    assert seated("a*2,b", "frap/3") == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("names", "variant", "message"),
    [
        ("a,b,c", "briscola/4", "or one for each of its 2 teams, got 3"),
        ("a,b", "frap/3", "expected one for all or one bot for each of the seats 0, 1, 2 of frap"),
        ("a*7", "briscola/6", "got 7"),
    ],
)
def test_another_number_is_refused(names: str, variant: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        seated(names, variant)
