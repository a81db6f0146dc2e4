"""The access tokens of one store: made, listed, revoked, and checked at every call."""

from __future__ import annotations

import asyncio
import logging

from mazzo_server.clock import wall_clock
from mazzo_server.errors import InvalidInputError, NotFoundError, UnauthenticatedError
from mazzo_server.logs import LogAction
from mazzo_server.model import NAME_RULE, Caller, Role, Token, is_name
from mazzo_server.storage import Store, TokenRow

__all__ = ["Tokens"]

_LOG = logging.getLogger(__name__)

_MOST_LABEL = 100  # characters


class Tokens:
    """Creates, lists, revokes and checks access tokens.

    Nothing is kept in memory: a revocation by any process on the same store holds from the next
    call on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(self, role: Role, subject: str, *, label: str) -> tuple[Token, TokenRow]:
        """Create a token; return it with its row. Its text cannot be read later.

        Raises `InvalidInputError` for an invalid subject or label, `NotFoundError` for the
        key of an unknown bot.
        """
        _check_subject(role, subject)
        if len(label) > _MOST_LABEL or not label.isprintable():
            raise InvalidInputError(
                f"label: expected at most {_MOST_LABEL} printable characters, got {label[:120]!r}"
            )
        token = Token.draw()
        row = TokenRow(
            id=token.id,
            role=role,
            subject=subject,
            label=label,
            hash=token.hash,
            create_time=wall_clock(),
            revoked=False,
        )

        def write() -> None:
            if role is Role.BOT:
                bot = self._store.bot(subject)
                if bot is None or not bot.remote:
                    raise NotFoundError(
                        "expected the name of a remote bot (see `mazzo bots list`), "
                        f"got {subject!r}"
                    )
            self._store.add_token(row)

        await asyncio.to_thread(write)
        _LOG.info(
            "token %s of the role %s is made",
            *(row.id, role),
            extra={"action": LogAction.TOKEN_CREATED, "token": row.id, "role": role.value},
        )
        return token, row

    async def list_tokens(self) -> list[TokenRow]:
        """Return all tokens, revoked ones too, the oldest first."""
        return await asyncio.to_thread(self._store.tokens)

    async def revoke(self, token_id: str) -> TokenRow:
        """Revoke a token from the next call on; raise `NotFoundError` when there is none."""

        def write() -> TokenRow:
            self._store.revoke_token(token_id)
            row = self._store.token(token_id)
            assert row is not None  # none is ever deleted
            return row

        row = await asyncio.to_thread(write)
        _LOG.info(
            "token %s is revoked",
            row.id,
            extra={"action": LogAction.TOKEN_REVOKED, "token": row.id},
        )
        return row

    async def is_valid(self, token_id: str) -> bool:
        """Return whether there is a token with this id that is not revoked."""
        row = await asyncio.to_thread(self._store.token, token_id)
        return row is not None and not row.revoked

    async def find_caller(self, text: str) -> Caller:
        """Return the caller whose token this is.

        Raises `UnauthenticatedError` with the same words for an unknown id, a wrong secret and a
        revoked token.
        """
        token = Token.parse(text)
        row = await asyncio.to_thread(self._store.token, token.id) if token is not None else None
        # Compared even when there is nothing to compare with: the answer takes as long.
        shown = token or Token(id="", secret="")
        if not shown.has_hash(row.hash if row is not None else None):
            row = None
        if row is None or row.revoked:
            raise UnauthenticatedError(
                "the access token is not valid: it was mistyped or revoked; ask the organiser of "
                "this server for another"
            )
        return Caller(role=row.role, subject=row.subject)


def _check_subject(role: Role, subject: str) -> None:
    if role is Role.ORGANISER:
        if subject:
            raise InvalidInputError(f"expected no name with an organiser's token, got {subject!r}")
    elif not subject:
        raise InvalidInputError("name: expected the author's name with an author's token, got none")
    elif not is_name(subject):
        raise InvalidInputError(f"name: expected {NAME_RULE}, got {subject[:80]!r}")
