"""Access tokens: what they are made of, who is behind them, and when they are worth nothing."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from mazzo_server.auth import Tokens
from mazzo_server.errors import (
    InvalidInputError,
    NotFoundError,
    StoreError,
    UnauthenticatedError,
)
from mazzo_server.model.roles import ORGANISER, PUBLIC, Caller, Role, Token
from mazzo_server.storage import MemoryStore
from support.stored_rows import manifest_of

_Value = TypeVar("_Value")


def run(work: Coroutine[Any, Any, _Value]) -> _Value:
    return asyncio.run(work)


def test_a_token_is_read_back_from_its_text() -> None:
    token = Token.draw()
    assert Token.parse(token.text) == token
    kind, name, secret = token.text.split("_", 2)
    assert (kind, name, len(secret)) == ("mazzo", token.id, 43)
    assert token.hash == hashlib.sha256(secret.encode()).digest()
    assert token.has_hash(token.hash)
    assert not Token.draw().has_hash(token.hash)
    assert not token.has_hash(None)
    assert len({Token.draw().text for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mazzo",
        "mazzo__",
        "mazzo_abcdefgh_short",
        "other_abcdefgh_" + "x" * 43,
        "mazzo_abcdefg1_" + "x" * 43,
        "mazzo_abcdefgh_" + "x" * 44,
        "mazzo_abcdefgh_" + "è" * 43,
        "mazzo_abcdefgh_" + "x" * 43 + "\n",
        "\x00" * 70,
        "x" * 10**6,
    ],
)
def test_another_text_is_no_token(text: str) -> None:
    assert Token.parse(text) is None


def test_the_secret_is_neither_stored_nor_shown() -> None:
    store = MemoryStore()
    token, row = run(Tokens(store).create(Role.AUTHOR, "alice", label=""))
    assert store.tokens() == [row]
    assert row.hash == token.hash
    for shown in (repr(token), repr(row), str(row)):
        assert token.secret not in shown
        assert repr(token.hash) not in shown


def test_whoever_shows_a_token_is_whom_it_was_made_for() -> None:
    store = MemoryStore()
    store.add_version(
        "robot", content_hash="", manifest=manifest_of(), create_time=0.0, remote=True
    )
    tokens = Tokens(store)
    for role, subject in ((Role.ORGANISER, ""), (Role.AUTHOR, "alice"), (Role.BOT, "robot")):
        token, _ = run(tokens.create(role, subject, label="for the test"))
        assert run(tokens.find_caller(token.text)) == Caller(role=role, subject=subject)


def test_an_unknown_id_a_wrong_secret_and_a_revoked_token_are_told_alike() -> None:
    tokens = Tokens(MemoryStore())
    token, _ = run(tokens.create(Role.AUTHOR, "alice", label=""))
    revoked, row = run(tokens.create(Role.ORGANISER, "", label=""))
    assert run(tokens.revoke(row.id)).revoked
    other = Token.draw()
    texts = [
        other.text,
        Token(id=token.id, secret=other.secret).text,
        revoked.text,
        "nonsense",
        "",
    ]
    said = set()
    for text in texts:
        with pytest.raises(UnauthenticatedError) as caught:
            run(tokens.find_caller(text))
        said.add(str(caught.value))
    assert len(said) == 1
    assert run(tokens.find_caller(token.text)).subject == "alice"


@pytest.mark.parametrize(
    ("role", "subject", "label"),
    [
        (Role.ORGANISER, "alice", ""),
        (Role.AUTHOR, "", ""),
        (Role.AUTHOR, "Alice", ""),
        (Role.AUTHOR, "-alice", ""),
        (Role.AUTHOR, "a" * 33, ""),
        (Role.AUTHOR, "al\x1b[31mice", ""),
        (Role.AUTHOR, "alice", "x" * 101),
        (Role.AUTHOR, "alice", "red \x1b[31m"),
        (Role.AUTHOR, "alice", "two\nlines"),
    ],
)
def test_names_and_labels_that_cannot_be(role: Role, subject: str, label: str) -> None:
    """An author's name follows the rule of a bot's, and nothing harms a terminal."""
    store = MemoryStore()
    with pytest.raises(InvalidInputError, match="expected"):
        run(Tokens(store).create(role, subject, label=label))
    assert store.tokens() == []


def test_only_a_remote_bot_has_a_key() -> None:
    store = MemoryStore()
    store.add_version("uploaded", content_hash="", manifest=manifest_of(), create_time=0.0)
    for name in ("uploaded", "nobody"):
        with pytest.raises(NotFoundError, match="remote bot"):
            run(Tokens(store).create(Role.BOT, name, label=""))
    with pytest.raises(NotFoundError, match="mazzo auth list"):
        run(Tokens(store).revoke("nothing"))


class Clock:
    """A wall clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


class CountingStore(MemoryStore):
    """Counts how often a use was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = 0

    def mark_token_used(self, token_id: str, time: float) -> None:
        self.written += 1
        super().mark_token_used(token_id, time)


def test_an_expired_token_is_refused_and_says_so() -> None:
    """To whoever has its secret; with another secret it is as unknown as before."""
    clock = Clock()
    tokens = Tokens(MemoryStore(), clock=clock)
    token, row = run(tokens.create(Role.AUTHOR, "alice", label="", expire_days=2))
    assert row.expire_time == 1e9 + 2 * 86_400
    clock.now = row.expire_time - 1
    assert run(tokens.find_caller(token.text)).subject == "alice"
    assert run(tokens.is_valid(token.id))
    clock.now = row.expire_time
    with pytest.raises(UnauthenticatedError, match=r"expired on 2001-09-11 01:46 UTC"):
        run(tokens.find_caller(token.text))
    with pytest.raises(UnauthenticatedError, match="mistyped or revoked"):
        run(tokens.find_caller(Token(id=token.id, secret=Token.draw().secret).text))
    assert not run(tokens.is_valid(token.id))
    run(tokens.revoke(token.id))
    with pytest.raises(UnauthenticatedError, match="mistyped or revoked"):
        run(tokens.find_caller(token.text))


def test_a_clock_that_is_set_back_prolongs_no_token() -> None:
    """It was used later than now, so that much time has passed."""
    clock = Clock()
    store = MemoryStore()
    tokens = Tokens(store, clock=clock)
    token, row = run(tokens.create(Role.AUTHOR, "alice", label="", expire_days=1))
    store.mark_token_used(token.id, 1e9 + 86_400)
    clock.now = 0.0
    with pytest.raises(UnauthenticatedError, match="expired"):
        run(tokens.find_caller(token.text))
    other, row = run(tokens.create(Role.AUTHOR, "bob", label="", expire_days=1))
    clock.now = -1e9
    run(tokens.find_caller(other.text))
    found = store.token(other.id)
    assert found is not None
    assert found.last_use_time == row.create_time


def test_a_use_is_written_rarely() -> None:
    """A write waits for the disk, and a call of a reader should not."""
    clock, store = Clock(), CountingStore()
    tokens = Tokens(store, clock=clock, use_interval=60.0)
    token, _ = run(tokens.create(Role.AUTHOR, "alice", label=""))
    assert store.tokens()[0].last_use_time is None
    for now, written in ((0, 1), (1, 1), (59, 1), (60, 2), (30, 2), (119, 2), (121, 3)):
        clock.now = 1e9 + now
        run(tokens.find_caller(token.text))
        assert store.written == written
    assert store.tokens()[0].last_use_time == 1e9 + 121

    async def call_at_once() -> None:
        clock.now += 100
        await asyncio.gather(*(tokens.find_caller(token.text) for _ in range(20)))

    run(call_at_once())
    assert store.written == 4


def test_a_store_that_only_reads_lets_tokens_in() -> None:
    class Full(MemoryStore):
        def mark_token_used(self, token_id: str, time: float) -> None:
            raise StoreError("the disk is full")

    tokens = Tokens(Full())
    token, _ = run(tokens.create(Role.AUTHOR, "alice", label=""))
    assert run(tokens.find_caller(token.text)).subject == "alice"


@pytest.mark.parametrize("days", [0, -1, 36_501, float("nan"), float("inf")])
def test_an_expiry_that_cannot_be(days: float) -> None:
    store = MemoryStore()
    with pytest.raises(InvalidInputError, match="expires: expected days above 0"):
        run(Tokens(store).create(Role.AUTHOR, "alice", label="", expire_days=days))
    assert store.tokens() == []


def test_the_key_of_a_remote_bot_does_not_expire() -> None:
    """In the middle of a tournament the bot would be withdrawn, and its results void."""
    with pytest.raises(InvalidInputError, match="--new-key"):
        run(Tokens(MemoryStore()).create(Role.BOT, "robot", label="", expire_days=9))


def test_whose_bots_a_caller_may_act_on() -> None:
    """Everybody's, his own, nobody's."""
    assert ORGANISER.author == ""
    assert Caller(role=Role.AUTHOR, subject="alice").author == "alice"
    assert Caller(role=Role.BOT, subject="robot").author is None
    assert PUBLIC.author is None
