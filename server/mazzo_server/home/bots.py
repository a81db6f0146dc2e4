"""Loads bots that play in this very process, with its rights and without a clock."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import sys
import traceback
from bdb import BdbQuit
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NoReturn

import mazzo
import mazzo.program
import mazzo_server
from mazzo.bot import Bot, MatchEnded, MatchStarted, choose, read_note
from mazzo.errors import BotError
from mazzo.game import Action, Variant, View
from mazzo.games import GAMES
from mazzo.illegal_actions import explain_illegal_action
from mazzo_server.errors import BundleError, InvalidInputError, PlatformError
from mazzo_server.home.bot_folder import BotFolder
from mazzo_server.home.bot_names import seat_names, split_names
from mazzo_server.model import KNOWN_GAMES, MANIFEST_NAME, Manifest, parse_manifest

__all__ = [
    "HomeBot",
    "HomeBotError",
    "find_common_variant",
    "find_home_bot",
    "find_seated_bots",
    "is_home_bot",
    "list_sample_bots",
    "read_home_bot",
]

_LONGEST_ERROR = 500  # characters of an error's own text

_numbers = itertools.count()  # numbers for the names of modules, so that all differ


class HomeBotError(PlatformError):
    """A bot that cannot be loaded, that raised an error, or that made an illegal move."""

    reason = "BOT_FAILED"


def list_sample_bots() -> dict[str, Path]:
    """Return the folders of the sample bots by name, from the installed package or the checkout."""
    package = Path(mazzo_server.__file__).parent
    for folder in (package / "sample_bots", package.parents[1] / "sample_bots"):
        if folder.is_dir():
            found = (path.parent for path in sorted(folder.glob(f"*/{MANIFEST_NAME}")))
            return {path.name: path for path in found}
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeBot:
    """A bot's class, from which instances for seats are made."""

    name: str
    given: str  # the name that the caller gave
    folder: BotFolder
    kind: type[Bot]

    def seat(self, label: str) -> Bot:
        """Return an instance that names `label` when it fails; raise `HomeBotError`."""
        with _Running(f"{label} cannot be made", self.folder):
            return _Guarded(self.kind(), label, self.folder)


def find_home_bot(given: str, variant: Variant) -> HomeBot:
    """Return the bot of a folder, of a Python file, or the sample bot with this name.

    Raises `InvalidInputError` where there is none for the variant, `HomeBotError` when its code
    fails while it is loaded.
    """
    path = _find_path(given)
    if path.is_dir():
        return _load_folder(path, given, variant)
    return _load_file(path, path.parent, given, path.stem)


def read_home_bot(given: str) -> tuple[Path, Manifest | None]:
    """Return where a bot is, and what it says of itself; a Python file alone says nothing.

    Runs none of its code. Raises `InvalidInputError` and `BundleError`.
    """
    path = _find_path(given)
    return path, _read_manifest(path, given) if path.is_dir() else None


def find_seated_bots(
    option: str, text: str, variant: Variant, seats: Sequence[int]
) -> dict[int, HomeBot]:
    """Return the bots of an option such as `--bots a,b` by seat; each one is loaded once.

    Raises what `seat_names` and `find_home_bot` raise.
    """
    names = seat_names(option, split_names(text), variant, seats)
    found = {name: find_home_bot(name, variant) for name in dict.fromkeys(names.values())}
    return {seat: found[name] for seat, name in names.items()}


def is_home_bot(folder: Path) -> bool:
    """Tell whether a folder holds a bot that this process could load; runs none of its code."""
    try:
        command = _read_manifest(folder, str(folder)).command
        return any(word.endswith(".py") and (folder / word).is_file() for word in command)
    except (InvalidInputError, BundleError, OSError):
        return False


def find_common_variant(given: Sequence[str]) -> Variant:
    """Return the first variant that all of these bots say they play; Briscola for two comes first.

    Runs none of their code. Raises `InvalidInputError` where there is no such variant.
    """
    manifests = [manifest for name in given if (manifest := read_home_bot(name)[1]) is not None]
    for game in GAMES.values():
        for players in game.players:
            if all(manifest.has_game(game.id, players) for manifest in manifests):
                return Variant.of(game, players)
    games = "; ".join(f"{each.name} plays {', '.join(each.games)}" for each in manifests)
    raise InvalidInputError(f"expected bots that play a variant in common, got none: {games}")


def _find_path(given: str) -> Path:
    """Return the folder or the Python file that a name means."""
    path = Path(given)
    samples = list_sample_bots()
    try:
        is_bot = (path / MANIFEST_NAME).is_file() or path.is_file()
        if given in samples and not is_bot:
            path = samples[given]
        if given and (path.is_dir() or (path.is_file() and path.suffix == ".py")):
            return path
    except OSError as error:
        raise InvalidInputError(f"bot {given!r} cannot be read: {error.strerror}") from error
    in_python = [name for name, folder in samples.items() if (folder / "bot.py").is_file()]
    raise InvalidInputError(
        f"expected a bot's folder, a Python file (.py) or a sample bot ({', '.join(in_python)}), "
        f"got {given!r}; bots that were submitted play in tournaments only, for this command runs "
        "bots unprotected on this machine: give the folder that was submitted"
    )


def _read_manifest(folder: Path, given: str) -> Manifest:
    file = folder / MANIFEST_NAME
    try:
        if not file.is_file():
            raise InvalidInputError(
                f"expected a bot's folder with {MANIFEST_NAME} in it, got {given!r} without; add "
                "one, or give the bot's Python file"
            )
        return parse_manifest(file.read_bytes(), known_games=KNOWN_GAMES)
    except BundleError as error:
        raise BundleError(f"bot {given!r}: {error}") from error
    except OSError as error:
        raise InvalidInputError(f"bot {given!r} cannot be read: {error.strerror}") from error


def _load_folder(folder: Path, given: str, variant: Variant) -> HomeBot:
    manifest = _read_manifest(folder, given)
    game, players = variant.game.id, variant.players
    if not manifest.has_game(game, players):
        raise InvalidInputError(
            f"expected bots that play {game}/{players}, got {manifest.name}, which plays "
            f"{', '.join(manifest.games)} (games in its {MANIFEST_NAME})"
        )
    for word in manifest.command:
        program = folder / word
        if program.suffix == ".py" and program.is_file():
            if not program.resolve().is_relative_to(folder.resolve()):
                raise InvalidInputError(
                    f"bot {given!r}: expected a command in {MANIFEST_NAME} that names a Python "
                    f"file of the folder, got {word!r}, which is outside; a bot is its folder alone"
                )
            return _load_file(program, folder, given, manifest.name)
    raise InvalidInputError(
        f"bot {given!r}: expected a command in {MANIFEST_NAME} that names a Python file of the "
        f"folder, got {' '.join(manifest.command)!r}; other bots play in tournaments only"
    )


def _load_file(program: Path, folder: Path, given: str, name: str) -> HomeBot:
    home = BotFolder(folder, program)
    return HomeBot(name=name, given=given, folder=home, kind=_load(program, home, name))


class _RunReachedError(SystemExit):
    """A program called `run` while it was loaded: its bot is complete."""


@contextmanager
def _end_at_run() -> Iterator[None]:
    """End a program where it calls `run`.

    A tournament starts the program itself, so one without `if __name__ == "__main__":` before
    `run` passes its trial, and has to play at home too. What stands below `run` comes after the
    game there, so it is left out here.
    """

    def stop(bot: object, *, capacity: int = 0) -> NoReturn:
        raise _RunReachedError

    before = mazzo.run
    places: tuple[Any, ...] = (mazzo, mazzo.program)  # Any: a function is set
    for place in places:
        place.run = stop
    try:
        yield
    except _RunReachedError:
        pass
    finally:
        for place in places:
            place.run = before


def _load(program: Path, folder: BotFolder, name: str) -> type[Bot]:
    """Return the bot class of a program; code under `if __name__ == "__main__"` does not run."""
    module_name = f"mazzo_home_bot_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(module_name, program.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    with _Running(f"bot {name} cannot be loaded", folder):
        try:
            with _end_at_run():
                spec.loader.exec_module(module)
        except SystemExit as error:
            raise BotError(
                "its program ended while it was loaded; what ends it has to stand under "
                '`if __name__ == "__main__":`, so that other programs can load the bot'
            ).with_traceback(error.__traceback__) from error
    kinds = _find_bot_classes(module)
    if len(kinds) != 1:
        found = (
            ", ".join(kind.__name__ for kind in kinds)
            or _describe_bots_without_act(module)
            or "none"
        )
        raise InvalidInputError(
            f"expected one class in {str(program)!r} that is a mazzo.Bot with the method act, "
            f"got {found}"
        )
    return kinds[0]


def _find_bot_classes(module: ModuleType) -> list[type[Bot]]:
    """Return the module's own bots, or else the imported ones; without the bases of others."""
    kinds = {
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Bot) and not inspect.isabstract(kind)
    }
    own = {kind for kind in kinds if kind.__module__ == module.__name__} or kinds
    leaves = [kind for kind in own if not any(k is not kind and issubclass(k, kind) for k in own)]
    return sorted(leaves, key=lambda kind: kind.__name__)


def _describe_bots_without_act(module: ModuleType) -> str:
    """Return in words the module's own bots that cannot play."""
    kinds = [
        kind.__name__
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Bot) and kind.__module__ == module.__name__
    ]
    return f"{', '.join(kinds)} without it" if kinds else ""


class _Running:
    """Runs a bot's code in its folder, and sends its output to standard error.

    Any error, except an interrupt, becomes a `HomeBotError` that names the place.
    """

    # Not a generator: that took as long, at each decision of an arena, as a trivial bot does.
    __slots__ = ("_folder", "_outside", "_stdout", "_what")

    def __init__(self, what: str, folder: BotFolder) -> None:
        self._what = what
        self._folder = folder

    def __enter__(self) -> None:
        try:
            self._outside = self._folder.enter()
        except OSError as error:  # the folder was deleted
            raise self._make_failure(error) from error
        self._stdout, sys.stdout = sys.stdout, sys.stderr

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        sys.stdout = self._stdout
        self._folder.leave(self._outside)
        if isinstance(error, BdbQuit):  # a person has left the debugger
            raise KeyboardInterrupt from error
        if error is not None and not isinstance(error, KeyboardInterrupt):
            raise self._make_failure(error) from error

    def _make_failure(self, error: BaseException) -> HomeBotError:
        name = "" if isinstance(error, BotError) else f"{type(error).__name__}: "
        place = _place(error, self._folder.path)
        return HomeBotError(f"{self._what}: {name}{_describe_error(error)}{place}")


def _describe_error(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split()) or "no message"
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "a message that cannot be shown"
    return text if len(text) <= _LONGEST_ERROR else f"{text[:_LONGEST_ERROR]}…"


def _place(error: BaseException, folder: Path) -> str:
    """Return the last line of the bot's own files that the error passed."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    return f" ({Path(inside[-1].filename).name}, line {inside[-1].lineno})" if inside else ""


class _Guarded(Bot):
    """Asks a bot; any failure becomes a `HomeBotError` that names the bot."""

    def __init__(self, bot: Bot, label: str, folder: BotFolder) -> None:
        self._bot = bot
        self._label = label
        self._folder = folder

    def act(self, view: View) -> Action:
        """Return the bot's legal action; its output goes to standard error."""
        where = f"deal {view.match.deal + 1}, its decision {view.number}"
        number = self._ask(view, where)
        actions = view.variant.game.actions
        if not view.legal_mask >> number & 1:
            raise HomeBotError(f"{self._label}, {where}: {explain_illegal_action(view, number)}")
        self.log(read_note(self._bot))
        return actions[number]

    def on_start(self, started: MatchStarted) -> None:
        """Pass the start of the match on to the bot."""
        with _Running(f"{self._label}, on_start", self._folder):
            self._bot.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        """Pass the end of the match on to the bot."""
        with _Running(f"{self._label}, on_end", self._folder):
            self._bot.on_end(ended)

    def _ask(self, view: View, where: str) -> int:
        with _Running(f"{self._label}, {where}", self._folder):
            return choose(self._bot, view)
