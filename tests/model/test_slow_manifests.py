"""A manifest takes no longer to read than its size warrants, whatever is in it."""

from __future__ import annotations

import sys
import time
import tomllib
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import BundleError
from mazzo_server.model import KNOWN_GAMES, MAX_MANIFEST_BYTES, parse_manifest
from mazzo_server.model.manifest_bounds import MAX_BACKSLASHES, MAX_LINES, MAX_SIGNS
from support.timings import measure_median

SIZE = MAX_MANIFEST_BYTES
MOST_STEPS = 12 * SIZE  # lines of Python that reading may run; tomllib runs 4 for most characters
LINES = MAX_LINES - 1
KEYS = MAX_SIGNS["="][1]
COMMAS = MAX_SIGNS[","][1]
BRACKETS = MAX_SIGNS["["][1]
SLASHES = MAX_BACKSLASHES


def dotted(letter: str, parts: int) -> str:
    return ".".join([letter] * parts)


def keys(number: int) -> str:
    return "".join(f"k{key}=1\n" for key in range(number))


WITHIN = {
    "a header of many parts, and many keys": f"[{dotted('a', 21)}]\n{keys(KEYS)}",
    "parts of headers and of keys": f"[{dotted('a', 11)}]\n{dotted('b', 11)}=1\n{keys(KEYS - 1)}",
    "headers": "".join(f"[t{number}]\n" for number in range(BRACKETS)),
    "tables of a list": "[[t]]\n" * (BRACKETS // 2),
    "lists in lists": f"games={'[' * BRACKETS}{']' * BRACKETS}",
    "an inline table": f"games={{{', '.join(f'k{key}=1' for key in range(KEYS - 1))}}}",
    "a long list": f"games=[{('1' + ' ' * 150 + ',') * COMMAS}]",
    "long numbers": f"games=[{('1' * 4200 + ',') * 15}]",
    "one long number": f"games=0x{'1' * (SIZE - 10)}",
    "a long text": f'author="{"a" * (SIZE - 10)}"',
    "escapes": 'author="' + "\\t" * SLASHES + "a" * (SIZE - 3000) + '"',
    "lines joined": 'author="""' + ("\\" + " " * 62 + "\n") * SLASHES + '"""',
    "a text of lines": 'author="""' + ("a" * 31 + "\n") * LINES + '"""',
    "a text without an end": '"""' + "a" * (SIZE - 10) + "\\",
    "many texts": '""' * (SIZE // 2),
    "open quotes": "\"\"\"'''" * (SIZE // 6),
    "quotes and lines": '"\n' * LINES + '"' * (SIZE - 2 * MAX_LINES),
    "a long key": "a" * (SIZE - 10) + "=1",
    "a long key of signs": f"'{'(' * (SIZE - 10)}'=1",
    "empty lines": (" " * 31 + "\n") * LINES,
    "comments": ("#" + "." * 30 + "\n") * LINES,
}
BEYOND = {
    "lines": "\n" * MAX_LINES,
    "backslashes": 'author="' + "\\\\" * SLASHES + '"',
    "full stops": "".join(f"[{dotted('a', 200)}]\n{dotted('b', 190)}=1\n" for _ in range(80)),
    "full stops, hidden by two quotes too many": f'author="""a"""""\n[{dotted("a", 22)}]\n',
    "full stops, hidden by a quote in a comment": f"#'\n[{dotted('a', 22)}]\n#'\n",
    "full stops, hidden by an escaped quote": f'author="\\""\n[{dotted("a", 22)}]\nb="a"',
    "equals signs": keys(KEYS + 1),
    "commas": f"games=[{'1,' * (COMMAS + 1)}]",
    "opening brackets": f"games={'[' * (BRACKETS + 1)}",
    "opening braces": "games=[" + "{},{{}}," * 20,
}


@pytest.fixture(params=WITHIN)
def text(request: pytest.FixtureRequest) -> bytes:
    text = WITHIN[request.param].encode()
    assert len(text) <= SIZE
    return text


def refuse(text: bytes) -> str:
    with pytest.raises(BundleError) as refusal:
        parse_manifest(text, known_games=KNOWN_GAMES)
    return str(refusal.value)


def test_reading_takes_as_many_steps_as_the_text_is_long(text: bytes) -> None:
    """A bug of an earlier version: 64 KiB of parts of keys kept the server busy for 5 seconds."""
    steps = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        if steps > MOST_STEPS:
            raise RuntimeError("reading goes on and on")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        refuse(text)
    finally:
        sys.settrace(before)


@pytest.mark.timing
@pytest.mark.alone
@pytest.mark.slow
def test_reading_takes_less_than_50_ms(text: bytes) -> None:
    """A bar, also for what Python does not count as steps, such as patterns."""

    def measure() -> float:
        before = time.process_time()
        refuse(text)
        return time.process_time() - before

    assert measure_median(measure) < 0.05


@pytest.mark.parametrize("name", BEYOND)
def test_more_than_a_manifest_needs_is_refused_before_it_is_parsed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise AssertionError(f"parsed {text!r}")

    monkeypatch.setattr("tomllib.loads", fail)
    complaint = refuse(BEYOND[name].encode())
    assert name.partition(",")[0] in complaint
    assert "expected at most" in complaint
    assert ", got more; " in complaint


def test_the_line_is_named() -> None:
    """That of the first sign too many, whatever texts and comments stand before."""
    start = refuse(b"a='''\n.'''\n" + b"#.\na.a=1\n" * 21)
    assert start.startswith("bot.toml, line 44: ")


def test_signs_in_texts_and_comments_are_free() -> None:
    signs = "".join(MAX_SIGNS) * 401
    manifest = parse_manifest(
        f"""
        # https://example.org/ {signs}
        name = "dots"   # '{signs}
        games = ["briscola"]
        command = ['./a.out', '{signs[:1000]}', "#{signs[:1000]}"]
        author = "J. R. R. \\"T\\". {signs[:100]}"
        licence = '''A {signs[:150]}'''
        description = \"\"\"Plays \\"well\\" {signs[:1900]}\"\"\"\"
        """.encode(),
        known_games=KNOWN_GAMES,
    )
    assert manifest.author.startswith('J. R. R. "T"')


@given(st.lists(st.sampled_from(['"', "'", "\\", "#", "\n", "a", " = ", "."]), max_size=20))
def test_nothing_hides_a_sign_from_the_count(pieces: list[str]) -> None:
    """What is refused for its signs without a text in front is refused behind every valid one."""
    header = f"[{dotted('a', 22)}]"
    first = "".join(pieces)
    try:
        tomllib.loads(f"{first}\n[b]\n")
    except ValueError:
        return
    assert "full stops" in refuse(f"{first}\n{header}\n".encode())
