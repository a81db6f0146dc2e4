"""Every scenario by its name."""

from __future__ import annotations

from goldens.scenarios import (
    bots,
    faults,
    homes,
    interruptions,
    refusals,
    rules,
    servers,
    tournaments,
)
from goldens.scenarios.scenario import Scenario

__all__ = ["SCENARIOS", "Scenario"]

SCENARIOS: dict[str, Scenario] = {
    **rules.SCENARIOS,
    **homes.SCENARIOS,
    **refusals.SCENARIOS,
    **bots.SCENARIOS,
    **tournaments.SCENARIOS,
    **faults.SCENARIOS,
    **interruptions.SCENARIOS,
    **servers.SCENARIOS,
}
