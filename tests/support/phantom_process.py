"""An instance without a process of its own: something else is at the other end of its socket."""

from __future__ import annotations

from mazzo_server.sandbox import SandboxedProcess

__all__ = ["PhantomProcess"]


class PhantomProcess(SandboxedProcess):
    """Writes no log, and uses no processor that could be taken from it."""

    log_size = 0

    def read_log(self, since: int = 0) -> str:
        """Nothing."""
        return ""

    def freeze(self) -> None:
        """Do nothing."""

    def thaw(self) -> None:
        """Do nothing."""

    def run_on(self, processor: int) -> None:
        """Do nothing."""
