"""Answers a shell that asks what may stand at the cursor.

Typer brings the scripts that ask, and finds what to offer. Here stands what it lacks: bash takes
`frap/6?ante=8` for three words, and each shell needs another way to quote what it gets.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from typing import Final

from mazzo_server.cli.shell.completion.offers import Offer

__all__ = ["answer_shell"]

_NAME: Final = "mazzo"
_VARIABLE: Final = "_MAZZO_COMPLETE"
_LINE, _ACTION = "_TYPER_COMPLETE_ARGS", "_TYPER_COMPLETE_FISH_ACTION"
_WIDE: Final = {"COLUMNS": "10000"}  # or Rich breaks descriptions into lines, as for a screen

_BREAKS = re.compile("[=:@]+")  # where bash cuts words, of all that stands in ours
_QUOTES = ("'", '"')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A command line as far as the cursor."""

    words: Sequence[str]  # those before the word at the cursor, but for the command itself
    current: str = ""  # what stands there of the word at the cursor
    kept: str = ""  # its beginning, where bash does not replace it
    is_quoted: bool = False  # whether a quotation is open in it


def answer_shell(app: Callable[..., object]) -> int | None:
    """Print the answer and return the status for the process; None: no shell asks.

    Whatever fails, nothing is offered, and the shell completes files. A thread may be left
    behind that waits for a server: end the process without waiting for it.
    """
    shell = _SHELLS.get(os.environ.get(_VARIABLE, ""))
    if shell is None:
        return None
    read, format_offers = shell
    asks_whether_any = os.environ.get(_ACTION) == "is-args"
    offers: list[Offer] = []
    question = _Question(words=())
    # A person who types does not want to read why nothing is offered, and Ctrl-C is theirs.
    with suppress(Exception, KeyboardInterrupt):
        question = read()
        offers = _find_offers(app, question)
    if asks_whether_any:
        return 0 if offers else 1
    print(format_offers(question, offers))
    return 0


def _find_offers(app: Callable[..., object], question: _Question) -> list[Offer]:
    """Return the words that may take the place of the one at the cursor, by asking Typer.

    It is asked as fish would, since it answers fish in the plainest way.
    """
    before, current, words = "", question.current, [*question.words]
    if current.startswith("--") and "=" in current and "--" not in words:
        option, _, current = current.partition("=")
        before = f"{option}="
        words.append(option)
    line = f"{shlex.join([_NAME, *words])} {shlex.quote(current) if current else ''}"
    asked = {_VARIABLE: "complete_fish", _LINE: line, _ACTION: "get-args"}
    os.environ.update(asked | _WIDE)
    answer = StringIO()
    with redirect_stdout(answer), redirect_stderr(StringIO()), suppress(SystemExit):
        app(prog_name=_NAME, complete_var=_VARIABLE)
    found = (each.partition("\t") for each in answer.getvalue().splitlines())
    return [
        (before + word, description)
        for word, _, description in found
        if word and word.isprintable()
    ]


def _read_bash() -> _Question:
    """Join what bash has cut apart; its list has the words with their quotes, one a line."""
    number = int(os.environ["COMP_CWORD"])
    words: list[str] = []
    kept, is_cut = "", False
    for piece in os.environ["COMP_WORDS"].split("\n")[1 : number + 1]:
        is_break = _BREAKS.fullmatch(piece) is not None
        if words and piece and (is_break or is_cut):
            kept = words[-1] + (piece if is_break else "")
            words[-1] += piece
        else:
            kept = piece if is_break else ""
            words.append(piece)
        is_cut = is_break
    *before, current = words or [""]
    return _Question(
        words=[_read_word(word) for word in before],
        current=_read_word(current),
        kept=_read_word(kept),
        is_quoted=current[len(kept) :].startswith(_QUOTES),
    )


def _format_for_bash(question: _Question, offers: Sequence[Offer]) -> str:
    """Return what takes the place of the word, or of its end, one a line."""
    words = [
        word.removeprefix(question.kept) for word, _ in offers if word.startswith(question.kept)
    ]
    if question.is_quoted:
        return "\n".join(word for word in words if not re.search(r"[\"'\\$`!]", word))
    return "\n".join(re.sub(r"[^\w%+,./:=@-]", r"\\\g<0>", word) for word in words)


def _read_line() -> _Question:
    """Split a command line as zsh and fish give it, as a whole."""
    line = os.environ[_LINE]
    words = _split(line)
    while words and re.match(r"\w+=", words[0]):  # a variable of this command alone
        del words[0]
    current = words.pop() if len(words) > 1 and not line.endswith((" ", "\n")) else ""
    return _Question(words=words[1:], current=current)


def _format_for_zsh(question: _Question, offers: Sequence[Offer]) -> str:
    """Return a piece of zsh's code that offers them: the script of Typer evaluates what it gets."""
    if not offers:
        option = question.current.startswith("--") and "=" in question.current
        return "compset -P 1 '*='; _files" if option else "_files"
    found = " ".join(_format_offer_for_zsh(word, description) for word, description in offers)
    return f"local -a offers; offers=({found}); _describe -V word offers"


def _format_offer_for_zsh(word: str, description: str) -> str:
    """Return a word with its description in single quotes, where nothing is evaluated."""
    text = re.sub(r"[\\:]", r"\\\g<0>", word)
    if description:
        text = f"{text}:{description}"
    return "'{}'".format(text.replace("'", "'\\''"))


def _format_for_fish(question: _Question, offers: Sequence[Offer]) -> str:
    return "\n".join(f"{word}\t{description}".rstrip("\t") for word, description in offers)


def _read_word(word: str) -> str:
    return "".join(_split(word))


def _split(line: str) -> list[str]:
    """Split a command line into words without quotes; the last quotation need not be closed."""
    found = shlex.shlex(line, posix=True)
    found.whitespace_split = True
    found.commenters = ""
    words: list[str] = []
    try:
        for word in found:
            words.append(word)
    except ValueError:
        words.append(found.token)
    return words


_SHELLS: Final[
    dict[str, tuple[Callable[[], _Question], Callable[[_Question, Sequence[Offer]], str]]]
] = {
    "complete_bash": (_read_bash, _format_for_bash),
    "complete_zsh": (_read_line, _format_for_zsh),
    "complete_fish": (_read_line, _format_for_fish),
}
