"""Completes bots at home: sample bots, folders of bots, and programs.

What needs more than that is left to the shell, which completes files where nothing is offered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mazzo_server.cli.shell.completion.offers import Offer, complete_last_name, make_offer
from mazzo_server.model import MANIFEST_NAME

__all__ = ["complete_bundle", "complete_home_bot", "complete_home_bots"]


def complete_home_bot(incomplete: str) -> list[Offer]:
    """Offer the sample bots, and the folders and programs of bots that begin so."""
    from mazzo_server.home import list_sample_bots  # half of the commands do without

    samples = [make_offer(name, "sample bot") for name in list_sample_bots()]
    return [*_find_files(incomplete, _is_home_bot), *samples]


def complete_home_bots(incomplete: str) -> list[Offer]:
    """Offer the same for the last of some names with commas between."""
    last = incomplete.rpartition(",")[2]
    return complete_last_name(incomplete, complete_home_bot(last))


def complete_bundle(incomplete: str) -> list[Offer]:
    """Offer what can be submitted and begins so: folders of bots, and archives."""
    return _find_files(incomplete, _is_bundle)


def _find_files(start: str, is_wanted: Callable[[Path], bool]) -> list[Offer]:
    """Return the wanted files and folders that begin so, as the caller has to write them."""
    folder, slash, name = start.rpartition("/")
    try:
        found = sorted(
            path.name
            for path in Path(f"{folder}{slash}").iterdir()
            if path.name.startswith(name) and _is_shown(path, name) and is_wanted(path)
        )
    except (OSError, ValueError):  # no folder, or a name that cannot be one
        return []
    return [make_offer(f"{folder}{slash}{each}") for each in found]


def _is_shown(path: Path, start: str) -> bool:
    """Tell whether it is no hidden file, unless the name begins like one."""
    return start.startswith(".") or not path.name.startswith(".")


def _is_home_bot(path: Path) -> bool:
    return _is_bot_folder(path) or (path.suffix == ".py" and path.is_file())


def _is_bundle(path: Path) -> bool:
    return _is_bot_folder(path) or (path.suffix == ".zip" and path.is_file())


def _is_bot_folder(path: Path) -> bool:
    return (path / MANIFEST_NAME).is_file()
