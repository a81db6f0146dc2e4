"""Trying something that should not work, and telling what came of it."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mazzo import Action, Bot, View, run

__all__ = ["PLAN", "apart", "attempt", "is_planned", "outcome_of", "play", "say"]

PLAN: dict[str, Any] = json.loads(Path("plan.json").read_text())
"""What the test planted for the bot to find: the mark of the battle, paths, ports."""


def say(name: str, outcome: str) -> None:
    """One line, whole, whatever else is written at the same time."""
    os.write(1, (json.dumps({"attempt": name, "outcome": outcome}) + "\n").encode())


def attempt(name: str, action: Callable[[], object]) -> None:
    """Try, and say "done" with what it gave, or the name of the error.

    Where the plan names `only` some attempts, the others are left out.
    """
    if is_planned(name):
        say(name, outcome_of(action))


def apart(name: str, action: Callable[[], object]) -> None:
    """Try it in a process of its own, which it may change, or be killed for."""
    if not is_planned(name):
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, outcome_of(action).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        outcome = told.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        outcome = signal.Signals(os.WTERMSIG(status)).name
    say(name, outcome)


def is_planned(name: str) -> bool:
    """Whether the plan does not leave an attempt out."""
    return name in PLAN.get("only", (name,))


def outcome_of(action: Callable[[], object]) -> str:
    try:
        return f"done: {action()!r}"
    except OSError as error:
        if error.errno is None:
            return type(error).__name__
        return errno.errorcode.get(error.errno, type(error).__name__)
    except Exception as error:
        return type(error).__name__


def play(attack: Callable[[], object] = lambda: None) -> None:
    """Play like the good bots, with an attack before the first decision is answered."""

    class Attacker(Bot):
        attacked = False

        def act(self, view: View) -> Action:
            if not Attacker.attacked:
                Attacker.attacked = True
                attack()
            return view.random.choice(view.legal)

    run(Attacker)
