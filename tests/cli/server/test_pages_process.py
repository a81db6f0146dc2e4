"""The pages beside a server: started again when they end, in no haste."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

import pytest

from mazzo_server.cli.server.pages_process import serve_pages_beside
from mazzo_server.errors import PlatformError

ENDING = """\
import sys
with open(sys.argv[1], "a") as file:
    print(*sys.argv[2:], file=file)
print("Open http://127.0.0.1:4321/ in a browser", flush=True)
sys.exit(3)
"""


@pytest.mark.parametrize(
    ("proof", "expected"), [(60.0, [0.01, 0.02, 0.04, 0.04]), (0.0, [0.01] * 4)]
)
def test_pages_that_end_are_started_again_at_the_same_place_with_a_growing_wait(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, proof: float, expected: list[float]
) -> None:
    """Promise: pages that cannot live cost a start a minute; those that can are soon back."""
    starts = tmp_path / "starts"

    async def work() -> None:
        async with asyncio.timeout(30):
            async with serve_pages_beside(
                ["localhost:1", "unix:/x"],
                "0",
                program=(sys.executable, "-c", ENDING, str(starts)),
                pause=0.01,
                longest_pause=0.04,
                proof=proof,
            ) as address:
                assert address == "http://127.0.0.1:4321/"
                while len(caplog.records) < 4:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)

    with caplog.at_level(logging.WARNING):
        asyncio.run(work())
    told = [(record.action, record.status) for record in caplog.records]  # type: ignore[attr-defined]
    assert set(told) == {("pages-lost", 3)}
    pauses = [record.pause_seconds for record in caplog.records]  # type: ignore[attr-defined]
    assert pauses[:4] == expected
    begun = starts.read_text().splitlines()
    assert begun[0] == "web --server unix:/x --listen 127.0.0.1:0"
    assert set(begun[1:]) == {"web --server unix:/x --listen 127.0.0.1:4321"}


def test_pages_that_never_begin_end_the_start_of_the_server() -> None:
    async def work() -> None:
        program = (sys.executable, "-c", "print('no')")
        async with asyncio.timeout(30), serve_pages_beside(["unix:/x"], "0", program=program):
            raise AssertionError

    with pytest.raises(PlatformError, match="cannot be served"):
        asyncio.run(work())
