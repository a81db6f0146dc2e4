"""The last line of a bot's program, wherever it runs."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import sys
from typing import NoReturn

from mazzo.bot import Bot
from mazzo.channel import CA_VARIABLE, parse_address
from mazzo.client import play
from mazzo.errors import AddressError, ConnectionLostError, KeyRefusedError
from mazzo.illegal_actions import explain_no_bot
from mazzo.remote import RemotePlayer

__all__ = ["ADDRESS_VARIABLE", "KEY_VARIABLE", "TOKEN_VARIABLE", "run"]

ADDRESS_VARIABLE = "MAZZO_ADDRESS"
KEY_VARIABLE = "MAZZO_KEY"
TOKEN_VARIABLE = "MAZZO_TOKEN"  # noqa: S105 (the name of the variable, not a token)


def run(bot: Bot | type[Bot], *, capacity: int = 1024) -> None:
    """Play until the game master says goodbye, or as a remote bot until Ctrl-C.

    The platform starts a bot that was submitted with the environment variables MAZZO_ADDRESS
    and MAZZO_TOKEN. On a machine of its own a bot has MAZZO_ADDRESS, MAZZO_KEY, and perhaps
    MAZZO_CA: then it dials in, waits for tournaments, plays, and dials again when its
    connection is lost. `capacity` is how many decisions the bot wants in flight at once; the
    game master gives at most as many as were declared for it.

    Ends the process with status 2 when what is given is no bot, or a variable is missing or
    wrong, 1 when the connection
    of a bot that was submitted is lost, 130 when a remote bot is interrupted.
    """
    if not _is_bot(bot):
        _exit(2, f"run: {explain_no_bot(bot)}")
    address, token, key = (
        os.environ.get(name, "").strip()
        for name in (ADDRESS_VARIABLE, TOKEN_VARIABLE, KEY_VARIABLE)
    )
    if not address or not (token or key):
        _exit(
            2,
            f"expected {ADDRESS_VARIABLE} with {TOKEN_VARIABLE} or {KEY_VARIABLE} to be set. The "
            "platform sets them when it starts a bot: play it at home with `mazzo play`, or submit "
            f"it with `mazzo bots submit`. To play from this machine, set {ADDRESS_VARIABLE} to "
            f"HOST:PORT of a server and {KEY_VARIABLE} to a key of `mazzo bots register`",
        )
    try:
        parse_address(address)
    except AddressError as error:
        _exit(2, f"{ADDRESS_VARIABLE}: {error}")
    player = bot() if isinstance(bot, type) else bot
    # What is there now stays: to look through it for garbage takes a tenth of a short life.
    gc.freeze()
    try:
        if token:
            asyncio.run(play(player, address, token, capacity=capacity))
            return
        ca = os.environ.get(CA_VARIABLE) or None
        asyncio.run(RemotePlayer(player, address, key, ca=ca, capacity=capacity).run())
    except ConnectionLostError as error:
        _exit(1, str(error))
    except (AddressError, KeyRefusedError) as error:  # the address is one, so it is the CA
        _exit(2, str(error))
    except KeyboardInterrupt:
        if token:
            raise
    sys.exit(130)


def _is_bot(given: object) -> bool:
    if isinstance(given, type):
        return issubclass(given, Bot) and not inspect.isabstract(given)
    return isinstance(given, Bot)


def _exit(status: int, message: str) -> NoReturn:
    print(f"mazzo: {message}", file=sys.stderr)
    sys.exit(status)
