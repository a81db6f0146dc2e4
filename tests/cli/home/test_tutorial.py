"""The tutorial, followed word for word: from an empty folder to a ranked bot."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "tutorial.md"
SECONDS = 600.0
_INHERITED = ("PATH", "LANG", "HOME", "TMPDIR")
PROVE = pytest.mark.prove
_MARK = "\x1e"  # between the outputs of two commands


def steps() -> Iterator[tuple[str, str]]:
    """What the reader is told to do, in order: "$" and a command, or a file and its content."""
    found = re.finditer(
        r"(?:^`(?P<file>\S+)`[^\n]*\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```",
        PAGE.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    for block in found:
        if block["file"]:
            yield block["file"], block["text"]
        else:
            assert block["language"] == "console", block[0]
            for line in block["text"].splitlines():
                if line.startswith("$ "):
                    yield "$", line.removeprefix("$ ")


def shown() -> dict[str, str]:
    """What the page prints after commands, by command."""
    text = PAGE.read_text("utf-8")
    consoles = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    parts = [part for block in consoles for part in re.split(r"^\$ ", block, flags=re.M) if part]
    outputs = (part.partition("\n") for part in parts)
    return {command: output for command, _, output in outputs if output}


def typed() -> str:
    """A shell session that does all of it, and ends at the first thing that fails."""
    lines = ["set -e"]
    written: set[str] = set()
    for kind, text in steps():
        if kind == "$":
            lines += [f"printf '{_MARK}%s\\n' {shlex.quote(text)}", text]
        elif kind in written:
            lines.append(f"printf %s {shlex.quote(text)} > {shlex.quote(kind)}")
        else:  # the first time the page shows what is there already
            written.add(kind)
            lines.append(f"printf %s {shlex.quote(text)} | diff {shlex.quote(kind)} -")
    return "\n".join(lines)


def environment(folder: Path) -> dict[str, str]:
    """A reader's."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    inherited |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return inherited | {"COLUMNS": "80", "MAZZO_HOME": str(folder / "home")}


def unfetched() -> dict[str, str]:
    """To take what Mazzo needs from where these tests have it, and build it without a network."""
    packages = [place for place in sys.path if any(Path(place).glob("*.dist-info"))]
    return {
        "PIP_IGNORE_INSTALLED": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_DEPS": "1",
        "PYTHONPATH": os.pathsep.join(packages),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What came of it."""

    folder: Path
    environment: dict[str, str]
    outputs: dict[str, str]  # by command

    def run(self, program: str, *arguments: str) -> str:
        """What a program of the new environment prints."""
        done = subprocess.run(
            [self.folder / "my-bots" / ".venv" / "bin" / program, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        return done.stdout


def without_numbers(text: str) -> list[list[str]]:
    """The words of each line, without its seeds and numbers."""
    number = re.compile(r"[0-9a-f]{64}|\d[\d,.]*")
    return [number.sub("N", line).split() for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="module", params=["unfetched", pytest.param("fetched", marks=PROVE)])
def followed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """In an empty folder beside the clone; to prove it, with all that pip fetches."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "mazzo").symlink_to(ROOT)
    variables = environment(folder)
    if request.param == "unfetched":
        variables |= unfetched()
    done = subprocess.run(
        ["bash", "-c", typed()],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    outputs = (part.partition("\n") for part in done.stdout.split(_MARK)[1:])
    return Followed(
        folder=folder,
        environment=variables,
        outputs={command: output for command, _, output in outputs},
    )


def test_its_commands_print_what_it_says(followed: Followed) -> None:
    """But for the numbers."""
    expected = shown()
    assert len(expected) == 5
    for command, output in expected.items():
        printed = followed.outputs[command]
        assert without_numbers(printed) == without_numbers(output), printed


def test_its_bot_stands_in_a_ranking(followed: Followed) -> None:
    """Before the others."""
    (ranking,) = json.loads(followed.run("mazzo", "rankings", "briscola/2", "--json"))
    assert [row["name"] for row in ranking["rows"]] == ["my-bot", "greedy", "random"]


def test_the_wheel_has_what_makes_bots(followed: Followed) -> None:
    """Templates, and for JavaScript the contract: nothing is taken from the clone."""
    said = followed.run("python", "-c", "import mazzo_server; print(mazzo_server.__file__)")
    assert Path(said.strip()).is_relative_to(followed.folder / "my-bots" / ".venv")
    followed.run("mazzo", "new", "scripted", "--lang", "node")
    made = followed.folder / "scripted"
    assert (made / "proto" / "mazzo" / "v1" / "play.proto").is_file()
    assert not (made / "node_modules").exists()
