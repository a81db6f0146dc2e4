"""A home with bots and tournaments to choose from, some of them with hostile names."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from mazzo_server.storage import open_store
from support.command import Home
from support.finished_tournaments import define, finish
from support.stored_rows import add_tournament, add_version, qualify

__all__ = ["HOSTILE", "fill"]

# What a shell, a terminal or Rich would obey, if it came to it as it is. Of a longer one only the
# beginning is shown.
HOSTILE = 'x[/red]\x1b[31m\n:\t\\"); touch pwned; (\\"$(touch pwned)\'`'


def fill(home: Home) -> None:
    """Have three bots, one of them retired, and two tournaments."""
    home.path.mkdir()
    with closing(open_store(home.path / "mazzo.db")) as store:
        for name in ("ann", "bob", "bob", "cleo"):
            add_version(store, name)
        qualify(store, "ann")
        store.retire("cleo")
        entrants = [("ann", 1), ("bob", 2)]
        finish(store, replace(define(entrants, groups=12), name="Spring"))
        add_tournament(store, replace(define(entrants), name=HOSTILE))
