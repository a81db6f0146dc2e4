"""Bar 4: 95 % intervals hold the truth in about 95 % of simulated tournaments of 16 entrants."""

from __future__ import annotations

import pytest

from bench.coverage import SETTINGS, Setting, coverage


@pytest.mark.parametrize("setting", SETTINGS[:2], ids=lambda setting: setting.name)
def test_intervals_hold_the_truth(setting: Setting) -> None:
    """In small: 15 tournaments, 240 intervals, whose share has a standard error of 1.4 %."""
    assert 0.91 <= coverage(setting, tournaments=15, whole=True) <= 0.985


def test_the_standings_say_what_the_statistics_say() -> None:
    """Promise: the faster way to the coverage measures the same intervals."""
    setting = Setting(name="small", spread=5, groups=2)
    ways = [coverage(setting, tournaments=3, entrants=4, whole=whole) for whole in (False, True)]
    assert ways[0] == ways[1]


@pytest.mark.prove
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_intervals_hold_the_truth_in_93_to_97_percent(setting: Setting) -> None:
    """At full size: 1,000 tournaments."""
    assert 0.93 <= coverage(setting, tournaments=1000) <= 0.97
