"""A user namespace for a bot of a platform that runs as root.

Limits on the number of processes do not bind a process whose uid is root's outside, whatever it is
inside, so each such bot gets a uid of its own. That uid could not reach files below root's home,
often the Python installation itself. So its namespace is made here, with the owners of the system's
files mapped. While bwrap sets up the bot's file system it may reach these files as root does; it
has given up that right before the bot begins.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.namespaces.uids import FIRST_UID, open_uids

__all__ = ["UserNamespace", "is_unlimited_root"]

# Written from inside by the namespace's creator: no bot may create another one in it.
_MAKE = "echo 0 > /proc/sys/user/max_user_namespaces && echo made && read _"


def is_unlimited_root() -> bool:
    """Tell whether this process is root outside of every user namespace."""
    if os.geteuid() != 0:
        return False
    return Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]


class UserNamespace:
    """A namespace for the uid and gid `id`, which belong to no account and to no other instance.

    Its creation blocks for a few milliseconds. Raises IsolationError.
    """

    def __init__(self) -> None:
        self.id = open_uids().take()
        try:
            self.descriptor = self._make()
        except BaseException:
            self.release()
            raise

    def _make(self) -> int:
        """Return a descriptor of the namespace."""
        # The same numbers inside: the kernel forgets that a process must die with its parent as
        # soon as its uid changes.
        mapping = f"0 0 {FIRST_UID}\n{self.id} {self.id} 1\n"
        try:
            with subprocess.Popen(  # noqa: S603
                ["unshare", "--user", "--keep-caps", "--", "sh", "-c", _MAKE],  # noqa: S607
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                user=self.id,
                group=self.id,
                extra_groups=[],
            ) as maker:
                assert maker.stdout is not None
                said = maker.stdout.readline().decode(errors="replace").strip()
                if said != "made":
                    raise IsolationError(f"no user namespace can be made here: {said}")
                Path(f"/proc/{maker.pid}/uid_map").write_text(mapping)
                Path(f"/proc/{maker.pid}/gid_map").write_text(mapping)
                return os.open(f"/proc/{maker.pid}/ns/user", os.O_RDONLY)
        except OSError as error:
            raise IsolationError(f"no user namespace can be made here: {error}") from error

    def close(self) -> None:
        """Close its descriptor; it lives on while a process is in it."""
        os.close(self.descriptor)

    def release(self) -> None:
        """Let others have its id, when no process is left in it."""
        open_uids().give_back(self.id)
