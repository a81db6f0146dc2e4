"""The gRPC services for organisers alone."""

from mazzo_server.serving.grpc.organisers.auth import AuthService
from mazzo_server.serving.grpc.organisers.hooks import HookService
from mazzo_server.serving.grpc.organisers.operation import OperationService

__all__ = ["AuthService", "HookService", "OperationService"]
