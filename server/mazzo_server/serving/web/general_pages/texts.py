"""The texts on the games: our own documentation, which lies beside the package as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

import mazzo_server

__all__ = ["Section", "list_sections", "read_record"]

_SECTION: Final = "h2"
_TABLES: Final = "tables"  # the key of their numbers
_LONG: Final = 40  # characters of a cell
_Link: TypeAlias = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a text, below one heading; the first has none."""

    title: str
    html: Markup


@cache
def _read_text(game: str) -> str:
    """Return the text on a game, from the installed package or the checkout."""
    package = Path(mazzo_server.__file__).parent
    folders = (package / "game_texts", package.parents[1] / "docs" / "games")
    folder = next(folder for folder in folders if folder.is_dir())
    return (folder / f"{game}.md").read_text(encoding="utf-8")


def _parse(game: str) -> list[Token]:
    return _MARKDOWN.parse(_read_text(game))


def read_record(game: str) -> str:
    """Return the record of the deal that the text on a game tells."""
    return next(token.content for token in _parse(game) if token.type == "fence")


def list_sections(game: str, find: _Link) -> Sequence[Section]:
    """Return the text on a game without its title, by sections.

    `find` returns the address of what a link leads to, another game or None: that is a mere text.
    """
    tokens = _parse(game)
    headings = [index for index, one in enumerate(tokens) if one.type == "heading_open"]
    sections = []
    tables = count(1)
    for index, end in pairwise((*headings, len(tokens))):
        title = tokens[index + 1].content if tokens[index].tag == _SECTION else ""
        part = [_set_links(token, find) for token in tokens[index + 3 : end]]
        html = _MARKDOWN.renderer.render(part, _MARKDOWN.options, {_TABLES: tables})
        sections.append(Section(title=title, html=Markup(html)))  # noqa: S704 - a text of ours
    return sections


def _set_links(token: Token, find: _Link) -> Token:
    """Let links lead to pages; those to other documents are texts."""
    kept: list[Token] = []
    is_text = False
    for child in token.children or ():
        if child.type == "link_open":
            path = PurePosixPath(str(child.attrs["href"]).partition("#")[0])
            address = find(path.stem) if path.parent == PurePosixPath() else None
            is_text = address is None
            if address is not None:
                child.attrs["href"] = address
        if not (is_text and child.type in ("link_open", "link_close")):
            kept.append(child)
    token.children = kept
    return token


def _open_table(
    tokens: Sequence[Token], index: int, options: object, env: Mapping[str, Iterator[int]]
) -> str:
    """Begin a table that can be scrolled, by a name of its own."""
    name = f"Table {next(env[_TABLES])}"
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{name}"><table class="prose">\n'
    )


def _open_heading(tokens: Sequence[Token], index: int, *_: object) -> str:
    """Begin the heading of a column; where there is none, an empty cell."""
    return '<th scope="col">' if tokens[index + 1].content else "<td>"


def _end_heading(tokens: Sequence[Token], index: int, *_: object) -> str:
    return "</th>\n" if tokens[index - 1].content else "</td>\n"


def _open_cell(tokens: Sequence[Token], index: int, *_: object) -> str:
    """Begin a cell of a table; one with sentences has room for them, or it becomes a tower."""
    return '<td class="long">' if len(tokens[index + 1].content) > _LONG else "<td>"


def _make_markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    rules = markdown.renderer.rules  # type: ignore[attr-defined]
    rules["table_open"] = _open_table
    rules["table_close"] = lambda *_: "</table></div>\n"
    rules["td_open"] = _open_cell
    rules["th_open"] = _open_heading
    rules["th_close"] = _end_heading
    plain = rules["fence"]
    rules["fence"] = lambda *given: (
        f"<details><summary>As a record</summary>\n{plain(*given)}</details>\n"
    )
    return markdown


_MARKDOWN: Final = _make_markdown()
