"""Branch coverage by module, and which tests execute which lines."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import coverage
from coverage import CoverageData

from bench.mutants.checkout import SOURCES, Checkout

__all__ = ["Coverage", "TestMap", "cover", "map_tests", "measure_modules", "read_results"]

_HERE = Path(__file__).parent
_SETTINGS = """\
[run]
branch = true
parallel = true
disable_warnings = no-data-collected,module-not-measured,couldnt-parse
data_file = {folder}/data
source =
    {sources}
omit =
    {root}/sdk/mazzo/v1/*
    */templates/*
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many statements and branches a module has, and how many of them tests execute."""

    parts: int
    executed: int

    @property
    def percent(self) -> float:
        """The share that tests execute, in percent; 100 for an empty module."""
        return round(100 * self.executed / self.parts, 1) if self.parts else 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TestMap:
    """The tests that execute each line of each module, and how long each test takes."""

    __test__ = False  # pytest: it is no test

    lines: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]


def cover(checkout: Checkout, tests: Sequence[str], *, data: Path, marks: str) -> None:
    """Run test files one by one under coverage, and keep the data of each in a folder of `data`.

    Files whose data are there already are left out, so that a measurement can go on where it
    was stopped.
    """
    folder = checkout.root / ".coverage-data"
    folder.mkdir(exist_ok=True)
    (folder / "coveragerc").write_text(_settings(checkout, folder=folder))
    shutil.copy(_HERE / "contexts.py", checkout.packages / "mutants_contexts.py")
    shutil.copy(_HERE / "follow.py", checkout.packages / "mutants_follow.py")
    (checkout.packages / "mutants_follow.pth").write_text(
        f"import pathlib, mutants_follow; mutants_follow.follow(pathlib.Path({str(folder)!r}))\n"
    )
    python = [str(checkout.python), "-m"]
    settings = f"--rcfile={folder / 'coveragerc'}"
    for test in tests:
        kept = data / test.replace("/", "-").removesuffix(".py")
        if (kept / "results.json").exists():
            continue
        checkout.forget()
        for left in (*folder.glob("data*"), *folder.glob("results.json"), *folder.glob("context")):
            left.unlink()
        started = time.monotonic()
        options = ["-q", "-p", "mutants_contexts", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        ran = subprocess.run(
            [*python, "coverage", "run", settings, "-m", "pytest", *options, "-m", marks, test],
            cwd=checkout.root,
            env=checkout.environment() | {"MUTANTS_FOLDER": str(folder)},
            capture_output=True,
            text=True,
        )
        print(f"{time.monotonic() - started:6.1f} s  {ran.returncode}  {test}", flush=True)
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "output.txt").write_text(ran.stdout + ran.stderr)
        subprocess.run(
            [*python, "coverage", "combine", "-q", settings],
            cwd=checkout.root,
            capture_output=True,
        )
        if (folder / "data").exists():
            shutil.move(folder / "data", kept / "data")
            (kept / "root").write_text(str(checkout.root))
        if (folder / "results.json").exists():
            shutil.move(folder / "results.json", kept / "results.json")


def _replace(path: str, *, old: str, new: str) -> str:
    return path.replace(old, new)


def _settings(checkout: Checkout, *, folder: Path) -> str:
    sources = "\n    ".join(str(checkout.root / source) for source in SOURCES)
    return _SETTINGS.format(folder=folder, root=checkout.root, sources=sources)


def read_results(data: Path) -> tuple[dict[str, float], list[str]]:
    """How long each test took, and the tests that failed."""
    seconds: dict[str, float] = {}
    failed: list[str] = []
    for path in sorted(data.glob("*/results.json")):
        results = json.loads(path.read_text())
        seconds |= results["seconds"]
        failed += results["failed"]
    return seconds, failed


def map_tests(data: Path) -> TestMap:
    """Which tests executed which lines, and how long each test took; without those that failed."""
    seconds, failed = read_results(data)
    lines: dict[str, dict[int, set[str]]] = {}
    for folder in _folders(data):
        root = (folder / "root").read_text()
        # The same as `CoverageData.contexts_by_lineno`, in a tenth of the time.
        with closing(sqlite3.connect(folder / "data")) as store:
            rows = store.execute(
                "SELECT DISTINCT file.path, context.context, arc.tono FROM arc "
                "JOIN file ON file.id = arc.file_id JOIN context ON context.id = arc.context_id "
                "WHERE arc.tono > 0 AND context.context != ''"
            )
            for path, test, line in rows:
                of_file = lines.setdefault(path.removeprefix(f"{root}/"), {})
                of_file.setdefault(line, set()).add(test)
    return TestMap(
        lines=lines,
        seconds={test: spent for test, spent in seconds.items() if test not in failed},
    )


def measure_modules(checkout: Checkout, data: Path) -> dict[str, Coverage]:
    """The statements and branches of each module, and how many of them tests execute."""
    combined = data / "combined"
    combined.unlink(missing_ok=True)
    total = CoverageData(basename=str(combined))
    for folder in _folders(data):
        root = (folder / "root").read_text()
        read = CoverageData(basename=str(folder / "data"))
        read.read()
        total.update(read, map_path=partial(_replace, old=root, new=str(checkout.root)))
        read.close()
    total.write()
    total.close()
    settings = checkout.root / "coveragerc"
    settings.write_text(_settings(checkout, folder=data))
    reader = coverage.Coverage(data_file=str(combined), config_file=str(settings), messages=False)
    reader.load()
    written = data / "coverage.json"
    reader.json_report(outfile=str(written))
    found = {}
    for path, file in json.loads(written.read_text())["files"].items():
        summary = file["summary"]
        name = Path(path).as_posix().removeprefix(f"{checkout.root.as_posix()}/")
        found[name] = Coverage(
            parts=summary["num_statements"] + summary["num_branches"],
            executed=summary["covered_lines"] + summary["covered_branches"],
        )
    return dict(sorted(found.items()))


def _folders(data: Path) -> list[Path]:
    return sorted(path.parent for path in data.glob("*/data"))
