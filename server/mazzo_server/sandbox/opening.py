"""Opens the sandbox of an isolation."""

from __future__ import annotations

from collections.abc import Callable

from mazzo_server.sandbox.base import Sandbox
from mazzo_server.sandbox.containers import DockerSandbox
from mazzo_server.sandbox.namespaces import BubblewrapSandbox
from mazzo_server.sandbox.unconfined import UnconfinedSandbox
from mazzo_server.settings import Isolation

__all__ = ["open_sandbox"]

_SANDBOXES: dict[Isolation, Callable[[], Sandbox]] = {
    Isolation.BUBBLEWRAP: BubblewrapSandbox,
    Isolation.DOCKER: DockerSandbox,
    Isolation.NONE: UnconfinedSandbox,
}


def open_sandbox(isolation: Isolation) -> Sandbox:
    """Return the sandbox of an isolation, tried out on this machine.

    Raises IsolationError, which says what to do, when this machine cannot do it. Blocks for some
    milliseconds.
    """
    return _SANDBOXES[isolation]()
