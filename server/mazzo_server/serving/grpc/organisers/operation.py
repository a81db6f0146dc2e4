"""The gRPC service for the people who run the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib.metadata import version

from mazzo.v1 import operation_pb2, operation_pb2_grpc
from mazzo_server.clock import wall_clock
from mazzo_server.sandbox import PROTECTIONS, examine
from mazzo_server.serving.grpc.calls import Context
from mazzo_server.serving.grpc.messages import encode_hook, encode_time
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.serving.hosting.status import Samples, measure_room
from mazzo_server.settings import list_usable_processors
from mazzo_server.storage import HookHealth

__all__ = ["OperationService"]

_WITH_TOKEN, _WITHOUT_TOKEN = {"token": "valid"}, {"token": "none"}  # labels of connections
_PROTECTIONS_AGE = 600.0  # seconds for which it stands what the machine lacks


class OperationService(operation_pb2_grpc.OperationServiceServicer):
    """Shows what the server does."""

    def __init__(
        self,
        platform: Platform,
        *,
        isolation: str,
        clock: Callable[[], float] = wall_clock,
    ) -> None:
        self._platform = platform
        self._isolation = isolation
        self._clock = clock
        self._begin_time = clock()
        self._examining = asyncio.Lock()  # of what follows
        self._lacking: Mapping[str, str] = {}
        self._examine_time: float | None = None

    async def GetStatus(
        self, request: operation_pb2.GetStatusRequest, context: Context
    ) -> operation_pb2.GetStatusResponse:
        """Show what runs and waits, what went wrong, and how much room there is."""
        platform = self._platform
        room = await asyncio.to_thread(measure_room, platform.settings)
        lacking = await self._find_lacking() if request.protections else None
        hooks = await platform.hooks.list_hooks()
        seen = Samples(platform.metrics.registry)
        return operation_pb2.GetStatusResponse(
            version=version("mazzo"),
            begin_time=encode_time(self._begin_time),
            isolation=self._isolation,
            draining=platform.draining.is_set(),
            memory_bytes=seen.count("process_resident_memory_bytes"),
            processors=len(list_usable_processors()),
            disk=operation_pb2.DiskSpace(
                total_bytes=room.total, free_bytes=room.free, store_bytes=room.store
            ),
            tournaments=[
                operation_pb2.RunningTournament(
                    id=number, workers=platform.tournaments.count_workers(number)
                )
                for number in platform.tournaments.list_running()
            ],
            trials=[
                operation_pb2.RunningTrial(bot=bot, version=number, progress=doing)
                for bot, number, doing in platform.bots.trials.list_progress()
            ],
            uploads=platform.bots.uploads.receiving,
            instances=seen.count("mazzo_instances_running"),
            decisions_waiting=seen.count("mazzo_decisions_waiting"),
            decisions_in_flight=seen.count("mazzo_decisions_in_flight"),
            matches_unstored=seen.count("mazzo_matches_unstored"),
            matches_begun=seen.count("mazzo_matches_started_total"),
            matches_finished=seen.count("mazzo_matches_finished_total"),
            matches_abandoned=seen.count("mazzo_matches_abandoned_total"),
            decisions=seen.count("mazzo_decisions_total"),
            decisions_late=seen.count("mazzo_decisions_late_total"),
            forfeits=_encode_forfeits(seen, "mazzo_faults_total"),
            lost_instances=_encode_forfeits(seen, "mazzo_instances_lost_total"),
            nodes=[
                operation_pb2.NodeCount(
                    name=node.name,
                    matches=node.matches,
                    decisions=node.decisions,
                    decisions_late=node.decisions_late,
                    forfeits=node.forfeits,
                    matches_lost=node.matches_lost,
                )
                for node in seen.list_nodes()
            ],
            connections=seen.count("mazzo_connections", **_WITH_TOKEN),
            anonymous_connections=seen.count("mazzo_connections", **_WITHOUT_TOKEN),
            limits_reached=seen.count("mazzo_limits_reached_total"),
            gateway_restarts=seen.count("mazzo_gateway_restarts_total"),
            protections=[] if lacking is None else _encode_protections(lacking),
            failing_hooks=[encode_hook(row) for row in hooks if row.health is not HookHealth.FINE],
        )

    async def _find_lacking(self) -> Mapping[str, str]:
        """Return which protections there are not, and how that showed."""
        async with self._examining:
            now, last = self._clock(), self._examine_time
            if last is None or not 0 <= now - last < _PROTECTIONS_AGE:
                self._lacking = await examine()
                self._examine_time = now
            return self._lacking


def _encode_forfeits(seen: Samples, name: str) -> list[operation_pb2.ForfeitCount]:
    return [
        operation_pb2.ForfeitCount(owner=one.owner, termination=one.termination, count=one.count)
        for one in seen.list_forfeits(name)
    ]


def _encode_protections(lacking: Mapping[str, str]) -> list[operation_pb2.ProtectionReport]:
    return [
        operation_pb2.ProtectionReport(
            name=name,
            given=name not in lacking,
            meaning=item.meaning,
            finding=lacking.get(name, ""),
            remedy=item.remedy if name in lacking else "",
        )
        for name, item in PROTECTIONS.items()
    ]
