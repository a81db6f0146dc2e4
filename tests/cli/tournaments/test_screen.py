"""What a person sees of a running tournament: on a terminal, and where there is none."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text import output
from mazzo_server.cli.tournaments import screen as screen_module
from mazzo_server.cli.tournaments.screen import RunScreen, open_screen


class Clock:
    """A clock that tests set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(screen_module, "monotonic", clock)
    return clock


@pytest.fixture(params=[12, 40])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Console:
    console = Console(
        file=StringIO(), force_terminal=True, color_system=None, width=80, height=request.param
    )
    for module in (screen_module, output):
        monkeypatch.setattr(module, "error_console", console)
    return console


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """Standard error that is no terminal."""
    text = StringIO()
    for module in (screen_module, output):
        monkeypatch.setattr(module, "error_console", Console(file=text, width=80))
    return text


def report(played: int, seconds: float) -> tournament_pb2.WatchTournamentResponse:
    return tournament_pb2.WatchTournamentResponse(
        matches_played=played, matches_total=4000, running_seconds=seconds
    )


def tournament(bots: int, groups: int) -> tournament_pb2.Tournament:
    rows = [
        tournament_pb2.StandingsRow(
            name=f"bot-{place:02}", version=1, rank=place, rating=30.5 - place
        )
        for place in range(1, bots + 1)
    ]
    standings = tournament_pb2.Standings(rows=rows, groups_counted=groups)
    return tournament_pb2.Tournament(id=7, variant="briscola/2", standings=standings)


def shown(screen: RunScreen, terminal: Console) -> str:
    with terminal.capture() as capture:
        terminal.print(screen.render())
    return capture.get()


def test_a_terminal_shows_the_bar_and_the_standings_as_far_as_there_is_room(
    terminal: Console,
) -> None:
    screen = RunScreen(7)
    screen.show_progress(report(0, 0.0))  # before it is known what an earlier run has played
    screen.show_progress(report(500, 5.0))
    screen.show_progress(report(1000, 10.0))
    assert "Standings" not in shown(screen, terminal)
    screen.show_standings(tournament(20, 120))
    text = shown(screen, terminal)
    assert "1000/4000 matches · 100 a second" in text
    assert "left" in text
    assert "Standings so far, of 120 complete mirror groups:" in text
    assert "bot-01" in text
    assert len(text.splitlines()) <= terminal.height
    assert ("… and 14 more" in text) == (terminal.height == 12)
    assert ("bot-20" in text) == (terminal.height == 40)


def test_before_a_mirror_group_is_complete_there_are_no_standings(terminal: Console) -> None:
    screen = RunScreen(7)
    screen.show_standings(tournament(3, 0))
    assert "bot-01" not in shown(screen, terminal)


def test_without_a_terminal_there_is_a_line_now_and_then(stream: StringIO, clock: Clock) -> None:
    with open_screen(7) as screen:
        screen.show_progress(report(0, 0.0))
        screen.show_progress(report(0, 0.001))
        for second in range(1, 91):
            clock.now += 1
            if second == 40:
                screen.show_standings(tournament(5, 120))
            screen.show_progress(report(10 * second, second))
    best = "best ratings of 120 complete mirror groups: bot-01 29.50, bot-02 28.50, bot-03 27.50"
    assert stream.getvalue().splitlines() == [
        "Tournament 7: 300 of 4,000 matches, about 0:06:10 left",
        f"Tournament 7: 600 of 4,000 matches, about 0:05:40 left; {best}",
        f"Tournament 7: 900 of 4,000 matches, about 0:05:10 left; {best}",
    ]
