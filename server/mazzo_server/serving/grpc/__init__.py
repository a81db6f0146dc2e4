"""The platform behind gRPC: one module a service, and its messages beside it."""

from mazzo_server.serving.grpc.server import serve, serve_embedded

__all__ = ["serve", "serve_embedded"]
