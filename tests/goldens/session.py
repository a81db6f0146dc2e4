"""A series of commands in a home, and what a golden keeps of each."""

from __future__ import annotations

import csv
import hashlib
import json
import shlex
from collections.abc import Collection
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from support.command import Home, Result
from support.timeless import timeless, timeless_rows, timeless_text

__all__ = ["BOTS_SEED", "SEED", "Session", "Step", "digest", "without"]

SEED = "5eed" * 16
BOTS_SEED = "b075" * 16  # of trials

# Keys of values that are worded for people: they are kept with the text.
WORDED = frozenset(
    {
        *("advice", "checked", "failure", "log", "meaning", "message", "problem", "reason"),
        *("summary", "title", "withdrawn", "wrong"),
    }
)
# Keys that came after the recording, of which goldens say nothing.
ADDED = frozenset(
    {
        "received",  # in views: the seat's own cards, in the order of receipt
        *("bracket", "seeding", "seeds", "confidence", "advance"),  # of tournaments
        *("pools", "qualify"),  # likewise
    }
)
_MOST_TOLD = 600  # characters of what a command said that ended otherwise than expected
_REPOSITORY = Path(__file__).parents[2]
_HASH_SHOWN = 16  # hexadecimal digits
_MOST_HASHES = 12  # as there are seats at most
_ALWAYS_JSON = (("deal", "run"), ("replay", "export"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a command answered, without what differs from run to run."""

    command: str
    status: int
    is_json: bool = False
    value: Any = None  # of JSON
    layout: str = ""  # of JSON, where it is not indented
    rows: list[list[str]] | None = None  # of CSV
    words: tuple[str, ...] = ()  # of JSON, for people
    out: str = ""  # for people
    err: str = ""

    def to_json(self) -> dict[str, Any]:
        """What scripts rely on."""
        found: dict[str, Any] = {"command": self.command, "status": self.status}
        if self.layout:
            found["layout"] = self.layout
        if self.is_json:
            found["json"] = self.value
        if self.rows is not None:
            found["csv"] = self.rows
        return found

    def to_text(self) -> str:
        """What people read; nothing where the command is silent."""
        if not self.out and not self.err and not self.words:
            return ""
        words = "".join(f"= {line}\n" for line in self.words)
        said = "".join(f"! {line}".rstrip() + "\n" for line in self.err.splitlines())
        return f"$ {self.command}\n{self.out}{words}{said}\n"


@dataclass(slots=True)
class Session:
    """Runs commands in a home of its own below `folder`, and keeps what they answer."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Call the folder, and the one that all is in, by names that are the same everywhere."""
        self.places[str(self.folder)] = "FOLDER"
        self.places[str(_REPOSITORY)] = "REPOSITORY"

    @property
    def home(self) -> Home:
        """The home, with the variables of now."""
        return Home(self.folder / "home", self.variables)

    def __call__(
        self,
        *arguments: str | Path,
        data: str = "",
        status: int | None = 0,
        drawn: Collection[str] = (),
        hashed: Collection[str] = (),
        left_out: Collection[str] = (),
        process: bool = False,
        variables: dict[str, str] | None = None,
    ) -> Result:
        """Run a command, in a process of its own or else in this one, and keep its answer.

        `drawn`: keys of values that the system drew. `hashed`: keys of large values, of which the
        hash is kept. `left_out`: keys that are not kept at all.
        """
        home = self.home
        home = Home(home.path, home.variables | (variables or {}))
        run = home if process else home.inside
        result = run(*arguments, data=data.encode(), status=None)
        told = (result.status, result.err[-_MOST_TOLD:], result.out[-_MOST_TOLD:])
        assert status is None or result.status == status, (arguments, told)
        self.keep(arguments, result, drawn=drawn, hashed=hashed, left_out=left_out)
        return result

    def keep(
        self,
        arguments: Collection[str | Path],
        result: Result,
        *,
        drawn: Collection[str] = (),
        hashed: Collection[str] = (),
        left_out: Collection[str] = (),
    ) -> None:
        """Keep the answer of a command that was run elsewhere."""
        words = [str(argument) for argument in arguments]
        command = timeless_text(shlex.join(["mazzo", *words]), places=self.places)
        err = timeless_text(result.err, places=self.places)
        if "--csv" in words and result.out:
            rows = timeless_rows(_parse_rows(result.out))
            self.steps.append(Step(command=command, status=result.status, rows=rows, err=err))
            return
        is_json = "--json" in words or tuple(words[:2]) in _ALWAYS_JSON
        if not is_json or not result.out:
            out = timeless_text(result.out, places=self.places)
            self.steps.append(Step(command=command, status=result.status, out=out, err=err))
            return
        value, layout = _parse(result.out)
        value = without(timeless(value, places=self.places, drawn=drawn), {*left_out, *ADDED})
        told: list[str] = []
        value = _without_words(value, told)
        self.steps.append(
            Step(
                command=command,
                status=result.status,
                is_json=True,
                value=_hashed(value, hashed),
                layout=layout,
                words=tuple(told),
                err=err,
            )
        )


def _parse(text: str) -> tuple[Any, str]:
    """The value of JSON, and how it is laid out, to the byte: indented, or a line for each."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = [json.loads(line) for line in text.splitlines()]
    else:
        if text == json.dumps(value, indent=2) + "\n":
            return value, ""
        value = [value]
    for name, separators in (("lines", None), ("tight lines", (",", ":"))):
        if text == "".join(json.dumps(item, separators=separators) + "\n" for item in value):
            return value, name
    raise AssertionError(f"JSON that is laid out like none before: {text[:200]!r}")


def _parse_rows(text: str) -> list[list[str]]:
    """The rows of CSV, laid out to the byte as ever."""
    rows = list(csv.reader(StringIO(text)))
    again = StringIO()
    csv.writer(again, lineterminator="\n").writerows(rows)
    assert again.getvalue() == text, text
    return rows


def without(value: Any, keys: Collection[str]) -> Any:
    """A JSON value without some keys, wherever they stand."""
    if isinstance(value, list):
        return [without(item, keys) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: without(item, keys) for key, item in value.items() if key not in keys}


def _without_words(value: Any, words: list[str]) -> Any:
    """A JSON value with `…` for what is worded for people, which goes to `words`."""
    if isinstance(value, list):
        return [_without_words(item, words) for item in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, item in value.items():
        if key in WORDED and item:
            words.append(timeless_text(f"{key}: {item}"))
            found[key] = "…"
        else:
            found[key] = _without_words(item, words)
    return found


def _hashed(value: Any, keys: Collection[str]) -> Any:
    """A JSON value with hashes below these keys; of a short list one for each item."""
    if isinstance(value, list):
        return [_hashed(item, keys) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _hashes(item) if key in keys else _hashed(item, keys) for key, item in value.items()
    }


def _hashes(value: Any) -> Any:
    if isinstance(value, list) and len(value) <= _MOST_HASHES:
        return [digest(item) for item in value]
    return digest(value)


def digest(value: Any) -> str:
    """The beginning of a SHA-256 of a JSON value, in the order of its keys."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:_HASH_SHOWN]
