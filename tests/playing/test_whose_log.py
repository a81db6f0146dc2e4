"""A log belongs to the life of one instance; a forfeit shows what was written since its decision.

Authors mend what a log shows. A traceback beside the wrong forfeit sends them to the wrong place.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from mazzo_server.model import Mirror, TimeControl
from mazzo_server.sandbox.capture import Capture
from mazzo_server.storage import MemoryStore, Store
from support.scripted_tournaments import GOOD, Arena, sdk
from support.stored_rows import text_of

_SAY = """
def say(text):
    os.write(2, text.encode())


def is_first(path):
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
"""


def forfeits(arena: Arena, act: str, *, groups: int, limit: float = 60.0) -> list[tuple[str, str]]:
    """How a bot forfeits matches that it plays one after another, and the log of each forfeit."""
    time = TimeControl(bank=600.0, increment=0.0, limit=limit)
    result = arena.play(
        [arena.spec(GOOD), arena.spec(sdk(act, start=_SAY))],
        concurrency=1,
        groups=groups,
        time=time,
    )
    return [
        (str(fault.termination), text_of(fault))
        for match in result.outcomes
        for fault in match.faults
    ]


def test_a_traceback_is_not_shown_with_the_forfeit_of_another_match(arena: Arena) -> None:
    """The instance that came after a crash writes nothing, and is late for the third time."""
    act = f"""
    if is_first({str(arena.folder / "flag")!r}):
        say("Traceback: the first match")
        os._exit(7)
    time.sleep(2)
    """
    assert forfeits(arena, act, groups=2, limit=0.5) == [
        ("crashed", "Traceback: the first match"),
        ("out-of-time", ""),
    ]


def test_a_forfeit_shows_what_was_written_since_its_decision(arena: Arena) -> None:
    """Not of the decisions before, whose answers are read before the pipe is."""
    act = """
    say(f"decision {view.number}\\n")
    if view.number == 3:
        return 77
    """
    ((termination, log),) = forfeits(arena, act, groups=1)
    assert termination == "crashed"
    assert log.startswith("decision 3\n")
    assert "decision 2" not in log


def test_a_log_names_the_matches_that_were_open_and_the_life(arena: Arena) -> None:
    """An instance with many matches writes of all of them."""
    act = """
    if view.number == 2:
        say("before it crashes")
        os._exit(7)
    """
    result = arena.play(
        [arena.spec(GOOD), arena.spec(sdk(act, start=_SAY), capacity=8)],
        mirror=Mirror.OFF,
        groups=4,
    )
    logs = [fault.log for match in result.outcomes for fault in match.faults]
    assert len(logs) == 4
    for match, log in zip(result.outcomes, logs, strict=True):
        assert log is not None
        assert log.text == "before it crashes"
        assert (match.group, match.seating) in log.matches
        assert 0 < log.begin_time <= log.end_time


def test_a_withdrawal_shows_the_last_instance_alone(arena: Arena) -> None:
    """What it wrote in matches that it played before is another life."""
    path = str(arena.folder / "flag")
    start = (
        _SAY
        + f"""
if not is_first({path!r}):
    say("cannot start")
    sys.exit(1)
"""
    )
    crash = sdk('say("of the match"); os._exit(7)', start=start)
    store: Store = MemoryStore()
    result = arena.play([arena.spec(GOOD), arena.spec(crash)], store=store, groups=3)
    assert set(result.withdrawals) == {1}
    (row,) = store.withdrawals(1)
    assert row.log is not None
    assert (row.log.text, row.log.matches) == ("cannot start", ())


def test_what_waits_in_the_pipe_belongs_to_what_came_before(tmp_path: Path) -> None:
    """The loop may read an answer before what its bot wrote earlier: nothing has been read yet."""

    async def main() -> None:
        capture, end = await Capture.open(100)
        os.write(end, b"of the first decision")
        mark = capture.size
        os.write(end, b"of the second")
        assert mark == len(b"of the first decision")
        assert capture.read(mark) == "of the second"
        assert capture.read() == "of the first decisionof the second"
        await asyncio.sleep(0)
        assert capture.size == mark + len(b"of the second")  # nothing counts twice
        os.write(end, b"x" * 500)
        assert capture.read(mark) == "x" * 100
        assert capture.read(capture.size) == ""
        os.close(end)
        await capture.finish(seconds=60)
        assert capture.read() == "x" * 100

    asyncio.run(main())
