"""Ways of running bots that were submitted by strangers, or that one trusts."""

from mazzo_server.sandbox.base import Exit, Launch, Limits, Sandbox, SandboxedProcess
from mazzo_server.sandbox.opening import open_sandbox
from mazzo_server.sandbox.protections import PROTECTIONS, check_required, examine, required_names

__all__ = [
    "PROTECTIONS",
    "Exit",
    "Launch",
    "Limits",
    "Sandbox",
    "SandboxedProcess",
    "check_required",
    "examine",
    "open_sandbox",
    "required_names",
]
