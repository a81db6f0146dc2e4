"""The gRPC service that tells web addresses what happens."""

from __future__ import annotations

from mazzo.v1 import hook_pb2, hook_pb2_grpc
from mazzo_server.serving.grpc.calls import Context
from mazzo_server.serving.grpc.messages import cut_page, decode_hook_format, encode_hook
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["HookService"]


class HookService(hook_pb2_grpc.HookServiceServicer):
    """Adds, lists, tests and removes hooks."""

    def __init__(self, platform: Platform) -> None:
        self._hooks = platform.hooks

    async def AddHook(
        self, request: hook_pb2.AddHookRequest, context: Context
    ) -> hook_pb2.AddHookResponse:
        """Add a hook; its secret cannot be shown again."""
        row = await self._hooks.add(
            request.url,
            events=request.events,
            format=decode_hook_format(request.format),
            label=request.label,
        )
        return hook_pb2.AddHookResponse(secret=row.secret, hook=encode_hook(row))

    async def ListHooks(
        self, request: hook_pb2.ListHooksRequest, context: Context
    ) -> hook_pb2.ListHooksResponse:
        """List hooks, the oldest first."""
        shown = [encode_hook(row) for row in await self._hooks.list_hooks()]
        page, token = cut_page(shown, request.page_size, request.page_token)
        return hook_pb2.ListHooksResponse(hooks=page, next_page_token=token)

    async def GetHook(
        self, request: hook_pb2.GetHookRequest, context: Context
    ) -> hook_pb2.GetHookResponse:
        """Show one hook."""
        return hook_pb2.GetHookResponse(hook=encode_hook(await self._hooks.get(request.id)))

    async def RemoveHook(
        self, request: hook_pb2.RemoveHookRequest, context: Context
    ) -> hook_pb2.RemoveHookResponse:
        """Remove a hook, with what waits for it."""
        return hook_pb2.RemoveHookResponse(hook=encode_hook(await self._hooks.remove(request.id)))

    async def TestHook(
        self, request: hook_pb2.TestHookRequest, context: Context
    ) -> hook_pb2.TestHookResponse:
        """Send a test and return whether it arrived."""
        answer = await self._hooks.test(request.id)
        return hook_pb2.TestHookResponse(
            status=answer.status, error=answer.error, seconds=answer.seconds
        )
