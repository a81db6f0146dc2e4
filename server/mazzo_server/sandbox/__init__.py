"""Ways of running bots that were submitted by strangers, or that one trusts."""

from __future__ import annotations

from collections.abc import Callable

from mazzo_server.errors import InvalidInputError
from mazzo_server.sandbox.base import Exit, Launch, Limits, Sandbox, SandboxedProcess
from mazzo_server.sandbox.bubblewrap import BubblewrapSandbox
from mazzo_server.sandbox.docker import DockerSandbox
from mazzo_server.sandbox.protections import (
    PROTECTIONS,
    check_required,
    examine,
    required_names,
)
from mazzo_server.sandbox.unconfined import UnconfinedSandbox

__all__ = [
    "PROTECTIONS",
    "Exit",
    "Launch",
    "Limits",
    "Sandbox",
    "SandboxedProcess",
    "check_required",
    "examine",
    "open_sandbox",
    "required_names",
]

_SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": BubblewrapSandbox,
    "docker": DockerSandbox,
    "none": UnconfinedSandbox,
}


def open_sandbox(name: str) -> Sandbox:
    """The way of running bots that goes by `name`, tried out on this machine.

    Raises InvalidInputError for an unknown name, and IsolationError, which says what to do,
    when this machine cannot do it. Blocks for some milliseconds.
    """
    if name not in _SANDBOXES:
        ways = ", ".join(sorted(_SANDBOXES))
        raise InvalidInputError(f"expected an isolation among {ways}, got {name!r}")
    return _SANDBOXES[name]()
