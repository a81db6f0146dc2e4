"""A cluster on this machine, to try one with."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.tournaments.executor.cluster.installed import SLOTS, check_installed

__all__ = ["make_token_file", "run_cluster"]

_END_SECONDS = 20.0  # that Ray may take to end


def make_token_file(path: Path) -> Path:
    """Return the path of a file with the token of clusters; make the file if it is not there.

    Only its owner can read it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name) as file:  # for us alone
        file.write(secrets.token_hex(32))
        file.flush()
        with suppress(FileExistsError):
            os.link(file.name, path)
    path.chmod(0o600)
    return path


@contextmanager
def run_cluster(token: Path, *, port: int, slots: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a node with so many slots, which other nodes may join; end it with the context.

    Yields the process, which ends only if Ray does. Raises `PlatformError`, for a port that is
    taken `InvalidInputError`.
    """
    check_installed()
    _check_free(port)
    with TemporaryDirectory(prefix="ray-") as folder:
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 (Ray's own program)
                [
                    *(sys.executable, "-P", "-m", "ray.scripts.scripts", "start", "--head"),
                    *("--block", "--port", str(port), "--node-ip-address", "127.0.0.1"),
                    *("--num-cpus", "0", "--resources", json.dumps({SLOTS: slots})),
                    *("--include-dashboard=false", "--disable-usage-stats"),
                    # A head ends where another cluster has its usual port for clients.
                    *("--ray-client-server-port", f"{_find_free_port()}", "--temp-dir", folder),
                ],
                env=os.environ | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": f"{token}"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            while b"block forever" not in log.read_bytes():
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.1)
                    lines = log.read_text(errors="replace").strip().splitlines()
                    raise PlatformError(f"Ray does not start: {lines[-1] if lines else 'no word'}")
            yield process
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _find_free_port() -> int:
    with socket.create_server(("", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _check_free(port: int) -> None:
    try:
        with socket.create_server(("", port)):  # Ray listens at all addresses
            return
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise InvalidInputError(
            f"expected a free port, got {port} ({reason}): name another one with --port"
        ) from error
