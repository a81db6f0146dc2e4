"""The container engine of this machine: the calls of `docker.py`, and the required abilities.

All calls block, and raise IsolationError when the engine refuses or is gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import CORE_BYTES, Limits
from mazzo_server.sandbox.capture import Capture
from mazzo_server.sandbox.cgroup import BorrowedGroup, find_group
from mazzo_server.sandbox.containers.attachment import Attachment

if TYPE_CHECKING:
    import docker

__all__ = ["ContainerEnd", "Engine"]

_ADDRESS_VARIABLE = "DOCKER_HOST"
_ADDRESS = "unix:///var/run/docker.sock"
_SECONDS = 60  # seconds that one call may take
_USER = 10001
_INIT = "/mazzo/init"
_MOST_FILES = 65_536  # files in the scratch folder
# Of `/proc`, what tells of a process alone, or is the same for ever.
_VISIBLE = {"cpuinfo", "mounts", "net", "self", "thread-self", "version"}

# A label of every container: the file that its platform keeps locked as long as it lives.
_OWNER = "mazzo.owner"

# What `docker info` must report, and what is missing otherwise.
_ABILITIES = {
    "MemoryLimit": "bound memory",
    "SwapLimit": "bound memory that is swapped out",
    "PidsLimit": "bound the number of processes",
    "CpuCfsQuota": "bound processor time",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerEnd:
    """How a container ended."""

    status: int
    out_of_memory: bool  # the kernel killed a process of it, since it had reached its limit


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListedContainer:
    """A container, as the engine lists it."""

    id: str
    owner: Path  # the file that its platform keeps locked
    created: float  # Unix seconds
    has_ended: bool


class Engine:
    """A client of the engine, which must be on this machine, as it mounts our folders."""

    def __init__(
        self, client: docker.APIClient, socket: str, *, binds_processors: bool = True
    ) -> None:
        """`binds_processors` tells whether it can keep a container to some of them."""
        self._client = client
        self._binds_processors = binds_processors
        self._socket = socket
        descriptor, self._lock = tempfile.mkstemp(prefix="mazzo-", suffix=".lock")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        weakref.finalize(self, _unlock, descriptor, self._lock)

    @classmethod
    def open(cls) -> Engine:
        """Return the engine at DOCKER_HOST, or at its default address."""
        try:
            import docker
        except ImportError as error:
            raise IsolationError(
                "isolation docker needs the Python package docker: "
                "`pip install 'mazzo[server,docker]'`"
            ) from error
        address = os.environ.get(_ADDRESS_VARIABLE) or _ADDRESS
        if not address.startswith("unix://"):
            raise IsolationError(
                f"expected {_ADDRESS_VARIABLE} to be a Unix socket, unix:///PATH, got {address!r}; "
                "bots run on the machine of the platform"
            )
        socket = address.removeprefix("unix://")
        if not Path(socket).is_socket():
            raise IsolationError(
                f"no container engine can be used at {address}: expected a socket there, got none; "
                f"start one, or say in {_ADDRESS_VARIABLE} where it is"
            )
        with _translate_errors(f"no container engine can be used at {address}"):
            client = docker.APIClient(base_url=address, version="auto", timeout=_SECONDS)
            about = client.info()
        lacks = [what for ability, what in _ABILITIES.items() if not about.get(ability)]
        filters = [option for option in about.get("SecurityOptions") or () if "seccomp" in option]
        if not filters or any("profile=unconfined" in option for option in filters):
            lacks.append("filter system calls")
        if lacks:
            raise IsolationError(
                f"the container engine at {address} cannot {', nor '.join(lacks)} on this machine"
            )
        return cls(client, socket, binds_processors=about.get("CPUSet", True))

    def check_image(self, image: str, dockerfile: str) -> None:
        """Raise unless there is `image`, the image of a runtime."""
        import docker.errors

        try:
            with _translate_errors(f"the image {image} cannot be looked at"):
                self._client.inspect_image(image)
        except IsolationError as error:
            if isinstance(error.__cause__, docker.errors.NotFound):
                raise IsolationError(
                    f"the engine has no image {image}: build it in a clone of Mazzo with "
                    f"`docker build -f {dockerfile} -t {image} .`"
                ) from error
            raise

    def create(
        self,
        name: str,
        *,
        image: str,
        command: Sequence[str],
        mounts: Mapping[Path, Path],
        scratch: str,
        limits: Limits,
    ) -> None:
        """Create a container for a bot, with all that confines it.

        `mounts` are places inside and the read-only folders that appear there.
        """
        processors = limits.list_processors()
        if processors and not self._binds_processors:
            raise IsolationError(
                "the container engine cannot keep bots to some of the processors on this machine: "
                "begin the ladder with `--share 1`"
            )
        from docker.types import LogConfig, Mount, Ulimit

        memory = limits.memory_bytes + limits.scratch_bytes  # the scratch folder is memory, too
        ulimits = {
            "core": CORE_BYTES,
            "data": limits.memory_bytes,  # so that a bot gets an error before it is killed
            "fsize": limits.file_bytes,
            "memlock": 0,
            "msgqueue": 0,
            "nofile": limits.open_files,
            "sigpending": 1024,  # the kernel counts it by user, and all bots are the same user
        }
        host = self._client.create_host_config(
            cap_drop=["ALL"],
            ipc_mode="none",
            log_config=LogConfig(type="none"),  # a bot's output must not fill the engine's disk
            mem_limit=memory,
            memswap_limit=memory,
            mounts=[
                Mount(str(inside), str(place), type="bind", read_only=True, propagation="rprivate")
                for inside, place in mounts.items()
            ],
            cpuset_cpus=",".join(map(str, processors)),  # empty: all
            nano_cpus=round((limits.cores or 0) * 1e9),  # 0: no limit
            network_mode="none",
            pids_limit=limits.processes,
            read_only=True,
            security_opt=["no-new-privileges:true"],
            tmpfs={
                scratch: f"rw,exec,nosuid,nodev,mode=0700,uid={_USER},gid={_USER},"
                f"size={limits.scratch_bytes},nr_inodes={_MOST_FILES}",
                "/dev/mqueue": "ro,size=4k",  # replaces the engine's, where everybody may write
            },
            ulimits=[Ulimit(name=name, soft=most, hard=most) for name, most in ulimits.items()],
        )
        host["MaskedPaths"] = _list_masked_paths()
        with _translate_errors("the engine makes no container for a bot"):
            self._client.create_container(
                image,
                command=list(command),
                entrypoint=[_INIT],
                environment={},
                host_config=host,
                hostname="bot",
                labels={_OWNER: self._lock},
                name=name,
                network_disabled=True,
                stdin_open=True,
                user=f"{_USER}:{_USER}",
                working_dir="/bot",
            )

    async def attach(self, container: str, output: Capture) -> Attachment:
        """Attach to the container's standard streams; unlike the other calls it does not block."""
        version = self._client.api_version
        return await Attachment.open(
            self._socket, f"/v{version}/containers/{container}/attach", output
        )

    def start(self, container: str) -> None:
        """Start the first process of the container."""
        with _translate_errors("the engine does not start the container of a bot"):
            self._client.start(container)

    def group(self, container: str) -> BorrowedGroup | None:
        """Return the control groups by which we can freeze the container and choose its processor.

        The engine can do both too, but takes longer than most bots take for a decision.
        """
        with _translate_errors(f"the engine does not say where the container {container} runs"):
            about = self._client.inspect_container(container)
        group = find_group(about["State"]["Pid"])
        # Seen from another container, the number may belong to some other process.
        return group if group is not None and about["Id"] in str(group.freezer) else None

    def kill(self, container: str) -> None:
        """End every process in the container; it may end by itself meanwhile."""
        with _translate_errors(f"the container {container} cannot be killed"), _ignore_gone():
            self._client.kill(container)

    def wait_for_end(self, container: str, *, seconds: int) -> ContainerEnd:
        """Wait up to so long for the container's end, and return it."""
        with _translate_errors(f"the container {container} has not ended"):
            self._client.wait(container, timeout=seconds)
            state = self._client.inspect_container(container)["State"]
        return ContainerEnd(status=int(state["ExitCode"]), out_of_memory=bool(state["OOMKilled"]))

    def remove(self, container: str) -> None:
        """End the container, and remove what is left of it; it may be gone already."""
        with _translate_errors(f"the container {container} cannot be removed"), _ignore_gone():
            self._client.remove_container(container, force=True, v=True)

    def sweep(
        self,
        *,
        ended_age: timedelta = timedelta(minutes=1),
        ownerless_age: timedelta = timedelta(days=1),
    ) -> None:
        """Remove the containers of platforms that are gone.

        Where that cannot be seen, an ended container counts as abandoned from `ended_age` on, and
        any from `ownerless_age` on, if its owner's file is gone.
        """
        with _translate_errors("the engine does not say what containers it has"):
            found = self._client.containers(all=True, filters={"label": _OWNER})
        for container in found:
            # Another platform may sweep right now, or remove its own containers.
            with contextlib.suppress(IsolationError):
                listed = _ListedContainer(
                    id=container["Id"],
                    owner=Path(container["Labels"][_OWNER]),
                    created=container["Created"],
                    has_ended=container["State"] in ("exited", "dead"),
                )
                if self._is_left(listed, ended_age, ownerless_age):
                    self._thaw(listed.id)
                    self.remove(listed.id)
                    if _is_lock_held(listed.owner) is False:
                        listed.owner.unlink(missing_ok=True)

    def _thaw(self, container: str) -> None:
        """Thaw the container: a frozen process does not die."""
        if group := self.group(container):
            with contextlib.suppress(OSError):
                group.set_frozen(frozen=False)

    def _is_left(
        self, container: _ListedContainer, ended_age: timedelta, ownerless_age: timedelta
    ) -> bool:
        """Tell whether its platform is gone. Where that cannot be seen, its age decides."""
        lives = _is_lock_held(container.owner)
        if lives is not None:
            return not lives
        with _translate_errors("the engine does not say how a container ended"):
            state = self._client.inspect_container(container.id)["State"]
        times = (container.created, _parse_seconds(state["FinishedAt"]))
        age = datetime.now(UTC) - datetime.fromtimestamp(max(times), UTC)
        # Our own would be removed at once; one that is not started yet, or runs, takes longer.
        if container.has_ended:
            return age > ended_age
        return age > ownerless_age and not os.path.exists(container.owner)


def _list_masked_paths() -> list[str]:
    """Return what appears empty: all that counts for the whole machine, and the terminals.

    A bot could change such a number, and another one could read it.
    """
    names = {name for name in os.listdir("/proc") if not name.isdigit()}
    return [*(f"/proc/{name}" for name in sorted(names - _VISIBLE)), "/sys", "/dev/pts"]


def _parse_seconds(time: str) -> float:
    """Read a time of RFC 3339 with any fraction of a second; the year 1 stands for never."""
    return max(datetime.fromisoformat(f"{time[:19]}+00:00").timestamp(), 0.0)


def _is_lock_held(lock: Path) -> bool | None:
    """Tell whether a platform holds the lock; None: that cannot be seen from here."""
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _unlock(descriptor: int, lock: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(lock)
    os.close(descriptor)


@contextlib.contextmanager
def _translate_errors(failure: str) -> Iterator[None]:
    """Raise errors of the engine's package as ours."""
    import docker.errors
    import requests.exceptions

    try:
        yield
    except docker.errors.DockerException as error:
        said = getattr(error, "explanation", None) or error
        raise IsolationError(f"{failure}: {said}") from error
    except (OSError, requests.exceptions.RequestException) as error:
        raise IsolationError(f"{failure}: {error}") from error


@contextlib.contextmanager
def _ignore_gone() -> Iterator[None]:
    """Ignore the error when the container is gone, or ends or goes right now."""
    import docker.errors

    try:
        yield
    except docker.errors.APIError as error:
        if error.status_code not in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
            raise
