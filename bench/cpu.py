"""CPU time of the whole machine: bots end in sandboxes, where no parent counts their time."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["machine_seconds"]


def machine_seconds() -> float:
    """CPU seconds that all processors were busy since the machine started; Linux only."""
    numbers = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    user, nice, system, _idle, _iowait, irq, softirq = numbers[:7]
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
