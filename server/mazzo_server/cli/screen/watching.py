"""Shows a match on a terminal, decision by decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from mazzo.game import View
from mazzo.match_record import MatchRecord
from mazzo_server.cli.screen.board import Board
from mazzo_server.cli.screen.keys import take_screen
from mazzo_server.cli.screen.stepper import ShownPosition, Stepper
from mazzo_server.cli.text.lines import has_symbols
from mazzo_server.cli.text.output import console

__all__ = ["step_through"]


def step_through(
    record: MatchRecord,
    begin: ShownPosition,
    choose_as_expert: Callable[[View], int] | None = None,
) -> None:
    """Step through a verified record, from a position, until the person leaves.

    Raises `KeyboardInterrupt`, and what asking `expert` raises.
    """
    board = Board(record, symbols=has_symbols(console), choose_as_expert=choose_as_expert)
    stepper = Stepper(
        board.positions,
        players=record.variant.players,
        find_other_choice=board.find_other_choice,
    )
    at: ShownPosition | None = begin
    with take_screen() as screen:
        while at is not None:
            screen.draw(_render_in_colour(board.make_rows(at, *screen.size)))
            for key in screen.read_keys():
                if key == "end of input":
                    return
                at = stepper.press(at, key)
                if at is None:
                    return


def _render_in_colour(rows: Sequence[Text]) -> list[str]:
    """Return the row as the terminal wants it; without colours where NO_COLOR is set."""
    with console.capture() as captured:
        for row in rows:
            console.print(row, soft_wrap=True)
    return captured.get().split("\n")[:-1]
