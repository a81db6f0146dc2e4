"""What a person sees of a running tournament: a bar and the standings so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Group as Lines
from rich.live import Live
from rich.text import Text

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.output import error_console, make_progress
from mazzo_server.cli.tournaments.standings import make_standings_table
from mazzo_server.clock import monotonic
from mazzo_server.results.commentary import clean

__all__ = ["RunScreen", "open_screen"]

_OTHER_LINES = 6  # of a terminal, beside the rows of the standings
_RENEW_SECONDS = 2.0  # between two standings on a terminal, at least
_LINE_SECONDS = 30.0  # between two lines where there is no terminal
_LEADERS = 3  # that such a line names


@contextmanager
def open_screen(number: int) -> Iterator[RunScreen]:
    """Show a tournament while the context lasts, on standard error.

    On a terminal what is shown stays in place, and goes away; elsewhere there is a line now and
    then.
    """
    screen = RunScreen(number)
    if not error_console.is_terminal:
        yield screen
        return
    with Live(console=error_console, transient=True, get_renderable=screen.render):
        yield screen


class RunScreen:
    """The newest report of a run, and the newest standings."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._bar = make_progress()
        self._task = self._bar.add_task(f"Tournament {number}", total=None, facts="")
        self._first: tournament_pb2.WatchTournamentResponse | None = None
        self._standings = tournament_pb2.Standings()
        self._variant = ""
        self._line_due = monotonic() + _LINE_SECONDS

    @property
    def renew_seconds(self) -> float:
        """How often new standings are worth a look."""
        return _RENEW_SECONDS if error_console.is_terminal else _LINE_SECONDS

    def show_progress(self, report: tournament_pb2.WatchTournamentResponse) -> None:
        """Show how far it is."""
        if self._first is None and report.running_seconds:  # else nothing is known yet
            self._first = report
        first = self._first or report
        seconds = report.running_seconds - first.running_seconds
        played = report.matches_played - first.matches_played
        rate = played / seconds if seconds else 0.0
        facts = f"matches · {rate:.0f} a second"
        if report.faults:
            facts += f" · {report.faults} forfeited"
        if report.withdrawn:
            facts += f" · {report.withdrawn} withdrawn"
        self._bar.update(
            self._task, total=report.matches_total, completed=report.matches_played, facts=facts
        )
        if not error_console.is_terminal and monotonic() >= self._line_due:
            self._line_due = monotonic() + _LINE_SECONDS
            left = (report.matches_total - report.matches_played) / rate if rate else None
            self._print_line(report, left)

    def show_standings(self, tournament: tournament_pb2.Tournament) -> None:
        """Show the standings of the mirror groups that are complete."""
        self._standings = tournament.standings
        self._variant = tournament.variant

    def render(self) -> Lines:
        """Return what a terminal shows now."""
        rows, groups = self._standings.rows, self._standings.groups_counted
        if not groups:
            return Lines(self._bar.get_renderable())
        most = max(error_console.height - _OTHER_LINES, 1)
        lines = [
            self._bar.get_renderable(),
            Text(f"\nStandings so far, of {_count(groups, 'complete mirror group')}:"),
            make_standings_table(self._standings, self._variant, most=most),
        ]
        if len(rows) > most:
            lines.append(Text(f"… and {len(rows) - most} more"))
        return Lines(*lines)

    def _print_line(
        self, report: tournament_pb2.WatchTournamentResponse, left: float | None
    ) -> None:
        text = (
            f"Tournament {self._number}: {report.matches_played:,} of {report.matches_total:,} "
            "matches"
        )
        if left is not None:
            text += f", about {_format_seconds(left)} left"
        leaders = [row for row in self._standings.rows if not row.withdrawn][:_LEADERS]
        if self._standings.groups_counted and leaders:
            names = ", ".join(f"{clean(row.name)} {row.rating:.2f}" for row in leaders)
            groups = _count(self._standings.groups_counted, "complete mirror group")
            text += f"; best ratings of {groups}: {names}"
        error_console.print(text, soft_wrap=True)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _format_seconds(seconds: float) -> str:
    """Return hours, minutes and seconds, such as 0:01:30."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
