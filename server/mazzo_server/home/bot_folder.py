"""The folder in which a bot of this process runs: its own modules and files are found there."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import ModuleType

__all__ = ["BotFolder", "Outside"]

Outside = tuple[dict[str, ModuleType], int, tuple[int, str], list[str], str]
"""What has to be put back: modules that a bot hides, how many others there were and the last of
all, the search path, and the working directory."""


class BotFolder:
    """The surroundings of a bot, as in a process of its own, hidden from other code.

    As on the platform the folder is the working directory, and modules are imported from beside the
    program. Modules from the folder belong to the bot alone, so bots whose modules have the same
    names do not mix.
    """

    def __init__(self, folder: Path, program: Path) -> None:
        """The program must be in the folder, or somewhere below."""
        self.path = folder.resolve()
        self._beside = str(program.resolve().parent)
        self._search: list[str] = []  # sys.path as the bot has left it
        self._modules: dict[str, ModuleType] = {}

    def enter(self) -> Outside:
        """Let the bot's code run from now on; pass the returned value to `leave` afterwards."""
        modules = sys.modules
        hidden = {name: modules.pop(name) for name in self._modules if name in modules}
        others = len(modules)  # the others come first, for a dictionary keeps its order
        search, directory = sys.path[:], _find_working_directory()
        os.chdir(self.path)
        sys.path[:] = self._search or [self._beside, *search]
        modules.update(self._modules)
        return hidden, others, (len(modules), next(reversed(modules))), search, directory

    def leave(self, outside: Outside) -> None:
        """Restore the surroundings, and keep what belongs to the bot."""
        modules = sys.modules
        hidden, others, before, search, directory = outside
        # Bots are called thousands of times a second, and hardly ever import anything.
        if (len(modules), next(reversed(modules))) != before:
            self._modules = self._list_own(frozenset(islice(modules, others)))
        for name in self._modules:
            modules.pop(name, None)
        modules.update(hidden)
        self._search, sys.path[:] = sys.path[:], search
        with suppress(OSError):  # it may have been deleted meanwhile
            os.chdir(directory)

    def _list_own(self, known: frozenset[str]) -> dict[str, ModuleType]:
        """Return the modules in `sys.modules` that belong to this bot alone."""
        return {
            name: module
            for name, module in list(sys.modules.items())
            if name not in known
            # A package that others use, such as the SDK itself, stays whole.
            and name.partition(".")[0] not in known
            and (self._modules.get(name) is module or self._is_within(module))
        }

    def _is_within(self, module: ModuleType) -> bool:
        file = getattr(module, "__file__", None)
        # A package without a file has paths; a synthetic module has neither.
        places = [file] if file else list(getattr(module, "__path__", ()))
        paths = [Path(place) for place in places if isinstance(place, str)]
        # A package installed in an environment inside the folder can be loaded only once.
        return any(
            path.is_relative_to(self.path) and "site-packages" not in path.parts for path in paths
        )


def _find_working_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted
        return os.sep
