"""The keys of remote bots, and the sessions that are opened with them."""

from __future__ import annotations

from mazzo_server.auth import Tokens
from mazzo_server.errors import PermissionDeniedError
from mazzo_server.model import Role, Token
from mazzo_server.play.instances import Lobby
from mazzo_server.storage import TokenRow

__all__ = ["BotKeys"]


class BotKeys:
    """Makes the keys of remote bots, which are access tokens, and takes them back."""

    def __init__(self, tokens: Tokens, lobby: Lobby) -> None:
        self._tokens = tokens
        self._lobby = lobby

    async def create(self, bot: str) -> str:
        """Return the text of a new key; it can be had at no later time."""
        token, _ = await self._tokens.create(Role.BOT, bot, label="")
        return token.text

    async def renew(self, bot: str) -> str:
        """Make a new key, revoke all others of the bot, and return the new one's text."""
        token, _ = await self._tokens.create(Role.BOT, bot, label="")
        for row in await self._tokens.list_tokens():
            is_old = row.role is Role.BOT and row.subject == bot and row.id != token.id
            if is_old and not row.revoked:
                await self.revoke(row.id)
        return token.text

    async def dismiss(self, bot: str) -> None:
        """Say goodbye to a remote bot that waits with a key that was revoked."""
        for row in await self._tokens.list_tokens():
            if row.role is Role.BOT and row.subject == bot and row.revoked:
                self._lobby.dismiss(row.id)

    async def revoke(self, token_id: str) -> TokenRow:
        """Revoke an access token, and say goodbye to a remote bot that waits with it."""
        row = await self._tokens.revoke(token_id)
        self._lobby.dismiss(token_id)
        return row

    async def open_session(self, key: str, *, previous: str) -> tuple[str, str]:
        """Return a session token for the remote bot with that key, and the bot's name.

        `previous` is the token of a session that the bot had and lost. Raises
        `UnauthenticatedError` or `PermissionDeniedError` for what is no key of a remote bot.
        """
        caller, token = await self._tokens.find_caller(key), Token.parse(key)
        if caller.role is not Role.BOT or token is None:
            raise PermissionDeniedError(
                f"expected the key of a remote bot, got a token of the role {caller.role}: "
                "`mazzo bots register` makes keys"
            )
        return self._lobby.mint(caller.subject, token.id, previous=previous), caller.subject
