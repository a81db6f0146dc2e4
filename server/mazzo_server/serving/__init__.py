"""The platform of one store, put together, and what offers it to others."""

from mazzo_server.serving.listening import TlsFiles
from mazzo_server.serving.memory import keep_memory_small
from mazzo_server.serving.platform import Platform

__all__ = ["Platform", "TlsFiles", "keep_memory_small"]
