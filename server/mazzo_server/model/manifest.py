"""`bot.toml`: what a bot says about itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, time
from difflib import get_close_matches
from typing import Any, Final, NoReturn, TypeAlias, TypeGuard, TypeVar

from mazzo.games import GAMES
from mazzo_server.errors import BundleError, InvalidInputError
from mazzo_server.model.inputs import WholeNumber
from mazzo_server.model.limits import LIMIT_KINDS, InstanceLimits
from mazzo_server.model.manifest_bounds import find_slow_part
from mazzo_server.model.readable_text import explain_unreadable

__all__ = [
    "KNOWN_GAMES",
    "MANIFEST_NAME",
    "MAX_MANIFEST_BYTES",
    "NAME_RULE",
    "NEEDS",
    "RUNTIMES",
    "Manifest",
    "is_name",
    "make_remote_manifest",
    "parse_manifest",
    "read_manifest",
]

TomlValue: TypeAlias = "str | int | float | date | time | list[TomlValue] | dict[str, TomlValue]"
_Value = TypeVar("_Value")

MANIFEST_NAME = "bot.toml"
MAX_MANIFEST_BYTES = 64 * 1024
NAME_RULE = "1 to 32 lower-case letters, digits and hyphens, not starting with a hyphen"
KNOWN_GAMES: Final[Mapping[str, Sequence[int]]] = {game.id: game.players for game in GAMES.values()}
"""The numbers of players of each game that the platform has, by the game's id."""
RUNTIMES = ("python", "node", "binary")
NEEDS: Final = tuple(field.name for field in fields(InstanceLimits))
"""The keys that say what an instance needs."""

_MOST_CAPACITY = 1024
_MOST_TEXT = 200  # characters of an author or a licence
_AFTER_KEY = ("=", ".", "]")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_GAME = re.compile(r"([a-z0-9][a-z0-9-]*)(?:/([1-9][0-9]?))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A bot's own description, checked.

    `games` holds a game's id ("briscola") for every number of players that it has, or
    one number of players of it ("briscola/4"). `capacity` is the number of decisions that
    one instance wants in flight. `command` is run with the bundle as working directory, and
    finds what `runtime`, one of `RUNTIMES`, promises; both are empty for a remote bot.
    """

    name: str
    games: tuple[str, ...]
    command: tuple[str, ...]
    runtime: str
    capacity: int
    author: str
    licence: str
    description: str | None
    # What an instance needs, and no more of it is given; None: what the platform gives by default.
    memory_mib: int | None = None
    processes: int | None = None
    disk_mib: int | None = None

    def has_game(self, game: str, players: int) -> bool:
        """Return whether the bot says that it plays a game, by its id, with so many players."""
        return game in self.games or f"{game}/{players}" in self.games

    @property
    def needs(self) -> dict[str, int]:
        """What it says that an instance needs, by limit."""
        asked = {name: getattr(self, name) for name in NEEDS}
        return {name: number for name, number in asked.items() if number is not None}

    def to_json(self) -> dict[str, object]:
        """Return JSON values, for `from_json`."""
        return asdict(self) | {"games": list(self.games), "command": list(self.command)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Manifest:
        """Return the manifest that `to_json` wrote: our own data, which are not checked."""
        sequences = {"games": tuple(data["games"]), "command": tuple(data["command"])}
        return cls(**(dict(data) | sequences))


def is_name(value: object) -> TypeGuard[str]:
    """Tell whether a bot or an author may be called that; see `NAME_RULE`."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def parse_manifest(data: bytes, *, known_games: Mapping[str, Sequence[int]]) -> Manifest:
    """Read and check a `bot.toml`.

    `known_games` maps each game's id to the numbers of players that it can be played by.
    Raises BundleError that names the line where it can, and the key.
    """
    if len(data) > MAX_MANIFEST_BYTES:
        raise BundleError(
            f"{MANIFEST_NAME}: expected at most {MAX_MANIFEST_BYTES:,} bytes, got more; "
            "put what is not about the bot into another file"
        )
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BundleError(
            f"{MANIFEST_NAME}, line {line}: expected UTF-8 text, got the byte "
            f"0x{data[error.start]:02x}; save the file as UTF-8"
        ) from error
    if slow := find_slow_part(text):
        raise BundleError(f"{MANIFEST_NAME}, line {slow[0]}: {slow[1]}")
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number of 5,000 digits, too
        found = re.search(r"line (\d+)", str(error))
        where = f"{MANIFEST_NAME}, line {found[1]}" if found else MANIFEST_NAME
        raise BundleError(f"{where}: expected TOML, got something else: {error}") from error
    return _Reader(text, values).manifest(known_games)


def read_manifest(
    values: Mapping[str, Any], *, remote: bool, known_games: Mapping[str, Sequence[int]]
) -> Manifest:
    """Return the checked manifest of what `Manifest.to_json` wrote, perhaps elsewhere.

    Raises `InvalidInputError`.
    """
    given = {key: value for key, value in values.items() if value is not None}
    if not remote:
        return _Reader("", given).manifest(known_games)
    # Its command and its runtime are empty, which no `bot.toml` may have.
    whole = given | {"command": ["none"], "runtime": RUNTIMES[0], "licence": "none"}
    read = _Reader("", whole).manifest(known_games)
    return make_remote_manifest(
        read.name,
        games=read.games,
        capacity=read.capacity,
        author=read.author,
        known_games=known_games,
    )


def make_remote_manifest(
    name: str,
    *,
    games: Sequence[str],
    capacity: int,
    author: str,
    known_games: Mapping[str, Sequence[int]],
) -> Manifest:
    """Return the checked manifest of a remote bot, which nothing starts here.

    Raises `InvalidInputError`. A capacity of 0 means 1.
    """
    if not is_name(name):
        raise InvalidInputError(f"name: expected {NAME_RULE}, got {name[:80]!r}")
    for game in games:
        if complaint := _explain_bad_game(game, known_games):
            raise InvalidInputError(complaint)
    if not 0 <= capacity <= _MOST_CAPACITY:
        raise InvalidInputError(f"capacity: expected 1 to {_MOST_CAPACITY}, got {capacity}")
    if complaint := _explain_bad_text(author, _MOST_TEXT):
        raise InvalidInputError(f"author: {complaint}")
    return Manifest(
        name=name,
        games=tuple(dict.fromkeys(games)),
        command=(),
        runtime="",
        capacity=capacity or 1,
        author=author,
        licence="",
        description=None,
    )


def _explain_bad_game(game: str, known_games: Mapping[str, Sequence[int]]) -> str:
    """Explain what is wrong with a game's name; "" when nothing is."""
    named = _GAME.fullmatch(game)
    if named is None or named[1] not in known_games:
        mend = "; a bot plays with all options: remove the question mark and what follows"
        return f"expected games among {', '.join(sorted(known_games))}, got {game[:80]!r}" + (
            mend if "?" in game else ""
        )
    players = known_games[named[1]]
    if named[2] is not None and int(named[2]) not in players:
        numbers = ", ".join(str(number) for number in players)
        return f"expected {named[1]} with players among {numbers}, got {game!r}"
    return ""


def _explain_bad_text(text: str, most: int) -> str:
    """Explain what is wrong with a text for people to read; "" when nothing is."""
    expected = f"expected a text of 1 to {most:,} readable characters, got {text[:80]!r}"
    if not 0 < len(text) <= most:
        return expected
    complaint = explain_unreadable(text)
    return complaint and f"{expected}: {complaint}"


class _Reader:
    """Takes checked values out of a parsed `bot.toml`; each complaint names line and key."""

    def __init__(self, text: str, values: Mapping[str, TomlValue]) -> None:
        self._lines = text.split("\n")
        self._values = values

    def manifest(self, known_games: Mapping[str, Sequence[int]]) -> Manifest:
        known = tuple(Manifest.__dataclass_fields__)
        for key in self._values:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                mend = f"is it {near[0]}?" if near else "remove it"
                self._refuse(key, f"expected one of the keys {', '.join(known)}; {mend}")
        name = self._name()
        games = self._read_strings("games")
        for game in games:
            self._check_game(game, known_games)
        if len(set(games)) != len(games):
            self._raise_expected("games", "each game once")
        return Manifest(
            name=name,
            games=games,
            command=self._read_strings("command"),
            runtime=self._read_runtime(),
            capacity=self._read_capacity(),
            author=self._read_text("author"),
            licence=self._read_text("licence"),
            description=self._read_text("description", limit=2000)
            if self._has("description")
            else None,
            **{
                name: self._read_whole(name, LIMIT_KINDS[name]) for name in NEEDS if self._has(name)
            },
        )

    def _has(self, key: str) -> bool:
        return key in self._values

    def _name(self) -> str:
        return self._take("name", NAME_RULE, lambda value: value if is_name(value) else None)

    def _read_text(self, key: str, *, limit: int = _MOST_TEXT) -> str:
        text = self._take(
            key,
            f"a text of 1 to {limit:,} readable characters",
            lambda value: value if isinstance(value, str) else None,
        )
        if complaint := _explain_bad_text(text, limit):
            self._refuse(key, complaint)
        return text

    def _read_runtime(self) -> str:
        def read(value: TomlValue) -> str | None:
            return value if isinstance(value, str) and value in RUNTIMES else None

        if not self._has("runtime"):
            return RUNTIMES[0]
        return self._take("runtime", f"one of {', '.join(RUNTIMES)}", read)

    def _read_capacity(self) -> int:
        if not self._has("capacity"):
            return 1
        return self._read_whole("capacity", WholeNumber(1, _MOST_CAPACITY))

    def _read_whole(self, key: str, kind: WholeNumber) -> int:
        def read(value: TomlValue) -> int | None:
            if not isinstance(value, int) or isinstance(value, bool):
                return None
            return value if kind.least <= value <= kind.most else None

        return self._take(key, f"a whole number from {kind.least} to {kind.most}", read)

    def _read_strings(self, key: str) -> tuple[str, ...]:
        def read(value: TomlValue) -> tuple[str, ...] | None:
            if not isinstance(value, list) or not 0 < len(value) <= 64:
                return None
            texts = tuple(
                item
                for item in value
                if isinstance(item, str) and 0 < len(item) <= 1024 and item.isprintable()
            )
            return texts if len(texts) == len(value) else None

        what = "a list of 1 to 64 texts, each of 1 to 1,024 printable characters"
        return self._take(key, what, read)

    def _check_game(self, game: str, known_games: Mapping[str, Sequence[int]]) -> None:
        if complaint := _explain_bad_game(game, known_games):
            self._refuse("games", complaint)

    def _take(self, key: str, what: str, read: Callable[[TomlValue], _Value | None]) -> _Value:
        """Return what `read` makes of a value; it returns None for one that is not `what`."""
        if not self._has(key):
            raise BundleError(f"{MANIFEST_NAME}: expected the key {key}, {what}; add it")
        value = read(self._values[key])
        if value is None:
            self._raise_expected(key, what)
        return value

    def _raise_expected(self, key: str, what: str) -> NoReturn:
        try:
            got = repr(self._values[key])
        except ValueError:  # hexadecimal digits without end
            got = "too large a number"
        self._refuse(key, f"expected {what}, got {got if len(got) <= 80 else got[:77] + '...'}")

    def _refuse(self, key: str, complaint: str) -> NoReturn:
        line = self._find_line(key)
        where = f"{MANIFEST_NAME}, line {line}" if line else MANIFEST_NAME
        shown = key if key.isprintable() and len(key) <= 80 else repr(key[:80])
        raise BundleError(f"{where}, key {shown}: {complaint}")

    def _find_line(self, key: str) -> int | None:
        """Find the line of a key, from 1; tomllib keeps no positions, so this looks for it."""
        # No pattern: one for a key of 64 KiB takes 200 ms to compile.
        forms = (key, f'"{key}"', f"'{key}'")
        for number, line in enumerate(self._lines, 1):
            start = line.lstrip().removeprefix("[").removeprefix("[").lstrip()
            for form in forms:
                if start.startswith(form) and start[len(form) :].lstrip().startswith(_AFTER_KEY):
                    return number
        return None
