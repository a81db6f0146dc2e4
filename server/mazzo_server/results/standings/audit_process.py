"""Audits a tournament in a process of its own.

That of many entrants takes a minute of all cores. Here it takes one core, and that behind all
others: those who play and those who look at standings do not wait for it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from contextlib import suppress
from typing import Final

from mazzo_server.errors import PlatformError
from mazzo_server.model import Definition
from mazzo_server.results.standings.audit import Audit, make_audit
from mazzo_server.stats import Tables

__all__ = ["compute_audit"]

_PROGRAM: Final = f"from {__name__} import run_process; run_process()"
_PATIENCE: Final = 600.0  # seconds; forty entrants take one and a half minutes
_ONE_CORE: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_LAST: Final = 19  # the least that a process may have of what others want, too


async def compute_audit(
    definition: Definition, tables: Tables, *, patience: float = _PATIENCE
) -> Audit:
    """Return what `make_audit` returns; raise `PlatformError` if that takes too long, or fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", _PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **_ONE_CORE},
    )
    try:
        async with asyncio.timeout(patience):
            answer, _ = await process.communicate(pickle.dumps((definition, dict(tables))))
    except TimeoutError:
        raise PlatformError(
            f"the audit of {len(definition.entrants)} entrants was not done in {patience:.0f} s: "
            "audit a tournament of fewer"
        ) from None
    finally:
        if process.returncode is None:  # nobody waits for it any more
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # which also closes the pipes
    if process.returncode:
        raise PlatformError(f"the audit has failed: its process ended with {process.returncode}")
    audit = pickle.loads(answer)  # noqa: S301 (our own process)
    assert isinstance(audit, Audit)
    return audit


def run_process() -> None:
    """Audit what comes on standard input, and write what was found to standard output."""
    os.nice(_LAST)
    definition, tables = pickle.load(sys.stdin.buffer)  # noqa: S301 (our own process)
    sys.stdout.buffer.write(pickle.dumps(make_audit(definition, tables)))
