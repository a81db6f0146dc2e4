"""From the name of an isolation to the sandbox."""

from __future__ import annotations

from collections.abc import Callable

from mazzo_server.errors import InvalidInputError
from mazzo_server.sandbox.base import Sandbox
from mazzo_server.sandbox.bubblewrap import BubblewrapSandbox
from mazzo_server.sandbox.containers import DockerSandbox
from mazzo_server.sandbox.unconfined import UnconfinedSandbox

__all__ = ["open_sandbox"]

_SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": BubblewrapSandbox,
    "docker": DockerSandbox,
    "none": UnconfinedSandbox,
}


def open_sandbox(name: str) -> Sandbox:
    """Return the way of running bots that goes by `name`, tried out on this machine.

    Raises InvalidInputError for an unknown name, and IsolationError, which says what to do,
    when this machine cannot do it. Blocks for some milliseconds.
    """
    if name not in _SANDBOXES:
        ways = ", ".join(sorted(_SANDBOXES))
        raise InvalidInputError(f"expected an isolation among {ways}, got {name!r}")
    return _SANDBOXES[name]()
