"""No test reaches past a door: the private names of a room are known to its own tests alone.

Tests mirror the rooms, so a room's tests are the folder or module of its name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
SERVER = ROOT / "server" / "mazzo_server"
SDK = ROOT / "sdk" / "mazzo"

# The rooms whose tests have another name than the room.
MIRRORED = {"attacks": "sandbox", "containers": "sandbox", "playing": "play", "sdk": "mazzo"}
STANDARD = {"os._exit"}  # private names of the standard library
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}  # which are public
BY_TEXT = {"setattr", "delattr", "getattr", "hasattr", "object", "patch"}  # calls, by last name


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def defined(tree: ast.Module) -> Iterator[str]:
    """Every private name that a module gives to something: functions, attributes, constants."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found = name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                found = name
            case _:
                continue
        if is_private(found):
            yield found


@cache
def rooms_of() -> dict[str, set[str]]:
    """The rooms that define a private name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for folder in (SERVER, SDK):
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder).parts
            room = "mazzo" if folder == SDK else parts[0].removesuffix(".py")
            if {"templates", "migrations", "v1"}.isdisjoint(parts):
                for name in defined(ast.parse(path.read_text(encoding="utf-8"))):
                    found[name].add(room)
    return found


def room_of_module(name: str) -> str:
    """The room of a module of ours; "" for any other."""
    first, _, rest = name.partition(".")
    return {"mazzo": "mazzo", "mazzo_server": rest.partition(".")[0]}.get(first, "")


def own_room(path: Path) -> str:
    """The room that a module of tests mirrors, or the name of something that is no room."""
    first = path.relative_to(TESTS).parts[0]
    return MIRRORED.get(first, first.removesuffix(".py").removeprefix("test_"))


def touched(tree: ast.Module) -> Iterator[tuple[int, str, str, str]]:
    """The line, the text, the private name, and the module that it is said to be in, or ""."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("self" | "cls")) | ast.Attribute(
                ast.Call(ast.Name("super"))
            ):
                pass  # an object of the tests
            case ast.Attribute(attr=name) if is_private(name):
                yield node.lineno, ast.unparse(node), name, ""
            case ast.ImportFrom(module=str(module), names=names):
                for alias in names:
                    for part in (*module.split("."), alias.name):
                        if is_private(part):
                            yield node.lineno, f"from {module} import {alias.name}", part, module
            case ast.Call(func, arguments) if ast.unparse(func).rpartition(".")[2] in BY_TEXT:
                for argument in arguments[:2]:
                    match argument:
                        case ast.Constant(str(text)) if is_private(text.rpartition(".")[2]):
                            module, _, name = text.rpartition(".")
                            yield node.lineno, ast.unparse(node), name, module


def breaches(path: Path, source: str) -> list[str]:
    """What a module of tests takes from the privacy of another room."""
    tree, own = ast.parse(source), own_room(path)
    helpers = set(defined(tree))  # objects of its own
    found = []
    for line, text, name, module in touched(tree):
        rooms = {room} if (room := room_of_module(module)) else rooms_of().get(name, set())
        is_public = text in STANDARD or (not room and name in OF_NAMED_TUPLES)
        if is_public or not rooms or own in rooms or (not room and name in helpers):
            continue
        found.append(f"{path.relative_to(TESTS)}:{line}: {text}")
    return found


def test_no_test_touches_a_private_name_of_another_room() -> None:
    """Ask the room for an argument or a public name instead (points 33 and 35 of the style)."""
    paths = [path for path in sorted(TESTS.rglob("*.py")) if "recorded" not in path.parts]
    assert [each for path in paths for each in breaches(path, path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "breach",
    [
        "from mazzo_server.play.table import _LATE_FORGIVEN",
        "table._banks[0] = 1.0",
        "print(player.table._banks)",
        "monkeypatch.setattr(table, '_LATE_FORGIVEN', 1)",
        "monkeypatch.setattr('mazzo_server.play.table._LATE_FORGIVEN', 1)",
        "mock.patch.object(Table, '_advance')",
        "patch('mazzo_server.play.table.Table._advance')",
        "getattr(table, '_banks')",
    ],
)
def test_a_breach_is_found(breach: str) -> None:
    """But in the tests of that room."""
    assert len(breaches(TESTS / "serving" / "test_services.py", breach)) == 1
    assert breaches(TESTS / "playing" / "test_table.py", breach) == []


@pytest.mark.parametrize(
    "allowed",
    [
        "os._exit(1)",
        "self._banks = 1",
        "deal._replace(dealer=1)",
        "class Bot:\n    def __init__(self):\n        self._banks = 1\nprint(Bot()._banks)",
        "monkeypatch.setattr('mazzo_server.play.table.Table', None)",
    ],
)
def test_what_is_the_tests_own_is_no_breach(allowed: str) -> None:
    """Nor what belongs to the standard library."""
    assert breaches(TESTS / "serving" / "test_services.py", allowed) == []
