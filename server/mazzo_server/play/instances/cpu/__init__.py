"""Shares out the processors of a machine: an instance thinks only while it has one."""

from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.play.instances.cpu.processor_leases import HostCores
from mazzo_server.play.instances.cpu.turns import Turns

__all__ = ["Cores", "HostCores", "Turns"]
