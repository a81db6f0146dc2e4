"""The classical small changes of a statement."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from bench.mutants.mutant import normalise

__all__ = ["list_changes"]

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_UNSWAPPED = ("isinstance", "issubclass", "super", "zip", "max", "min")
_LOGS = ("_log.", "_logger.", "logger.", "log.", "_LOG.", "logging.", "warnings.", "notes.")
_EMPTY: tuple[tuple[type[ast.expr], str], ...] = (
    (ast.List, "[]"),
    (ast.ListComp, "[]"),
    (ast.Tuple, "()"),
    (ast.Dict, "{}"),
    (ast.DictComp, "{}"),
    (ast.JoinedStr, "''"),
)
# Replaces one expression in place; returns the name of the operator.
Change = Callable[[ast.expr], str | None]


def list_changes(node: ast.stmt, *, looping: bool) -> list[tuple[str, str]]:
    """The changes of a statement: the operator's name and the text of the changed statement.

    A change that nobody could notice, or that any import would, is left out where that shows.
    `looping` says that the statement is in a `while` loop, which some changes make endless.
    """
    text = normalise(node)
    if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal):
        return []
    if any(f"{log}" in text for log in _LOGS):
        return []
    found = list(_whole(node, looping=looping))
    for index, expression in enumerate(_expressions(node)):
        for change in _CHANGES.get(type(expression), ()):
            changed = copy.deepcopy(node)
            name = change(_expressions(changed)[index])
            if name is not None:
                found.append((name, normalise(changed)))
    return [(name, after) for name, after in found if after != text]


def _expressions(node: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement's header, in the order of the syntax tree."""
    return [
        inner for child in _header(node) for inner in ast.walk(child) if isinstance(inner, ast.expr)
    ]


def _header(node: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(node, ast.If):
        yield node.test
    elif isinstance(node, ast.While):
        return  # nearly every change of it is an endless loop
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield node.iter
    elif isinstance(node, ast.With | ast.AsyncWith):
        return
    else:
        yield from ast.iter_child_nodes(node)


def _whole(node: ast.stmt, *, looping: bool) -> Iterator[tuple[str, str]]:
    """Changes of the statement as a whole."""
    match node:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=operand)):
            yield "not", f"if {ast.unparse(operand)}:"
        case ast.If(test=test):
            yield "not", f"if not ({ast.unparse(test)}):"
        case ast.Return(value=ast.expr() as value) if not _is_empty(value):
            yield "return", "return None"
            for kind, empty in _EMPTY:
                if isinstance(value, kind):
                    yield "return", f"return {empty}"
        case ast.Raise():
            yield "raise", "pass"
        case ast.Expr(value=ast.Call()) if not looping:
            yield "delete", "pass"
        case ast.Expr(value=ast.Await()) if not looping:
            yield "delete", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) if not looping:
            yield "delete", "pass"
        case ast.AugAssign() if not looping:
            yield "delete", "pass"
            op = _ARITHMETIC.get(type(node.op))
            if op is not None and not _is_text(node.value):
                yield "arithmetic", ast.unparse(ast.AugAssign(node.target, op(), node.value))
        case ast.Continue() if not looping:
            yield "continue", "pass"


def _compare(node: ast.expr) -> str | None:
    match node:
        case ast.Compare(ops=[op], comparators=[_]) if type(op) in _COMPARISONS:
            node.ops[0] = _COMPARISONS[type(op)]()
            return "comparison"
    return None


def _combine(node: ast.expr) -> str | None:
    if isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return "boolean"
    return None


def _compute(node: ast.expr) -> str | None:
    match node:
        case ast.BinOp(left=left, right=right, op=op) if type(op) in _ARITHMETIC:
            if _is_text(left) or _is_text(right) or _is_type(left) or _is_type(right):
                return None
            node.op = _ARITHMETIC[type(op)]()
            return "arithmetic"
    return None


def _count(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(value=bool(value)):
            node.value = not value
            return "constant"
        case ast.Constant(value=int(value)):
            node.value = value + 1
            return "constant"
    return None


def _negate(node: ast.expr) -> str | None:
    match node:
        case ast.IfExp(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
            return "not"
    return None


def _rename(node: ast.expr) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name) as called) if name in _NAMES:
            called.id = _NAMES[name]
            return "function"
    return None


def _swap(node: ast.expr) -> str | None:
    match node:
        case ast.Call(args=[first, second]) if not {type(first), type(second)} & {
            ast.Starred,
            ast.Constant,
            ast.JoinedStr,
        }:
            if isinstance(node.func, ast.Name) and node.func.id in _UNSWAPPED:
                return None
            node.args = [second, first]
            return "arguments"
    return None


def _flip(node: ast.expr) -> str | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            node.op = ast.UAdd()
            return "sign"
    return None


def _is_empty(node: ast.expr) -> bool:
    """Whether a value is false, as None is."""
    if isinstance(node, ast.Constant):
        return not node.value
    return isinstance(node, ast.Tuple | ast.List) and not node.elts


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_CHANGES: dict[type[ast.expr], tuple[Change, ...]] = {
    ast.Compare: (_compare,),
    ast.BoolOp: (_combine,),
    ast.BinOp: (_compute,),
    ast.Constant: (_count,),
    ast.IfExp: (_negate,),
    ast.Call: (_rename, _swap),
    ast.UnaryOp: (_flip,),
}
