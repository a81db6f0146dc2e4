"""Measures the coverage of processes that tests start; copied into a throw-away environment.

A `.pth` file imports it in every process. Where no test is running, or where the folder of the
data cannot be reached, as in a sandbox, it does nothing.
"""

from __future__ import annotations

import os
from pathlib import Path


def follow(folder: Path) -> None:
    """Start to measure if a test is running."""
    try:
        context = (folder / "context").read_text()
    except OSError:
        return
    if not os.access(folder, os.W_OK):
        return
    import coverage

    measured = coverage.Coverage(
        config_file=str(folder / "coveragerc"), context=context, data_suffix=True, messages=False
    )
    measured._warn_no_data = False
    measured._warn_unimported_source = False
    measured._warn_preimported_source = False
    measured._auto_save = True
    measured.start()
