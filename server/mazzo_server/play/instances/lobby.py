"""Keeps the remote bots that have dialled in until a tournament calls them."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary, WeakValueDictionary

from mazzo_server.clock import monotonic
from mazzo_server.errors import ConflictError, StreamEndedError, UnauthenticatedError
from mazzo_server.play.instances.stream import BotStream

__all__ = ["MOST_WAITING", "UNUSED_SECONDS", "Lobby", "Session"]

MOST_WAITING = 8  # streams of one bot that no tournament has called yet
_MOST_UNUSED = 16  # session tokens of one bot that are not used yet
_MOST_LEFT = 1024  # programs whose connections were lost last
UNUSED_SECONDS = 60.0  # seconds for which an unused token is valid


class _Program:
    """A bot on its author's machine, through all the sessions in which it came back."""


@dataclass(slots=True, eq=False, kw_only=True)
class Session:
    """One session of a remote bot, from the creation of its token to the end of its stream."""

    bot: str
    key: str  # id of the key with which the token was created
    digest: bytes = field(repr=False)  # SHA-256 of the token
    program: _Program
    back: bool = False  # it replaces a session that was lost
    expiry: float  # on the monotonic clock, while the token is unused
    stream: BotStream | None = None
    called: bool = False  # a tournament has called it

    @property
    def is_alive(self) -> bool:
        """Whether the bot has joined and its stream has not ended."""
        return self.stream is not None and self.stream.capacity > 0 and not self.stream.is_over


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """A call for a bot; `back` is the stream that played and lost its connection."""

    back: _Program | None
    answer: asyncio.Future[Session]


class Lobby:
    """The sessions of all remote bots, and the tournaments that wait for one of them."""

    def __init__(
        self,
        is_valid: Callable[[str], Awaitable[bool]],
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Begin without sessions.

        `is_valid` tells of a key, by its id, whether it is still valid. A session that outlives its
        key while it waits is told goodbye and plays nothing.
        """
        self._is_valid = is_valid
        self._clock = clock
        self._unused: dict[bytes, Session] = {}  # by digest, the oldest first
        self._sessions: dict[str, list[Session]] = {}  # with a stream, by bot, the oldest first
        self._calls: dict[str, list[_Call]] = {}
        # How to recognise a program that comes back, as long as anybody refers to it: the one that
        # has lost it, or these.
        self._left = deque[_Program](maxlen=_MOST_LEFT)
        self._by_token = WeakValueDictionary[tuple[str, bytes], _Program]()
        self._by_stream = WeakKeyDictionary[BotStream, _Program]()

    def mint(self, bot: str, key: str, *, previous: str = "") -> str:
        """Create and return a token for one stream of a bot, with that key.

        `previous` is the token of the session that this one replaces: that session's stream is
        dead, whatever the network says. When there are too many unused tokens, the oldest is
        forgotten.
        """
        for session in self._sessions.get(bot, ()):
            if session.stream is not None and session.digest == _hash_token(previous):
                session.stream.vanish(
                    StreamEndedError(
                        "expected one stream of this session, got a new session that names it as "
                        "`previous`: play on there, or leave `previous` empty"
                    )
                )
        now = self._clock()
        self._unused = {key: old for key, old in self._unused.items() if old.expiry > now}
        own = [session for session in self._unused.values() if session.bot == bot]
        for session in own[: max(0, len(own) - _MOST_UNUSED + 1)]:
            del self._unused[session.digest]
        token = secrets.token_urlsafe(32)
        digest = _hash_token(token)
        known = self._by_token.get((bot, _hash_token(previous)))
        program = known or _Program()
        self._by_token[bot, digest] = program
        self._unused[digest] = Session(
            bot=bot,
            key=key,
            digest=digest,
            program=program,
            back=known is not None,
            expiry=now + UNUSED_SECONDS,
        )
        return token

    def redeem(self, token: str) -> Session:
        """Return the session for which a token was created; a token works only once.

        Raises `UnauthenticatedError` for a token that was used, has expired or never existed.
        """
        session = self._unused.pop(_hash_token(token), None)
        if session is None or session.expiry <= self._clock():
            raise UnauthenticatedError(
                "expected the metadata 'authorization: Bearer TOKEN' with a session token of "
                f"BotService.CreateSession, not used and not older than {UNUSED_SECONDS:g} s, got "
                f"{'another text' if token else 'none'}: call CreateSession with the bot's key"
            )
        return session

    def enter(self, session: Session, stream: BotStream) -> None:
        """Begin the stream of a session; raise `ConflictError` when too many of this bot wait."""
        sessions = self._sessions.setdefault(session.bot, [])
        if sum(not other.called for other in sessions) >= MOST_WAITING:
            raise ConflictError(
                f"{MOST_WAITING} sessions of {session.bot} wait to play already: end one of "
                "them first"
            )
        session.stream = stream
        self._by_stream[stream] = session.program
        sessions.append(session)

    def mark_joined(self, session: Session) -> None:
        """Note that the bot of a session has joined, and may be called."""
        self._answer_calls(session.bot)

    def leave(self, session: Session) -> None:
        """Note that the stream of a session has ended."""
        self._left.append(session.program)
        self._sessions[session.bot].remove(session)
        if not self._sessions[session.bot]:
            del self._sessions[session.bot]

    def is_connected(self, bot: str) -> bool:
        """Tell whether the bot has dialled in, and waits or plays."""
        return any(session.is_alive for session in self._sessions.get(bot, ()))

    def dismiss(self, key: str) -> None:
        """Say goodbye to the waiting sessions of a key that is no longer valid."""
        for sessions in self._sessions.values():
            for session in sessions:
                if session.key == key and not session.called and session.stream is not None:
                    session.stream.end()

    async def call(self, bot: str, *, back: BotStream | None = None) -> BotStream:
        """Return a joined stream of the bot, as soon as there is one.

        A caller that lost its stream `back` is served first, and gets the same program if that
        comes back: another program may have seen its partner's cards.
        """
        program = None if back is None else self._by_stream.get(back)
        while True:
            session = await self._wait_for_session(bot, program)
            assert session.stream is not None
            try:
                is_valid = await self._is_valid(session.key)
            except BaseException:
                self._take_back(session)
                raise
            if not is_valid:
                session.stream.end()
            elif session.is_alive:
                return session.stream

    async def _wait_for_session(self, bot: str, back: _Program | None) -> Session:
        calls = self._calls.setdefault(bot, [])
        call = _Call(back, asyncio.get_running_loop().create_future())
        calls.append(call)
        calls.sort(key=lambda other: other.back is None)
        self._answer_calls(bot)
        try:
            return await call.answer
        except BaseException:
            if call.answer.done() and not call.answer.cancelled():  # called at the same moment
                self._take_back(call.answer.result())
            raise
        finally:
            calls.remove(call)
            if not calls:
                self._calls.pop(bot, None)

    def _take_back(self, session: Session) -> None:
        session.called = False
        self._answer_calls(session.bot)

    def _answer_calls(self, bot: str) -> None:
        """Match waiting sessions with calls: the latest first, as it is most surely alive."""
        calls = [call for call in self._calls.get(bot, ()) if not call.answer.done()]
        waiting = [
            session
            for session in reversed(self._sessions.get(bot, ()))
            if session.is_alive and not session.called
        ]
        for call in calls:  # those that came back themselves
            own = next((one for one in waiting if one.program is call.back), None)
            if own is not None:
                waiting.remove(own)
                _answer(call, own)
        calls = [call for call in calls if not call.answer.done()]
        for call, session in zip(calls, waiting, strict=False):
            _answer(call, session)


def _answer(call: _Call, session: Session) -> None:
    session.called = True
    call.answer.set_result(session)


def _hash_token(token: str) -> bytes:
    """Return the digest that is kept of a token; looking it up reveals nothing of the token."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
