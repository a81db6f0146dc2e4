"""Who calls: roles, and the tokens that prove them.

A token is the text `mazzo_<id>_<secret>`. The id says which one it is, in lists and in logs;
of the secret only the SHA-256 is stored. It has 256 random bits, so a slow hash would add
nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["ORGANISER", "PUBLIC", "Caller", "Role", "Token"]

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_ID_LENGTH = 8
_SECRET_BYTES = 32
_TEXT = re.compile(rf"mazzo_([{_ALPHABET}]{{{_ID_LENGTH}}})_([A-Za-z0-9_-]{{43}})")


class Role(StrEnum):
    """What the bearer of a token may do."""

    ORGANISER = "organiser"  # everything
    AUTHOR = "author"  # submit and retire bots of its own, read their logs, and read
    BOT = "bot"  # play as one remote bot, and nothing else


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The sender of a call. `role` is None for the public, which sends no token.

    `subject` is the author's name, or the name of the remote bot; else "".
    """

    role: Role | None
    subject: str = ""

    @property
    def is_organiser(self) -> bool:
        """Whether everything is allowed."""
        return self.role is Role.ORGANISER

    @property
    def author(self) -> str | None:
        """The author whose bots the caller may change; "" for all authors, None for none."""
        if self.is_organiser:
            return ""
        return self.subject if self.role is Role.AUTHOR else None


ORGANISER = Caller(role=Role.ORGANISER)
PUBLIC = Caller(role=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token with its secret; only ever in memory."""

    id: str
    secret: str = field(repr=False)

    @classmethod
    def draw(cls) -> Token:
        """Generate a new token, with the system's generator."""
        return cls(
            id="".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH)),
            secret=secrets.token_urlsafe(_SECRET_BYTES),
        )

    @classmethod
    def parse(cls, text: str) -> Token | None:
        """Return the token in this text; None if there is none."""
        found = _TEXT.fullmatch(text)
        return cls(id=found[1], secret=found[2]) if found else None

    @property
    def text(self) -> str:
        """The token as its bearer sends it."""
        return f"mazzo_{self.id}_{self.secret}"

    @property
    def hash(self) -> bytes:
        """SHA-256 of the secret."""
        return hashlib.sha256(self.secret.encode()).digest()

    def has_hash(self, stored: bytes | None) -> bool:
        """Return whether `stored` is this token's hash, in constant time."""
        known = stored if stored is not None else bytes(hashlib.sha256().digest_size)
        return hmac.compare_digest(self.hash, known) and stored is not None
