"""The platform behind gRPC: one module a service, and its messages beside it."""

from mazzo_server.serving.grpc.server import serve_embedded, serve_platform

__all__ = ["serve_embedded", "serve_platform"]
