"""Chooses the mutants, with a fixed seed: more in longer modules, each of another kind."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from bench.mutants.checkout import Checkout
from bench.mutants.cover import TestMap
from bench.mutants.mutant import Mutant, list_functions, list_statements
from bench.mutants.operators import list_changes

__all__ = ["choose_mutants", "choose_tests"]

_SEED = 16
_TESTS = 12  # that a mutant runs at most
_SECONDS = 15.0  # that its tests may take together, beyond the first
_DULL = ("__repr__", "__str__", "__hash__")


@dataclass(frozen=True, slots=True)
class _Site:
    function: str
    before: str
    operator: str
    after: str
    lines: range


def choose_mutants(checkout: Checkout, tests: TestMap, *, count: int) -> list[Mutant]:
    """Choose mutants in lines that tests execute.

    The modules, in order of their paths, are laid end to end by their lines of code, and
    points at equal distances say from which module each mutant comes. There the operator that
    was chosen least often so far is taken, and one place for it at random.
    """
    random = Random(_SEED)
    sites = {
        path: [site for site in _list_sites(checkout, path) if _covering(tests, path, site)]
        for path in checkout.list_modules()
    }
    weights = {path: len({site.lines for site in found}) for path, found in sites.items()}
    step = sum(weights.values()) / count
    point = random.uniform(0, step)
    used: Counter[str] = Counter()
    chosen: list[Mutant] = []
    passed = 0.0
    for path, weight in weights.items():
        passed += weight
        taken: set[tuple[str, str]] = set()
        while point < passed:
            free = [site for site in sites[path] if (site.function, site.before) not in taken]
            operators = sorted({site.operator for site in free})
            random.shuffle(operators)
            operator = min(operators, key=lambda name: used[name])
            site = random.choice([site for site in free if site.operator == operator])
            used[operator] += 1
            taken.add((site.function, site.before))
            chosen.append(
                Mutant(
                    id=f"{len(chosen) + 1:03d}",
                    file=path,
                    function=site.function,
                    before=site.before,
                    after=site.after,
                    tests=choose_tests(tests, path, site.lines),
                    killed=None,
                )
            )
            point += step
    return chosen


def choose_tests(tests: TestMap, path: str, lines: range) -> tuple[str, ...]:
    """The fastest tests that execute one of these lines, of several files where there are."""
    found = sorted(_tests_of(tests, path, lines), key=lambda test: (tests.seconds[test], test))
    # Every file costs its import: half of the tests may come from anywhere, the rest from
    # files that are run anyway.
    chosen: list[str] = []
    files: set[str] = set()
    seconds = 0.0
    for test in found:
        file = test.partition("::")[0]
        if len(chosen) >= _TESTS or (chosen and seconds + tests.seconds[test] > _SECONDS):
            break
        if len(files) >= 3 and file not in files:
            continue
        chosen.append(test)
        files.add(file)
        seconds += tests.seconds[test]
    return tuple(chosen)


def _tests_of(tests: TestMap, path: str, lines: range) -> set[str]:
    executed = tests.lines.get(path, {})
    return {test for line in lines for test in executed.get(line, ()) if test in tests.seconds}


def _covering(tests: TestMap, path: str, site: _Site) -> bool:
    return bool(_tests_of(tests, path, site.lines))


def _list_sites(checkout: Checkout, path: str) -> Sequence[_Site]:
    tree = ast.parse((checkout.root / path).read_text())
    return list(_sites(tree))


def _sites(tree: ast.Module) -> Iterator[_Site]:
    looping = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.While)
        for inner in ast.walk(node)
        if inner is not node
    }
    for name, functions in list_functions(tree).items():
        if name.rpartition(".")[2] in _DULL or len(functions) > 1:
            continue
        statements = list_statements(functions[0])
        texts = Counter(statement.text for statement in statements)
        for statement in statements:
            if texts[statement.text] > 1:
                continue
            changes = list_changes(statement.node, looping=statement.node in looping)
            for operator, after in dict.fromkeys(changes):
                yield _Site(name, statement.text, operator, after, statement.lines)
