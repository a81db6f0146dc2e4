"""Bar 3: `mazzo deal run` streams deal records in bounded memory, in order."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from support.command import SECONDS, Home, kill

SEED = "00" * 32


def record(deal: int = 0, **more: Any) -> str:
    """A deal record that holds no action."""
    value = {"format": "mazzo-deal/1", "game": "briscola", "players": 2, "dealer": 0}
    return json.dumps(value | {"seed": SEED, "deal": deal} | more)


def answers(out: str) -> list[dict[str, Any]]:
    """One JSON object a line."""
    return [json.loads(line) for line in out.splitlines()]


def test_records_come_out_in_order_and_blank_lines_do_not(home: Home, tmp_path: Path) -> None:
    lines = [record(deal) for deal in range(20)]
    data = ("\n \n" + "\n\r\n".join(lines)).encode()
    file = tmp_path / "deals.jsonl"
    file.write_bytes(data)
    from_file, from_pipe = home("deal", "run", file), home("deal", "run", data=data)
    assert from_file.out == from_pipe.out == home.inside("deal", "run", "-", data=data).out
    found = answers(from_file.out)
    assert len({json.dumps(answer["shuffles"]) for answer in found}) == len(lines)
    assert all(
        list(answer) == ["to_move", "legal", "over", "scores", "result", "shuffles"]
        for answer in found
    )
    assert answers(home.inside("deal", "run", data=lines[7].encode()).out) == found[7:8]
    assert not home.path.exists()


def test_trace_and_views(home: Home) -> None:
    legal = answers(home.inside("deal", "run", data=record().encode()).out)[0]["legal"]
    line = record(actions=legal[:1]).encode()
    plain = answers(home.inside("deal", "run", data=line).out)[0]
    full = answers(home.inside("deal", "run", "--trace", "--views", data=line).out)[0]
    assert full["steps"] == [{"seat": 1, "legal": legal, "action": legal[0]}]
    assert len(full["views"]) == 2
    assert {key: full[key] for key in plain} == plain


BAD = [
    (b"not json", "bad-record"),
    (b"[]", "bad-record"),
    (b"\xff\xfe{}", "bad-record"),
    (b"[" * 100_000, "bad-record"),
    (b'{"format": "mazzo-deal/1"}', "bad-record"),
    (record(seed="zz").encode(), "bad-record"),
    (record(players=5).encode(), "bad-record"),
    (record(players=True).encode(), "bad-record"),
    (record(deal=-1).encode(), "bad-record"),
    (record(actions=["nonsense"]).encode(), "illegal-action"),
    (b"1" * 5000, "bad-record"),
    (b'"' + b"x" * (3 * 1024 * 1024) + b'"', "bad-record"),
    (b"x" * (1024 * 1024), "bad-record"),
]


def test_bad_records_are_named_and_the_rest_goes_on(home: Home) -> None:
    good = record().encode()
    data = b"\n".join([line for bad, _ in BAD for line in (bad, good)])
    result = home("deal", "run", data=data, status=1)
    found = answers(result.out)
    assert [answer.get("error", {}).get("code") for answer in found] == [
        code for _, bad in BAD for code in (bad, None)
    ]
    assert len(result.out) < 100_000
    assert result.err == ""


def _peak(process: subprocess.Popen[bytes]) -> int:
    """The most memory that a process has held so far, in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(
        int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("options", [(), ("--trace", "--views")], ids=["plain", "full"])
def test_ten_thousand_records_stream_in_the_memory_of_a_thousand(
    home: Home, options: tuple[str, ...]
) -> None:
    legal = answers(home.inside("deal", "run", data=record().encode()).out)[0]["legal"]
    process = home.start("deal", "run", *options, stdin=subprocess.PIPE)
    patience = threading.Timer(SECONDS, process.kill)  # should an answer be held back
    patience.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        peaks = []
        for begin, end in ((0, 1000), (1000, 10_000 if options == () else 3000)):
            for deal in range(begin, end):
                # One answer for each record while the input is open: nothing is held back.
                process.stdin.write(record(deal, actions=legal[:1]).encode() + b"\n")
                process.stdin.flush()
                assert process.stdout.readline().endswith(b"}\n")
            peaks.append(_peak(process))
        assert peaks[1] - peaks[0] < 2 * 1024 * 1024
        # A line without an end is thrown away as it comes, beyond its first mebibyte.
        for _ in range(64):
            process.stdin.write(b"[" * 1024 * 1024)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert b"bad-record" in process.stdout.readline()
        assert _peak(process) - peaks[1] < 24 * 1024 * 1024
        process.stdin.close()
        assert process.wait(SECONDS) == 1
    finally:
        patience.cancel()
        process.stdin = None
        kill(process)


def test_a_reader_that_goes_away_is_no_error(home: Home) -> None:
    process = home.start("deal", "run", stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write((record() + "\n").encode() * 1000)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    assert process.stderr is not None
    with process.stderr as said:
        assert said.read() == b""
    assert process.wait(SECONDS) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_as_ctrl_c_does(home: Home, number: signal.Signals) -> None:
    """Where a command waits for its input, too."""
    process = home.start("deal", "run", stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(record().encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()  # by now it has begun
    result = kill(process, number)
    assert (result.status, result.err) == (130, "")


def test_what_is_to_survive_its_terminal_does(home: Home) -> None:
    """As under nohup: a signal that is ignored stays so."""
    ignored = "trap '' HUP; exec \"$@\""
    process = subprocess.Popen(
        ["sh", "-c", ignored, "sh", sys.executable, "-m", "mazzo_server", "deal", "run"],
        env=home.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for _ in range(2):
            process.stdin.write(record().encode() + b"\n")
            process.stdin.flush()
            assert answers(process.stdout.readline().decode())
            process.send_signal(signal.SIGHUP)
        process.stdin.close()
        assert process.wait(timeout=SECONDS) == 0
    finally:
        process.stdin = None
        kill(process)
