"""Asks before what cannot be undone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

__all__ = ["YesOption", "check_confirmed"]

YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask first.")]


def check_confirmed(make_question: Callable[[], str], *, is_sure: bool) -> None:
    """Ask on a terminal whether that may be done, and end the command where it may not.

    Without a terminal nobody can answer: then the option `--yes` must be there.
    """
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("expected --yes, for nobody is here to ask: it cannot be undone")
    if not typer.confirm(make_question(), err=True):
        raise typer.Exit(1)
