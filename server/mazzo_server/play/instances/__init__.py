"""Running instances of bots: in a sandbox, or on the machine of their author."""

from mazzo_server.play.instances.bearer import read_bearer_token
from mazzo_server.play.instances.cpu import HostCores
from mazzo_server.play.instances.instance import InstanceLink, InstanceSpec, Loss
from mazzo_server.play.instances.lobby import UNUSED_SECONDS, Lobby, Session
from mazzo_server.play.instances.play_service import (
    PLAY_METHOD,
    PlayContext,
    expect_joining,
    make_service_handler,
)
from mazzo_server.play.instances.remote import RemoteSpec
from mazzo_server.play.instances.runner import InstanceRunner
from mazzo_server.play.instances.sandboxed import SandboxedInstance, SandboxedSpec
from mazzo_server.play.instances.statuses import find_code, find_reason, make_status
from mazzo_server.play.instances.stream import (
    MOST_MESSAGE,
    UNCOMPRESSED,
    UNLIMITED_PINGS,
    BotStream,
)
from mazzo_server.play.instances.stream_end import check_end

__all__ = [
    "MOST_MESSAGE",
    "PLAY_METHOD",
    "UNCOMPRESSED",
    "UNLIMITED_PINGS",
    "UNUSED_SECONDS",
    "BotStream",
    "HostCores",
    "InstanceLink",
    "InstanceRunner",
    "InstanceSpec",
    "Lobby",
    "Loss",
    "PlayContext",
    "RemoteSpec",
    "SandboxedInstance",
    "SandboxedSpec",
    "Session",
    "check_end",
    "expect_joining",
    "find_code",
    "find_reason",
    "make_service_handler",
    "make_status",
    "read_bearer_token",
]
