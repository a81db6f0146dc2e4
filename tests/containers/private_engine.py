"""A container engine of one's own, in a temporary folder, without a network."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import docker

__all__ = ["private_engine"]

_START_SECONDS = 60.0
_STOP_SECONDS = 60.0


@contextlib.contextmanager
def private_engine() -> Iterator[tuple[docker.DockerClient, str]]:
    """Start `dockerd`: a client and its address. At the end nothing of it is left.

    Raises RuntimeError with the end of its log if it does not start.
    """
    folder = Path(tempfile.mkdtemp(prefix="mazzo-docker-", dir="/tmp"))
    try:
        address = f"unix://{folder}/docker.sock"
        with open(folder / "log", "wb") as log:
            daemon = subprocess.Popen(
                [
                    "dockerd",
                    f"--storage-driver={_storage_driver(folder)}",
                    "--iptables=false",
                    "--bridge=none",
                    f"--data-root={folder}/data",
                    f"--exec-root={folder}/exec",
                    f"--pidfile={folder}/pid",
                    f"--host={address}",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests, which stop it afterwards
            )
        try:
            with contextlib.closing(_client(address, daemon, folder / "log")) as client:
                try:
                    yield client, address
                finally:
                    for container in client.containers.list(all=True):
                        container.remove(force=True, v=True)
        finally:
            _stop(daemon)
    finally:
        _unmount_below(folder)
        shutil.rmtree(folder)


def _storage_driver(folder: Path) -> str:
    """overlay2, where the kernel has it here; `vfs` copies whole images, but works anywhere."""
    lower, upper, work, merged = (folder / "trial" / name for name in ("l", "u", "w", "m"))
    for place in (lower, upper, work, merged):
        place.mkdir(parents=True)
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    mounted = subprocess.run(
        ["mount", "-t", "overlay", "overlay", "-o", options, merged],
        capture_output=True,
        check=False,
    )
    if mounted.returncode == 0:
        subprocess.run(["umount", merged], check=True)
    shutil.rmtree(folder / "trial")
    return "vfs" if mounted.returncode else "overlay2"


def _client(address: str, daemon: subprocess.Popen[bytes], log: Path) -> docker.DockerClient:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and daemon.poll() is None:
        try:
            return docker.DockerClient(base_url=address, timeout=900)
        except docker.errors.DockerException:
            time.sleep(0.05)
    raise RuntimeError(f"dockerd does not start; it says:\n{log.read_text()[-3000:]}")


def _stop(daemon: subprocess.Popen[bytes]) -> None:
    """It stops its own containerd as well."""
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _unmount_below(folder: Path) -> None:
    points = [line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for point in reversed(points):
        if Path(point).is_relative_to(folder):
            subprocess.run(["umount", "--lazy", point], check=False)
