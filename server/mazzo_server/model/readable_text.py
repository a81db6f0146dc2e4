"""Which texts of strangers people are shown: none that looks empty, or like another one."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

__all__ = ["explain_unreadable"]

_MOST_MARKS = 3  # on one letter; Hebrew has as many
# Printable by their category, and yet nothing is seen: those of Default_Ignorable_Code_Point
# (Unicode 15.1, DerivedCoreProperties.txt) that `isprintable` lets pass, and the empty Braille
# pattern.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_ALIKE = ("LATIN", "CYRILLIC", "GREEK")  # scripts that have letters of the same shape


def explain_unreadable(text: str) -> str:
    """Explain why people cannot read a text in one line; "" where they can.

    They can read it if each character is printable and shows something, one of them is a letter or
    a digit, no letter carries more than three marks, no space stands at an end, and no word mixes
    Latin, Cyrillic and Greek letters (Unicode Technical Standard 39, "Restriction-level detection",
    forbids such words too). It must be in Unicode's form NFC, so that what looks the same is the
    same. Other compatibility forms (NFKC) are allowed, such as "²", but no wide or mathematical
    letters and digits, which look like the usual ones. The empty text is readable.
    """
    for character in text:
        if not character.isprintable():
            return f"{_name(character)} is not printable"
    if blank := _BLANK.search(text):
        return f"{_name(blank[0])} shows nothing"
    if text != text.strip():
        return "there is a space at its end" if text.lstrip() == text else "it begins with a space"
    return (
        _explain_marks(text)
        or _explain_mixture(text)
        or _explain_form(text)
        or _explain_lack_of_letters(text)
    )


def _explain_marks(text: str) -> str:
    marks = 0
    for before, character in pairwise(f" {unicodedata.normalize('NFC', text)}"):
        if unicodedata.category(character) not in ("Mn", "Me"):
            marks = 0
            continue
        marks += 1
        if marks > _MOST_MARKS:
            return (
                f"more than {_MOST_MARKS} marks stand on one letter, {_name(character)} among them"
            )
        if before == " ":
            return f"{_name(character)} is a mark without a letter"
    return ""


def _explain_mixture(text: str) -> str:
    for word in _split_words(unicodedata.normalize("NFC", text)):
        scripts = {
            script
            for script in _ALIKE
            if any(unicodedata.name(letter, "").startswith(f"{script} ") for letter in word)
        }
        if len(scripts) > 1:
            mixed = " and ".join(sorted(script.capitalize() for script in scripts))
            return f"the word {word[:40]!a} mixes {mixed} letters, which look alike"
    return ""


def _split_words(text: str) -> list[str]:
    """Return the words: what holds letters together are marks, digits and underscores too."""
    return "".join(
        character if character == "_" or unicodedata.category(character)[0] in "LMN" else " "
        for character in text
    ).split()


def _explain_form(text: str) -> str:
    for character in text:
        usual = unicodedata.normalize("NFKC", character)
        if (
            unicodedata.decomposition(character).startswith(("<wide>", "<font>"))
            and usual.isalnum()
        ):
            return f"{_name(character)} looks like {usual!a}; write that"
    composed = unicodedata.normalize("NFC", text)
    if text != composed:
        pairs = zip(text, f"{composed} ", strict=False)
        first = next(before for before, after in pairs if before != after)
        return f"{_name(first)} is not in Unicode's form NFC; write the text in that form"
    return ""


def _explain_lack_of_letters(text: str) -> str:
    if not text or any(unicodedata.category(character)[0] in "LN" for character in text):
        return ""
    return "there is no letter and no digit"


def _name(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")
