"""Writes the reference of the SDK from its docstrings and the comments beside fields.

`python tests/sdk_reference.py` writes the page; `make generate` does it too.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

__all__ = ["PAGE", "reference"]

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "sdk.md"
_WIDTH = 120  # columns
_INTRO = """\
What a bot in Python imports. This page is made of the docstrings by `make generate`: change them.

`from mazzo import ...` has what most bots need: {names}. All else is imported from the module
under which it stands here. Cards, actions and seats are numbers from 0; a set of them is an int
with one bit for each."""
_MODULES = {
    "mazzo.bot": "Bot MatchStarted MatchEnded",
    "mazzo.program": "run",
    "mazzo.game": "View Game Variant MatchProgress Deal",
    "mazzo.view": "TableView Trick Clock",
    "mazzo.receipts": "Receipt",
    "mazzo.games.briscola.deal": "BriscolaView Talk",
    "mazzo.games.chiamata.deal": "ChiamataView",
    "mazzo.games.frusta.deal": "FrustaView",
    "mazzo.games.tressette.buongiochi": "TressetteView Declaration",
    "mazzo.games.tressette.meta_mazzo": "MetaMazzoView",
    "mazzo.games.tressette.pizzichino": "PizzichinoView",
    "mazzo.games.frap.view": "FrapView",
    "mazzo.cards": "Card Pack bits mask_of nth_bit",
    "mazzo.actions": "Action Event",
    "mazzo.games": "find_game parse_variant",
    "mazzo.local": "play_match play_mirrored LocalMatch Comparison",
    "mazzo.worlds": "Sampler sample",
    "mazzo.endings": "solve open_hands Ending Rules OutOfTimeError",
    "mazzo.record": "DealRecord replay",
    "mazzo.errors": "",
}
"""What is described, by the module that defines it."""


def reference() -> str:
    """The page."""
    names = ", ".join(f"`{name}`" for name in import_module("mazzo").__all__)
    parts = ["# The SDK", *_paragraphs(_INTRO.format(names=names))]
    for name, members in _MODULES.items():
        module = import_module(name)
        source = inspect.getsource(module)
        parts += [f"## `{name}`", *_paragraphs(inspect.getdoc(module))]
        nodes = {getattr(node, "name", ""): node for node in ast.parse(source).body}
        for member in members.split():
            node, value = nodes[member], getattr(module, member)
            parts.append(f"### `{member}`")
            if isinstance(node, ast.FunctionDef):
                parts.append(f"`{_title(node)}`")
            parts += _paragraphs(inspect.getdoc(value))
            if isinstance(node, ast.ClassDef):
                parts.append("\n".join(_members(node, value, source.splitlines())))
    return "\n\n".join(part for part in parts if part) + "\n"


def _members(node: ast.ClassDef, kind: type, lines: Sequence[str]) -> Iterator[str]:
    """A line for each field, property and method that no base says the same of."""
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            name, text = part.target.id, _comment(part, lines)
            title = f"{name}: {ast.unparse(part.annotation)}"
        elif isinstance(part, ast.FunctionDef):
            name, title, text = part.name, _title(part), ast.get_docstring(part) or ""
            said = [inspect.getdoc(getattr(base, name, None)) or "" for base in kind.__bases__]
            if text.split("\n\n")[0] in [doc.split("\n\n")[0] for doc in said]:
                continue
        else:
            continue
        if not name.startswith("_"):
            yield _wrapped(f"- `{title}`: {text}" if text else f"- `{title}`", indent="  ")


def _title(node: ast.FunctionDef) -> str:
    """A signature; that of a property looks like a field."""
    returns = "None" if node.returns is None else ast.unparse(node.returns)
    if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
        return f"{node.name}: {returns}"
    arguments = ast.unparse(node.args).replace("=", " = ")
    if arguments.startswith(("self", "cls")):
        arguments = arguments.partition(", ")[2]
    return f"{node.name}({arguments}) -> {returns}"


def _comment(field: ast.AnnAssign, lines: Sequence[str]) -> str:
    """The comment that ends a field's line, or those on the lines before it."""
    _, _, beside = lines[(field.end_lineno or field.lineno) - 1].partition("  # ")
    first = field.lineno - 1
    while lines[first - 1].lstrip().startswith("# "):
        first -= 1
    return beside or " ".join(line.strip("# ") for line in lines[first : field.lineno - 1])


def _paragraphs(doc: str | None) -> list[str]:
    """Wrapped anew, but for lists and what is indented."""
    parts = (doc or "").replace("::\n", ":\n").split("\n\n")
    return [part if part.startswith(("-", " ")) else _wrapped(part) for part in parts]


def _wrapped(text: str, *, indent: str = "") -> str:
    words = " ".join(text.split())
    return textwrap.fill(
        words, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
