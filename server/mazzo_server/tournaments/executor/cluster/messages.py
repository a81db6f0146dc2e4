"""What a platform and its cluster driver tell each other.

The driver is a process of the platform's own, and nobody else can open the socket between them; so
messages are pickled, as those of workers are. What a worker says is passed on unread,
and unpickled by the platform: so whoever runs a node can do here what the platform can.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Alive",
    "Bring",
    "Connected",
    "Drop",
    "Joined",
    "Left",
    "NodeFacts",
    "Refused",
    "Tell",
    "Unsent",
    "Wrote",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """A node that has been looked at."""

    name: str  # of its host, and of the node if there are several on one host
    version: str  # of Mazzo
    source_hash: str  # of Mazzo's files, see `examine_node`
    python: str  # the version
    cores: int  # that Mazzo may use there
    decisions_per_second: float  # of the rules alone, on one core
    lacking: tuple[tuple[str, str], ...]  # protections by name, and how that showed


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """Pass bytes on to the worker of a slot."""

    slot: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Bring:
    """Copy a folder to the node of a slot, under the name `digest`, see `pack_folder`.

    The messages that follow for this slot find the folder there.
    """

    slot: int
    digest: str
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Give a slot up, with all that runs there; another one takes its place."""

    slot: int
    reason: str = ""  # why its worker cannot play, so that the node waits; empty: it can


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """The cluster is there, and has a node with slots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A slot has a worker; its number is never used again."""

    slot: int
    node: NodeFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """Bytes that the worker of a slot wrote; none: its relay lives, and the worker says nothing."""

    slot: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """The worker of a slot is gone."""

    slot: int
    reason: str
    has_node: bool  # its node is still there: it died alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsent:
    """A folder can be brought to no slot, for a reason on this machine."""

    folder: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """The driver lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A node may not play, or the whole cluster may not be used."""

    reason: str
    node: str  # empty: the cluster
