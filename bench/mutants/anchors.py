"""Finds the statement of a mutant in a checkout, also where files or names have changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from bench.mutants.checkout import Checkout
from bench.mutants.mutant import Mutant, Statement, list_functions, list_statements, normalise

__all__ = ["Anchor", "Anchors"]

_SHORTEST = 30  # characters of a statement that may be looked for in any function


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a mutant is now; `how` is empty where nothing moved."""

    mutant: Mutant
    statement: Statement
    how: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    function: str
    statement: Statement


class Anchors:
    """The statements of all modules of a checkout."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout

    @cached_property
    def _places(self) -> list[_Place]:
        return [
            _Place(file, name, statement)
            for file in self._checkout.list_modules()
            for name, functions in list_functions(
                ast.parse((self._checkout.root / file).read_text())
            ).items()
            for function in functions
            for statement in list_statements(function)
        ]

    @cached_property
    def _tests(self) -> dict[str, list[str]]:
        """The files of each test function."""
        found: dict[str, list[str]] = {}
        for file in self._checkout.list_tests():
            for node in ast.walk(ast.parse((self._checkout.root / file).read_text())):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.setdefault(node.name, []).append(file)
        return found

    def find(self, mutant: Mutant) -> Anchor | None:
        """Find the statement: where it was, then in another file, then under other names.

        None where there is no such statement, or several.
        """
        text = mutant.before
        last = mutant.function.rpartition(".")[2]
        same = [place for place in self._places if place.statement.text == text]
        ways = {
            "": [p for p in same if (p.file, p.function) == (mutant.file, mutant.function)],
            "moved": [p for p in same if p.function == mutant.function],
            "moved to a class": [p for p in same if p.function.rpartition(".")[2] == last],
            "moved to a function": same if len(text) >= _SHORTEST else [],
        }
        for how, places in ways.items():
            if len(places) == 1:
                return _anchor(mutant, places[0], how)
        return self._find_renamed(mutant)

    def _find_renamed(self, mutant: Mutant) -> Anchor | None:
        """Find a statement that differs in names and texts alone, and rename in the change."""
        before, names = _shape(mutant.before)
        in_file = [place for place in self._places if place.file == mutant.file]
        ways = {
            "renamed": [p for p in in_file if p.function == mutant.function],
            "renamed in its file": in_file,
        }
        for how, places in ways.items():
            found = []
            for place in places:
                shape, others = _shape(place.statement.text)
                table = dict(zip(names, others, strict=False))
                one_to_one = len(set(table.values())) == len(table)
                if shape == before and one_to_one and [table[n] for n in names] == others:
                    found.append((place, table))
            if len(found) == 1:
                [(place, table)] = found
                return _anchor(mutant, place, how, after=_rename(mutant.after, table))
        return None

    def resolve_tests(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """The tests of a mutant as they can be run now, and those that are gone.

        A test that is in another file now is taken there. Of a file without the test, all
        tests are run.
        """
        found: dict[str, None] = {}
        gone = []
        for test in mutant.tests:
            file, _, name = test.partition("::")
            files = self._tests.get(name.rpartition("::")[2], []) if name else []
            if (not name or file in files) and (self._checkout.root / file).exists():
                found[test] = None
            elif len(files) == 1:
                found[f"{files[0]}::{name}"] = None
            elif (self._checkout.root / file).exists():
                found[file] = None
            else:
                gone.append(test)
        return list(found), gone


def _anchor(mutant: Mutant, place: _Place, how: str, *, after: str | None = None) -> Anchor:
    moved = replace(
        mutant,
        file=place.file,
        function=place.function,
        before=place.statement.text,
        after=mutant.after if after is None else after,
    )
    return Anchor(moved, place.statement, how)


def _parse(text: str) -> ast.stmt:
    """A statement, or a header without what it holds."""
    return ast.parse(f"{text}\n    pass" if text.endswith(":") else text).body[0]


def _named(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The fields of a tree that hold a name or a text, in a fixed order."""
    for inner in ast.walk(node):
        for field, value in ast.iter_fields(inner):
            if isinstance(value, str) and field in ("id", "attr", "arg", "value"):
                yield inner, field


def _shape(text: str) -> tuple[str, list[str]]:
    """A statement without its names and texts, and these."""
    tree = _parse(text)
    names = []
    for node, field in _named(tree):
        names.append(getattr(node, field))
        setattr(node, field, "")
    return ast.dump(tree), names


def _rename(text: str, table: dict[str, str]) -> str:
    tree = _parse(text)
    for node, field in _named(tree):
        name = getattr(node, field)
        setattr(node, field, table.get(name, name))
    return normalise(tree)
