"""The gRPC service that gives access and takes it back."""

from __future__ import annotations

from mazzo.v1 import auth_pb2, auth_pb2_grpc
from mazzo_server.serving.grpc.calls import CALLER, Context
from mazzo_server.serving.grpc.messages import cut_page, decode_role, encode_caller, encode_token
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.storage import TokenRow

__all__ = ["AuthService"]


class AuthService(auth_pb2_grpc.AuthServiceServicer):
    """Gives access and takes it back."""

    def __init__(self, platform: Platform) -> None:
        self._tokens = platform.tokens
        self._keys = platform.keys

    async def CreateToken(
        self, request: auth_pb2.CreateTokenRequest, context: Context
    ) -> auth_pb2.CreateTokenResponse:
        """Make a token; its text cannot be shown again."""
        role = decode_role(request.role)
        token, row = await self._tokens.create(
            role,
            request.subject,
            label=request.label,
            expire_days=request.expire_days if request.HasField("expire_days") else None,
        )
        return auth_pb2.CreateTokenResponse(text=token.text, token=self._encode(row))

    async def GetCaller(
        self, request: auth_pb2.GetCallerRequest, context: Context
    ) -> auth_pb2.GetCallerResponse:
        """Tell who the caller is, and what the caller may do."""
        return encode_caller(CALLER.get())

    async def ListTokens(
        self, request: auth_pb2.ListTokensRequest, context: Context
    ) -> auth_pb2.ListTokensResponse:
        """List tokens, the oldest first."""
        shown = [self._encode(row) for row in await self._tokens.list_tokens()]
        page, token = cut_page(shown, request.page_size, request.page_token)
        return auth_pb2.ListTokensResponse(tokens=page, next_page_token=token)

    async def RevokeToken(
        self, request: auth_pb2.RevokeTokenRequest, context: Context
    ) -> auth_pb2.RevokeTokenResponse:
        """Revoke a token for good."""
        row = await self._keys.revoke(request.id)
        return auth_pb2.RevokeTokenResponse(token=self._encode(row))

    def _encode(self, row: TokenRow) -> auth_pb2.AccessToken:
        return encode_token(row, is_expired=self._tokens.is_expired(row))
