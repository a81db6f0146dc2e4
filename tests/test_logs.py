"""The logs: one stable action a record, one line a record, and no word of a stranger obeyed."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import mazzo_server
from mazzo_server.logs import LogAction, set_up

ROOT = Path(__file__).parents[1]
SOURCES = sorted(Path(mazzo_server.__file__).parent.rglob("*.py"))
HOSTILE = "bot\n2026-01-01T00:00:00.000Z INFO    server-stopped stopped\x1b[2J\u202e"

_LOG = logging.getLogger("mazzo_server.test")


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Leave the logging of the process as these tests found it."""
    root, ours = logging.getLogger(), logging.getLogger("mazzo_server")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def used() -> set[str]:
    """The actions that stand in the code, by name or as a word."""
    text = "".join(path.read_text() for path in SOURCES if path.name != "logs.py")
    by_name = {LogAction[name].value for name in re.findall(r"\bAction\.([A-Z_]+)", text)}
    return by_name | set(re.findall(r'"action": "([^"]*)"', text))


def test_every_action_of_the_code_is_one_of_the_list() -> None:
    """So that what an operator greps for is a list that can be read."""
    assert used() <= set(LogAction)


def test_the_reference_has_every_action_and_no_other() -> None:
    """docs/reference/logs.md is the list for people."""
    page = (ROOT / "docs" / "reference" / "logs.md").read_text()
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE) == list(LogAction)


def test_a_hostile_name_forges_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A name with line breaks and control characters stays in its own record."""
    set_up()
    _LOG.info("%s forfeits", HOSTILE, extra={"action": LogAction.MATCH_FAULT, "bot": HOSTILE})
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"[\d-]+T[\d:.]+Z INFO +match-fault bot.*forfeits\n", err)
    assert err.removesuffix("\n").isprintable()


def test_a_hostile_error_forges_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of a traceback stands behind a bar."""
    set_up()
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        _LOG.exception("failed", extra={"action": LogAction.REQUEST_FAILED})
    first, *rest = capsys.readouterr().err.splitlines()
    assert " request-failed failed" in first
    assert rest
    assert all(line.startswith("  | ") and line.isprintable() for line in rest)


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With the action, the level and the fields beside the text; ASCII, so terminals are safe."""
    set_up("json")
    _LOG.warning("%s", HOSTILE, extra={"action": LogAction.MATCH_FAULT, "bot": HOSTILE, "group": 3})
    logging.getLogger("some.library").warning("hm")
    err = capsys.readouterr().err
    assert err.isascii()
    fault, other = (json.loads(line) for line in err.splitlines())
    expected = {"action": "match-fault", "level": "WARNING", "message": HOSTILE, "group": 3}
    assert fault.items() >= expected.items()
    assert re.fullmatch(r"[\d-]+T[\d:.]+\+00:00", fault["time"])
    assert (other["action"], other["logger"]) == ("library", "some.library")


def test_libraries_are_heard_from_warnings_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Some tell what they handle at lower levels: statements of the store, headers of a call."""
    set_up(level="debug")
    logging.getLogger("sqlalchemy.engine").info("INSERT seed")
    _LOG.debug("ours", extra={"action": LogAction.SERVER_STARTED})
    assert capsys.readouterr().err.endswith("server-started ours\n")
    set_up(level="error")
    logging.getLogger("some.library").warning("hm")
    _LOG.warning("ours", extra={"action": LogAction.MATCH_SPOILT})
    assert capsys.readouterr().err == ""


def test_what_is_told_by_other_means_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """A command that is its own server says itself why a request failed; once is enough."""
    set_up(level="warning", without=(LogAction.REQUEST_FAILED,))
    _LOG.error("twice", extra={"action": LogAction.REQUEST_FAILED})
    _LOG.error("once", extra={"action": LogAction.MATCH_SPOILT})
    assert capsys.readouterr().err.endswith("match-spoilt once\n")
    set_up()
    _LOG.error("a server's", extra={"action": LogAction.REQUEST_FAILED})
    assert capsys.readouterr().err.endswith("request-failed a server's\n")


def test_no_header_of_a_stranger_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    """As gRPC does with one that is no text; it may hold a token."""
    set_up()
    try:
        b"mazzo_token\xff".decode()
    except UnicodeDecodeError:
        logging.getLogger("grpc._cython.cygrpc").exception("Invalid encoding on %s", b"mazzo_token")
    assert capsys.readouterr().err == ""
