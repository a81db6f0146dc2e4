"""Runs bots in isolation: bots that strangers submitted, or one's own."""

from mazzo_server.sandbox.base import Exit, Launch, Limits, MemoryPeak, Sandbox, SandboxedProcess
from mazzo_server.sandbox.lock_table import LockTable
from mazzo_server.sandbox.opening import open_sandbox
from mazzo_server.sandbox.protections import (
    PROTECTIONS,
    check_required,
    examine,
    read_required_names,
)
from mazzo_server.sandbox.scratch import ScratchFolder, clear_dead_folders

__all__ = [
    "PROTECTIONS",
    "Exit",
    "Launch",
    "Limits",
    "LockTable",
    "MemoryPeak",
    "Sandbox",
    "SandboxedProcess",
    "ScratchFolder",
    "check_required",
    "clear_dead_folders",
    "examine",
    "open_sandbox",
    "read_required_names",
]
