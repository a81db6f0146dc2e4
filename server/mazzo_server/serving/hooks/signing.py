"""The secrets of hooks, and signatures by the Standard Webhooks specification.

https://www.standardwebhooks.com: HMAC-SHA256 over id, time and body, so that nobody else can send
an event, change one, or send an old one again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Final

__all__ = ["draw_secret", "sign_body"]

_PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32


def draw_secret() -> str:
    """Return a new secret, from the system's generator."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def sign_body(secret: str, body: bytes, *, event_id: str, time: int) -> list[tuple[str, str]]:
    """Return the headers with the signature of a body that is sent at that Unix second."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    signed = hmac.digest(key, f"{event_id}.{time}.".encode() + body, hashlib.sha256)
    return [
        ("webhook-id", event_id),
        ("webhook-timestamp", str(time)),
        ("webhook-signature", f"v1,{base64.b64encode(signed).decode()}"),
    ]
