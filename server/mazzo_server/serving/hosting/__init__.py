"""The platform of one store, put together, and where and for whom it listens."""

from mazzo_server.serving.descriptors import raise_descriptor_limit
from mazzo_server.serving.hosting.listening import TlsFiles
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.serving.memory import keep_memory_small

__all__ = ["Platform", "TlsFiles", "keep_memory_small", "raise_descriptor_limit"]
