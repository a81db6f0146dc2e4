"""Measure how well the tests guard the code, and compare with the baseline.

    python -m bench.mutants run          # run the tests of each mutant
    python -m bench.mutants count        # count the tests
    python -m bench.mutants cover        # measure branch coverage: an hour on one core
    python -m bench.mutants --renames TABLE.json    # after a rename: rewrite the list

Each ends with status 1 where a figure fell below the baseline. All work in a throw-away copy
of the checkout, on one core.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.mutants.anchors import Anchors
from bench.mutants.checkout import Checkout, copy_checkout
from bench.mutants.choose import choose_mutants
from bench.mutants.cover import cover, map_tests, measure_modules, read_results
from bench.mutants.kill import LIMIT, Outcome, start_runner
from bench.mutants.mutant import Mutant, read_mutants, write_mutants
from bench.mutants.renames import read_table, rename_all

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent
_COUNT = 200
_ALL_LIMIT = 1200.0  # seconds in which all tests that killed a mutant may pass without it
_BASELINE = _HERE / "baseline.json"
# In these a clock matters, or they need what a copy of the checkout lacks.
_NOT_COVERED = "not prove and not alone"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status is 1 where a figure fell."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the copy is deleted
    if options.renames is not None:
        return _rename(options)
    if options.what == "count":
        return _count(options)
    with copy_checkout(options.checkout, python=options.python) as checkout:
        if options.what == "cover":
            return _cover(options, checkout)
        if options.what == "choose":
            return _choose(options, checkout)
        return _run(options, checkout)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "what", nargs="?", default="run", choices=["run", "count", "cover", "choose"]
    )
    parser.add_argument("--renames", type=Path, help="a JSON object of old and new names")
    parser.add_argument("--list", type=Path, default=_HERE / "mutants.jsonl", help="the mutants")
    parser.add_argument("--checkout", type=Path, default=_ROOT, help="the code to measure")
    parser.add_argument("--python", type=Path, help="of the environment of that code")
    parser.add_argument(
        "--only", nargs="+", metavar="TEXT", help="mutants by id or part of the path"
    )
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help="seconds of tests a mutant, on an idle machine"
    )
    parser.add_argument(
        "--log", type=Path, help="a file for a line of JSON a mutant; goes on there"
    )
    parser.add_argument("--find", action="store_true", help="only say which mutants are found")
    parser.add_argument("--anchor", action="store_true", help="write where mutants were found")
    parser.add_argument(
        "--baseline", action="store_true", help="write what was measured as baseline"
    )
    parser.add_argument("--data", type=Path, help="a folder for data of coverage; goes on there")
    parser.add_argument("--tests", nargs="+", help="to measure; by default those of the baseline")
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="TEXT", help="of test files")
    return parser


def _rename(options: argparse.Namespace) -> int:
    table = read_table(options.renames)
    mutants = [Mutant.from_json(rename_all(m.to_json(), table)) for m in read_mutants(options.list)]
    write_mutants(options.list, mutants)
    if _BASELINE.exists():
        _write(_BASELINE, rename_all(json.loads(_BASELINE.read_text()), table))
    return 0


def _choose(options: argparse.Namespace, checkout: Checkout) -> int:
    """Choose the mutants anew, by the data of `cover`."""
    write_mutants(options.list, choose_mutants(checkout, map_tests(options.data), count=_COUNT))
    return 0


def _count(options: argparse.Namespace) -> int:
    """Count the tests of each file, those of `make prove` with them."""
    python = options.python or Path(sys.executable)
    ran = subprocess.run(
        [python, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=options.checkout,
        capture_output=True,
        text=True,
    )
    if ran.returncode:
        print(ran.stdout, ran.stderr, sep="\n", file=sys.stderr)
        return ran.returncode
    lines = [line.partition("::")[0] for line in ran.stdout.splitlines() if "::" in line]
    found = dict(sorted(Counter(lines).items()))
    return _compare(options, "tests", found, sum(found.values()))


def _cover(options: argparse.Namespace, checkout: Checkout) -> int:
    """Measure the branch coverage of each module."""
    data = (options.data or Path(tempfile.mkdtemp(prefix="mutants-data-"))).resolve()
    print(f"data: {data}")
    there = checkout.list_tests()
    wanted = options.tests or _read_baseline().get("coverage", {}).get("tests") or there
    for test in sorted(set(wanted).difference(there)):
        print(f"test file not found: {test}")
    tests = [
        test
        for test in wanted
        if test in there and not any(text in test for text in options.leave_out)
    ]
    cover(checkout, tests, data=data, marks=_NOT_COVERED)
    _, failed = read_results(data)
    for test in failed:
        print(f"failed: {test}")
    modules = measure_modules(checkout, data)
    parts = sum(module.parts for module in modules.values())
    executed = sum(module.executed for module in modules.values())
    found = {path: module.percent for path, module in modules.items()}
    total = round(100 * executed / parts, 2)
    return _compare(options, "coverage", found, total, facts={"tests": tests})


def _read_baseline() -> dict[str, Any]:
    return json.loads(_BASELINE.read_text()) if _BASELINE.exists() else {}


def _compare(
    options: argparse.Namespace,
    name: str,
    found: dict[str, Any],
    total: float,
    *,
    facts: dict[str, Any] | None = None,
) -> int:
    """Print figures and what fell, or write them as baseline."""
    baseline = _read_baseline()
    before = baseline.get(name, {"total": 0, "by_file": {}})
    for path, figure in found.items():
        was = before["by_file"].get(path)
        sign = "" if was == figure else f"  (baseline: {'-' if was is None else was})"
        print(f"{figure:8}  {path}{sign}")
    for path in before["by_file"].keys() - found.keys():
        print(f"{'-':>8}  {path}  (baseline: {before['by_file'][path]})")
    print(f"{total:8}  in total  (baseline: {before['total']})")
    if options.baseline:
        _write(_BASELINE, baseline | {name: {"total": total, "by_file": found, **(facts or {})}})
    return int(total < before["total"] and not options.baseline)


def _run(options: argparse.Namespace, checkout: Checkout) -> int:
    """Find the mutants and run their tests."""
    listed = read_mutants(options.list)
    mutants = [mutant for mutant in listed if _is_wanted(mutant, options.only)]
    anchors = Anchors(checkout)
    found = {mutant.id: anchors.find(mutant) for mutant in mutants}
    for mutant in mutants:
        anchor = found[mutant.id]
        if anchor is None:
            print(f"{mutant.id} not found: {mutant.file} {mutant.function}: {mutant.before}")
        elif anchor.how:
            now = anchor.mutant
            print(f"{mutant.id} {anchor.how}: {now.file} {now.function}: {now.before}")
    if options.anchor:
        rewritten = {
            mutant.id: replace(anchor.mutant, tests=tuple(anchors.resolve_tests(mutant)[0]))
            for mutant in mutants
            if (anchor := found[mutant.id]) is not None
        }
        write_mutants(options.list, (rewritten.get(mutant.id, mutant) for mutant in listed))
    lost = sum(anchor is None for anchor in found.values())
    print(f"{len(mutants) - lost} of {len(mutants)} mutants found", flush=True)
    if options.find or options.anchor:
        return int(lost > 0)
    return _judge(options, mutants, _try_all(options, checkout, mutants, anchors))


def _try_all(
    options: argparse.Namespace,
    checkout: Checkout,
    mutants: Sequence[Mutant],
    anchors: Anchors,
) -> dict[str, Outcome]:
    """Run the tests of each mutant, then once more, on the code as it is, those that killed."""
    logged = _read_log(options.log)
    done = {mutant.id: logged[mutant.id] for mutant in mutants if mutant.id in logged}
    with start_runner(checkout, limit=options.limit) as runner:
        for mutant in mutants:
            anchor = anchors.find(mutant)
            if anchor is None or mutant.id in done:
                continue
            tests, gone = anchors.resolve_tests(mutant)
            for test in gone:
                print(f"{mutant.id} test not found: {test}")
            outcome = runner.try_mutant(anchor, tests) if tests else _UNTESTED
            done[mutant.id] = outcome
            _print(mutant, outcome)
            if options.log:
                with options.log.open("a") as log:
                    log.write(json.dumps({"id": mutant.id, **_json(outcome)}) + "\n")
        killers = sorted({outcome.how for outcome in done.values() if ".py" in outcome.how})
        failing = set(runner.list_failing(killers, limit=_ALL_LIMIT)) if killers else set()
    for mutant in mutants:
        if mutant.id in done and done[mutant.id].how in failing:
            print(f"{mutant.id} unsure: {done[mutant.id].how} fails without the change as well")
            done[mutant.id] = replace(done[mutant.id], killed=False)
    return done


_UNTESTED = Outcome(killed=False, how="no tests", seconds=0.0)


def _is_wanted(mutant: Mutant, only: Sequence[str] | None) -> bool:
    """Whether a mutant is named by its id, its module, or a folder around that."""
    path = Path(mutant.file)
    names = {mutant.id, path.as_posix(), *(folder.as_posix() for folder in path.parents)}
    return only is None or not names.isdisjoint(only)


def _print(mutant: Mutant, outcome: Outcome) -> None:
    state = f"killed by {outcome.how}" if outcome.killed else f"SURVIVED {outcome.how}"
    print(f"{mutant.id} {outcome.seconds:5.1f} s  {mutant.file}  {state}", flush=True)


def _json(outcome: Outcome) -> dict[str, object]:
    return {"killed": outcome.killed, "how": outcome.how, "seconds": round(outcome.seconds, 1)}


def _read_log(path: Path | None) -> dict[str, Outcome]:
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row.pop("id"): Outcome(**row) for row in rows}


def _judge(options: argparse.Namespace, mutants: Sequence[Mutant], done: dict[str, Outcome]) -> int:
    """Print the kills by folder, and the mutants that were killed once and live now."""
    figures = _kills(mutants, done)
    for folder, figure in figures.items():
        print(f"{figure['killed']:4} of {figure['mutants']:3}  {folder}")
    fallen = [m for m in mutants if m.killed and not (m.id in done and done[m.id].killed)]
    for mutant in mutants:
        if mutant.id in done and not done[mutant.id].killed:
            print(
                f"{mutant.id} survived{' and did not before' if mutant.killed else ''}: "
                f"{mutant.file} {mutant.function}: {mutant.before!r} -> {mutant.after!r}"
            )
    killed = sum(outcome.killed for outcome in done.values())
    print(f"{killed} killed of {len(mutants)}; {len(fallen)} were killed at the baseline, not now")
    if options.baseline:
        kills = {m.id: done[m.id].killed for m in mutants if m.id in done}
        write_mutants(
            options.list,
            (replace(m, killed=kills.get(m.id, m.killed)) for m in read_mutants(options.list)),
        )
        baseline = _read_baseline()
        timed = sorted(mutant for mutant, outcome in done.items() if outcome.how == "time-out")
        by_file = _kills(mutants, done, by_file=True)
        _write(
            _BASELINE,
            baseline
            | {
                "kills": {
                    "killed": killed,
                    "mutants": len(mutants),
                    "time_outs": timed,
                    "by_file": {
                        path: f"{n['killed']}/{n['mutants']}" for path, n in by_file.items()
                    },
                }
            },
        )
        return 0
    return int(bool(fallen))


def _kills(
    mutants: Sequence[Mutant], done: dict[str, Outcome], *, by_file: bool = False
) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for mutant in mutants:
        name = mutant.file if by_file else str(Path(mutant.file).parent)
        figure = found.setdefault(name, {"killed": 0, "mutants": 0})
        figure["mutants"] += 1
        figure["killed"] += mutant.id in done and done[mutant.id].killed
    return dict(sorted(found.items()))


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
