"""The tool that runs mutants: it finds their statements again, and changes nothing else."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.mutants.anchors import Anchors
from bench.mutants.checkout import Checkout
from bench.mutants.mutant import Mutant, list_functions, list_statements
from bench.mutants.operators import list_changes
from bench.mutants.renames import rename_all, rename_text

SOURCE = '''\
"""A module."""


class Pile:
    """A pile — of cards."""

    def take(self, count: int) -> list[int]:
        """Take cards."""
        if (
            count > 1  # more than one
        ):
            self.taken += count
        elif count < 0: raise ValueError("é", count)
        for card in self.cards[:count]:
            self.shown.append(card)
        return list(self.shown)
'''


def statement(text: str, source: str = SOURCE) -> str:
    """The source with the statement that reads `text` changed into `changed`."""
    [function] = list_functions(ast.parse(source))["Pile.take"]
    [found] = [found for found in list_statements(function) if found.text == text]
    return found.replace(source, "changed:" if text.endswith(":") else "changed")


def test_statements_are_those_of_the_function_as_python_writes_them() -> None:
    [function] = list_functions(ast.parse(SOURCE))["Pile.take"]
    assert [found.text for found in list_statements(function)] == [
        "if count > 1:",
        "self.taken += count",
        "if count < 0:",
        "raise ValueError('é', count)",
        "for card in self.cards[:count]:",
        "self.shown.append(card)",
        "return list(self.shown)",
    ]


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("self.taken += count", "self.taken += count", "changed"),
        ("raise ValueError('é', count)", 'raise ValueError("é", count)', "changed"),
        ("if count > 1:", "if (\n            count > 1  # more than one\n        ):", "changed:"),
        ("if count < 0:", "elif count < 0: ", "elchanged:\n         "),
        ("for card in self.cards[:count]:", "for card in self.cards[:count]:", "changed:"),
    ],
)
def test_a_change_leaves_the_rest_as_it_is(text: str, before: str, after: str) -> None:
    assert statement(text) == SOURCE.replace(before, after)


def changes(text: str) -> set[str]:
    """What a statement may be changed into."""
    source = f"{text}\n    pass" if text.endswith(":") else text
    [node] = ast.parse(source).body
    return {after for _, after in list_changes(node, looping=False)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if a < b and not c:", {"if a <= b and (not c):", "if a < b or not c:"}),
        ("if not a:", {"if a:"}),
        ("return x - 1", {"return None", "return x + 1", "return x - 2"}),
        ("total += 1", {"pass", "total -= 1", "total += 2"}),
        ("await self.close()", {"pass"}),
        ("raise error", {"pass"}),
        ("move(card, seat)", {"pass", "move(seat, card)"}),
        ("logger.info('said', extra=extra)", set()),
        ("assert a < b", set()),
    ],
)
def test_the_classical_changes(text: str, expected: set[str]) -> None:
    found = changes(text)
    assert expected <= found if expected else not found
    assert text not in found


def anchors(root: Path, source: str, tests: Sequence[str] = ()) -> Anchors:
    """A checkout with one module and one test file."""
    module = root / "sdk" / "mazzo" / "pile.py"
    module.parent.mkdir(parents=True)
    module.write_text(source)
    file = root / "tests" / "test_pile.py"
    file.parent.mkdir()
    file.write_text("".join(f"def {name}(): ...\n" for name in tests))
    return Anchors(Checkout(root, root / "python"))


MUTANT = Mutant(
    id="001",
    file="sdk/mazzo/pile.py",
    function="Pile.take",
    before="self.shown.append(card)",
    after="self.shown.append(card + 1)",
    tests=("tests/test_pile.py::test_take", "tests/test_old.py"),
    killed=True,
)


@pytest.mark.parametrize(
    ("old", "new", "how", "after"),
    [
        ("", "", "", MUTANT.after),
        ("Pile", "Heap", "moved to a class", MUTANT.after),
        ("shown", "visible", "renamed", "self.visible.append(card + 1)"),
        ("take", "draw", "renamed in its file", MUTANT.after),
    ],
)
def test_a_statement_is_found_under_other_names(
    tmp_path: Path, old: str, new: str, how: str, after: str
) -> None:
    found = anchors(tmp_path, SOURCE.replace(old, new) if old else SOURCE).find(MUTANT)
    assert found is not None
    assert (found.how, found.mutant.after) == (how, after)


def test_what_is_gone_or_stands_twice_is_not_found(tmp_path: Path) -> None:
    line = "            self.shown.append(card)\n"
    assert (
        anchors(tmp_path / "gone", SOURCE.replace(line, "            pass\n")).find(MUTANT) is None
    )
    assert anchors(tmp_path / "twice", SOURCE.replace(line, line * 2)).find(MUTANT) is None


def test_tests_are_taken_where_they_are_now(tmp_path: Path) -> None:
    assert anchors(tmp_path / "a", SOURCE, ["test_take"]).resolve_tests(MUTANT) == (
        ["tests/test_pile.py::test_take"],
        ["tests/test_old.py"],
    )
    assert anchors(tmp_path / "b", SOURCE, ["test_other"]).resolve_tests(MUTANT)[0] == [
        "tests/test_pile.py"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("server/mazzo_server/standings/fold.py", "server/mazzo_server/results/standings/fold.py"),
        ("tests/server/test_a.py::test_it", "tests/play/test_b.py::test_it"),
        ("if place.told(x.retold, 'a'):", "if place.mark(x.retold, 'a'):"),
        ("Desk.told", "DecisionQueue.mark"),
    ],
)
def test_names_are_replaced_as_whole_words(text: str, expected: str) -> None:
    table = {
        "mazzo_server.standings": "mazzo_server.results.standings",
        "tests/server/test_a.py": "tests/play/test_b.py",
        "told": "mark",
        "Desk": "DecisionQueue",
    }
    assert rename_text(text, table) == expected
    assert rename_all({"id": "told", text: [text]}, table) == {"id": "told", expected: [expected]}
