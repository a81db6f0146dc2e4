"""A manifest takes no longer to read than its size warrants, whatever is in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from types import FrameType
from typing import Any

import pytest

from mazzo_server.errors import BundleError
from mazzo_server.model import KNOWN_GAMES, MAX_MANIFEST_BYTES, parse_manifest

_SIZE = MAX_MANIFEST_BYTES // 4  # large enough for what takes the square of its size to show
_MOST_LINES = 80 * _SIZE  # lines of Python that reading may run


def repeated(make: Callable[[int], str], head: str = "", tail: str = "") -> str:
    """A manifest of `_SIZE` bytes: a head, numbered parts, a tail."""
    parts: list[str] = []
    left = _SIZE - len(head) - len(tail)
    for number in count():
        part = make(number)
        if len(part) > left:
            return head + "".join(parts) + tail
        parts.append(part)
        left -= len(part)
    raise AssertionError


def dotted(letter: str, parts: int) -> str:
    return ".".join([letter] * parts)


SLOW = {
    "parts of a header times parts of keys": repeated(
        lambda n: f"{dotted('b', 190)}.c{n} = 1\n", head=f"[{dotted('a', 200)}]\n"
    ),
    "the same, in an inline table": repeated(
        lambda n: f"{dotted('b', 190)}.c{n} = 1, ", head=f"{dotted('a', 200)} = {{", tail="z = 1}"
    ),
    "a header of many parts, and many keys": repeated(
        lambda n: f"k{n}=1\n", head=f"[{dotted('a', 21)}]\n"
    ),
    "headers": repeated(lambda n: f"[{dotted('a', 11)}.t{n}]\n"),
    "keys": repeated(lambda n: f"k{n}=1\n"),
    "arrays": repeated(lambda n: "1,", head="games=[", tail="]"),
    "escapes": repeated(lambda n: "\\\\", head='author="', tail='"'),
    "texts without an end": repeated(lambda n: '"\\"\n'),
    "open quotes": repeated(lambda n: "\"\"\"'''"),
    "hidden by an odd quote": repeated(
        lambda n: f"{dotted('b', 190)}.c{n} = 1\n",
        head=f'description = """a"""""\n[{dotted("a", 200)}]\n',
    ),
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_no_manifest_takes_longer_to_read_than_its_size_warrants(text: str) -> None:
    """A bug of an earlier version: 64 KiB of parts of keys kept the server busy for 5 seconds."""
    lines = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        if lines > _MOST_LINES:
            raise RuntimeError("reading goes on and on")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(BundleError):
            parse_manifest(text.encode(), known_games=KNOWN_GAMES)
    finally:
        sys.settrace(before)


def test_full_stops_in_texts_and_comments_are_free() -> None:
    text = """
        # https://example.org/............................................................
        name = "dots"   # and so on. And. So. On.
        games = ["briscola"]
        command = ['./a.out', '--at=1.2.3.4', '....................................']
        author = "J. R. R. T."
        licence = '''Apache-2.0'''
        description = \"\"\"Plays \\"well\\"........................................\"\"\"
    """
    manifest = parse_manifest(text.encode(), known_games=KNOWN_GAMES)
    assert manifest.author == "J. R. R. T."
