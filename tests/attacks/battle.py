"""A small tournament in which one bot attacks, and what everybody else must not notice."""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attacks.grounds import Ground
from attacks.noting import NotedLife, NotedLives, read_notes
from mazzo_server.model.outcome import MatchOutcome, Owner
from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.sandbox import Limits, Sandbox
from mazzo_server.settings import list_usable_processors
from support.executors import Stage
from support.sandboxed_runs import alive
from support.scripted_tournaments import GOOD, Arena, Result, without_thinking_times

__all__ = ["ISOLATION", "Battle", "Battlefield", "denied"]

ISOLATION = os.environ.get("MAZZO_TEST_ISOLATION", "bubblewrap")
_FAIR = os.environ.get("MAZZO_TEST_CPU", "shared") == "fair"
_BOTS = Path(__file__).parent / "bots"
_ATTACKER = 2  # its number among the entrants
_REFUSALS = frozenset({"EPERM", "EACCES", "ENOSYS"})
# Where everybody may write on most machines, and what attackers leave would lie.
_COMMON = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/", str(Path.home()))


def denied(outcome: str, *others: str) -> bool:
    """Whether the kernel said no, or in one of `others`, its other words for it."""
    return outcome in _REFUSALS or outcome in others


@dataclass(frozen=True, slots=True, kw_only=True)
class Battle:
    """What an attacker told, and how the tournament went."""

    reports: list[dict[str, str]]
    """Of each of the attacker's instances in order: outcome by attempt."""
    logs: list[str]
    lives: list[NotedLife]  # of everybody's instances, in the order in which they began
    result: Result

    @property
    def report(self) -> dict[str, str]:
        """Of the only instance."""
        assert len(self.reports) == 1, self.logs
        return self.reports[0]

    @property
    def terminations(self) -> set[str]:
        """How the attacker forfeited, in whatever match; empty when it played on."""
        return {str(fault.termination) for match in self.result.outcomes for fault in match.faults}


@dataclass(slots=True)
class Battlefield:
    """Plays attacks out. Each battle asserts what holds for all of them."""

    arena: Arena
    ground: Ground
    isolation: str = ISOLATION
    secret: str = field(default_factory=lambda: f"secret-{os.getpid()}-{time.monotonic_ns()}")
    mark: str = field(default_factory=lambda: f"mark-{os.getpid()}-{time.monotonic_ns()}")
    cores: Cores | None = field(init=False)

    def __post_init__(self) -> None:
        self.cores = Cores(list_usable_processors()) if _FAIR and self.isolation != "none" else None
        self.arena = replace(self.arena, lives=NotedLives(self.isolation, self.ground.notes))

    def good(self) -> SandboxedSpec:
        """A bot that attacks nobody."""
        spec = self.arena.spec(GOOD)
        spec.bundle.chmod(0o755)
        return replace(spec, cores=self.cores, limits=self._limits(Limits()))

    def attacker(
        self, attack: str, *, limits: Limits | None = None, **planted: Any
    ) -> SandboxedSpec:
        """The bot of that name, which finds in its bundle what was planted for it."""
        spec = self.good()
        shutil.copytree(
            _BOTS,
            spec.bundle / "attacks" / "bots",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        plan = {"mark": self.mark, "secret": self.secret} | planted
        (spec.bundle / "plan.json").write_text(json.dumps(plan))
        return replace(
            spec,
            command=("python", "-m", f"attacks.bots.{attack}", self.mark),
            limits=self._limits(limits or Limits()),
        )

    def _limits(self, limits: Limits) -> Limits:
        return limits if self.cores is None else replace(limits, cores=1.0)

    def fight(
        self,
        attack: str,
        *,
        limits: Limits | None = None,
        options: dict[str, Any] | None = None,
        **planted: Any,
    ) -> Battle:
        """Two good bots and an attacker; the good ones, the host and the run are unharmed."""
        attacker = self.attacker(attack, limits=limits, **planted)
        return self.play([self.good(), self.good(), attacker], **(options or {}))

    def play(self, specs: list[SandboxedSpec], **options: Any) -> Battle:
        """The last one of three attacks."""
        for path in self.ground.notes.glob("*.jsonl"):
            path.unlink()
        unharmed = _host()
        result = Stage(arena=self.arena, open=self.ground.open).play(specs, **options)
        lives = read_notes(self.ground.notes)
        assert lives
        assert {life.process == os.getpid() for life in lives} == {self.ground.is_here}
        assert result.error is None
        assert result.finished
        assert set(result.withdrawals) <= {_ATTACKER}
        faults = [(match.entrants[f.seat], f) for match in result.outcomes for f in match.faults]
        assert all(
            entrant == _ATTACKER and fault.owner is Owner.BOT for entrant, fault in faults
        ), faults
        assert _of_others(without_thinking_times(result.outcomes)) == calm(**_of_play(options))
        assert alive(self.mark) == []
        assert _left_behind(self.mark) == []
        assert _groups_left(lives) == []
        assert _containers_left(lives, self.arena.lives.inner) == []
        assert _host() == unharmed
        logs = [life.log for life in lives if self.mark in life.command]
        reports = [_report(log) for log in logs]
        return Battle(reports=reports, logs=logs, lives=lives, result=result)


def _of_play(options: dict[str, Any]) -> dict[str, Any]:
    """What may change how good bots play."""
    return {
        name: value for name, value in options.items() if name in ("mirror", "groups", "variant")
    }


@functools.cache
def calm(**options: Any) -> list[MatchOutcome]:
    """What the good bots make of each other when nobody attacks."""
    folder = Path(tempfile.mkdtemp(prefix="m-"))
    try:
        arena = Arena(folder)
        result = arena.play([arena.spec(GOOD)] * 3, **options)
        return _of_others(without_thinking_times(result.outcomes))
    finally:
        shutil.rmtree(folder)


def _of_others(outcomes: list[MatchOutcome]) -> list[MatchOutcome]:
    return [outcome for outcome in outcomes if _ATTACKER not in outcome.entrants]


def _host() -> dict[str, object]:
    """What of the host an attack could change, and is the same afterwards."""
    return {
        "host name": os.uname().nodename,
        "boot clock": round(time.clock_gettime(time.CLOCK_REALTIME) - time.monotonic(), -1),
        "core pattern": Path("/proc/sys/kernel/core_pattern").read_text(),
        "user namespaces": Path("/proc/sys/user/max_user_namespaces").read_text(),
        "mounts": _mounts_on_tried_places(),
    }


def _mounts_on_tried_places() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [line.split()[4] for line in lines]
    return sorted(point for point in points if point in ("/bot", "/tmp", "/usr"))


def _left_behind(mark: str) -> list[str]:
    found = [os.path.join(folder, mark) for folder in _COMMON]
    return [path for path in found if os.path.lexists(path)]


def _groups_left(lives: list[NotedLife]) -> list[Path]:
    """Control groups of instances; a sandbox without any has none to leave."""
    folders = {Path(folder) for life in lives for folder in life.groups}
    there = [path for folder in folders if folder.exists() for path in folder.iterdir()]
    return [path for path in there if path.is_dir()]


def _containers_left(lives: list[NotedLife], sandbox: Sandbox) -> list[str]:
    """Containers of these platforms, whatever their state; only one sandbox makes any."""
    engine: Any = getattr(sandbox, "_engine", None)
    return [
        container["Id"]
        for owner in {life.owner for life in lives if life.owner and engine is not None}
        for container in engine._client.containers(
            all=True, filters={"label": f"mazzo.owner={owner}"}
        )
    ]


def _report(log: str) -> dict[str, str]:
    """The lines of attempts among whatever else was written."""
    outcomes = {}
    for line in log.splitlines():
        if line.startswith('{"attempt"'):
            said = json.loads(line)
            assert said["attempt"] not in outcomes, said
            outcomes[said["attempt"]] = said["outcome"]
    return outcomes
