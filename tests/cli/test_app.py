"""The commands, as they are loaded."""

from __future__ import annotations

import subprocess
import sys


def test_what_few_commands_need_is_not_loaded_for_all() -> None:
    """Or `mazzo --help` would take twice as long."""
    heavy = {"sqlalchemy", "alembic", "numpy", "trueskill"}
    heavy |= {f"mazzo_server.{room}" for room in ("bots", "play", "serving", "tournaments")}
    code = "import sys, mazzo_server.cli.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "mazzo_server.cli.app" in loaded.stdout.split()
    assert not heavy & set(loaded.stdout.split())
