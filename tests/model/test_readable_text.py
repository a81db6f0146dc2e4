"""Texts that strangers choose and people read: nothing empty, nothing that looks like another."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import BundleError, InvalidInputError
from mazzo_server.model import KNOWN_GAMES, ReadableText, make_remote_manifest, parse_manifest
from mazzo_server.model.readable_text import explain_unreadable

READABLE = (
    "Anna",
    "José Ångström-Ł.",
    "Анна Каренина",
    "Νίκος",
    "αβ pruner",
    "山田太郎",
    "محمد",
    "שָׁלוֹם",
    "नमस्ते",
    "Nguyễn Văn A",
    "2 × 2 = 4 🂡",
    "x² ± 1ª №",
    "Anna-Анна",
    "",
)
UNREADABLE = {
    "a\tb": "U+0009",
    "a\u200bb": "ZERO WIDTH SPACE",
    "a\u202eb": "U+202E",
    "\udcff": "U+DCFF",
    "\u3164": "HANGUL FILLER",
    "a\uffa0b": "HALFWIDTH HANGUL FILLER",
    "\u115fb": "shows nothing",
    "\u2800": "BRAILLE PATTERN BLANK",
    "a\ufe0f": "shows nothing",
    "\u3000a": "U+3000",
    " a": "begins with a space",
    "a ": "at its end",
    "\u0301a": "without a letter",
    "a \u0301": "without a letter",
    "Z" + "\u0351" * 4: "more than 3 marks",
    "Аnna": "Cyrillic and Latin",  # the first letter is Cyrillic
    "gοοd": "Greek and Latin",
    "οа": "Cyrillic and Greek",
    "big Вrother": "Cyrillic and Latin",
    "a1а": "Cyrillic and Latin",
    "a_а": "Cyrillic and Latin",
    "x\u0302а": "Cyrillic and Latin",  # a mark that no letter is composed with
    "...": "no letter and no digit",
    "- 🂡": "no letter and no digit",
    "Ａnna": "FULLWIDTH LATIN CAPITAL LETTER A) looks like 'A'",
    "𝐀nna": "MATHEMATICAL BOLD CAPITAL A",
    "𝟏": "looks like '1'",
    "Jose\u0301": "U+0065 (LATIN SMALL LETTER E) is not in Unicode's form NFC",
    "\u212bngström": "ANGSTROM SIGN) is not in Unicode's form NFC",
}


@pytest.mark.parametrize("text", READABLE)
def test_names_of_people_are_readable(text: str) -> None:
    assert explain_unreadable(text) == ""


@pytest.mark.parametrize(("text", "complaint"), UNREADABLE.items())
def test_what_looks_empty_or_like_another_text_is_refused(text: str, complaint: str) -> None:
    """By everything that takes such a text: its error says which character it is."""
    assert complaint in explain_unreadable(text)
    with pytest.raises(InvalidInputError, match="readable") as found:
        ReadableText(100).check(text)
    assert complaint in str(found.value)
    with pytest.raises(InvalidInputError, match=r"author: .*readable") as found:
        make_remote_manifest(
            "a", games=["briscola"], capacity=1, author=text, known_games=KNOWN_GAMES
        )
    assert complaint in str(found.value)


@pytest.mark.parametrize("key", ["author", "licence", "description"])
def test_a_manifest_with_such_a_text_is_refused(key: str) -> None:
    texts = {"author": "A", "licence": "B", "description": "C"} | {key: "\u3164"}
    lines = [f'{name} = "{text}"' for name, text in texts.items()]
    text = "\n".join(['name = "a"', 'games = ["briscola"]', 'command = ["a"]', *lines])
    with pytest.raises(BundleError, match=rf"key {key}: .*HANGUL FILLER"):
        parse_manifest(text.encode(), known_games=KNOWN_GAMES)


ODD = st.characters(categories=["Mn", "Me", "Cf", "Co", "Zs", "Lo", "Lm", "So", "Cn"])
LETTERS = st.sampled_from("aAоеοΑᾳ1٣９𝐀 ._-\u0301\u0327\u3164\u2800\u115f\u1160\uffa0\u200d")


@given(st.text() | st.text(LETTERS) | st.text(ODD | LETTERS))
def test_what_is_readable_is_one_line_and_seen(text: str) -> None:
    """Whatever is let through prints as it is, shows a letter or a digit, and piles up no marks."""
    if not text or explain_unreadable(text):
        return
    assert text.isprintable()
    assert text == text.strip() == unicodedata.normalize("NFC", text)
    assert any(character.isalnum() for character in text)
    assert not set("\u3164\u2800\u115f\u1160\uffa0") & set(text)
    kinds = "".join(unicodedata.category(character)[0] for character in text)
    assert kinds[0] != "M"
    marks = ("".join("m" if unicodedata.combining(each) else "-" for each in text)).split("-")
    assert max(map(len, marks)) <= 3
    for word in text.split():
        names = [unicodedata.name(letter, "").partition(" ")[0] for letter in word]
        found = {"LATIN", "GREEK", "CYRILLIC"} & set(names)
        assert len(found) < 2 or not word.replace("_", "a").isalnum()


@given(st.sampled_from(READABLE), st.sampled_from(READABLE))
def test_readable_words_side_by_side_are_readable(first: str, second: str) -> None:
    """Words may be of any script; a word has one."""
    assert explain_unreadable(f"{first} {second}".strip()) == ""
