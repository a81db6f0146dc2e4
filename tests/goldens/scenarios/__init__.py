"""Every scenario by its name."""

from __future__ import annotations

from goldens.scenarios import homes, refusals, rules, tournaments
from goldens.scenarios.scenario import Scenario

__all__ = ["SCENARIOS", "Scenario"]

SCENARIOS: dict[str, Scenario] = {
    **rules.SCENARIOS,
    **homes.SCENARIOS,
    **refusals.SCENARIOS,
    **tournaments.SCENARIOS,
}
