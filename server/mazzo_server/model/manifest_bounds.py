"""What a `bot.toml` may hold so that reading it takes no longer than its size warrants.

`tomllib` walks all parts of a table's header for each part of each key below it, calls itself for
each bracket, and looks at each sign in Python. A manifest needs hardly any of that.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MAX_BACKSLASHES", "MAX_LINES", "MAX_SIGNS", "find_slow_part"]

MAX_LINES: Final = 2000
MAX_BACKSLASHES: Final = 1000
MAX_SIGNS: Final = {
    ".": ("full stops", 20),
    "=": ("equals signs", 100),
    ",": ("commas", 400),
    "[": ("opening brackets", 100),
    "{": ("opening braces", 20),
}
"""How often each sign may stand outside texts and comments, by the sign, with its name.

A manifest with every key has some 8 equals signs, 4 brackets and 128 commas.
"""

# Texts as TOML has them, also those without an end, which tomllib refuses; and comments. No
# character can match in two ways, so the time is linear.
_TEXT_OR_COMMENT = re.compile(
    r'''"""(?:[^\\]|\\.|\\\Z)*?(?:"{3,5}|\Z)|"(?:[^"\\\n]|\\.)*"?|'''
    r"""'''.*?(?:'{3,5}|\Z)|'[^'\n]*'?|#[^\n]*""",
    re.DOTALL,
)


def find_slow_part(text: str) -> tuple[int, str] | None:
    """Return where a manifest has more than is quickly parsed: the line, and a complaint.

    The time for that is linear.
    """
    if text.count("\n") >= MAX_LINES:
        return MAX_LINES + 1, (
            f"expected at most {MAX_LINES:,} lines, got more; put what is not about the bot into "
            "another file"
        )
    if text.count("\\") > MAX_BACKSLASHES:
        return _find_line(text, "\\", MAX_BACKSLASHES), (
            f"expected at most {MAX_BACKSLASHES:,} backslashes, got more; write the characters "
            "themselves, or a text in '...', in which a backslash stands for itself"
        )
    bare = _TEXT_OR_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    for sign, (name, most) in MAX_SIGNS.items():
        if bare.count(sign) > most:
            return _find_line(bare, sign, most), (
                f"expected at most {most:,} {name} outside texts and comments, got more; a "
                "manifest needs neither tables, nor keys with parts, nor lists of lists"
            )
    return None


def _find_line(text: str, sign: str, number: int) -> int:
    """Return the line, from 1, of the first sign of its kind after so many."""
    before = sign.join(text.split(sign, number + 1)[: number + 1])
    return before.count("\n") + 1
