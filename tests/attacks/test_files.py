"""Reading what is not one's own, and writing anywhere but in one's scratch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mazzo_server
from attacks.battle import ISOLATION, Battle, Battlefield, denied

pytestmark = pytest.mark.alone


@pytest.fixture
def secrets(field: Battlefield) -> Iterator[dict[str, str]]:
    """By name: files that everybody may read, with the secret in them, and the host's own."""
    variables = {"PATH": os.defpath, "TOKEN": field.secret}
    with (
        tempfile.NamedTemporaryFile(dir=Path.home(), prefix=".mazzo-") as home,
        tempfile.NamedTemporaryFile(dir="/var/tmp", prefix="mazzo-") as common,
        subprocess.Popen(["sleep", "600"], env=variables, cwd=field.arena.folder) as process,
    ):
        beside = field.arena.folder / field.secret
        store = field.arena.folder / "mazzo.db"
        other = field.arena.folder / "another-bot"
        other.mkdir()
        for place in (Path(home.name), Path(common.name), beside, store, other / "bot.py"):
            place.write_text(field.secret)
            place.chmod(0o644)
        package = Path(str(mazzo_server.__file__)).parent
        code = package / "tournaments" / "running" / "director.py"
        assert code.is_file()  # or the attack would miss it for another reason
        yield {
            "home": home.name,
            "common": common.name,
            "beside": str(beside),
            "store": str(store),
            "another bot": str(other / "bot.py"),
            "all bots": str(field.arena.folder),
            "variables": f"/proc/{process.pid}/environ",
            "folder": f"/proc/{process.pid}/cwd/{field.secret}",
            "platform's variables": f"/proc/{os.getpid()}/environ",
            "platform's memory": f"/proc/{os.getpid()}/maps",
            "platform's code": str(code),
            "shadow": "/etc/shadow",
            "root": "/root/.bash_history",
            "kernel's memory": "/proc/kcore",
        }
        process.kill()


def fight(field: Battlefield, secrets: dict[str, str], **planted: Any) -> Battle:
    return field.fight(
        "files",
        paths=secrets,
        folder=str(field.arena.folder),
        python=[sys.base_prefix, os.path.realpath(sys.base_prefix)],
        **planted,
    )


def test_nothing_is_read_or_written_but_its_own(
    field: Battlefield, secrets: dict[str, str]
) -> None:
    """Not the host's files, the store, another bot, another process; nothing but scratch."""
    battle = fight(field, secrets)
    assert battle.terminations == set()
    report = dict(battle.report)
    assert report.pop("the platform's package") == "None"
    assert report.pop("search for the secret") == "done: []"
    assert report.pop("search processes") == "done: []"
    assert set(literal_eval(report.pop("descriptors"))) <= {"device", "pipe"}
    reading = {name: report.pop(name) for name in list(report) if name.startswith("read ")}
    assert len(reading) == 5 * len(secrets)
    for name, outcome in reading.items():
        # ENOENT: it is not there. By permissions alone is enough where the file is an image's
        # own, as /etc/shadow may be.
        assert denied(outcome, "ENOENT", "ENOTDIR"), (name, outcome)
    assert len(report) > 30
    for name, outcome in report.items():
        # ENOTSUP: devices have no such marks.
        others = ["EROFS", "ENOENT", "ENOTDIR", "EBUSY", "ENOTSUP", "EOPNOTSUPP"]
        assert denied(outcome, *others), (name, outcome)
    assert list(field.arena.folder.glob("**/mark-*")) == []


def test_the_attack_on_files_is_a_real_one(field: Battlefield, secrets: dict[str, str]) -> None:
    """Without isolation it finds what was planted: its failing says something."""
    planted = ["home", "common", "beside", "store", "another bot", "variables", "folder"]
    only = [*(f"read {name}" for name in planted), "search processes"]
    report = fight(replace(field, isolation="none"), secrets, only=only).report
    assert all(field.secret in report[name] for name in only[:-1])
    assert "environ" in report["search processes"]


@pytest.mark.parametrize("isolation", [ISOLATION, "none"])
def test_what_it_leaves_in_its_scratch_is_cleared_away(field: Battlefield, isolation: str) -> None:
    """Links out of it are not followed, however deep it is, with whatever names and rights."""
    outside = field.arena.folder / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").write_text("kept")
    before = (outside / "kept").stat().st_mode, outside.stat().st_mode
    battle = replace(field, isolation=isolation).fight("tangle", outside=str(outside), deep=2000)
    assert battle.terminations == set()
    assert battle.report == {"tangle": "left"}
    assert (outside / "kept").read_text() == "kept"
    assert ((outside / "kept").stat().st_mode, outside.stat().st_mode) == before
