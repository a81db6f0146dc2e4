"""Play scenarios, and compare them with what was recorded, or record them."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from goldens.files import RECORDED, difference, json_of, lay_out, text_of
from goldens.scenarios import SCENARIOS
from goldens.session import Step


def main() -> int:
    """The exit status: 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m goldens")
    parser.add_argument("names", nargs="*", help="beginnings of the names of scenarios")
    parser.add_argument("--record", action="store_true", help="write JSON and text")
    parser.add_argument("--record-text", action="store_true", help="write only the text")
    parser.add_argument("--long", action=argparse.BooleanOptionalAction, help="only these")
    chosen = parser.parse_args()
    differing = []
    for name, scenario in SCENARIOS.items():
        if chosen.names and not name.startswith(tuple(chosen.names)):
            continue
        if chosen.long is not None and chosen.long != scenario.long:
            continue
        begin, used = time.monotonic(), _processor_seconds()
        with tempfile.TemporaryDirectory(prefix="golden-") as folder:
            try:
                steps = scenario.steps(Path(folder).resolve())
            except AssertionError as error:
                differing.append(name)
                print(f"{name}: failed: {error}", flush=True)
                continue
        took = f"{time.monotonic() - begin:.1f} s, {_processor_seconds() - used:.1f} s of CPU"
        writes = chosen.record or chosen.record_text
        if writes and not scenario.golden:
            _record(name, steps, with_json=chosen.record)
            print(f"{name}: recorded, {took}", flush=True)
            continue
        found = differences(scenario.golden or name, steps)
        print(f"{name}: {'DIFFERS' if found else 'the same'}, {took}", flush=True)
        if found:
            differing.append(name)
            print(found)
    return 1 if differing else 0


def _record(name: str, steps: list[Step], *, with_json: bool) -> None:
    RECORDED.mkdir(exist_ok=True)
    if with_json:
        (RECORDED / f"{name}.json").write_text(lay_out(json_of(steps)) + "\n")
    place = RECORDED / f"{name}.txt"
    if text := text_of(steps):
        place.write_text(text)
    else:
        place.unlink(missing_ok=True)


def differences(name: str, steps: list[Step]) -> str:
    """How a scenario differs from what was recorded under that name, to the last digit."""
    recorded = lay_out(json.loads((RECORDED / f"{name}.json").read_text()))
    found = difference(recorded, lay_out(json_of(steps)), f"{name}.json")
    place = RECORDED / f"{name}.txt"
    text = place.read_text() if place.exists() else ""
    return "\n".join(filter(None, (found, difference(text, text_of(steps), f"{name}.txt"))))


def _processor_seconds() -> float:
    import resource

    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    sys.exit(main())
