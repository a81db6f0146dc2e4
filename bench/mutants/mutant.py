"""A mutant: one statement of one function, and what it is changed into.

Statements are compared as `ast.unparse` writes them, so that layout and comments do not matter.
Of a statement that holds others, such as `if`, only the header is compared and changed.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Mutant",
    "Statement",
    "list_functions",
    "list_statements",
    "normalise",
    "read_mutants",
    "write_mutants",
]

_HOLDERS = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
_OPAQUE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try, ast.TryStar, ast.Match)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A change of one statement, the tests that should notice it, and whether they did."""

    id: str
    file: str
    function: str  # its qualified name, as in `Fold.add`
    before: str
    after: str
    tests: tuple[str, ...]  # pytest's ids without parameters, fastest first
    killed: bool | None  # by the tests as they were at the baseline; None: not measured

    def to_json(self) -> dict[str, object]:
        """A JSON value."""
        return {
            "id": self.id,
            "file": self.file,
            "function": self.function,
            "before": self.before,
            "after": self.after,
            "tests": list(self.tests),
            "killed": self.killed,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Mutant:
        """The mutant of a JSON value."""
        return cls(**{**value, "tests": tuple(value["tests"])})  # type: ignore[arg-type]


def read_mutants(path: Path) -> list[Mutant]:
    """The mutants of a file with one JSON object a line."""
    return [Mutant.from_json(json.loads(line)) for line in path.read_text().splitlines()]


def write_mutants(path: Path, mutants: Iterable[Mutant]) -> None:
    """Write mutants, one JSON object a line."""
    lines = (json.dumps(mutant.to_json(), ensure_ascii=False) for mutant in mutants)
    path.write_text("".join(f"{line}\n" for line in lines))


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a function, or the header of one that holds others."""

    node: ast.stmt
    text: str  # as `ast.unparse` writes it

    @property
    def lines(self) -> range:
        """The numbers of the lines that it takes."""
        if isinstance(self.node, _HOLDERS):
            return range(self.node.lineno, max(self.node.lineno + 1, self.node.body[0].lineno))
        return range(self.node.lineno, (self.node.end_lineno or self.node.lineno) + 1)

    def replace(self, source: str, text: str) -> str:
        """The source of the module with this statement changed into `text`."""
        # Columns of syntax trees count bytes.
        lines = [line.encode() for line in source.splitlines(keepends=True)]

        def offset(line: int, column: int) -> int:
            return sum(len(text) for text in lines[: line - 1]) + column

        code = b"".join(lines)
        node = self.node
        start = offset(node.lineno, node.col_offset)
        indent = " " * node.col_offset
        changed = text.replace("\n", f"\n{indent}").encode()
        if isinstance(node, _HOLDERS):
            first = node.body[0]
            end = offset(first.lineno, first.col_offset)
            if code[start:].startswith(b"elif"):
                changed = b"el" + changed
            changed += f"\n{indent} ".encode() if first.lineno == node.lineno else b""
            if first.lineno != node.lineno:
                changed += f"\n{' ' * first.col_offset}".encode()
        else:
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            end = offset(node.end_lineno, node.end_col_offset)
        return (code[:start] + changed + code[end:]).decode()


def list_functions(tree: ast.Module) -> dict[str, list[Function]]:
    """The functions of a module by qualified name; properties and overloads share one."""
    found: dict[str, list[Function]] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, Function):
                found.setdefault(f"{prefix}{child.name}", []).append(child)
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                visit(child, prefix)

    visit(tree, "")
    return found


def list_statements(function: Function) -> list[Statement]:
    """The statements of a function but for its docstring; not those of functions inside it."""
    return [Statement(node, normalise(node)) for node in _walk(function.body[_starts(function) :])]


def _starts(function: Function) -> int:
    first = function.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


def _walk(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if not isinstance(node, _OPAQUE):
            yield node
        if isinstance(node, Function | ast.ClassDef):
            continue
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield from _walk([child])
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                yield from _walk(child.body)


def normalise(node: ast.stmt) -> str:
    """The text by which a statement is found again."""
    if not isinstance(node, _HOLDERS):
        return ast.unparse(node)
    fields = {name: getattr(node, name) for name in node._fields}
    fields["body"] = [ast.Pass()]
    if "orelse" in fields:
        fields["orelse"] = []
    bare = ast.copy_location(type(node)(**fields), node)
    return ast.unparse(bare).removesuffix("\n    pass")
