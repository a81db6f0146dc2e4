"""Calling the kernel for what no bot needs: rights, namespaces, mounts, clocks, modules."""

from __future__ import annotations

import os
import sys
from ast import literal_eval

import pytest

from attacks.battle import Battlefield, denied

pytestmark = pytest.mark.alone


def test_the_kernel_refuses_what_no_bot_needs(field: Battlefield) -> None:
    """Each call is refused for what it is, not for its arguments, and no right is gained."""
    python = [sys.base_prefix, os.path.realpath(sys.base_prefix)]
    battle = field.fight("kernel", python=python)
    assert battle.terminations == set()
    report = dict(battle.report)
    assert int(report.pop("setuid programs tried")) >= 0
    assert report.pop("setuid programs that gave rights") == "[]"
    assert set(literal_eval(report.pop("rights"))) == {0}
    assert report.pop("no new rights") == "1"
    assert 0 not in literal_eval(report.pop("identities"))
    assert len(report) > 60
    # There is no such user in the namespace, and no such device. ENOSPC: of namespaces.
    others = {name: ["EINVAL"] for name in ("setuid", "setgid", "setresuid")}
    others["any processor's counter"] = ["ENOENT"]
    wrong = {
        name: outcome
        for name, outcome in report.items()
        if not denied(outcome, "ENOSPC", *others.get(name, []))
    }
    assert wrong == {}
