"""The errors of the SDK.

Split by who must act::

    MazzoError
    ├── IllegalActionError     the player: the action is not legal at this decision
    ├── BadRecordError         the writer of a record: it stands for no position
    ├── VariantError           whoever named a game, a number of players or an option
    ├── MatchFormatError       whoever named a match format
    ├── BotError               the bot's author: no bot, no action, or one that is not legal
    ├── AddressError           whoever gave a server's address or its CA file
    ├── KeyRefusedError        the bot's author: a server does not take the remote bot's key
    ├── ProtocolError          the peer: a message that the protocol does not allow
    └── ConnectionLostError    nobody, or the network: the stream to the server ended
"""

from __future__ import annotations

import reprlib

__all__ = [
    "AddressError",
    "BadRecordError",
    "BotError",
    "ConnectionLostError",
    "IllegalActionError",
    "KeyRefusedError",
    "MatchFormatError",
    "MazzoError",
    "ProtocolError",
    "VariantError",
    "quote_value",
]


class MazzoError(Exception):
    """Base of every error that Mazzo raises on purpose; its text is fit for a person."""


class IllegalActionError(MazzoError):
    """The action is not among the legal ones, or the deal is over. Nothing was changed."""


class BadRecordError(MazzoError):
    """A deal record that stands for no position: malformed, or with impossible facts."""


class VariantError(MazzoError):
    """An unknown game, number of players, option or option value; the text lists the known."""


class MatchFormatError(MazzoError):
    """A match format that cannot be read, or that the game does not have."""


class BotError(MazzoError):
    """A bot asked for, or returned, something that is no legal action, or is no bot at all."""


class AddressError(MazzoError):
    """No address of a server, or a file of certificates that cannot be used."""


class KeyRefusedError(MazzoError):
    """A server does not take the key of a remote bot; to try again would not help."""


class ProtocolError(MazzoError):
    """A message arrived that the protocol does not allow at this point."""


class ConnectionLostError(MazzoError):
    """The stream to the server ended before the server said goodbye."""


_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 100  # characters


def quote_value(value: object) -> str:
    """Return a wrong value as an error shows it: like `repr`, but short whatever the value is."""
    try:
        return _SHORT.repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, for one
        return "something that cannot be shown"
