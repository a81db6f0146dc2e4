"""The platform behind gRPC: one module a service, and its messages beside it."""

from mazzo_server.serving.grpc.server import open_embedded, serve_platform

__all__ = ["open_embedded", "serve_platform"]
