"""Writes the positions where a bot failed its trial to a file, for a debugger."""

from __future__ import annotations

import shlex
from pathlib import Path

from mazzo.v1 import bot_pb2
from mazzo_server.cli.shell.streams import open_output
from mazzo_server.cli.text.output import error_console
from mazzo_server.errors import PlatformError
from mazzo_server.home import is_home_bot
from mazzo_server.results.commentary import clean
from mazzo_server.settings import Settings

__all__ = ["write_positions"]


def write_positions(name: str, trial: bot_pb2.Trial, path: Path) -> str:
    """Write them into the home folder; return the command that asks the bot again.

    What an earlier trial of that name left there is removed. Returns "" where there are none, where
    the bot at `path` plays in a sandbox only, and where the file cannot be written, which is said.
    """
    records = [match.record for match in trial.matches]
    records += [failure.record for check in trial.checks for failure in check.failures]
    lines = dict.fromkeys(f"{record}\n" for record in records if record)
    home = Settings.from_environment().home
    file = home / "positions" / f"{name}.jsonl"
    try:
        file.unlink(missing_ok=True)
        if not lines or not is_home_bot(path):
            return ""
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.parent.mkdir(mode=0o700, exist_ok=True)
        with open_output(file) as output:
            output.writelines(lines)
    except OSError as error:
        error_console.print(f"mazzo: cannot write {file}: {error.strerror}", soft_wrap=True)
        return ""
    except PlatformError as error:
        error_console.print(f"mazzo: {error}", soft_wrap=True)
        return ""
    return clean(shlex.join(["mazzo", "replay", "rerun", str(file), "--with", str(path)]))
