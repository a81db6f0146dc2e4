"""What the server offers, told to clients that ask: reflection, in both its versions.

The library has v1alpha alone. Version 1 has the same messages in another package, so the same
servicer answers for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, text_format
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import SERVICE_NAME, aio

__all__ = ["VERSION_1", "add_reflection", "make_descriptors"]

_METHOD: Final = "ServerReflectionInfo"
VERSION_1: Final = SERVICE_NAME.replace("v1alpha", "v1")
"""The name of the service of version 1."""


def add_reflection(services: Sequence[str], server: grpc.aio.Server) -> None:
    """Offer both versions at a server, which tell of these services and of themselves."""
    names = (VERSION_1, SERVICE_NAME)
    servicer = aio.ReflectionServicer((*services, *names), pool=make_descriptors())
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        grpc.method_handlers_generic_handler(name, {_METHOD: handler}) for name in names
    )


def make_descriptors() -> descriptor_pool.DescriptorPool:
    """Return the pool of all that is known, with the file of version 1 in it."""
    pool = descriptor_pool.Default()
    file = descriptor_pb2.FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(file)
    text = text_format.MessageToString(file).replace("v1alpha", "v1")
    pool.Add(text_format.Parse(text, descriptor_pb2.FileDescriptorProto()))
    return pool
