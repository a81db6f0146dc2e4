"""What is printed for people fits their terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from mazzo_server.cli.text import output


def test_a_bar_gives_way_before_its_numbers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal of 60 columns, where 80/3000 must not be cut to 80/30."""
    screen = Console(file=StringIO(), force_terminal=True, width=60, _environ={"TERM": "xterm"})
    monkeypatch.setattr(output, "error_console", screen)
    bar = output.make_progress()
    bar.add_task("Tournament 13", total=3000, completed=80, facts="matches \u00b7 5 a second")
    screen.print(bar.get_renderable())
    assert isinstance(screen.file, StringIO)
    assert "80/3000" in screen.file.getvalue()
