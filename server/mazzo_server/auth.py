"""The access tokens of one store: made, listed, revoked, and checked at every call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from mazzo_server.clock import wall_clock
from mazzo_server.errors import (
    InvalidInputError,
    NotFoundError,
    StoreError,
    UnauthenticatedError,
)
from mazzo_server.logs import LogAction
from mazzo_server.model import NAME_RULE, Amount, Caller, ReadableText, Role, Token, is_name
from mazzo_server.storage import Store, TokenRow

__all__ = ["Tokens"]

_LOG = logging.getLogger(__name__)

_LABEL = ReadableText(100)
_DAYS = Amount("days", most=36_500)
_DAY = 86_400.0  # seconds
_USE_INTERVAL = 3600.0  # seconds for which a noted use of a token stands for later ones


class Tokens:
    """Creates, lists, revokes and checks access tokens.

    Nothing is kept in memory: a revocation by any process on the same store holds from the next
    call on.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float] = wall_clock,
        use_interval: float = _USE_INTERVAL,
    ) -> None:
        """Note the use of a token once in `use_interval` seconds: a note is a write to the disk."""
        self._store = store
        self._clock = clock
        self._use_interval = use_interval
        self._noting: set[str] = set()  # ids of tokens whose use is being noted

    async def create(
        self, role: Role, subject: str, *, label: str, expire_days: float | None = None
    ) -> tuple[Token, TokenRow]:
        """Create a token; return it with its row. Its text cannot be read later.

        It expires after so many days, or (None) never. Raises `InvalidInputError` for an invalid
        subject, label or number of days, `NotFoundError` for the key of an unknown bot.
        """
        _check_subject(role, subject)
        _check_expiry(role, expire_days)
        try:
            _LABEL.check(label)
        except InvalidInputError as error:
            raise InvalidInputError(f"label: {error}") from error
        token = Token.draw()
        row = TokenRow(
            id=token.id,
            role=role,
            subject=subject,
            label=label,
            hash=token.hash,
            create_time=(now := self._clock()),
            revoked=False,
            expire_time=None if expire_days is None else now + expire_days * _DAY,
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
        """Return whether there is a token with this id that is neither revoked nor expired."""
        row = await asyncio.to_thread(self._store.token, token_id)
        return row is not None and not row.revoked and not self.is_expired(row)

    def is_expired(self, row: TokenRow) -> bool:
        """Return whether the time of the token is over.

        If the machine's clock was set back, a token that was used later than now is judged by its
        last use.
        """
        return row.expire_time is not None and row.expire_time <= self._tell_time(row)

    async def find_caller(self, text: str) -> Caller:
        """Return the caller whose token this is.

        Raises `UnauthenticatedError` with the same words for an unknown id, a wrong secret and a
        revoked token. Whoever has the secret of an expired token is told that it expired.
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
        if self.is_expired(row):
            assert row.expire_time is not None
            raise UnauthenticatedError(
                f"the access token {row.id} expired on {_format_time(row.expire_time)}: ask the "
                "organiser of this server for another"
            )
        await self._note_use(row)
        return Caller(role=row.role, subject=row.subject)

    def _tell_time(self, row: TokenRow) -> float:
        """Return the time now, which is never before anything that is known of the token."""
        return max(self._clock(), row.create_time, row.last_use_time or 0.0)

    async def _note_use(self, row: TokenRow) -> None:
        """Note the use of a token, unless that was done a short time ago."""
        now, last = self._tell_time(row), row.last_use_time
        if row.id in self._noting or (last is not None and now - last < self._use_interval):
            return
        self._noting.add(row.id)
        try:
            # A full disk, or a database that only reads, refuses no call that only reads.
            with suppress(StoreError):
                await asyncio.to_thread(self._store.mark_token_used, row.id, now)
        finally:
            self._noting.discard(row.id)


def _check_expiry(role: Role, days: float | None) -> None:
    if days is None:
        return
    if role is Role.BOT:
        raise InvalidInputError(
            "expected no expiry with a bot's key, for the bot would lose the tournament that it "
            "plays then: make a new key with `mazzo bots register --new-key`, or revoke it"
        )
    try:
        _DAYS.check(days)
    except InvalidInputError as error:
        raise InvalidInputError(f"expires: {error}") from error


def _format_time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _check_subject(role: Role, subject: str) -> None:
    if role is Role.ORGANISER:
        if subject:
            raise InvalidInputError(f"expected no name with an organiser's token, got {subject!r}")
    elif not subject:
        raise InvalidInputError("name: expected the author's name with an author's token, got none")
    elif not is_name(subject):
        raise InvalidInputError(f"name: expected {NAME_RULE}, got {subject[:80]!r}")
