"""Connects to a Ray cluster, if strangers cannot."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from mazzo_server.errors import InvalidInputError, PlatformError, ServerUnavailableError
from mazzo_server.tournaments.executor.cluster.installed import SLOTS

__all__ = ["Node", "connect_ray", "count_free_slots", "list_nodes"]

_DIRECT: Final = (("grpc.enable_http_proxy", 0),)  # as Ray: a proxy need not see the token
_PATIENCE: Final = 5.0  # seconds
_QUESTION: Final = "/ray.rpc.NodeInfoGcsService/GetAllNodeInfo"  # which any client may ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A machine of a cluster."""

    id: str
    slots: int  # for workers

    @property
    def strategy(self) -> NodeAffinitySchedulingStrategy:
        """Tells Ray to run something on this node and nowhere else."""
        return NodeAffinitySchedulingStrategy(node_id=self.id, soft=False)


def connect_ray(address: str) -> None:
    """Connect this process, in which `prepare_ray` was called, to the cluster at `HOST:PORT`.

    Raises `PlatformError` for a cluster that cannot be reached, or that needs no token: who can
    reach its ports could run what he likes on every node.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise InvalidInputError(f"expected the address HOST:PORT of a Ray cluster, got {address!r}")
    if os.environ.get("RAY_USE_TLS") != "1":  # which needs a certificate of every client
        _check_token(address, _find_token())
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ray.exceptions.RayError, RuntimeError, ValueError, ConnectionError) as error:
        raise PlatformError(
            f"cannot use the Ray cluster at {address}: {str(error).strip().partition(chr(10))[0]} "
            "(a node of it must run on this machine: `ray start --address ...`)"
        ) from error


def _check_token(address: str, token: str) -> None:
    """Raise `PlatformError` unless the cluster wants this token."""
    with grpc.insecure_channel(address, options=_DIRECT) as channel:
        if _is_answered(channel, address, ""):
            raise PlatformError(
                f"the Ray cluster at {address} needs no token, so that who can reach its ports can "
                "run programs on all its machines: start it on every node with "
                "RAY_AUTH_MODE=token and the same token, as docs/how-to/use-a-cluster.md says"
            )
        if not token or not _is_answered(channel, address, token):
            raise PlatformError(
                f"the Ray cluster at {address} wants {'another' if token else 'a'} token: put it "
                "in a file that only you can read, and give the path in RAY_AUTH_TOKEN_PATH"
            )


def _is_answered(channel: grpc.Channel, address: str, token: str) -> bool:
    """Return whether the cluster answers who has that token; empty: none."""
    ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(_QUESTION)
    try:
        ask(
            b"",
            timeout=_PATIENCE,
            metadata=(("authorization", f"Bearer {token}"),) if token else (),
        )
    except grpc.RpcError as error:
        code = error.code()
        if code is grpc.StatusCode.UNAUTHENTICATED:
            return False
        raise ServerUnavailableError(
            f"expected a Ray cluster at {address}, got {code.name.lower()}: is it running, and is "
            "that its address? `mazzo cluster up` starts one on this machine"
        ) from error
    return True


def _find_token() -> str:
    """Return the token where Ray looks for it, in its order; empty if there is none."""
    if token := os.environ.get("RAY_AUTH_TOKEN"):
        return token.strip()
    path = os.environ.get("RAY_AUTH_TOKEN_PATH")
    try:
        return Path(path or Path.home() / ".ray" / "auth_token").read_text().strip()
    except OSError as error:
        if path:
            raise PlatformError(f"cannot read the token of the Ray cluster: {error}") from error
        return ""


def list_nodes() -> list[Node]:
    """Return the nodes of the connected cluster that are alive; all have an id, some have slots."""
    nodes = ray.nodes()  # type: ignore[no-untyped-call]
    return [
        Node(id=node["NodeID"], slots=int(node["Resources"].get(SLOTS, 0)))
        for node in nodes
        if node["Alive"]
    ]


def count_free_slots() -> int:
    """Return how many slots of the connected cluster have no worker."""
    return int(ray.available_resources().get(SLOTS, 0))  # type: ignore[no-untyped-call]
