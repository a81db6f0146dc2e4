"""The platform behind gRPC: one module a service, and its messages beside it."""

from mazzo_server.serving.grpc.server import embedded, serve

__all__ = ["embedded", "serve"]
