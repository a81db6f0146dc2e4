"""Audits take one core behind all others, not the process that plays."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from bench.simulated import Field, definition, play
from mazzo_server.errors import PlatformError
from mazzo_server.pairing import list_groups, make_pairing
from mazzo_server.results.standings import Fold, audit_process
from mazzo_server.results.standings.audit import make_audit
from mazzo_server.results.standings.audit_process import compute_audit

FIELD = Field(skills=(5.0, 3.0, 1.0, 0.0, -2.0, -4.0), seed=1)
TOURNAMENT = definition(FIELD, groups=12)


@pytest.fixture(scope="module")
def fold() -> Fold:
    made = Fold(TOURNAMENT, FIELD.sides)
    for group in list_groups(make_pairing(TOURNAMENT)):
        made.add(group, play(FIELD, group))
    return made


def test_it_finds_what_is_found_in_this_process(fold: Fold) -> None:
    found = asyncio.run(compute_audit(TOURNAMENT, fold.tables))
    wanted = make_audit(TOURNAMENT, fold.tables)
    assert [(pair.name, pair.opponent) for pair in found.pairs] == [
        (pair.name, pair.opponent) for pair in wanted.pairs
    ]
    for one, other in zip(found.pairs, wanted.pairs, strict=True):
        assert one.lead.value == pytest.approx(other.lead.value)
        assert one.lead.p_value == pytest.approx(other.lead.p_value)


def test_one_that_takes_too_long_is_given_up(fold: Fold) -> None:
    """What nobody waits for any more does not run on."""
    before = count_children()
    with pytest.raises(PlatformError, match=r"^the audit of 6 entrants was not done in 0 s: "):
        asyncio.run(compute_audit(TOURNAMENT, fold.tables, patience=0.01))
    until = time.monotonic() + 5
    while count_children() > before and time.monotonic() < until:
        time.sleep(0.05)
    assert count_children() == before


def test_a_process_that_fails_is_a_failure_of_the_platform(
    fold: Fold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_process, "_PROGRAM", "raise SystemExit(3)")
    with pytest.raises(PlatformError, match=r"^the audit has failed: its process ended with 3$"):
        asyncio.run(compute_audit(TOURNAMENT, fold.tables))


def test_it_has_one_core_and_stands_behind_all_others(
    fold: Fold, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    program = (
        "import os; from mazzo_server.results.standings import audit_process as one; "
        "make = one.make_audit; "
        f"one.make_audit = lambda *given: (open({str(seen)!r}, 'w').write("
        "f\"{os.nice(0)} {os.environ['OPENBLAS_NUM_THREADS']}\"), make(*given))[1]; "
        "one.run_process()"
    )
    monkeypatch.setattr(audit_process, "_PROGRAM", program)
    asyncio.run(compute_audit(TOURNAMENT, fold.tables))
    assert seen.read_text() == "19 1"


def count_children() -> int:
    """The processes that run an audit now."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += b"import run_process; run_process()" in path.read_bytes()
        except OSError:
            continue
    return found
