"""A served platform, every kind of caller, and calls of any method."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from mazzo.v1 import auth_pb2, bot_pb2, challenge_pb2, entry_pb2, ladder_pb2
from mazzo_server.bots import PlayTrial
from mazzo_server.model.limits import CallLimits
from mazzo_server.model.roles import Role
from mazzo_server.model.trial_report import TrialCheck, TrialFailure, TrialMatch
from mazzo_server.play.trial import play_trial
from mazzo_server.serving.grpc.reflection import VERSION_1, make_descriptors
from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.stored_rows import manifest_of, trial_of

__all__ = [
    "CALLERS",
    "MANIFEST",
    "PATIENCE",
    "TRIAL",
    "ServedPlatform",
    "call",
    "kinds",
    "outcome",
    "reason_of",
    "run_served",
    "serve_callers",
]

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds, the longest wait for anything
CALLERS = ("nobody", "robot", "alice", "bob", "organiser")
MANIFEST = manifest_of("ann", command=("python", "bot.py"), licence="Apache-2.0")
TRIAL = trial_of(
    passed=False,
    start_up_seconds=0.5,
    matches=(
        TrialMatch(
            variant="briscola/2",
            passed=False,
            reason="crashed: holding the Ad",
            advice="look at the Ad",
            seat=1,
            record='{"actions": ["Ad"]}',
            decisions=3,
            decision_seconds=0.1,
        ),
    ),
    checks=(
        TrialCheck(
            name="odd",
            tried=1,
            left_out=0,
            failures=(
                TrialFailure(
                    variant="briscola/2",
                    reason="illegal-action: expected the Ad",
                    advice="answer the Ad",
                    seat=1,
                    record='{"actions": ["Ad"]}',
                ),
            ),
        ),
    ),
    log="my hand: Ad",
)
REQUESTS = {
    "ActivateVersion": bot_pb2.ActivateVersionRequest(name="ann").SerializeToString(),
    "JoinLadder": ladder_pb2.JoinLadderRequest(variant="briscola/2", bot="ann").SerializeToString(),
    "LeaveLadder": ladder_pb2.LeaveLadderRequest(
        variant="briscola/2", bot="ann"
    ).SerializeToString(),
    "PlayTrial": bot_pb2.PlayTrialRequest(name="ann").SerializeToString(),
    "CreateChallenge": challenge_pb2.CreateChallengeRequest(
        bot="ann", opponent="robot"
    ).SerializeToString(),
    "DeleteBot": bot_pb2.DeleteBotRequest(name="ann").SerializeToString(),
    "EnterBot": entry_pb2.EnterBotRequest(bot="ann").SerializeToString(),
    "LeaveBot": entry_pb2.LeaveBotRequest(bot="ann").SerializeToString(),
    "GetBot": bot_pb2.GetBotRequest(name="ann").SerializeToString(),
    "ListBotLogs": bot_pb2.ListBotLogsRequest(name="ann").SerializeToString(),
    "RetireBot": bot_pb2.RetireBotRequest(name="ann").SerializeToString(),
    "CreateToken": auth_pb2.CreateTokenRequest(
        role=auth_pb2.TOKEN_ROLE_AUTHOR, subject="carol"
    ).SerializeToString(),
}


@dataclass(frozen=True, slots=True)
class ServedPlatform:
    """A served platform, and a token of each caller."""

    port: str
    socket: str
    store: MemoryStore
    platform: Platform
    tokens: dict[str, str]

    def metadata(self, caller: str) -> tuple[tuple[str, str], ...]:
        """Return the metadata with the caller's token."""
        token = self.tokens.get(caller)
        return (("authorization", f"Bearer {token}"),) if token else ()


@asynccontextmanager
async def serve_callers(
    folder: Path,
    *,
    public: bool = False,
    public_play: bool = False,
    limits: CallLimits | None = None,
    isolation: str = "bubblewrap",
    play: PlayTrial = play_trial,
) -> AsyncIterator[ServedPlatform]:
    """Serve a platform with a token of each caller while the context lasts."""
    store = MemoryStore()
    store.add_version(
        "ann", content_hash="a" * 64, manifest=MANIFEST, create_time=1.0, owner="alice"
    )
    store.set_trial("ann", 1, trial=TRIAL)
    store.add_version("robot", content_hash="", manifest=MANIFEST, create_time=1.0, remote=True)
    platform = Platform(Settings(home=folder / "home"), store, play_trial=play)
    tokens = {}
    for name, role, subject in (
        ("robot", Role.BOT, "robot"),
        ("alice", Role.AUTHOR, "alice"),
        ("bob", Role.AUTHOR, "bob"),
        ("organiser", Role.ORGANISER, ""),
    ):
        token, _ = await platform.tokens.create(role, subject, label="")
        tokens[name] = token.text
    addresses = ["127.0.0.1:0", f"unix:{folder / 's'}"]
    async with serve_platform(
        platform,
        addresses,
        isolation=isolation,
        public=public,
        public_play=public_play,
        limits=limits,
        refusal_seconds=0.0,
    ) as listening:
        port, socket = listening
        yield ServedPlatform(port, socket, store, platform, tokens)


def run_served(
    folder: Path,
    body: Callable[[ServedPlatform], Coroutine[Any, Any, None]],
    *,
    public: bool = False,
    public_play: bool = False,
    limits: CallLimits | None = None,
) -> None:
    """Run the body on a served platform."""

    async def main() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            serve_callers(folder, public=public, public_play=public_play, limits=limits) as opened,
        ):
            await body(opened)

    asyncio.run(main())


def kinds() -> dict[str, tuple[bool, bool]]:
    """Every method of every service that there is: whether request and response are streams."""
    files = [
        importlib.import_module(f"mazzo.v1.{path.stem}_pb2").DESCRIPTOR
        for path in (ROOT / "proto" / "mazzo" / "v1").glob("*.proto")
    ]
    second = make_descriptors().FindServiceByName(VERSION_1).file
    return {
        f"/{service.full_name}/{method.name}": (method.client_streaming, method.server_streaming)
        for file in (*files, health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR, second)
        for service in file.services_by_name.values()
        for method in service.methods
    }


async def call(
    channel: grpc.aio.Channel, method: str, metadata: Sequence[tuple[str, Any]]
) -> grpc.StatusCode:
    """The status of one call, or OK as soon as something is answered."""
    code, _, _ = await outcome(channel, method, metadata)
    return code


async def outcome(
    channel: grpc.aio.Channel, method: str, metadata: Sequence[tuple[str, Any]]
) -> tuple[grpc.StatusCode, str, str]:
    """The status, the reason in its `ErrorInfo`, and what it says.

    grpcio's client loses a refusal that comes while it writes, now and then: so it asks again.
    """
    for _ in range(10):
        found = await _ask(channel, method, metadata)
        if found[2] != "Internal error from Core":
            break
    return found


async def _ask(
    channel: grpc.aio.Channel, method: str, metadata: Sequence[tuple[str, Any]]
) -> tuple[grpc.StatusCode, str, str]:
    streaming, streamed = kinds()[method]
    request: Any = REQUESTS.get(method.rpartition("/")[2], b"")
    name = ("stream" if streaming else "unary") + "_" + ("stream" if streamed else "unary")
    made = getattr(channel, name)(method)(
        iter([request]) if streaming else request, metadata=tuple(metadata)
    )
    try:
        if streamed:
            answer = await made.read()
            made.cancel()
            if answer is not grpc.aio.EOF:
                return grpc.StatusCode.OK, "", ""
            return await made.code(), "", ""
        await made
    except grpc.aio.AioRpcError as error:
        return error.code(), reason_of(error), error.details() or ""
    return grpc.StatusCode.OK, "", ""


def reason_of(error: grpc.aio.AioRpcError) -> str:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            info = error_details_pb2.ErrorInfo()
            status_pb2.Status.FromString(value).details[0].Unpack(info)
            return str(info.reason)
    return ""
