"""What a bot says about a decision, as it goes on the wire and beside the decision."""

from __future__ import annotations

__all__ = ["NOTE_BYTES", "make_one_line"]

NOTE_BYTES = 200  # of UTF-8


def make_one_line(text: str) -> str:
    """Return the text cut to `NOTE_BYTES`, at the end of a character, without anything unprintable.

    Line ends, escape sequences and characters that turn the direction of writing become
    spaces, so that a note cannot touch more of a terminal or a page than its own place.
    """
    text = text[:NOTE_BYTES]
    if not text.isprintable():
        text = "".join([character if character.isprintable() else " " for character in text])
    return text.encode()[:NOTE_BYTES].decode(errors="ignore").strip()
