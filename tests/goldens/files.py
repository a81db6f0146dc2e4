"""The files of goldens: readable JSON, and transcripts of what people are told."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from goldens.session import Step

__all__ = ["RECORDED", "difference", "json_of", "lay_out", "recorded_steps", "rounded", "text_of"]

RECORDED = Path(__file__).parent / "recorded"
_WIDTH = 100  # characters of a value that stands on one line
_MOST_SHOWN = 80  # lines of a difference
# The last digits of a float depend on the release of Python, NumPy and SciPy and on the processor.
_DIGITS = 12


def recorded_steps(name: str) -> list[dict[str, Any]]:
    """What was recorded of a scenario, for scripts."""
    found: list[dict[str, Any]] = json.loads((RECORDED / f"{name}.json").read_text())
    return found


def json_of(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """What is kept in the JSON file of a scenario."""
    return [step.to_json() for step in steps]


def text_of(steps: Iterable[Step]) -> str:
    """What is kept in its text file."""
    return "".join(step.to_text() for step in steps)


def lay_out(value: Any, indent: int = 0) -> str:
    """JSON in which short values take one line; keys stand in the order in which they came."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= _WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    inner, outer = " " * (indent + 1), " " * indent
    if isinstance(value, dict):
        items = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {lay_out(item, indent + 1)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(items) + f"\n{outer}}}"
    if not any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + _filled(value, inner) + f"\n{outer}]"
    items = [f"{inner}{lay_out(item, indent + 1)}" for item in value]
    return "[\n" + ",\n".join(items) + f"\n{outer}]"


def _filled(values: Sequence[Any], inner: str) -> str:
    """Scalars, as many on a line as there is room for."""
    lines = [inner]
    for index, value in enumerate(values):
        word = json.dumps(value, ensure_ascii=False) + ("," if index + 1 < len(values) else "")
        if len(lines[-1]) + len(word) > _WIDTH and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(inner)
        lines[-1] += word + " "
    lines[-1] = lines[-1].rstrip()
    return "\n".join(lines)


def rounded(value: Any) -> Any:
    """A JSON value with floats to twelve digits, which are the same on every machine."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def difference(recorded: str, found: str, name: str) -> str:
    """What differs, line by line and not too long; "" where nothing does."""
    if recorded == found:
        return ""
    lines = list(
        difflib.unified_diff(
            recorded.splitlines(),
            found.splitlines(),
            f"recorded/{name}",
            "found",
            lineterm="",
            n=4,
        )
    )
    shown = [line[:240] for line in lines[:_MOST_SHOWN]]
    if len(lines) > _MOST_SHOWN:
        shown.append(f"… and {len(lines) - _MOST_SHOWN} lines more")
    return "\n".join(shown)
